"""Tells where a question that is answered in a DM was asked, and lets what was said there help to understand it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.answering.path import Access
from bot.slack.threads import Threads
from bot.state.offers import Look, Offers
from bot.types import Question, Surface, Turn
from retrieval.types import Place


def asked_in(look: Look, words: str = "") -> Question:
    """The question where it was asked."""
    thread_ts = look.root_ts if look.root_ts != look.question_ts else None
    return Question(look.team, look.asker, look.channel, look.question_ts, thread_ts, words, Surface.CHANNEL)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where the questions of private answers were asked."""

    offers: Offers
    threads: Threads
    access: Access
    place_of: Callable[[str], Place]
    """Our own id of a channel."""

    def earlier_turns(self, question: Question) -> tuple[Turn, ...]:
        """What was said before a question: of one that was asked in a channel, what was said there before it.

        Nothing of a channel that the asker may not read any more.
        """
        asked = self.of(question)
        if asked is None or question.thread_ts is not None:
            return self.threads.earlier_turns(question)
        can_read = self.access.scope_of(question).admits({self.place_of(asked.channel)})
        return self.threads.earlier_turns(asked) if can_read else ()

    def of(self, question: Question) -> Question | None:
        """The message of a channel that asked what is answered, or was, in a DM's thread; None where none did."""
        if question.surface is not Surface.DM:
            return None
        look = self.offers.look_below(question.team, question.channel, question.root_ts)
        return asked_in(look, question.text) if look and not look.is_command else None
