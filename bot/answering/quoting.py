"""Chooses the words of the evidence that answer the query, verbatim."""

from __future__ import annotations

from bot.answering.meaning import Similarity
from bot.answering.quotable import Quotable, quotables
from bot.answering.tables import with_whole_tables
from bot.answering.words import content_stems
from bot.answering.worth import Weighed, weigh
from bot.types import Evidence, Query, Quote

MOST_QUOTES = 3
_NEAR_THE_BEST = 0.88
"""A second quote is worth at least this share of the best."""
_NEW_WORDS = 0.5
"""At least this share of a second quote's words stands in none before it."""
_WORTH_QUOTING = 0.5
"""The best unit is worth at least this, else nothing answers."""


def quote(query: Query, evidence: Evidence, similarity: Similarity) -> tuple[Quote, ...]:
    """At most three units that answer the query, the best passage first, in reading order within a passage.

    None when no unit does.
    """
    weighed = weigh(query.text, quotables(evidence.hits), similarity)
    chosen = _chosen(with_whole_tables(query.text, weighed))
    return tuple(_quote(piece) for piece in _in_reading_order(chosen))


def _chosen(weighed: list[Weighed]) -> list[Quotable]:
    if not weighed or weighed[0].worth < _WORTH_QUOTING:
        return []
    best = weighed[0]
    chosen = [best.piece, *_corrections(best.piece, weighed)]
    for other in weighed[1:]:
        if len(chosen) >= MOST_QUOTES or other.worth < _NEAR_THE_BEST * best.worth:
            break
        if _adds(other.piece, chosen):
            chosen.append(other.piece)
    return chosen[:MOST_QUOTES]


def _corrections(piece: Quotable, weighed: list[Weighed]) -> list[Quotable]:
    """What takes the piece back further down in its passage; it would mislead without."""
    below = (one.piece for one in weighed if one.piece.hit.passage.id == piece.hit.passage.id)
    return [other for other in below if other.is_correction and other.start > piece.start]


def _adds(piece: Quotable, chosen: list[Quotable]) -> bool:
    said = {word for earlier in chosen for word in content_stems(earlier.own)}
    own = set(content_stems(piece.own))
    return bool(own) and len(own - said) / len(own) >= _NEW_WORDS


def _in_reading_order(chosen: list[Quotable]) -> list[Quotable]:
    order = {piece.hit.passage.id: at for at, piece in reversed(list(enumerate(chosen)))}
    return sorted(chosen, key=lambda piece: (order[piece.hit.passage.id], piece.start))


def _quote(piece: Quotable) -> Quote:
    passage = piece.hit.passage
    return Quote(piece.text, piece.kind, passage, passage.anchor_at(piece.start), piece.headings)
