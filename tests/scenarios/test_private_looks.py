"""What only the asker may read is offered to the asker alone, and answered once, in their DM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.payloads import string
from bot.state.offers import Offers
from bot.texts import OFFER_IS_OLD, ONLY_FOR_THE_ASKER, QUESTION_IS_GONE, REFUSAL
from bot.types import Help, Question, Reply, Surface
from tests.scenarios.alone import (
    DAY_S,
    LOOK,
    SHARE,
    WORDS,
    StillOffice,
    answered,
    arrives,
    asked,
    break_once,
    buttons,
    dm_threads,
    looked,
    only_alone,
    open_still_office,
)
from tests.scenarios.office import ANSWER_TEXT, Answers


@pytest.fixture
def office(tmp_path: Path) -> Iterator[StillOffice]:
    """A small company, in one thread."""
    with open_still_office(tmp_path) as office:
        yield office


def test_the_same_offer_stands_below_every_answer_and_refusal(office: StillOffice) -> None:
    """Whether there is more or nothing at all: one button, with an id that says nothing and is another each time."""
    answers = Answers(decide=lambda question: "days" in question.text)
    with office.bot(answers):
        replies = []
        for text in ("how many days?", "what is the capital?", "how many days now?"):
            ts, _ = asked(office, text=text)
            replies += office.below("bo", "general", ts)
    assert [string(reply, "text") for reply in replies] == [ANSWER_TEXT, REFUSAL, ANSWER_TEXT]
    offered = [buttons(reply) for reply in replies]
    assert [[action for action, _ in each] for each in offered] == [[LOOK]] * 3
    values = {value for each in offered for _, value in each}
    assert (len(values), {len(value) for value in values}) == (3, {24})


def test_nothing_is_offered_below_help_nor_in_a_dm(office: StillOffice) -> None:
    """There is nothing to look for, or the asker was answered alone already."""

    class Helping(Answers):
        def __call__(self, question: Question) -> Reply:
            return Reply(Help()) if question.text == "help" else super().__call__(question)

    with office.bot(Helping()):
        ts, _ = asked(office, text="help")
        in_dm = office.say("ann", "dm of ann", "how many days?")
    replies = [*office.below("ann", "general", ts), *office.below("ann", "dm of ann", in_dm)]
    assert [buttons(reply) for reply in replies] == [[], []]


def test_a_look_is_answered_in_the_askers_dm(office: StillOffice) -> None:
    """A message there says which question it is and opens it; the answer comes below it, by what the asker may read."""
    with office.bot(Answers(decide=only_alone)) as bot:
        ts, reply_ts = asked(office, text="how many *days*?")
        assert string(looked(office, "ann", "general", reply_ts), "text") == ANSWER_TEXT
        office.settle()
    (opening, replies), *more = dm_threads(office, "ann")
    channel, dm = office.channel("general"), office.channel("dm of ann")
    assert (replies, more) == ([ANSWER_TEXT], [])
    assert "how many *days*?" in opening
    root = office.client("ann").conversations_history(channel=dm)["messages"][0]
    assert f"/archives/{channel}/p{ts.replace('.', '')}" in root["blocks"][0]["text"]["text"]
    private = bot.answers.asked[-1]
    assert (private.surface, private.asker, private.channel, private.text) == (
        Surface.DM,
        office.sandbox.user_id("ann"),
        dm,
        "how many **days**?",
    )
    assert [WORDS in whisper for whisper in office.whispers("ann")] == [False]
    assert f"/archives/{dm}/p" in str(office.control("ephemerals", user=office.sandbox.user_id("ann")))
    assert [WORDS in text for text in office.replies("bo", "general", ts)] == [False]


@pytest.mark.parametrize(("who", "where"), [("bo", "general"), ("gus", "guests"), ("eve", "partners")])
def test_nobody_else_can_use_it(office: StillOffice, who: str, where: str) -> None:
    """Neither a colleague nor a guest nor somebody of another organisation: the same sentence, to them alone."""
    if where == "partners":  # it becomes shared after the answer
        office.control("shareChannel", channel=office.channel(where), team="T0OTHER", off=True)
    with office.bot() as bot:
        _, reply_ts = asked(office, where=where)
        if where == "partners":
            office.control("shareChannel", channel=office.channel(where), team="T0OTHER")
        assert office.press(who, where, reply_ts, LOOK)
        office.settle()
    assert (office.whispers(who), office.whispers("ann")) == ([ONLY_FOR_THE_ASKER], [])
    assert (len(bot.answers.asked), office.calls("conversations.open")) == (1, [])


@pytest.mark.parametrize("kind", ["guest", "deactivated"])
def test_an_asker_who_is_no_full_member_any_more_gets_none(office: StillOffice, kind: str) -> None:
    """What somebody is counts at the moment of the press."""
    with office.bot() as bot:
        ts, reply_ts = asked(office, "bo")
        ((_, value),) = buttons(office.below("ann", "general", ts)[-1])
        office.control("changePerson", user=office.sandbox.user_id("bo"), kind=kind)
        office.settle()
        arrives(office, bot, "bo", reply_ts, LOOK, value)
    assert (len(bot.answers.asked), office.calls("conversations.open")) == (1, [])
    assert office.whispers("bo") == ([] if kind == "deactivated" else [ONLY_FOR_THE_ASKER])


def test_whatever_is_pressed_ends(office: StillOffice) -> None:
    """An id that was never given out is told as old, to whoever can be told; nothing is tried for ever."""
    with office.bot() as bot:
        for who in ("deploybot", "U0NOBODY", "bo"):
            for action, value in ((LOOK, ""), (LOOK, "unknown"), (SHARE, "x" * 2000), ("of no version", "y")):
                arrives(office, bot, who, "1.0", action, value)
        assert bot.inbox.unfinished("actions") == 0
    assert office.whispers("bo") == [OFFER_IS_OLD] * 3
    assert office.calls("chat.postMessage") == []


def test_a_look_takes_the_words_as_they_stand_now(office: StillOffice) -> None:
    """An edit counts, and a question that is gone is looked for by nobody; no words of it were kept."""
    with office.bot() as bot:
        ts, reply_ts = asked(office)
        gone_ts, gone_reply_ts = asked(office, text="and who told you?")
        office.settle()  # a question that is deleted while it is answered takes its reply with it
        channel = office.channel("general")
        mention = f"<@{office.sandbox.bot_user}>"
        office.client("ann").chat_update(channel=channel, ts=ts, text=f"{mention} how many weeks?")
        office.client("ann").chat_delete(channel=channel, ts=gone_ts)
        office.settle()
        office.press("ann", "general", gone_reply_ts, LOOK)
        looked(office, "ann", "general", reply_ts)
        office.settle()
    assert bot.answers.asked[-1].text == "how many weeks?"
    assert QUESTION_IS_GONE in office.whispers("ann")
    assert len(dm_threads(office, "ann")) == 1


def test_pressing_again_points_to_the_first_look(office: StillOffice) -> None:
    """Twice at once or an hour later: one thread in the DM, one answer, and a link to it."""
    with office.bot(Answers(decide=only_alone)) as bot:
        _, reply_ts = asked(office)
        for _ in range(3):
            office.press("ann", "general", reply_ts, LOOK)
        answered(office, "ann")
        office.press("ann", "general", reply_ts, LOOK)
        office.settle()
    assert [len(replies) for _, replies in dm_threads(office, "ann")] == [1]
    assert len(bot.answers.asked) == 2
    dm = office.channel("dm of ann")
    assert len(office.whispers("ann")) == 4
    assert f"/archives/{dm}/p" in office.whispers("ann")[-1]


def test_an_old_offer_says_so(office: StillOffice) -> None:
    """After a month, or where nobody remembers it, whoever presses is told, alone."""
    with office.bot() as bot:
        _, reply_ts = asked(office)
        office.passes(31 * DAY_S)
        office.press("ann", "general", reply_ts, LOOK)
    assert (office.whispers("ann"), len(bot.answers.asked)) == ([OFFER_IS_OLD], 1)


def test_follow_ups_below_a_look_know_what_was_asked(office: StillOffice) -> None:
    """In the DM's thread the question reads as its asker's, and the answer as Footnote's."""
    with office.bot(Answers(decide=only_alone)) as bot:
        _, reply_ts = asked(office, text="how many days?")
        private = looked(office, "ann", "general", reply_ts)
        office.say("ann", "dm of ann", "and in winter?", string(private, "thread_ts"))
        office.settle()
    turns = bot.alone.elsewhere.earlier_turns(bot.answers.asked[-1])
    assert [(turn.author, turn.is_footnote) for turn in turns] == [("ann", False), ("", True)]
    assert turns[0].text == "how many days?"
    assert turns[1].text.startswith(WORDS)


