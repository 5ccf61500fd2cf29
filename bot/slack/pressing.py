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

    acts: Mapping[str, Act]
    obey: Callable[[Command], None]
    apologise: Callable[[str, str, str], None]
    """Tells somebody, by channel and user id, that it failed; the last is the incident."""

    def handle(self, event: Event) -> None:
        """Do what an event of a press or a command asks for; buttons that nobody knows any more do nothing."""
        if command := command_in(event):
            self.obey(command)
        elif press := press_in(event):
            if act := self.acts.get(press.action):
                act(press)
            else:
                log.info("nobody knows the button %s", press.action)

    def give_up(self, event: Event, incident: str) -> None:
        """Tell whoever pressed or typed that it failed."""
        if asked := press_in(event) or command_in(event):
            self.apologise(asked.channel, asked.user, incident)
