"""Which of Slack's events are questions, and what is asked in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.events import Event
from bot.slack.hearing import Hearing
from bot.slack.messages import Message
from bot.slack.threads import MOST_TURNS, Threads
from bot.slack.workspace import Identity, Workspace
from bot.state.database import open_database
from bot.state.questions import Questions, QuestionState
from bot.types import FollowUps, Question, Surface, Turn
from retrieval.types import Place

ME = Identity("T1", "https://acme.slack.com/", "U0ME", "B0ME", "A0ME")


class Names:
    """Names by heart."""

    def person(self, user_id: str) -> str:
        return {"U0ANN": "ann", "U0ME": "footnote"}.get(user_id, "")

    def channel(self, channel_id: str) -> str:
        return {"C0GENERAL": "general"}.get(channel_id, "")

    def group(self, group_id: str) -> str:
        return ""


@dataclass
class Fixed(Workspace):
    """A workspace of one thread, which is asked nothing over a wire."""

    thread: tuple[Message, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        """There is no client: whatever isn't overridden fails."""

    def identity(self) -> Identity:
        return ME

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]:
        return self.thread


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Questions]:
    """No questions yet."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield Questions(database)
    database.close()


@pytest.fixture
def hearing(asked: Questions) -> Hearing:
    """Listens in a workspace without threads."""
    workspace = Fixed()
    return Hearing(workspace, Names(), Threads(workspace, Names()), asked, FollowUps.ASKER)


def event(kind: str = "message", team: str = "T1", **payload: object) -> Event:
    """Ann writes in #general, unless it is said otherwise."""
    base = {"user": "U0ANN", "channel": "C0GENERAL", "ts": "5.0", "channel_type": "channel", "text": "<@U0ME> when?"}
    return Event("E1", "A0ME", team, kind, {"type": kind, **base, **payload})


def deletion(channel_type: str = "channel", **before: object) -> Event:
    """Ann deletes what she asked, unless it is said otherwise."""
    old = {"user": "U0ANN", "ts": "5.0", "text": "<@U0ME> when?", **before}
    hidden = {"user": None, "ts": "6.1", "hidden": True, "channel_type": channel_type}
    gone = {"subtype": "message_deleted", "deleted_ts": "5.0", "previous_message": old}
    return replace(event(), payload={**event().payload, **hidden, **gone})


def edit(channel_type: str = "channel", before: Mapping[str, object] | None = None, **after: object) -> Event:
    """Ann adds the mention to what she wrote, unless it is said otherwise."""
    old = {"user": "U0ANN", "ts": "5.0", "text": "when?"}
    new = {**old, "text": "<@U0ME> when?", "edited": {"user": "U0ANN", "ts": "6.0"}, **after}
    hidden = {"user": None, "ts": "6.1", "hidden": True, "channel_type": channel_type}
    both = {"subtype": "message_changed", "message": new, "previous_message": {**old, **(before or {})}}
    return replace(event(), payload={**event().payload, **hidden, **both})


@pytest.mark.parametrize(
    "put",
    [
        event("app_mention", channel_type=None),
        event(),
        event(channel_type="group"),
        event(channel_type="mpim", channel="G0TRIO"),
        event(subtype="file_share", files=[{"id": "F1", "title": "a file"}]),
        event(subtype="thread_broadcast", thread_ts="4.0"),
        event(text="when? <@U0ME|footnote>"),
        event(channel_type="im", channel="D0ANN", text="when?"),
        event(channel_type="im", channel="D0ANN", text="when?", thread_ts="4.0"),
        edit(),
        edit("group"),
        edit(thread_ts="4.0"),
    ],
)
def test_what_is_a_question(hearing: Hearing, put: Event) -> None:
    """A mention by a person anywhere, and anything that a person writes in a DM."""
    question = hearing.question_in(put)
    assert question is not None
    assert (question.asker, question.ts, question.text) == ("U0ANN", "5.0", "when?")
    assert (question.surface is Surface.DM) == (put.payload["channel_type"] == "im")


