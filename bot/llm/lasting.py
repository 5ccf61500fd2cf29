"""Asks a busy model again, and leaves one alone that keeps failing."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.protocol import ChatModel, ChatRequest, Piece

_ATTEMPTS = 3
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0
"""A server that wants more is not waited for: somebody in Slack is waiting too."""
_FAILURES_TO_OPEN = 3
_OPEN_S = 60.0


@dataclass(frozen=True, slots=True)
class Retrying:
    """A `ChatModel` that asks again as long as nothing was said; what was half said is not said twice."""

    model: ChatModel
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    """0 to 1; spreads those who wait for the same server."""

    @property
    def name(self) -> str:
        return self.model.name

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        for attempt in range(_ATTEMPTS):
            has_spoken = False
            try:
                for piece in self.model.stream(request):
                    has_spoken = True
                    yield piece
                return
            except ChatModelBusy as busy:
                wait_s = self._wait_s(attempt, busy.retry_after_s)
                if has_spoken or attempt == _ATTEMPTS - 1 or wait_s > _LONGEST_WAIT_S:
                    raise
            self.sleep(wait_s)

    def _wait_s(self, attempt: int, wanted: float | None) -> float:
        return wanted if wanted is not None else _FIRST_WAIT_S * 2**attempt * (1 + self.jitter())


@dataclass(slots=True)
class Circuit:
    """A `ChatModel` that is not asked for a minute after three failures in a row, whoever asked.

    After that minute one question tries it, and the others still go without until it has worked.
    """

    model: ChatModel
    clock: Callable[[], float] = time.monotonic
    _failures: int = 0
    _closed_at: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    @property
    def name(self) -> str:
        return self.model.name

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        self._enter()
        try:
            for piece in self.model.stream(request):
                if piece.finish:
                    self._count(failed=False)
                yield piece
        except ChatModelError:
            self._count(failed=True)
            raise

    def _enter(self) -> None:
        with self._lock:
            now = self.clock()
            if self._failures < _FAILURES_TO_OPEN:
                return
            if now < self._closed_at:
                raise ChatModelBusy("The language model has failed three times in a row, and is left alone for now.")
            self._closed_at = now + _OPEN_S  # this one tries

    def _count(self, *, failed: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if failed else 0
            if failed:
                self._closed_at = self.clock() + _OPEN_S