def test_a_look_at_a_follow_up_knows_the_channels_thread_while_it_may_be_read(office: StillOffice) -> None:
    """What was said before it there helps to understand it, and no more once its asker can't read that any more."""
    with office.bot(Answers(decide=only_alone)) as bot:
        root = office.say("ann", "secret", "About carrying over days.")
        ts = office.say("ann", "secret", "@footnote how many?", root)
        reply = office.below("ann", "secret", root)[-1]
        looked(office, "ann", "secret", string(reply, "ts"))
        office.settle()
        question = bot.answers.asked[-1]
        assert (ts != root, question.surface) == (True, Surface.DM)
        assert [turn.text for turn in bot.alone.elsewhere.earlier_turns(question)] == ["About carrying over days."]
        office.client("ann").conversations_leave(channel=office.channel("secret"))
        office.settle()
        assert bot.alone.elsewhere.earlier_turns(question) == ()


def test_a_failed_look_is_told_and_can_be_tried_again(office: StillOffice) -> None:
    """Where nothing stands in the DM yet, the next press begins anew."""
    with office.bot():
        _, reply_ts = asked(office)
        office.control("fail", method="conversations.open", error="fatal_error", count=3)
        office.press("ann", "general", reply_ts, LOOK)
        office.settle()
        assert [whisper[:5] for whisper in office.whispers("ann")] == ["Sorry"]
        looked(office, "ann", "general", reply_ts)
        office.settle()
    assert [replies for _, replies in dm_threads(office, "ann")] == [[ANSWER_TEXT]]


