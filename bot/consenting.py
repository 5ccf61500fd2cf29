"""Joins the parts by which people learn what Footnote reads, and decide about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.app import Slack
from bot.slack.arrivals import Arrivals
from bot.slack.consent import Consent
from bot.slack.home import PAGE_ACTION, Home
from bot.slack.notices import NoticeBoard
from bot.slack.posting import Poster
from bot.slack.pressing import Act
from bot.slack.replies import Button
from bot.slack.telling import Telling
from bot.state.database import Database
from bot.state.notices import Notices
from bot.types import Conversation, Help, Question, Reply, Surface
from retrieval.types import Place


@dataclass(frozen=True, slots=True)
class Consenting:
    """What it takes to ask people."""

    consent: Consent
    arrivals: Arrivals
    home: Home

    @property
    def acts(self) -> dict[str, Act]:
        """What the buttons do, by their `action_id`."""
        return {**self.consent.acts, PAGE_ACTION: self.home.turn}

    def buttons(self, question: Question, reply: Reply) -> tuple[Button, ...]:
        """Below the help that somebody gets alone, what they can decide about their own messages."""
        is_help_alone = question.surface is Surface.DM and isinstance(reply.outcome, Help)
        return (self.home.own_button(question.asker),) if is_help_alone else ()


def build_consenting(
    slack: Slack,
    database: Database,
    model_host: str,
    drop: Callable[[Conversation], object],
    read_later: Callable[[Conversation], None],
    recheck: Callable[[Place], None],
    clock: Callable[[], float],
) -> Consenting:
    """Join them.

    Args:
        model_host: where the language model is; empty where there is none.
        drop: takes a channel out of the index.
        read_later: has a channel's history read, without waiting for it.
        recheck: takes back from answers what may no longer stand because of a channel.
        clock: tells seconds since the epoch.
    """
    us, telling = slack.workspace.identity(), Telling(slack.client)
    notices, poster = Notices(database, us.team), Poster(slack.client)
    board = NoticeBoard(slack.workspace, notices, slack.choices, slack.names, telling, poster, model_host)
    home = Home(us.team, slack.workspace, slack.choices, slack.client, bool(model_host))
    places, choices = partial(slack.places.place_of, us.team), slack.choices
    consent = Consent(us.team, slack.workspace, choices, board, telling, drop, read_later, recheck, home.show, clock)
    return Consenting(consent, Arrivals(slack.workspace, consent, places), home)
