"""Joins the parts of a running bot: what answers, what keeps the index true, and what keeps posted answers true."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.alone import Alone
from bot.answering.path import answer
from bot.app import Slack, path_parts
from bot.consenting import Consenting, build_consenting
from bot.keeping import build_keeping
from bot.live import LiveIndex
from bot.models import WritingModel
from bot.remembering import Remembering, build_remembering
from bot.slack.arrivals import Arrivals
from bot.slack.asking import Asking
from bot.slack.directory import Directory
from bot.slack.events import Event
from bot.slack.hearing import Hearing
from bot.slack.inbox import Inbox, Lane
from bot.slack.interactions import is_interaction, is_slacks
from bot.slack.posting import Poster
from bot.slack.replies import Button
from bot.slack.rounds import Rounds
from bot.slack.telling import Telling
from bot.slack.threads import Threads
from bot.state.database import Database
from bot.state.offers import Offers
from bot.state.questions import Questions
from bot.state.vault import Vault, passing_vault
from bot.sync.backfill import Backfill
from bot.sync.file_readings import FileReadings
from bot.sync.nightly import Nightly
from bot.sync.welcome import AsLongAsWelcome
from bot.types import Conversation, FollowUps, Question, Reply
from bot.wishes import wishes_of


@dataclass(frozen=True, slots=True)
class Bot:
    """The bot of one workspace: questions and changes come in by the inbox, histories and files are read beside it."""

    inbox: Inbox
    backfill: Backfill
    files: FileReadings
    nightly: Nightly
    arrivals: Arrivals
    remembering: Remembering

    @property
    def rounds(self) -> Rounds:
        """Look at the answers that stand."""
        return self.remembering.rounds


def build_bot(
    slack: Slack,
    database: Database,
    index: LiveIndex,
    read_later: Callable[[Conversation], None],
    follow_ups: FollowUps = FollowUps.ASKER,
    model: WritingModel | None = None,
    clock: Callable[[], float] = time.time,
    vault: Vault | None = None,
) -> Bot:
    """Join the parts that answer and those that keep the index true.

    Args:
        clock: tells seconds since the epoch.
        vault: keeps private answers for as long as they may be shared; without one they can't be after a restart.
    """
    keeping = build_keeping(slack, database, index, read_later, clock)
    remembering = build_remembering(slack, database, index.passages_of, clock)
    alone = _alone(slack, database, vault or passing_vault(), clock, remembering)
    host = model.host if model else ""
    recheck = remembering.withdrawing.recheck_place
    consenting = build_consenting(slack, database, host, keeping.backfill.drop, read_later, recheck, clock)
    asking = _asking(slack, database, index, follow_ups, model, alone, consenting, remembering)
    pressing = alone.pressing(Questions(database), asking, index.passages_of, consenting.acts)
    lanes = (
        Lane("answers", AsLongAsWelcome(remembering.withdrawing, keeping.welcome), workers=2, wants=is_slacks),
        Lane("questions", AsLongAsWelcome(asking, keeping.welcome), workers=2, wants=is_slacks),
        Lane("actions", AsLongAsWelcome(pressing, keeping.welcome), workers=2, wants=is_interaction),
        Lane("consent", AsLongAsWelcome(consenting.arrivals, keeping.welcome), wants=is_slacks),
        Lane("index", keeping.sync, wants=is_slacks),
    )

    def hear(event: Event) -> None:
        keeping.hear(event)
        remembering.hear(event)
        asking.notice(event)

    team = slack.workspace.identity().team
    inbox = Inbox(database, lanes, first=hear, clock=clock, tidy=alone.offers.forget, team=team)
    return Bot(inbox, keeping.backfill, keeping.files, keeping.nightly, consenting.arrivals, remembering)


def _alone(
    slack: Slack, database: Database, vault: Vault, clock: Callable[[], float], remembering: Remembering
) -> Alone:
    us = slack.workspace.identity()
    return Alone(
        slack.workspace,
        slack.names,
        slack.access,
        Threads(
            slack.workspace,
            slack.names,
            partial(slack.choices.unused_people, us.team),
            remembering.cited,
            remembering.may_repeat,
        ),
        Telling(slack.client),
        Poster(slack.client),
        remembering.ledger,
        Offers(database),
        vault,
        partial(slack.places.place_of, us.team),
        clock,
    )


def _asking(
    slack: Slack,
    database: Database,
    index: LiveIndex,
    follow_ups: FollowUps,
    model: WritingModel | None,
    alone: Alone,
    consenting: Consenting,
    remembering: Remembering,
) -> Asking:
    us, asked, threads = slack.workspace.identity(), Questions(database), alone.threads
    hearing = Hearing(slack.workspace, slack.names, threads, asked, follow_ups)
    parts = partial(path_parts, slack.access, alone.elsewhere.earlier_turns)
    wishes = wishes_of(database, us.team, Directory(slack.workspace, insists=True))

    def reply(question: Question) -> Reply:
        return index.use(lambda retrieval: answer(question, parts(retrieval, wishes, model)))

    def buttons(question: Question, reply: Reply) -> tuple[Button, ...]:
        return (*alone.offering.buttons(question, reply), *consenting.buttons(question, reply))

    notices, ledger = consenting.consent.notices, remembering.ledger
    return Asking(hearing, asked, slack.access, reply, threads, alone.poster, buttons, notices, ledger=ledger)
