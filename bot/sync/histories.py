"""Reads channels' histories one after the other in a thread, beside what answers questions."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from bot.errors import BotError
from bot.state.progress import ChannelProgress, ReadingState
from bot.sync.backfill import Backfill
from bot.types import Conversation

STOP_S = 20.0
"""How long a stop waits for the day of a channel that is being read; what is cut off is read again."""
AGAIN_S = (60.0, 300.0, 900.0, 3600.0, 3600.0, 3600.0)
"""The waits before a channel that failed is read again; after them, the next start does it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Failed:
    """A channel that is to be read again."""

    conversation: Conversation
    times: int
    """How often it had failed before."""
    due_at: float


class Histories:
    """The channels that are to be read, and the thread that does it."""

    def __init__(self, again_s: Sequence[float] = AGAIN_S) -> None:
        self._waiting: SimpleQueue[Conversation | None] = SimpleQueue()
        self._again_s = again_s
        self._again: dict[str, _Failed] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def read_later(self, conversation: Conversation) -> None:
        """Have a channel read after those that wait."""
        self._waiting.put(conversation)

    def start(
        self,
        backfill: Backfill,
        first: Sequence[Conversation],
        when_read: Callable[[tuple[ChannelProgress, ...]], None],
    ) -> None:
        """Read the first channels, say so, and then whatever is to be read later, or again because it failed."""

        def work() -> None:
            progress = self._attempted(lambda: backfill.run(first, self._stop.is_set))
            self._note(first, progress)
            if not self._stop.is_set():
                when_read(progress)
            while (conversation := self._next()) and not self._stop.is_set():
                self._note([conversation], self._attempted(lambda: (backfill.read(conversation, self._stop.is_set),)))

        self._thread = threading.Thread(target=work, name="histories", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stop.set()
        self._waiting.put(None)
        if self._thread:
            self._thread.join(STOP_S)

    def _next(self) -> Conversation | None:
        """The next channel to read, as soon as there is one; None at the end."""
        due = min(self._again.values(), key=lambda failed: failed.due_at, default=None)
        try:
            return self._waiting.get(timeout=max(0.0, due.due_at - time.monotonic()) if due else None)
        except Empty:
            return due.conversation if due else None

    def _note(self, tried: Iterable[Conversation], progress: Iterable[ChannelProgress]) -> None:
        """Remember which of the channels failed, and when each is to be tried again."""
        failed = {channel.channel_id for channel in progress if channel.state is ReadingState.FAILED}
        for conversation in tried:
            before = self._again.pop(conversation.id, None)
            times = before.times + 1 if before else 0
            if conversation.id in failed and times < len(self._again_s):
                due_at = time.monotonic() + self._again_s[times]
                self._again[conversation.id] = _Failed(conversation, times, due_at)

    def _attempted(self, read: Callable[[], tuple[ChannelProgress, ...]]) -> tuple[ChannelProgress, ...]:
        """What a reading came to; the thread outlives one that fails."""
        try:
            return read()
        except BotError as error:
            log.error("histories: %s", error)
        except Exception as error:  # noqa: BLE001  # the thread's edge: the next channel may be readable
            # Without the error's own message, which may quote what people wrote.
            log.error("histories: %s at\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
        return ()