def test_a_look_that_fails_below_its_opening_says_so_there(office: StillOffice) -> None:
    """And pressing again points there."""
    with office.bot() as bot:
        _, reply_ts = asked(office)
        bot.answers.failures = [SlackError("x", "unreachable")] * 3
        office.press("ann", "general", reply_ts, LOOK)
        office.settle()
        office.press("ann", "general", reply_ts, LOOK)
        office.settle()
    ((_, replies),) = dm_threads(office, "ann")
    assert [reply[:5] for reply in replies] == ["Sorry"]
    assert len(office.whispers("ann")) == 2


@pytest.mark.parametrize(
    ("method", "nth"), [("chat.postMessage", 1), ("chat.postMessage", 2), ("chat.postEphemeral", 1)]
)
@pytest.mark.parametrize("arrives", [True, False])
def test_a_look_that_breaks_off_anywhere_is_answered_once(
    office: StillOffice, monkeypatch: pytest.MonkeyPatch, method: str, arrives: bool, nth: int
) -> None:
    """Whichever message is lost, or arrives though it seemed lost: one thread with one answer."""
    with office.bot(Answers(decide=only_alone)):
        _, reply_ts = asked(office)
        break_once(monkeypatch, method, nth, arrives)
        looked(office, "ann", "general", reply_ts)
        office.settle()
    assert [replies for _, replies in dm_threads(office, "ann")] == [[ANSWER_TEXT]]


@pytest.mark.parametrize("written", [Offers.opened, Offers.take_look])
def test_a_look_survives_a_state_that_fails(
    office: StillOffice, monkeypatch: pytest.MonkeyPatch, written: object
) -> None:
    """What stands in the DM and could not be written down is found there."""
    name, failures = written.__name__, [SlackError("x", "unreachable")]  # type: ignore[attr-defined]  # a function's

    def fails_once(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return written(*arguments)  # type: ignore[operator]  # a function

    monkeypatch.setattr(Offers, name, fails_once)
    with office.bot(Answers(decide=only_alone)):
        _, reply_ts = asked(office)
        looked(office, "ann", "general", reply_ts)
        office.settle()
    assert [replies for _, replies in dm_threads(office, "ann")] == [[ANSWER_TEXT]]
