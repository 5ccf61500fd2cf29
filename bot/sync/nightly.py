"""Has everything compared with Slack once a day, and soon after Slack says that events were lost."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from typing import Protocol

from bot.errors import BotError
from retrieval.errors import RetrievalError

EVERY_S = 24 * 3600.0
"""From the start on; whoever wants it at night starts Footnote then."""
CALM_S = 120.0
"""Slack says every minute that it loses events, for as long as it does; the pass comes when it has stopped."""
STOP_S = 10.0
"""How long a stop waits for the channel that is being looked at."""

log = logging.getLogger(__name__)


class Passes(Protocol):
    """What compares everything."""

    def run(self, is_stopped: Callable[[], bool] = ..., *, catches_up: bool = True) -> None: ...


class Nightly:
    """The thread that does it, one pass after the other."""

    def __init__(self, passes: Passes, every_s: float = EVERY_S, calm_s: float = CALM_S) -> None:
        self._passes = passes
        self._every_s = every_s
        self._calm_s = calm_s
        self._asked = threading.Event()
        self._is_stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def run_now(self, *, catches_up: bool = True) -> None:
        """Make one pass in this thread; where Slack can't be asked, the next one will do."""
        try:
            self._passes.run(self._is_stopping.is_set, catches_up=catches_up)
        except (BotError, RetrievalError) as error:
            log.warning("reconciliation: %s", error)
        except Exception as error:  # noqa: BLE001  # the thread's edge: the next pass may work
            # Without the error's own message, which may quote what people wrote.
            log.error(
                "reconciliation: %s at\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
            )

    def soon(self) -> None:
        """Make a pass when nothing has asked for one for a while."""
        self._asked.set()

    @property
    def is_asked(self) -> bool:
        """Whether a pass was asked for that has not been made."""
        return self._asked.is_set()

    def start(self) -> None:
        """Make a pass once a day from now on, and whenever one is asked for."""
        self._thread = threading.Thread(target=self._work, name="nightly", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Make no more."""
        self._is_stopping.set()
        self._asked.set()
        if self._thread:
            self._thread.join(STOP_S)

    def _work(self) -> None:
        while not self._is_stopping.is_set():
            self._asked.wait(self._every_s)
            while self._asked.is_set() and not self._is_stopping.is_set():
                self._asked.clear()
                self._is_stopping.wait(self._calm_s)
            if not self._is_stopping.is_set():
                self.run_now()
