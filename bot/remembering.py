"""Joins the parts that remember answers, and take back from them what may no longer stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.app import Slack
from bot.slack.concerned import Concerned
from bot.slack.events import Event, access_change
from bot.slack.grounds import Grounds
from bot.slack.ledger import Ledger
from bot.slack.posting import Poster
from bot.slack.rounds import Rounds
from bot.slack.withdrawing import Withdrawing
from bot.state.answers import Answers
from bot.state.database import Database
from bot.state.progress import Progress
from bot.sync.files import file_in, source_of
from bot.types import AccessChange, Question
from retrieval.types import Passage, Place, Scope


@dataclass(frozen=True, slots=True)
class Remembering:
    """What remembers the answers of one workspace."""

    answers: Answers
    ledger: Ledger
    withdrawing: Withdrawing
    rounds: Rounds
    _place_of: Callable[[str], Place]
    _scope_of: Callable[[Question], Scope]
    _forget: Callable[[AccessChange | None], None]

    def hear(self, event: Event) -> None:
        """Let what an event makes untrue be relied on no more, the moment it comes."""
        self._forget(access_change(event))

    def cited(self, channel: str, ts: str) -> frozenset[Place] | None:
        """Where the sources stand that a post of Footnote's cites; None where nobody remembers."""
        answer = self.answers.by_post(self._place_of(channel), ts)
        if answer is None or not all(one.places for one in answer.cited):
            return None
        return frozenset(place for one in answer.cited for place in one.places)

    def may_repeat(self, question: Question, ts: str) -> bool:
        """Whether a post of Footnote's may be read back: not what is about to be taken away, nor what not every
        reader of the new reply may open. Of what nobody remembers all readers of the thread see what it says."""
        answer = self.answers.by_post(self._place_of(question.channel), ts)
        if answer is None:
            return True
        scope = self._scope_of(question)
        return answer.is_settled and all(scope.admits(one.places) for one in answer.cited if not one.has_fallen)


def build_remembering(
    slack: Slack, database: Database, passages_of: Callable[[str], tuple[Passage, ...]], clock: Callable[[], float]
) -> Remembering:
    """Join them.

    Args:
        passages_of: all passages of a source, as they are indexed now.
        clock: tells seconds since the epoch.
    """
    us, place_of = slack.workspace.identity(), partial(slack.places.place_of, slack.workspace.identity().team)
    answers, progress = Answers(database, us.team), Progress(database, us.team)
    grounds = Grounds(
        slack.workspace,
        slack.places.channel_of,
        place_of,
        slack.certain.scope_of,
        passages_of,
        slack.files.describe,
        file_in,
        partial(slack.choices.unused_people, us.team),
        lambda place: progress.of(place) is not None,
    )
    concerned = Concerned(answers, grounds, slack.workspace, place_of, partial(source_of, us.team), clock)
    withdrawing = Withdrawing(answers, grounds, concerned, slack.workspace, Poster(slack.client), clock)
    ledger = Ledger(answers, grounds, slack.access, place_of, withdrawing.recheck, clock)
    return Remembering(
        answers, ledger, withdrawing, Rounds(withdrawing), place_of, slack.access.scope_of, slack.certain.forget
    )