@pytest.mark.parametrize(
    "other",
    [
        event(text="when?"),
        event(text="<@U0OTHER> when?"),
        event(bot_id="B0OTHER"),
        event(app_id="A0OTHER"),
        event(bot_profile={"app_id": "A0OTHER"}),
        event(user="U0ME"),
        event(user="U0ME", bot_id="B0ME", channel_type="im"),
        event(user="USLACKBOT", channel_type="im"),
        event(user=None, bot_id="B0OTHER", subtype="bot_message", channel_type="im"),
        event(user=None),
        event(subtype="message_changed", message={"user": "U0ANN", "text": "<@U0ME> when?"}),
        edit(before={"text": "<@U0ME> who?"}),
        edit(text="when?"),
        edit(bot_id="B0OTHER"),
        edit(app_id="A0OTHER"),
        edit(user="U0ME"),
        edit(subtype="tombstone", user="USLACKBOT"),
        edit(subtype="me_message"),
        edit(before={"text": "<@U0ME> who?"}, attachments=[{"from_url": "https://a.example"}]),
        replace(edit(), team="T2"),
        edit("im"),
        event(subtype="message_deleted"),
        event(subtype="channel_join", text="<@U0ME> has joined the channel"),
        event(subtype="channel_topic"),
        event(subtype="me_message"),
        event(edited={"user": "U0ANN", "ts": "6.0"}),
        event(hidden=True),
        event("app_mention", edited={"user": "U0ANN", "ts": "6.0"}),
        event("app_mention", channel="D0ANN"),
        event("reaction_added"),
        event(team="T2"),
    ],
)
def test_what_is_none(hearing: Hearing, other: Event) -> None:
    """Talk, bots, apps in somebody's name, Slackbot, edits, notices, other events, other teams."""
    assert hearing.question_in(other) is None


@pytest.mark.parametrize(
    ("taken_back", "is_surely_one"),
    [
        (deletion(), True),
        (deletion("im", text="when?"), True),
        (deletion(text="and there?", thread_ts="4.0"), False),
        (edit(before={"text": "<@U0ME> when?"}, subtype="tombstone", user="USLACKBOT"), True),
    ],
)
def test_what_takes_a_question_back(hearing: Hearing, taken_back: Event, is_surely_one: bool) -> None:
    """A deletion, or the tombstone of a root with replies; of what needs no mention nobody can tell from it alone."""
    found = hearing.taken_back(taken_back)
    assert found is not None
    assert (found[0].key, found[1]) == (("T1", "C0GENERAL", "5.0"), is_surely_one)


@pytest.mark.parametrize(
    "other",
    [event(), edit(), deletion(bot_id="B0OTHER"), deletion(user="U0ME"), replace(deletion(), team="T2"), event("file")],
)
def test_what_takes_no_question_back(hearing: Hearing, other: Event) -> None:
    """Posts, edits, and what bots, Footnote itself and other teams delete."""
    assert hearing.taken_back(other) is None


def test_both_events_of_a_mention_are_one_question(hearing: Hearing) -> None:
    """The question is the same, whichever of its events brings it."""
    assert hearing.question_in(event("app_mention", channel_type=None)) == hearing.question_in(event())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U0ME> how do I do it?", "how do I do it?"),
        ("<@U0ME>: how do I do it?", "how do I do it?"),
        ("Hi <@U0ME>, how?", "Hi how?"),
        ("<@U0ME>", ""),
        ("<@U0ME> :tada: :tada:", ":tada: :tada:"),
        ("hey <@U0ME> could you tell me how?", "hey could you tell me how?"),
        (
            "<@U0ME> ask <@U0ANN> in <#C0GENERAL|x> or <#C0SECRET|secret-plans>",
            "ask @ann in #general or a private channel",
        ),
        ("<@U0ME> what does `a &lt; b` mean?", "what does `a < b` mean?"),
    ],
)
def test_the_words_of_a_question(hearing: Hearing, text: str, expected: str) -> None:
    """The mention is gone, ids are names, and no private channel is named."""
    question = hearing.question_in(event(text=text, attachments=[{"text": "a preview of something else"}]))
    assert question is not None
    assert question.text == expected


def test_a_follow_up_needs_no_read_of_slack_where_nothing_was_asked(hearing: Hearing) -> None:
    """Replies in threads without a question of ours cost no call."""
    assert hearing.question_in(event(text="and when?", thread_ts="4.0")) is None


