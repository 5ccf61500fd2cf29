"""What was so, since when, and since when Footnote can know: the truth over the sandbox's time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.evaluation.access.oracle import Truth

Condition = Callable[[Truth], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Something that was done in the workspace."""

    at: float
    """Seconds of the sandbox's clock."""
    before: Truth
    after: Truth
    events: frozenset[str]
    """Ids of the events by which Slack tells of it; none where it tells nothing."""


class Timeline:
    """Every change so far, and the events that have come."""

    def __init__(self, first: Truth) -> None:
        self._first = first
        self._changes: list[Change] = []
        self._came: dict[str, float] = {}

    @property
    def now(self) -> Truth:
        return self._changes[-1].after if self._changes else self._first

    def add(self, at: float, after: Truth, events: frozenset[str]) -> None:
        """Write down what was done."""
        self._changes.append(Change(at, self.now, after, events))

    def note_event(self, event_id: str, at: float) -> None:
        """An event has reached Footnote, perhaps not for the first time."""
        self._came.setdefault(event_id, at)

    def since(self, holds: Condition) -> Change | None:
        """The change since which something holds that holds now; None where it held from the start."""
        began: Change | None = None
        for change in reversed(self._changes):
            if not holds(change.after):
                return began
            began = change
        return began if began and not holds(began.before) else None

    def latest(self, most: int) -> list[Change]:
        """The last changes, the newest first."""
        return self._changes[: -most - 1 : -1]

    def told_at(self, change: Change) -> float | None:
        """When the last of a change's events came; None where one has not come, or there is none."""
        if not change.events or not change.events <= self._came.keys():
            return None
        return max(self._came[event_id] for event_id in change.events)
