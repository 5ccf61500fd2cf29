"""Which shared files are to be read next, and which again because that failed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

AGAIN_S = (5.0, 60.0, 300.0, 900.0, 3600.0, 3600.0)
"""The waits before a file that failed is read again; after them, the next start does it. Slack may say only moments
after a file's message that the file is shared there."""


class FileQueue:
    """Files in the order in which they are to be read; each is in one thread's hand at a time."""

    def __init__(self, again_s: Sequence[float] = AGAIN_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._again_s = again_s
        self._clock = clock
        self._news = threading.Condition()
        self._soon: dict[str, None] = {}
        self._later: dict[str, None] = {}
        self._again: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._in_hand: set[str] = set()
        self._is_closed = False

    def put(self, file_id: str, *, soon: bool = False) -> None:
        """Have a file read: `soon` ahead of those that histories brought."""
        with self._news:
            self._again.pop(file_id, None)
            if soon:
                self._later.pop(file_id, None)
                self._soon[file_id] = None
            elif file_id not in self._soon:
                self._later[file_id] = None
            self._news.notify()

    def take(self, *, wait: bool = True) -> str | None:
        """The next file, in this thread's hand until it is done; None when closed, or where none is due now."""
        with self._news:
            while not self._is_closed:
                if file_id := self._due():
                    self._in_hand.add(file_id)
                    return file_id
                if not wait:
                    return None
                self._news.wait(self._pause_s())
            return None

    def done(self, file_id: str, *, is_settled: bool) -> None:
        """Put a file out of hand; what isn't settled is read again after a wait, as long as there are waits left."""
        with self._news:
            self._in_hand.discard(file_id)
            failures = 0 if is_settled else self._failures.pop(file_id, 0) + 1
            if is_settled:
                self._failures.pop(file_id, None)
            elif failures <= len(self._again_s):
                self._failures[file_id] = failures
                self._again.setdefault(file_id, self._clock() + self._again_s[failures - 1])
            self._news.notify_all()

    def close(self) -> None:
        """Give no more."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in hand or to be read now."""
        with self._news:
            return not (self._soon or self._later or self._in_hand)

    def _due(self) -> str | None:
        now = self._clock()
        due = {file_id: None for file_id, at in self._again.items() if at <= now}
        for waiting in (self._soon, due, self._later):
            if found := next((file_id for file_id in waiting if file_id not in self._in_hand), None):
                for queue in (self._soon, self._later, self._again):
                    queue.pop(found, None)
                return found
        return None

    def _pause_s(self) -> float | None:
        return max(0.0, min(self._again.values()) - self._clock()) if self._again else None
