"""Answers somebody alone, in the DM with them: what a press on "Look in what only I can see" or a command asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from bot.slack.asking import Asking, Door
from bot.slack.commanding import asks_for_help
from bot.slack.elsewhere import asked_in
from bot.slack.escaping import link
from bot.slack.hearing import question_of
from bot.slack.interactions import Command, Press
from bot.slack.messages import Message, Names
from bot.slack.offers import LOOK_S
from bot.slack.opening import opening, opens
from bot.slack.replies import note
from bot.slack.telling import Telling
from bot.slack.threads import Threads
from bot.slack.workspace import Workspace
from bot.state.offers import Look, Offers
from bot.state.questions import Questions
from bot.texts import (
    FAILURE,
    IN_OUR_DM,
    LOOKED,
    LOOKING,
    NOT_FOR_GUESTS,
    OFFER_IS_OLD,
    ONLY_FOR_THE_ASKER,
    QUESTION_IS_GONE,
)
from bot.types import Admission, Question, Surface

_LATEST = 200
"""How many messages of a DM are looked through for a thread that may stand there: one page of its history."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Each look is answered once, in a thread of its own, however often it is asked for."""

    offers: Offers
    door: Door
    asked: Questions
    asking: Asking
    workspace: Workspace
    names: Names
    threads: Threads
    telling: Telling
    clock: Callable[[], float] = time.time

    def look(self, press: Press) -> None:
        """Answer whoever asked from what they alone may read; tell anybody else that it is not for them."""
        look = self.offers.look(press.value, self.clock())
        if look is None or look.team != press.team:
            self.telling.whisper(press, OFFER_IS_OLD)
        elif press.user != look.asker or self._admission(look.team, press.user) is not Admission.ADMITTED:
            self.telling.whisper(press, ONLY_FOR_THE_ASKER)
        elif not (words := self._asked_words(look)):
            self.telling.whisper(press, QUESTION_IS_GONE)
        elif self.offers.take_look(look.id, press.id):
            self._answer(look, words, press)
        else:
            self.telling.whisper(press, LOOKED.format(place=self._place_of(look)))

    def obey(self, command: Command) -> None:
        """Answer a question that was typed behind the command, wherever that was."""
        if asks_for_help(command.text):  # the acknowledgement said it
            return
        admission = self._admission(command.team, command.user)
        if admission is Admission.ADMITTED:
            self._answer_command(command)
        elif admission is Admission.TOLD_NO:
            self.telling.post(self.telling.dm_with(command.user), note(NOT_FOR_GUESTS)[0])

    def apologise(self, done: Press | Command, incident: str) -> None:
        """Tell whoever waits that it failed: below what stands in the DM, or else where they pressed or typed."""
        look = self.offers.look_taken_by(done.id)
        if look and look.dm_ts:
            question = _in_dm(look)
            if self.asked.is_open(question, _event_id(look)):
                self.asking.fail(question, incident)
            return
        self.offers.release(done.id)
        text = FAILURE.format(incident=incident)
        if not self.telling.whisper(done, text) and isinstance(done, Command):
            self.telling.post(self.telling.dm_with(done.user), note(text)[0])

    def _answer_command(self, command: Command) -> None:
        until = self.clock() + LOOK_S
        look = self.offers.begin_command(command.team, command.user, command.channel, command.id, until)
        if self.offers.take_look(look.id, command.id):
            typed = Message(command.channel, "", user=command.user, text=command.text)
            self._answer(look, self._words(typed), command)

    def _answer(self, look: Look, words: str, done: Press | Command) -> None:
        """Open a thread in the DM, unless it stands there, and answer in it."""
        if not look.dm_ts:
            look = self._opened(look, words)
            if isinstance(done, Press):
                self.telling.whisper(done, LOOKING.format(place=self._place_of(look)))
        question = _in_dm(look, words)
        if self.asked.take(question, _event_id(look), self.clock()):
            self.asking.reply_to(question, done.attempt)

    def _opened(self, look: Look, words: str) -> Look:
        """The look with a thread: an earlier attempt may have opened it and not lived to write that down."""
        dm = self.telling.dm_with(look.asker)
        dm_ts = self._thread_in(dm, look) or self.telling.post(dm, opening(look.id, words, self._url_of(look)))
        self.offers.opened(look.id, dm, dm_ts)
        return replace(look, dm=dm, dm_ts=dm_ts)

    def _thread_in(self, dm: str, look: Look) -> str:
        me = self.workspace.identity()
        latest = islice(self.workspace.history(dm), _LATEST)
        return next((message.ts for message in latest if me.wrote(message) and opens(message, look.id)), "")

    def _asked_words(self, look: Look) -> str:
        """The question's words as they stand now; empty where it is gone."""
        message = self.threads.message(asked_in(look))
        return self._words(message) if message and message.user == look.asker else ""

    def _words(self, message: Message) -> str:
        return question_of(message, self.workspace.identity(), self.names, Surface.DM).text

    def _admission(self, team: str, user: str) -> Admission:
        return self.door.may_ask(Question(team, user, "", "", None, "", Surface.DM))

    def _url_of(self, look: Look) -> str:
        return "" if look.is_command else self.workspace.permalink(look.channel, look.question_ts, look.root_ts)

    def _place_of(self, look: Look) -> str:
        """A link to the thread in the DM, or only its name where there is none yet."""
        return link(self.workspace.permalink(look.dm, look.dm_ts), IN_OUR_DM) if look.dm_ts else IN_OUR_DM


def _in_dm(look: Look, words: str = "") -> Question:
    """The question as it is answered in the DM."""
    return Question(look.team, look.asker, look.dm, look.dm_ts, None, words, Surface.DM)


def _event_id(look: Look) -> str:
    """Which event puts that question: none of Slack's, and always the same."""
    return f"look:{look.id}"
