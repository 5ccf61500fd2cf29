"""Takes each question from the event that brings it to the reply that ends it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

from bot.errors import SlackError
from bot.slack.events import Event
from bot.slack.hearing import Hearing
from bot.slack.ledger import Entry, Ledger
from bot.slack.posting import Posted, Poster, posted_to
from bot.slack.replies import Button, Post, note, render
from bot.slack.threads import THREAD_IS_GONE, Threads
from bot.state.questions import Questions, QuestionState
from bot.texts import FAILURE, TURNED_AWAY
from bot.types import Admission, Answer, Outcome, Question, Reply

log = logging.getLogger(__name__)


class Door(Protocol):
    """Says who may ask."""

    def may_ask(self, question: Question) -> Admission: ...


def no_buttons(_question: Question, _reply: Reply) -> tuple[Button, ...]:
    """For replies that offer nothing more."""
    return ()


def usual_notices(_question: Question, admission: Admission) -> tuple[Post, ...]:
    """What whoever isn't answered is told, alone; silence where it is nothing."""
    told = TURNED_AWAY.get(admission)
    return note(told) if told else ()


class Asking:
    """The inbox's handler for questions: each gets one reply, however often its events come."""

    def __init__(
        self,
        hearing: Hearing,
        asked: Questions,
        door: Door,
        answer: Callable[[Question], Reply],
        threads: Threads,
        poster: Poster,
        buttons: Callable[[Question, Reply], tuple[Button, ...]] = no_buttons,
        notices: Callable[[Question, Admission], tuple[Post, ...]] = usual_notices,
        *,
        ledger: Ledger,
    ) -> None:
        self._hearing = hearing
        self._asked = asked
        self._door = door
        self._answer = answer
        self._threads = threads
        self._poster = poster
        self._buttons = buttons
        self._notices = notices
        self._ledger = ledger

    def notice(self, event: Event) -> None:
        """See to it at once, ahead of all that waits, that a question which was deleted is answered no more.

        Raises:
            StateError: that could not be written down.
        """
        if taken_back := self._hearing.taken_back(event):
            question, is_surely_one = taken_back
            self._asked.withdraw(question, event.id, time.time(), may_be_new=is_surely_one)

    def handle(self, event: Event) -> None:
        """Reply to the question that an event puts, if it puts one that no other event has put."""
        question = self._hearing.question_in(event)
        if question is None:
            return
        if self._asked.take(question, event.id, time.time()):
            admission = self._door.may_ask(question)
            if admission is Admission.ADMITTED:
                self._reply_unless_gone(question, event.attempt)
            else:
                self._turn_away(question, admission)
        elif event.attempt > 1 and self._asked.is_withdrawn(question):
            self._take_back(question)  # which an earlier attempt may not have come to

    def give_up(self, event: Event, incident: str) -> None:
        """Tell the asker that something went wrong, unless the reply stands there after all."""
        question = self._hearing.question_in(event)
        if question and self._asked.is_open(question, event.id):
            self.fail(question, incident)

    def fail(self, question: Question, incident: str) -> None:
        """Close an open question: tell the asker that something went wrong, unless the reply stands there after all."""
        standing = self._standing(question)
        if standing.is_whole:
            self._note_standing(question, standing)
        else:
            self._remembered(question, standing)
            self._poster.tell_asker(question, note(FAILURE.format(incident=incident)))
            self._asked.close(question, QuestionState.FAILED)
        self._poster.show_idle(question)

    def reply_to(self, question: Question, attempt: int = 1) -> Reply | None:
        """Answer a question in its thread, whoever put it how; None where it needs no reply any more.

        An earlier attempt may have posted and not lived to write that down: only what doesn't stand yet is posted.

        Raises:
            BotError, RetrievalError: something failed, and the whole reply doesn't stand.
        """
        standing = self._standing(question) if attempt > 1 else Posted()
        if standing.is_whole:
            self._note_standing(question, standing)
            return None
        started = time.perf_counter()
        self._poster.show_working(question)
        entry = self._ledger.begin(question, self._answer(question))
        stands = self._post(question, entry, standing)
        self._poster.show_idle(question)
        _log(question, entry.reply.outcome if stands else None, attempt, (time.perf_counter() - started) * 1000)
        return entry.reply if stands else None

    def _post(self, question: Question, entry: Entry, standing: Posted) -> bool:
        """Post a reply; False, and nothing of it stands, where its question was taken back meanwhile."""
        reply = entry.reply
        posts = render(reply.outcome, self._buttons(question, reply))
        entry.note(standing)
        is_wanted = not self._asked.is_withdrawn(question)
        reply_ts = self._poster.reply(question, posts, standing, entry.posted) if is_wanted else ""
        if self._asked.close(question, QuestionState.ANSWERED, reply_ts):
            entry.finish()
            return True
        self._take_back(question)
        return False

    def _note_standing(self, question: Question, standing: Posted) -> None:
        """Write down that the whole reply stands, which an earlier attempt has posted."""
        entry = self._remembered(question, standing)
        if not self._asked.close(question, QuestionState.ANSWERED, standing.last_ts):
            self._take_back(question)
        elif entry:
            entry.finish()

    def _remembered(self, question: Question, standing: Posted) -> Entry | None:
        """What an earlier attempt wrote down, with all that stands of it."""
        entry = self._ledger.resume(question)
        if entry:
            entry.note(standing)
        return entry

    def _take_back(self, question: Question) -> None:
        """Delete what was posted of the reply to a question that is there no more."""
        entry = self._ledger.resume(question)
        stands = {ts for _, ts in self._standing(question).stamps} | set(entry.posts() if entry else ())
        for ts in sorted(stands):
            self._poster.delete(question.channel, ts)
        if entry:
            entry.cancel()

    def _reply_unless_gone(self, question: Question, attempt: int) -> None:
        """A question that was deleted meanwhile needs no reply, and its asker no words about it."""
        try:
            self.reply_to(question, attempt)
        except SlackError as error:
            if error.code != THREAD_IS_GONE:
                raise
            self._asked.close(question, QuestionState.WITHDRAWN)
            if entry := self._ledger.resume(question):
                entry.cancel()
            _log(question, None, attempt)

    def _turn_away(self, question: Question, admission: Admission) -> None:
        if told := self._notices(question, admission):
            self._poster.tell_asker(question, told)
        self._asked.close(question, QuestionState.TURNED_AWAY)
        log.info("question %s %s %s: %s", question.team, question.channel, question.ts, admission.value)

    def _standing(self, question: Question) -> Posted:
        return posted_to(question, self._threads.own_posts(question))


def _log(question: Question, outcome: Outcome | None, attempt: int, ms: float = 0.0) -> None:
    """Ids, counts and times; never words, and of a refusal nothing that tells one from another."""
    log.info(
        "question %s %s %s: %s, %d citations, attempt %d, %.0f ms",
        question.team,
        question.channel,
        question.ts,
        type(outcome).__name__.lower() if outcome else QuestionState.WITHDRAWN.value,
        len(outcome.citations) if isinstance(outcome, Answer) else 0,
        attempt,
        ms,
    )
