"""What every store does alike around its engine, so that none lets out of a scope what another keeps in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.stores.protocol import BothLegs, LegScores
from retrieval.types import Candidate, Passage, Place, Scope, SparseVector

_log = logging.getLogger(__name__)

_SPARE = 4
"""Candidates asked for beyond the limit, to see whether equal scores go on past the cut."""

_LAST_DIGITS = 1e-5
"""Of a score: far more than engines' sums differ by, and far less than tells two passages apart."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an engine found, before anybody has checked it; a leg that was not asked for has nothing."""

    near: Mapping[str, float]
    """Ids of the dense leg's passages, and their cosines."""
    sharing: Collection[str]
    """Ids of the sparse leg's."""
    cosines: Mapping[str, float]
    """Of the passages of both; empty where nobody asked for meaning."""
    passages: Iterable[Passage]


ByWords = Callable[[Sequence[Passage]], Mapping[str, float]]
"""Gives passages that may be shown their BM25 scores to the last digit, those that share a word."""


def required_places(scope: Scope) -> tuple[tuple[str, ...], ...]:
    """The filter of a scope: from each of these sets, a passage must stand in at least one place.

    Each adapter turns it into one condition for each set, all of which must hold, and adds none that is negative.

    Raises:
        ValueError: the scope is empty: no conditions at all would admit everything, so no engine may be asked.
    """
    if scope.is_empty:
        raise ValueError("An empty scope has no filter.")
    return tuple(tuple(str(place) for place in sorted(may_open)) for may_open in sorted(scope.readers, key=sorted))


def in_order(vector: SparseVector) -> list[SparseVector]:
    """A query's terms by twos, to be scored one after the other and added up in this order.

    An engine left to itself adds in the order in which it first saw the terms, in whosever passage that was: the last
    digits of a score would tell of what is outside the scope. Of two terms the sum is the same in either order.
    """
    terms = sorted(zip(vector.indices, vector.values, strict=True))
    twos = [terms[at : at + 2] for at in range(0, len(terms), 2)]
    return [SparseVector(tuple(index for index, _ in two), tuple(value for _, value in two)) for two in twos]


def search_legs(ask: Callable[[int], Found], by_words: ByWords, scope: Scope, limit: int) -> BothLegs:
    """The best of each leg; engines cut equal scores anywhere, so all that share the last one are fetched.

    Args:
        ask: Puts the query to the engine, which answers with as many of each leg as it is told.
        by_words: What the words' leg is ordered by: the last digits of an engine's own sums follow from how it came to
            keep things.
        scope: What they must stand in.
        limit: How many of each leg are wanted.
    """
    if scope.is_empty or limit < 1:
        return BothLegs()
    asked_for = limit + _SPARE
    while True:
        found = ask(asked_for)
        passages = {passage.id: passage for passage in admitted(found.passages, scope)}
        words = by_words(list(passages.values())) if found.sharing else {}
        near = {id_: score for id_, score in found.near.items() if id_ in passages}
        sharing = {id_: words[id_] for id_ in found.sharing if id_ in words and id_ in passages}
        if not any(_is_cut_among_equals(leg.values(), asked_for, limit) for leg in (near, sharing)):
            break
        asked_for *= 4
    legs = _ranked(near, passages, limit), _ranked(sharing, passages, limit)
    chosen = {candidate.passage.id for leg in legs for candidate in leg} & found.cosines.keys()
    return BothLegs(*legs, {id_: LegScores(found.cosines[id_], words.get(id_, 0.0)) for id_ in sorted(chosen)})


def _is_cut_among_equals(scores: Iterable[float], asked_for: int, limit: int) -> bool:
    """Whether there may be more passages that score as the last one wanted."""
    ordered = sorted(scores, reverse=True)
    return len(ordered) == asked_for and _are_level(ordered[-1], ordered[limit - 1])


def _ranked(scores: Mapping[str, float], passages: Mapping[str, Passage], limit: int) -> tuple[Candidate, ...]:
    ordered = sorted(scores, key=lambda id_: (-scores[id_], id_))[:limit]
    return tuple(Candidate(passages[id_], scores[id_], rank) for rank, id_ in enumerate(ordered, start=1))


def _are_level(low: float, high: float) -> bool:
    return high - low <= _LAST_DIGITS * abs(high)


def admitted(passages: Iterable[Passage], scope: Scope) -> list[Passage]:
    """What may be shown, checked without the engine; what the engine let slip is logged by its id and dropped."""
    return [passage for passage in passages if is_admitted(passage.id, passage.places, scope)]


def is_admitted(passage_id: str, places: Iterable[Place], scope: Scope) -> bool:
    """Likewise, of a passage of which no more is known."""
    if scope.admits(places):
        return True
    _log.error("The store returned passage %s from outside the scope; it was dropped.", passage_id)
    return False