@pytest.mark.parametrize(
    ("state", "last", "is_question"),
    [
        (QuestionState.ANSWERED, Message("C0GENERAL", "4.5", user="U0ME", bot_id="B0ME"), True),
        (QuestionState.ANSWERED, Message("C0GENERAL", "4.5", user="U0BO"), False),
        (QuestionState.ANSWERED, Message("C0GENERAL", "4.5", bot_id="B0OTHER"), False),
        (QuestionState.FAILED, Message("C0GENERAL", "4.5", user="U0ME"), False),
        (QuestionState.TURNED_AWAY, Message("C0GENERAL", "4.5", user="U0ME"), False),
        (QuestionState.OPEN, Message("C0GENERAL", "4.5", user="U0ANN"), False),
        (QuestionState.OPEN, Message("C0GENERAL", "4.5", user="U0ME"), True),  # posted, and about to be written down
    ],
)
def test_a_follow_up_comes_right_after_an_answer(
    asked: Questions, state: QuestionState, last: Message, is_question: bool
) -> None:
    """Only right after Footnote's own reply, and only where it isn't told that it failed or won't answer."""
    first = Question("T1", "U0ANN", "C0GENERAL", "4.0", None, "when?", Surface.CHANNEL)
    asked.take(first, "E0", at=1.0)
    asked.close(first, state, "4.5")
    workspace = Fixed((Message("C0GENERAL", "4.0", user="U0ANN"), last, Message("C0GENERAL", "5.0", user="U0ANN")))
    hearing = Hearing(workspace, Names(), Threads(workspace, Names()), asked)
    assert (hearing.question_in(event(text="and there?", thread_ts="4.0")) is not None) == is_question


def test_a_long_thread_is_read_as_its_root_and_its_end() -> None:
    """What a follow-up leans on stands at the start or just before it."""
    thread = tuple(Message("C0GENERAL", f"{at}.0", user="U0ANN", text=f"message {at}") for at in range(10, 90))
    question = Question("T1", "U0ANN", "C0GENERAL", "80.0", "10.0", "and?", Surface.CHANNEL)
    turns = Threads(Fixed(thread), Names()).earlier_turns(question)
    assert len(turns) == MOST_TURNS
    assert (turns[0], turns[1].text, turns[-1].text) == (Turn("ann", "message 10"), "message 61", "message 79")


def _section(text: str) -> Mapping[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def test_who_does_not_want_their_messages_used_is_not_heard_in_a_thread() -> None:
    """Except as the one who asks: a follow-up leans on what its own asker said before."""
    said = [("10.0", "U0ANN"), ("11.0", "U0BO"), ("12.0", "U0ME"), ("13.0", "U0CY")]
    thread = tuple(Message("C0GENERAL", ts, user=user, blocks=(_section(f"says {user}"),)) for ts, user in said)
    question = Question("T1", "U0BO", "C0GENERAL", "80.0", "10.0", "and?", Surface.CHANNEL)
    cited = {("C0GENERAL", "12.0"): frozenset({Place("shop")})}
    threads = Threads(Fixed(thread), Names(), lambda: {"U0BO", "U0CY"}, lambda channel, ts: cited.get((channel, ts)))
    turns = threads.earlier_turns(question)
    assert [turn.text for turn in turns] == ["says U0ANN", "says U0BO", "says U0ME"]
    assert [turn.cites for turn in turns] == [None, None, {"shop"}]


@pytest.mark.parametrize(
    ("code", "is_read_alone"), [("ratelimited", True), ("thread_not_found", True), ("internal_error", False)]
)
def test_a_thread_that_slack_gives_too_rarely_leaves_the_question_alone(code: str, is_read_alone: bool) -> None:
    """Apps that may read a thread once a minute answer the question as it stands; every other fault is one."""

    class Refusing(Fixed):
        def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]:
            raise SlackError("conversations.replies", code)

    question = Question("T1", "U0ANN", "C0GENERAL", "80.0", "10.0", "and?", Surface.CHANNEL)
    threads = Threads(Refusing(), Names())
    if is_read_alone:
        assert threads.earlier_turns(question) == ()
    else:
        with pytest.raises(SlackError):
            threads.earlier_turns(question)


def test_notices_and_posts_without_words_are_no_turns() -> None:
    """Joins, tombstones and empty posts say nothing; a bot's blocks do."""
    thread = (
        Message("C0GENERAL", "1.0", subtype="tombstone", user="USLACKBOT", text="This message was deleted."),
        Message("C0GENERAL", "2.0", subtype="channel_join", user="U0ANN", text="joined"),
        Message(
            "C0GENERAL",
            "3.0",
            bot_id="B0OTHER",
            username="ci",
            subtype="bot_message",
            blocks=(_section("Build *failed*"),),
        ),
        Message("C0GENERAL", "4.0", user="U0ANN"),
    )
    question = Question("T1", "U0ANN", "C0GENERAL", "5.0", "1.0", "why?", Surface.CHANNEL)
    assert Threads(Fixed(thread), Names()).earlier_turns(question) == (Turn("ci", "Build **failed**"),)
