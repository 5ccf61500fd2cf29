"""Takes back from posted answers what may no longer stand, as soon as an event says that something may have changed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from bot.errors import SlackDenied, SlackError
from bot.slack.concerned import Concerned, Look
from bot.slack.events import Event
from bot.slack.grounds import Grounds
from bot.slack.messages import Message
from bot.slack.posting import Poster
from bot.slack.redacting import redactions
from bot.slack.threads import THREAD_IS_GONE
from bot.state.answers import KEEP_S, Answers
from bot.state.posted import PostedAnswer
from retrieval.errors import RetrievalError
from retrieval.types import Place

log = logging.getLogger(__name__)


class Workspace(Protocol):
    """The part of a workspace that reads what answers show."""

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]: ...


@dataclass(frozen=True, slots=True)
class Withdrawing:
    """The inbox's handler for what makes answers untrue; also looks at answers that no event has spoken of.

    What an event says is only a reason to look: whether something may stand is always read anew, so that events may
    come in any order and as often as they like.
    """

    answers: Answers
    grounds: Grounds
    concerned: Concerned
    workspace: Workspace
    poster: Poster
    clock: Callable[[], float]
    _editing: threading.RLock = field(default_factory=threading.RLock)
    """A message is read, changed and written back: two at once would bring back what the other one took."""

    def handle(self, event: Event) -> None:
        """Take back what an event has made untrue.

        Raises:
            SlackError, RetrievalError, StateError: something could not be looked at or taken back; handle it again.
        """
        self._each(self.concerned.by(event))

    def give_up(self, event: Event, incident: str) -> None:
        """Nobody waits for it, so it is tried on; what never works is found by the next round of looks."""
        log.error("incident %s: what answers show is not checked yet", incident)
        self.handle(event)

    def recheck(self, answer_id: str) -> None:
        """Look at an answer of which something may have changed while it was being posted."""
        if answer := self.answers.get(answer_id):
            self._each([(answer, partial(self.grounds.fallen, scopes=self.grounds.scopes()))])

    def recheck_place(self, place: Place) -> None:
        """Look at all answers of a channel, and at those that cite it: its people have decided something about it.

        Raises:
            SlackError, RetrievalError, StateError: not everything could be looked at or taken back.
        """
        look = partial(self.grounds.by_readers, scopes=self.grounds.scopes())
        self._each((answer, look) for answer in self.answers.concerning(place))

    def look_round(self, window_s: float, most: int | None = None) -> None:
        """Look at the answers of so many last seconds, in case an event was lost; at the longest unseen first.

        Raises:
            SlackError, RetrievalError, StateError: not everything could be looked at or taken back.
        """
        now, scopes = self.clock(), self.grounds.scopes()
        self.answers.forget(now - KEEP_S)

        def look(answer: PostedAnswer) -> frozenset[int]:
            fallen = self.grounds.fallen(answer, scopes)
            self.answers.note_look(answer.id, now)
            return fallen

        recent = (*self.answers.unsettled(most), *self.answers.since(now - window_s, most))
        self._each((answer, look) for answer in recent)

    def _each(self, concerned: Iterable[tuple[PostedAnswer, Look]]) -> None:
        """Look at each, whatever becomes of the others."""
        failure: SlackError | RetrievalError | None = None
        for answer, look in concerned:
            try:
                self._look_at(answer, look)
            except (SlackError, RetrievalError) as error:
                failure = failure or error
        if failure:
            raise failure

    def _look_at(self, answer: PostedAnswer, look: Look) -> None:
        if answer.is_posting:
            self.answers.touch(answer.id)  # before the look, or what is posted meanwhile would be missed
        fallen = look(answer)
        if fallen:
            self.answers.fall(answer.id, fallen)  # before it is taken away, so that no crash can come between
        if fallen or not answer.is_settled:
            self._settle(answer.id)

    def _settle(self, answer_id: str) -> None:
        """Have the messages show nothing that has fallen."""
        with self._editing:
            while (answer := self.answers.get(answer_id)) and self._take_back(answer):
                if self.answers.settle(answer.id, answer.fallen):
                    return

    def _take_back(self, answer: PostedAnswer) -> bool:
        """Whether nothing that has fallen is shown any more, as far as Footnote can say."""
        try:
            changes = redactions(self._messages(answer), answer.fallen)
            for change in changes:
                if change.post:
                    self.poster.replace(answer.channel, change.ts, change.post)
                else:
                    self.poster.delete(answer.channel, change.ts)
        except SlackDenied as denied:
            log.warning(
                "answer %s in %s can't be reached to take something back: %s", answer.id, answer.channel, denied
            )
            return False
        log.info("answer %s in %s: %d messages changed", answer.id, answer.channel, len(changes))
        return True

    def _messages(self, answer: PostedAnswer) -> tuple[Message, ...]:
        try:
            thread = self.workspace.replies(answer.channel, answer.root_ts)
        except SlackError as error:
            if error.code != THREAD_IS_GONE:
                raise
            return ()
        return tuple(message for message in thread if message.ts in answer.posts)
