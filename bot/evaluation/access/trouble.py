"""What goes wrong between Slack and Footnote: events that are lost, late or told twice, and calls that fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from sandbox.faults import CallFault, EventFault
from sandbox.still import StillSandbox
from sandbox.types import Refused

_LOST, _LATE, _TWICE, _FAILING = 0.15, 0.15, 0.1, 0.12
"""How often."""
_LATE_S = (5.0, 30.0, 90.0)
_EVERY = 1_000
"""More events than one act has."""
_METHODS = (
    "chat.postMessage",
    "conversations.history",
    "conversations.info",
    "conversations.list",
    "conversations.members",
    "conversations.replies",
    "users.conversations",
    "users.info",
    "users.list",
)
_PATIENCE_S = 100
"""Longer than a caller waits for its turn."""


class Trouble:
    """Makes trouble at random."""

    def __init__(self, still: StillSandbox, random: Random) -> None:
        self._still = still
        self._random = random

    @contextmanager
    def with_events(self) -> Iterator[str]:
        """What becomes of the events of an act; gives its words for the story."""
        faults, chance = self._still.faults, self._random.random()
        words = ""
        if chance < _LOST:
            faults.dropped.append(EventFault("", _EVERY))
            words = " (its events are lost)"
        elif chance < _LOST + _LATE:
            late_s = self._random.choice(_LATE_S)
            faults.delayed.append(EventFault("", _EVERY, late_s))
            words = f" (its events come {late_s:.0f} s late)"
        try:
            yield words
        finally:
            faults.dropped.clear()
            faults.delayed.clear()

    def tell_twice(self, sent: int) -> None:
        """Now and then, send again what was sent since there were so many events."""
        for payload in self._still.sent()[sent:]:
            if self._random.random() < _TWICE:
                self._still.repeat(str(payload["event_id"]))

    @contextmanager
    def with_calls(self) -> Iterator[list[str]]:
        """Now and then some of Footnote's calls fail; gives the methods that did, when it is over."""
        refused = self._still.faults.refused
        if self._random.random() < _FAILING:
            refused += [self._fault() for _ in range(self._random.randint(1, 2))]
        planned = {id(fault): fault.count for fault in refused}
        struck: list[str] = []
        try:
            yield struck
        finally:
            struck += [fault.method for fault in refused if fault.count < planned[id(fault)]]
            refused.clear()

    def _fault(self) -> CallFault:
        refusals = (
            Refused("internal_error"),
            Refused("ratelimited", status=429, retry_after_s=_PATIENCE_S),
            Refused("channel_not_found"),
            Refused("missing_scope"),
        )
        return CallFault(self._random.choice(_METHODS), 1, self._random.choice(refusals))
