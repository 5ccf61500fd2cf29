"""Remembers what Slack said for as long as it may be relied on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST_FACTS = 5000
"""Facts of one kind that are kept at once; the oldest go first."""


class Facts(Generic[K, V]):
    """Facts of one kind, each read when it is asked for and none fresh enough is known.

    What a read raises passes through, and a fact that could not be read anew is not known any more.
    """

    def __init__(self, read: Callable[[K], V], clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._known: dict[K, tuple[float, V]] = {}
        self._forgetting = threading.Lock()

    def get(self, key: K, max_age_s: float) -> V:
        """A fact that was true at some time in the last `max_age_s` seconds."""
        now = self._clock()  # before the read: what changes meanwhile may be missing in it
        known = self._known.get(key)
        if known and now - known[0] <= max_age_s:
            return known[1]
        facts = self._known  # what is forgotten during the read stays so
        facts.pop(key, None)
        value = self._read(key)
        facts[key] = (now, value)
        while len(facts) > MOST_FACTS:
            facts.pop(next(iter(facts)), None)
        return value

    def forget(self, key: K) -> None:
        """Read it anew when it is asked for again, whoever may be reading it now."""
        with self._forgetting:  # or two at once would bring back what the other one forgot
            self._known = {known: fact for known, fact in self._known.copy().items() if known != key}

    def forget_all(self) -> None:
        """Read each of them anew."""
        with self._forgetting:
            self._known = {}
