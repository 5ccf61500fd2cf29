"""A bot that dies in the middle of an answer: whenever it dies, the question gets one whole reply."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.errors import SlackError
from bot.slack.api import SlackApi
from bot.slack.payloads import Payload
from bot.slack.replies import render
from bot.state.questions import Questions
from bot.types import Answer, Claim, FollowUps, Question, Reply
from retrieval.types import UnitKind
from tests.scenarios.office import ANSWER, ANSWER_TEXT, Answers, Bot, Office, eventually, settled

LONG = Answer(
    tuple(Claim(f"part {at} " + "of a long answer " * 120, UnitKind.SENTENCE, (1,)) for at in range(4)),
    ANSWER.citations,
)


@contextmanager
def dying(office: Office, answers: Answers) -> Iterator[Bot]:
    """A bot whose process is gone at the end of the block: nothing that it has in hand comes to its end."""
    bot = office.joined(answers, FollowUps.ASKER)
    bot.inbox.start()
    bot.socket.open()
    try:
        yield bot
    finally:
        bot.socket.close()
        bot.inbox.stop(wait_s=0)


def test_dying_before_the_answer_delays_it(office: Office) -> None:
    """A question whose answer was not begun to be posted is answered after the restart."""
    never = threading.Event()

    class Stuck(Answers):
        def __call__(self, question: Question) -> Reply:
            self.asked.append(question)
            never.wait(30)  # until the test's end: the thread stands for a process that is no more
            raise SlackError("chat.postMessage", "unreachable")

    with dying(office, Stuck()) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: bot.answers.asked)
    with office.bot() as second:
        assert eventually(lambda: office.replies("ann", "general", ts)) == [ANSWER_TEXT]
        settled(second)
        never.set()
    assert office.replies("ann", "general", ts) == [ANSWER_TEXT]


def test_dying_after_the_answer_does_not_post_it_again(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that was posted but not written down is found in the thread after the restart."""
    written = Questions.close

    def die(*_: object) -> None:
        raise SlackError("chat.postMessage", "unreachable")

    monkeypatch.setattr(Questions, "close", die)
    with dying(office, Answers()) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
    monkeypatch.setattr(Questions, "close", written)
    answers = Answers()
    with office.bot(answers) as bot:
        settled(bot)
    assert (office.replies("ann", "general", ts), answers.asked) == ([ANSWER_TEXT], [])


@pytest.mark.parametrize("arrives", [True, False])
def test_failing_within_a_long_answer_posts_only_what_is_missing(
    office: Office, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    """Of a reply of several messages, those that stand are left and the others follow, each once and in order.

    That holds too where a message did arrive and only Slack's answer to it was lost.
    """
    write, posts = SlackApi.write, itertools.count()

    def broken_write(api: SlackApi, method: str, **arguments: object) -> Payload:
        is_second = method == "chat.postMessage" and next(posts) == 1
        answer = write(api, method, **arguments) if arrives or not is_second else {}
        if is_second:
            raise SlackError(method, "unreachable")
        return answer

    monkeypatch.setattr(SlackApi, "write", broken_write)
    with office.bot(Answers(answer=LONG)) as bot:
        ts = office.say("ann", "dm of ann", "tell me everything?")
        eventually(lambda: office.replies("ann", "dm of ann", ts), lambda replies: len(replies) >= 4)
        settled(bot)
    assert office.replies("ann", "dm of ann", ts) == [post.text for post in render(LONG)]


@pytest.mark.parametrize("restarts", [3])
def test_many_questions_over_many_restarts_each_get_one_reply(office: Office, restarts: int) -> None:
    """Whatever is in hand when a bot stops, each question has one reply in the end."""
    asked: list[str] = []
    for _ in range(restarts):
        with office.bot(Answers(delay_s=0.05)):
            asked += [office.say("ann", "general", "@footnote how many days?") for _ in range(4)]
    with office.bot() as bot:
        for ts in asked:
            eventually(lambda ts=ts: office.replies("ann", "general", ts))  # type: ignore[misc]  # bound per turn
        settled(bot)
    assert [office.replies("ann", "general", ts) for ts in asked] == [[ANSWER_TEXT]] * len(asked)
