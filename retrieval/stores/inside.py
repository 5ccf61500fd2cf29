"""What every store does alike around its engine, so that none lets out of a scope what another keeps in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.types import Candidate, Passage, Place, Scope

_log = logging.getLogger(__name__)

_SPARE = 4
"""Candidates asked for beyond the limit, to see whether equal scores go on past the cut."""

_LAST_DIGITS = 1e-5
"""Of a score: far more than engines' sums differ by, and far less than tells two passages apart."""

Exact = Callable[[Sequence[str]], Mapping[str, float]]
"""Gives passages their scores to the last digit, those of the scope."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What an engine found, before anybody has checked it."""

    passage: Passage
    score: float


def required_places(scope: Scope) -> tuple[tuple[str, ...], ...]:
    """The filter of a scope: from each of these sets, a passage must stand in at least one place.

    Each adapter turns it into one condition for each set, all of which must hold, and adds none that is negative.

    Raises:
        ValueError: the scope is empty: no conditions at all would admit everything, so no engine may be asked.
    """
    if scope.is_empty:
        raise ValueError("An empty scope has no filter.")
    return tuple(tuple(str(place) for place in sorted(may_open)) for may_open in sorted(scope.readers, key=sorted))


def best(
    ask: Callable[[int], Sequence[Scored]], scope: Scope, limit: int, exact: Exact | None = None
) -> tuple[Candidate, ...]:
    """The best of one leg; engines cut equal scores anywhere, so all that share the last one are fetched.

    Args:
        ask: Puts the leg's query to the engine, which answers with as many as it is told, best first.
        scope: What they must stand in.
        limit: How many are wanted.
        exact: Where the last digits of what `ask` answers follow from how the engine came to keep things.
    """
    if scope.is_empty or limit < 1:
        return ()
    asked_for = limit + _SPARE
    found = ask(asked_for)
    while len(found) == asked_for and _are_level(found[-1].score, found[limit - 1].score):
        asked_for *= 4
        found = ask(asked_for)
    passages = {passage.id: passage for passage in admitted((one.passage for one in found), scope)}
    scores = {one.passage.id: one.score for one in found}
    if exact and passages:
        scores |= exact(list(passages))
    ordered = sorted(passages, key=lambda id_: (-scores[id_], id_))[:limit]
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
