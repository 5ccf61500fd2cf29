"""Weighs how well each piece that could be quoted answers the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.answering.answer_kinds import likeness
from bot.answering.kinds import kinds_named
from bot.answering.quotable import Quotable
from bot.answering.words import content_stems, identifiers, inverse_frequencies, share_covered

_MOST_EMBEDDED = 32
"""Pieces whose meaning is compared, the best by words: each costs about 10 ms."""

_OWN_WORDS = 0.35
_CONTEXT_WORDS = 0.10
_MEANING = 0.45
_KIND = 0.12
_PASSAGE = 0.15
_OTHER_CASE = 0.3
_IDENTIFIER = 0.3


@dataclass(frozen=True, slots=True)
class Weighed:
    """A piece and what it is worth as an answer; higher is better."""

    piece: Quotable
    worth: float


def weigh(
    question: str, pieces: list[Quotable], similarity: Callable[[str, Sequence[str]], Sequence[float]]
) -> list[Weighed]:
    """The pieces that are no questions, best first; equal ones in the order given."""
    listed = [piece for piece in pieces if not piece.is_question and content_stems(piece.own)]
    by_words = _by_words(question, listed)
    nearest = sorted(range(len(listed)), key=lambda at: -by_words[at])[:_MOST_EMBEDDED]
    meanings = similarity(question, [f"{listed[at].context}\n{listed[at].own}" for at in nearest]) if nearest else ()
    weighed = [
        Weighed(listed[at], by_words[at] + _MEANING * meaning) for at, meaning in zip(nearest, meanings, strict=True)
    ]
    return sorted(weighed, key=lambda one: -one.worth)


def _by_words(question: str, pieces: list[Quotable]) -> list[float]:
    """What the pieces are worth by their words, their kind and their passage."""
    wanted = content_stems(question)
    weights = inverse_frequencies([f"{piece.context}\n{piece.own}" for piece in pieces])
    strongest = max((piece.hit.score for piece in pieces), default=0.0) or 1.0
    names, cases = identifiers(question), kinds_named(question)
    worth = []
    for piece in pieces:
        own = frozenset(content_stems(piece.own))
        around = own | frozenset(content_stems(piece.context))
        covered, in_context = share_covered(wanted, weights, own), share_covered(wanted, weights, around)
        worth.append(
            _OWN_WORDS * covered
            + _CONTEXT_WORDS * (in_context - covered)
            + _KIND * likeness(question, piece.own, piece.kind)
            + _PASSAGE * max(piece.hit.score, 0.0) / strongest
            + _IDENTIFIER * bool(names & identifiers(piece.own))
            - _OTHER_CASE * _is_another_case(cases, piece)
        )
    return worth


def _is_another_case(cases: dict[int, frozenset[str]], piece: Quotable) -> bool:
    """Whether the piece speaks of another place, day or sort of people than the one asked about."""
    named = kinds_named(piece.own)
    return any(named.get(kind) and not named[kind] & asked for kind, asked in cases.items())
