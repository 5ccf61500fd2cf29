"""Weighs how well each piece that could be quoted answers the query."""

from __future__ import annotations

from dataclasses import dataclass

from bot.answering.answer_kinds import likeness
from bot.answering.kinds import kinds_named
from bot.answering.meaning import Similarity
from bot.answering.quotable import Quotable
from bot.answering.words import content_stems, identifiers, inverse_frequencies, share_covered

_MOST_EMBEDDED = 48
"""Pieces whose meaning is compared, the best by words: each costs a few ms, and is remembered."""

_LONGEST_EMBEDDED = 600
"""Characters of a piece whose meaning is compared: enough for a long sentence, little enough to be quick."""

_OWN_WORDS = 0.25
_ALL_WORDS = 0.20
_MEANING = 0.75
_KIND = 0.18
_PASSAGE = 0.30
_IDENTIFIER = 0.3
_OTHER_CASE = 0.3
_BY_ASKER = 0.12


@dataclass(frozen=True, slots=True)
class Weighed:
    """A piece and what it is worth as an answer; higher is better."""

    piece: Quotable
    worth: float
    meaning: float
    """How near it is to the query, -1 to 1."""


def weigh(question: str, pieces: list[Quotable], similarity: Similarity) -> list[Weighed]:
    """The pieces, best first; equal ones in the order given."""
    listed = [piece for piece in pieces if content_stems(piece.own)]
    by_words = _by_words(question, listed)
    nearest = sorted(range(len(listed)), key=lambda at: -by_words[at])[:_MOST_EMBEDDED]
    meanings = similarity(question, [_as_read(listed[at]) for at in nearest]) if nearest else ()
    weighed = [
        Weighed(listed[at], by_words[at] + _MEANING * meaning, meaning)
        for at, meaning in zip(nearest, meanings, strict=True)
    ]
    return sorted(weighed, key=lambda one: -one.worth)


def _as_read(piece: Quotable) -> str:
    """The piece under what it is read under, short enough to be compared."""
    return f"{piece.context}\n{piece.own}"[:_LONGEST_EMBEDDED]


def _by_words(question: str, pieces: list[Quotable]) -> list[float]:
    """What the pieces are worth by their words, their kind and their passage."""
    wanted = content_stems(question)
    weights = inverse_frequencies([f"{piece.context}\n{piece.own}" for piece in pieces])
    strongest = max((piece.hit.score for piece in pieces), default=0.0) or 1.0
    names, cases = identifiers(question), kinds_named(question)
    return [
        _worth_of_words(wanted, weights, piece)
        + _KIND * likeness(question, f"{piece.header}\n{piece.own}".strip(), piece.kind)
        + _PASSAGE * max(piece.hit.score, 0.0) / strongest
        + _IDENTIFIER * bool(names & identifiers(piece.own))
        - _OTHER_CASE * _is_another_case(cases, piece)
        - _BY_ASKER * piece.is_by_asker
        for piece in pieces
    ]


def _worth_of_words(wanted: list[str], weights: dict[str, float], piece: Quotable) -> float:
    own = frozenset(content_stems(piece.own))
    with_header = own | frozenset(content_stems(piece.header))
    around = with_header | frozenset(content_stems(piece.context))
    covered = (share_covered(wanted, weights, own) + share_covered(wanted, weights, with_header)) / 2
    return _OWN_WORDS * covered + _ALL_WORDS * share_covered(wanted, weights, around)


def _is_another_case(cases: dict[int, frozenset[str]], piece: Quotable) -> bool:
    """Whether the piece speaks of another place, day or sort of people than the one asked about."""
    named = kinds_named(piece.own)
    return any(named.get(kind) and not named[kind] & asked for kind, asked in cases.items())
