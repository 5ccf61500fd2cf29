"""Looks at recent answers again and again, so that one of which an event was lost does not stay as it was."""

from __future__ import annotations

import logging
import threading
from typing import Protocol

from bot.errors import BotError
from retrieval.errors import RetrievalError

EVERY_S = 300.0
"""An event is seldom lost; a round costs a few dozen calls, of which Slack allows some fifty a minute."""
WINDOW_S = 24 * 3600.0
"""Of a day: later, few read an answer any more, and whoever does sees what events have left of it."""
MOST = 20
"""Answers in one round, the longest unseen first; the first round, after a start, has no such limit."""
STOP_S = 20.0
"""How long a stop waits for the look that is being taken."""

log = logging.getLogger(__name__)


class Looking(Protocol):
    """What looks at recent answers."""

    def look_round(self, window_s: float, most: int | None = None) -> None: ...


class Rounds:
    """One round at the start, for what happened while no bot ran, and then one every few minutes."""

    def __init__(self, looking: Looking, every_s: float = EVERY_S) -> None:
        self._looking = looking
        self._every_s = every_s
        self._is_stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, beside everything else."""
        self._is_stopping.clear()
        self._thread = threading.Thread(target=self._work, name="rounds", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Begin no other round."""
        self._is_stopping.set()
        if self._thread:
            self._thread.join(STOP_S)

    def run_now(self, most: int | None = MOST) -> None:
        """Make one round in this thread; of what can't be looked at now, the next one will."""
        try:
            self._looking.look_round(WINDOW_S, most)
        except (BotError, RetrievalError) as error:  # the next round begins with what was not seen
            log.warning("not every answer could be looked at: %s", error)

    def _work(self) -> None:
        self.run_now(None)
        while not self._is_stopping.wait(self._every_s):
            self.run_now()
