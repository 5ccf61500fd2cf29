"""Whether Footnote is let in in a workspace at all: where it isn't, nothing is answered and nothing is read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.errors import TOKEN_REFUSALS, SlackError
from bot.slack.events import Event, suspended_teams
from bot.slack.inbox import Handler
from bot.state.suspensions import Suspensions

_SHUT_OUT = TOKEN_REFUSALS | {"org_login_required", "team_access_not_granted", "team_added_to_org"}
"""What Slack answers where an app was removed, or its workspace is being moved into an organisation."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Welcome:
    """How Footnote stands in one workspace.

    An event that says that it is out counts at once. It is in again when `auth.test` says so: events of an uninstalling
    come late, and in any order.
    """

    is_itself: Callable[[], bool]
    """Asks Slack; raises `SlackError`."""
    suspensions: Suspensions
    team: str

    def hear(self, event: Event) -> None:
        """Suspend at once what an event says is out."""
        if self.team in suspended_teams(event):
            self.suspensions.suspend(self.team, event.id)

    def heed(self, event: Event) -> None:
        """Ask Slack what an event leaves unsure; while a workspace is being moved, its answer says nothing.

        Raises:
            SlackError: Slack doesn't say.
        """
        is_told_out = self.team in suspended_teams(event) and event.type != "grid_migration_started"
        if is_told_out or event.type == "grid_migration_finished":
            self.is_in()

    def is_suspended(self) -> bool:
        """Whether nothing may be answered or read now, as far as is known."""
        return self.suspensions.holds(self.team)

    def is_in(self) -> bool:
        """Whether Slack lets Footnote in now, which is remembered.

        Raises:
            SlackError: Slack doesn't say.
        """
        try:
            is_in = self.is_itself()
        except SlackError as error:
            if error.code not in _SHUT_OUT:
                raise
            is_in = False
            log.warning("workspace %s: Footnote is not let in: %s", self.team, error)
        if is_in:
            self.suspensions.lift(self.team)
        else:
            self.suspensions.suspend(self.team)
        return is_in


@dataclass(frozen=True, slots=True)
class AsLongAsWelcome:
    """A handler that is given nothing while its workspace is suspended; what comes meanwhile is done with."""

    handler: Handler
    welcome: Welcome

    def handle(self, event: Event) -> None:
        """Hand an event on."""
        if not self.welcome.is_suspended():
            self.handler.handle(event)

    def give_up(self, event: Event, incident: str) -> None:
        """Hand on that an event failed."""
        if not self.welcome.is_suspended():
            self.handler.give_up(event, incident)
