"""Reads channels' histories one after the other in a thread, beside what answers questions."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterable
from queue import SimpleQueue

from bot.errors import BotError
from bot.state.progress import ChannelProgress
from bot.sync.backfill import Backfill
from bot.types import Conversation

STOP_S = 20.0
"""How long a stop waits for the day of a channel that is being read; what is cut off is read again."""

log = logging.getLogger(__name__)


class Histories:
    """The channels that are to be read, and the thread that does it."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Conversation | None] = SimpleQueue()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def read_later(self, conversation: Conversation) -> None:
        """Have a channel read after those that wait."""
        self._waiting.put(conversation)

    def start(
        self,
        backfill: Backfill,
        first: Iterable[Conversation],
        when_read: Callable[[tuple[ChannelProgress, ...]], None],
    ) -> None:
        """Read the first channels, say so, and then whatever is to be read later."""

        def work() -> None:
            progress = self._attempted(lambda: backfill.run(first, self._stop.is_set))
            if not self._stop.is_set():
                when_read(progress)
            while (conversation := self._waiting.get()) and not self._stop.is_set():
                self._attempted(lambda: (backfill.read(conversation, self._stop.is_set),))

        self._thread = threading.Thread(target=work, name="histories", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stop.set()
        self._waiting.put(None)
        if self._thread:
            self._thread.join(STOP_S)

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
