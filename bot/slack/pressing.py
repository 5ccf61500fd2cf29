"""The inbox's handler for what people do with buttons and commands: each goes to the one part that knows it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.slack.events import Event
from bot.slack.interactions import Command, Press, command_in, press_in

log = logging.getLogger(__name__)

Act = Callable[[Press], None]
"""Does what a button is for, or tells whoever pressed it why not. May be called again for the same press."""


@dataclass(frozen=True, slots=True)
class Pressing:
    """Handles presses by the button's `action_id`, and commands."""

    team: str
    """What happens in another workspace is not ours to act on."""
    acts: Mapping[str, Act]
    obey: Callable[[Command], None]
    apologise: Callable[[Press | Command, str], None]
    """Tells whoever pressed or typed that it failed; the last is the incident."""

    def handle(self, event: Event) -> None:
        """Do what an event of a press or a command asks for; buttons that nobody knows any more do nothing."""
        done = self._done_in(event)
        if isinstance(done, Command):
            self.obey(done)
        elif done and (act := self.acts.get(done.action)):
            act(done)
        elif done:
            log.info("event %s: nobody knows this button", event.id)

    def give_up(self, event: Event, incident: str) -> None:
        """Tell whoever pressed or typed that it failed."""
        if done := self._done_in(event):
            self.apologise(done, incident)

    def _done_in(self, event: Event) -> Press | Command | None:
        return (press_in(event) or command_in(event)) if event.team == self.team else None
