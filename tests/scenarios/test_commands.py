"""What is typed behind the command is answered in the DM, wherever that was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.slack.payloads import string
from bot.texts import ANSWERED_IN_DM, HELP, NOT_FOR_GUESTS
from bot.types import Surface
from retrieval.types import WORKSPACE
from tests.scenarios.alone import (
    LOOK,
    SHARE,
    StillOffice,
    answered,
    asked,
    break_once,
    buttons,
    dm_threads,
    open_still_office,
    passage,
)
from tests.scenarios.office import ANSWER_TEXT, Answers, open_office, settled


@pytest.fixture
def office(tmp_path: Path) -> Iterator[StillOffice]:
    """A small company, in one thread."""
    with open_still_office(tmp_path) as office:
        yield office


@pytest.mark.parametrize("where", ["elsewhere", "secret", "dm of ann", "ann and bo"])
def test_a_command_is_answered_in_the_dm_wherever_it_was_typed(office: StillOffice, where: str) -> None:
    """Footnote need not be there; where it was typed, a fixed sentence shows to whoever typed it."""
    channel = typed_in(office, where)
    with office.bot(Answers(passages=[passage(WORKSPACE)])) as bot:
        assert office.command_in("ann", channel, "how many days?")
        answer = answered(office, "ann")
        office.settle()
    ((opening, replies),) = dm_threads(office, "ann")
    assert ("how many days?" in opening, replies) == (True, [ANSWER_TEXT])
    question = bot.answers.asked[-1]
    assert (question.surface, question.asker) == (Surface.DM, office.sandbox.user_id("ann"))
    assert [action for action, _ in buttons(answer)] == ([SHARE] if where == "secret" else [])
    assert [call["channel"] for call in office.calls("chat.postMessage")] == [office.channel("dm of ann")] * 2


def typed_in(office: StillOffice, where: str) -> str:
    """The id of a conversation of Ann's."""
    if where == "ann and bo":
        opened = office.client("ann").conversations_open(users=office.sandbox.user_id("bo"))
        return str(opened["channel"]["id"])
    return office.channel(where)


@pytest.mark.parametrize("nth", [1, 2])
def test_the_answer_to_a_command_is_shared_with_its_question(
    office: StillOffice, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """No message asked it, so it opens a thread of its own; once, though a post of it seems lost."""
    with office.bot(Answers(passages=[passage(WORKSPACE)])):
        assert office.command("ann", "general", "how many *days*?")
        answer = answered(office, "ann")
        office.settle()
        break_once(monkeypatch, "chat.postMessage", nth, arrives=True)
        for _ in range(2):
            office.press("ann", "dm of ann", string(answer, "ts"), SHARE)
            office.settle()
    found = office.client("bo").conversations_history(channel=office.channel("general"))["messages"]
    roots = [message for message in found if message.get("user") == office.sandbox.bot_user]
    opening = "Shared by @ann, who asked me alone\n\nhow many *days*?"
    assert [office.replies("bo", "general", root["ts"]) for root in roots] == [[opening, ANSWER_TEXT]]


def test_what_shows_at_once_stands_where_it_was_typed(tmp_path: Path) -> None:
    """Over a real socket: that the answer comes in the DM, or, where nothing was asked, what can be asked."""
    with open_office(tmp_path) as office, office.bot() as bot:
        for text in ("how many days?", "", "help"):
            assert office.command("ann", "elsewhere", text)
        settled(bot)
        shown = office.control("ephemerals", user=office.sandbox.user_id("ann"))["messages"]
        opened = dm_threads(office, "ann")
    assert isinstance(shown, list)
    assert [(each["channel"], each["text"]) for each in shown] == [
        ("C0ELSEWHERE", text) for text in (ANSWERED_IN_DM, HELP, HELP)
    ]
    assert (len(bot.answers.asked), len(opened)) == (1, 1)


def test_a_guests_command_is_not_answered(office: StillOffice) -> None:
    """They are told so in their DM."""
    with office.bot() as bot:
        assert office.command("gus", "guests", "how many days?")
        office.settle()
    assert ([opening for opening, _ in dm_threads(office, "gus")], bot.answers.asked) == ([NOT_FOR_GUESTS], [])


def test_a_command_that_fails_is_told(office: StillOffice) -> None:
    """Where it was typed if Footnote is there, else in the DM; Slack never sends it again."""
    with office.bot():
        for where in ("general", "elsewhere"):
            office.control("fail", method="conversations.history", error="fatal_error", count=3)
            assert office.command("ann", where, "how many days?")
            office.settle()
    told = [*office.whispers("ann"), *(opening for opening, _ in dm_threads(office, "ann"))]
    assert [text[:5] for text in told if text != ANSWERED_IN_DM] == ["Sorry"] * 2


def test_what_was_pressed_and_typed_before_a_crash_is_done_after_it(office: StillOffice) -> None:
    """Slack doesn't send it again; what was acknowledged is done."""
    with office.bot():
        _, reply_ts = asked(office)
    with office.taking(office.joined(Answers())) as bot:  # and nobody deals with it
        assert office.press("ann", "general", reply_ts, LOOK)
        assert office.command("bo", "general", "how many days?")
        assert bot.inbox.unfinished("actions") == 2
    with office.bot():
        answered(office, "ann")
        answered(office, "bo")
        office.settle()
    assert [[len(replies) for _, replies in dm_threads(office, who)] for who in ("ann", "bo")] == [[1], [1]]
