"""What every store does alike around its engine, so that none lets out of a scope what another keeps in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retrieval.types import Candidate, Passage, Scope

_log = logging.getLogger(__name__)

_SPARE = 16
"""Candidates asked for beyond the limit, to see whether equal scores go on past the cut."""


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


def best(ask: Callable[[int], Sequence[Scored]], scope: Scope, limit: int) -> tuple[Candidate, ...]:
    """The best of one leg; engines cut equal scores anywhere, so all that share the last one are fetched.

    Args:
        ask: Puts the leg's query to the engine, which answers with as many as it is told, best first.
        scope: What they must stand in.
        limit: How many are wanted.
    """
    if scope.is_empty or limit < 1:
        return ()
    asked_for = limit + _SPARE
    found = ask(asked_for)
    while len(found) == asked_for and found[-1].score == found[limit - 1].score:
        asked_for *= 4
        found = ask(asked_for)
    scores = {one.passage.id: one.score for one in found}
    passages = admitted((one.passage for one in found), scope)
    ordered = sorted(passages, key=lambda passage: (-scores[passage.id], passage.id))[:limit]
    return tuple(Candidate(passage, scores[passage.id], rank) for rank, passage in enumerate(ordered, start=1))


def admitted(passages: Iterable[Passage], scope: Scope) -> list[Passage]:
    """What may be shown, checked without the engine; what the engine let slip is logged by its id and dropped."""
    kept = []
    for passage in passages:
        if scope.admits(passage.places):
            kept.append(passage)
        else:
            _log.error("The store returned passage %s from outside the scope; it was dropped.", passage.id)
    return kept
