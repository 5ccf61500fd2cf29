"""A real bot on the sandbox: what is a question, who is answered, where, and that it happens once."""

from __future__ import annotations

import logging
import re
import time
from typing import Any

import pytest

from bot.errors import BotError, SlackError
from bot.slack.inbox import LEASE_S
from bot.slack.posting import Poster
from bot.texts import NOT_FOR_GUESTS, REFUSAL
from bot.types import FollowUps, Question, Surface, Turn
from retrieval.errors import StoreUnavailable
from retrieval.types import WORKSPACE
from tests.scenarios.office import ANSWER_TEXT, SEED, Answers, Office, eventually, settled

QUIET = {"unfurl_links": False, "unfurl_media": False, "link_names": False, "parse": "none"}


def test_a_mention_is_answered_once_in_its_thread(office: Office) -> None:
    """A mention comes as two events; one reply stands in the thread, none in the channel, and nothing is unfurled."""
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days can I carry over?")
        eventually(lambda: office.replies("bo", "general", ts))
        settled(bot)
    assert office.replies("bo", "general", ts) == [ANSWER_TEXT]
    assert ANSWER_TEXT not in office.channel_posts("bo", "general")
    ann, general = office.sandbox.user_id("ann"), office.channel("general")
    words = "how many days can I carry over?"
    assert bot.answers.asked == [Question(SEED.team.id, ann, general, ts, None, words, Surface.CHANNEL)]
    assert [{name: call[name] for name in QUIET} for call in office.calls("chat.postMessage")] == [QUIET]


def test_an_event_that_comes_again_is_not_answered_again(office: Office) -> None:
    """However often Slack sends an event, at once, after the answer, or because an ack was lost: one reply."""
    with office.bot() as bot:
        office.control("loseAcks", count=2)
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        for _ in range(3):
            office.control("repeatEvent", times=2)
            settled(bot)
    with office.bot() as bot:
        office.control("repeatEvent", times=3)
        settled(bot)
    assert office.replies("ann", "general", ts) == [ANSWER_TEXT]


def test_a_dm_is_answered_in_its_thread_with_a_sign_of_work(office: Office) -> None:
    """In a DM everything is a question; while it is being answered Slack shows that, and afterwards not."""
    with office.bot(Answers(delay_s=0.2)) as bot:
        ts = office.say("ann", "dm of ann", "how many days?")
        dm = office.channel("dm of ann")
        eventually(lambda: office.control("session", channel=dm, thread_ts=ts).get("session") == "processing")
        eventually(lambda: office.replies("ann", "dm of ann", ts))
        eventually(lambda: office.control("session", channel=dm, thread_ts=ts).get("session") == "active")
        again = office.say("ann", "dm of ann", "and next year?", thread=ts)
        eventually(lambda: len(office.replies("ann", "dm of ann", ts)) == 2)
        settled(bot)
    assert [(question.surface, question.root_ts, question.ts) for question in bot.answers.asked] == [
        (Surface.DM, ts, ts),
        (Surface.DM, ts, again),
    ]


@pytest.mark.parametrize("error", ["feature_disabled", "unknown_method", "internal_error"])
def test_a_workspace_without_the_sign_is_answered_all_the_same(office: Office, error: str) -> None:
    """The sign of work is a courtesy: where Slack refuses it, the answer comes without."""
    for method in ("agents.sessions.setStatus", "assistant.threads.setStatus"):
        office.control("fail", method=method, error=error, count=9)
    with office.bot():
        ts = office.say("ann", "dm of ann", "how many days?")
        assert eventually(lambda: office.replies("ann", "dm of ann", ts)) == [ANSWER_TEXT]


def test_what_is_not_put_to_footnote_is_not_answered(office: Office) -> None:
    """Talk, other bots, apps in somebody's name, edits, deletions, joins and topics are no questions."""
    with office.bot() as bot:
        office.say("ann", "general", "how many days can I carry over?")
        office.say("deploybot", "general", "@footnote how many days?")
        ts = office.say("bo", "general", "how many days?")
        office.client("bo").chat_update(channel=office.channel("general"), ts=ts, text="how many days, all in all?")
        gone = office.say("bo", "general", "never mind")
        office.client("bo").chat_delete(channel=office.channel("general"), ts=gone)
        office.client("ann").conversations_setTopic(
            channel=office.channel("general"), topic=f"ask <@{office.sandbox.bot_user}>"
        )
        office.client("ann").conversations_invite(channel=office.channel("guests"), users=office.sandbox.user_id("bo"))
        settled(bot)
    assert bot.answers.asked == []


def test_a_mention_that_an_edit_adds_is_answered_once(office: Office) -> None:
    """Whoever forgot the mention adds it: two events tell of that, one reply comes, in that message's thread."""
    with office.bot() as bot:
        ts = office.say("bo", "general", "how many days?")
        settled(bot)
        for text in ("how many days, @footnote ?", "how many days each, @footnote ?"):
            text = text.replace("@footnote", f"<@{office.sandbox.bot_user}>")
            office.client("bo").chat_update(channel=office.channel("general"), ts=ts, text=text)
        eventually(lambda: office.replies("bo", "general", ts))
        office.control("repeatEvent", times=2)
        settled(bot)
    assert [question.text for question in bot.answers.asked] == ["how many days, ?"]
    assert office.replies("bo", "general", ts) == [ANSWER_TEXT]


def test_editing_a_question_does_not_ask_it_again(office: Office) -> None:
    """A question that is edited after it was answered keeps its one answer."""
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        office.client("ann").chat_update(
            channel=office.channel("general"), ts=ts, text=f"<@{office.sandbox.bot_user}> how many weeks?"
        )
        settled(bot)
    assert office.replies("ann", "general", ts) == [ANSWER_TEXT]


def test_a_question_edited_while_it_is_answered_gets_one_reply(office: Office) -> None:
    """Mending a slip in the same second asks nothing twice and fails nothing."""
    with office.bot(Answers(delay_s=0.2)) as bot:
        ts = office.say("ann", "general", "@footnote how many dyas?")
        for text in ("how many days?", "how many days each?"):
            office.client("ann").chat_update(
                channel=office.channel("general"), ts=ts, text=f"<@{office.sandbox.bot_user}> {text}"
            )
        eventually(lambda: office.replies("ann", "general", ts))
        settled(bot)
    assert (office.replies("ann", "general", ts), office.whispers("ann")) == ([ANSWER_TEXT], [])


def test_two_bots_on_one_database_answer_once(office: Office) -> None:
    """While a new instance takes over from an old one both hear everything, and each question has one reply."""
    old_one, new_one = (office.bot(Answers(delay_s=0.05), lease_s=LEASE_S) for _ in range(2))
    with old_one as old, new_one as new:
        asked = [office.say("ann", "general", f"@footnote how many days in {month}?") for month in range(6)]
        for ts in asked:
            eventually(lambda ts=ts: office.replies("ann", "general", ts))  # type: ignore[misc]  # bound per turn
        for _ in range(2):
            office.control("repeatEvent", times=4)
        settled(old)
        settled(new)
    assert [office.replies("ann", "general", ts) for ts in asked] == [[ANSWER_TEXT]] * len(asked)


def test_a_follow_up_after_a_restart_sees_what_was_said_before_it(office: Office) -> None:
    """What Footnote has said is read from the thread, and that it was asked from the database: both outlive it."""
    with office.bot():
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
    with office.bot() as bot:
        office.say("ann", "general", "and next year?", thread=ts)
        eventually(lambda: office.replies("ann", "general", ts), lambda replies: len(replies) == 2)
        (question,) = bot.answers.asked
        turns = bot.threads.earlier_turns(question)
    assert [(turn.is_footnote, turn.text) for turn in turns] == [
        (False, "@Footnote how many days?"),
        (True, "You can carry over _five_ days."),
    ]


def test_a_question_deleted_at_once_is_dropped(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is posted where a question stood, its asker hears of no failure, and it isn't tried again."""
    with office.bot(Answers(delay_s=0.3)) as bot, caplog.at_level(logging.WARNING, logger="bot"):
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: bot.answers.asked)
        office.client("ann").chat_delete(channel=office.channel("general"), ts=ts)
        settled(bot)
    assert (len(bot.answers.asked), office.whispers("ann"), caplog.messages) == (1, [], [])
    assert ANSWER_TEXT not in office.channel_posts("ann", "general")


def test_a_reply_in_a_thread_that_is_deleted_is_answered_no_more(office: Office) -> None:
    """The thread goes on, so Slack would take the answer; nothing of it comes."""
    with office.bot(Answers(delay_s=0.3)) as bot:
        root = office.say("bo", "general", "Who knows about days off?")
        ts = office.say("ann", "general", "@footnote do you?", thread=root)
        eventually(lambda: bot.answers.asked)
        office.client("ann").chat_delete(channel=office.channel("general"), ts=ts)
        settled(bot)
    assert (office.replies("ann", "general", root), office.whispers("ann")) == ([], [])
    assert office.calls("chat.postMessage") == []


def test_a_root_with_replies_that_is_deleted_is_answered_no_more(office: Office) -> None:
    """Slack leaves a tombstone there, and tells of a change."""
    with office.bot(Answers(delay_s=0.3)) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        office.say("bo", "general", "Good question.", thread=ts)
        eventually(lambda: bot.answers.asked)
        office.client("ann").chat_delete(channel=office.channel("general"), ts=ts)
        settled(bot)
    assert office.calls("chat.postMessage") == []


def test_what_was_posted_of_an_answer_goes_with_its_question(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is deleted while its reply is being posted leaves none of it behind."""
    post = Poster.reply

    def posted_while_deleted(poster: Poster, *arguments: Any, **more: Any) -> str:
        ts = post(poster, *arguments, **more)
        office.client("ann").chat_delete(channel=office.channel("general"), ts=bot.answers.asked[0].ts)
        eventually(lambda: bot.asked.is_withdrawn(bot.answers.asked[0]))
        return ts

    monkeypatch.setattr(Poster, "reply", posted_while_deleted)
    with office.bot() as bot:
        root = office.say("bo", "general", "Who knows about days off?")
        office.say("ann", "general", "@footnote do you?", thread=root)
        eventually(lambda: office.calls("chat.delete"))
        settled(bot)
    assert office.replies("ann", "general", root) == []


def test_what_could_not_be_deleted_with_its_question_is_deleted_later(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Slack fails just then, the next attempt finds what was posted, and deletes it."""
    post = Poster.reply

    def posted_while_deleted(poster: Poster, *arguments: Any, **more: Any) -> str:
        ts = post(poster, *arguments, **more)
        office.client("ann").chat_delete(channel=office.channel("general"), ts=bot.answers.asked[0].ts)
        eventually(lambda: bot.asked.is_withdrawn(bot.answers.asked[0]))
        office.control("fail", method="chat.delete", error="internal_error")
        return ts

    monkeypatch.setattr(Poster, "reply", posted_while_deleted)
    with office.bot() as bot:
        root = office.say("bo", "general", "Who knows about days off?")
        office.say("ann", "general", "@footnote do you?", thread=root)
        eventually(lambda: bot.answers.asked)
        eventually(lambda: office.replies("ann", "general", root), lambda replies: replies == [])
        eventually(lambda: len(office.calls("chat.delete")) == 2)
        settled(bot)
    assert (office.replies("ann", "general", root), len(bot.answers.asked)) == ([], 1)


def test_a_deletion_that_overtakes_its_question_cancels_it(office: Office) -> None:
    """Events come in any order: what is gone by the time that it comes is not answered."""
    for event in ("message", "app_mention"):
        office.control("delayEvents", event=event, seconds=0.5)
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        office.client("ann").chat_delete(channel=office.channel("general"), ts=ts)
        time.sleep(0.6)
        settled(bot)
    assert bot.answers.asked == []


def test_a_lost_connection_is_made_anew(office: Office) -> None:
    """Where Slack hangs up without a word, what is asked meanwhile is answered within seconds."""
    with office.bot() as bot:
        office.control("breakConnections", how="cut")
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts), patience_s=20)
        settled(bot)
    assert office.replies("ann", "general", ts) == [ANSWER_TEXT]


def test_a_reply_that_is_also_sent_to_the_channel_is_one_question(office: Office) -> None:
    """A broadcast reply with a mention is answered like any reply, once and in the thread."""
    with office.bot() as bot:
        root = office.say("bo", "general", "Who knows about days off?")
        office.say("ann", "general", "@footnote do you?", thread=root, reply_broadcast=True)
        eventually(lambda: office.replies("ann", "general", root))
        settled(bot)
    assert office.replies("ann", "general", root) == [ANSWER_TEXT]


@pytest.mark.parametrize(
    ("who", "text", "is_answered"),
    [
        ("ann", "what about contractors?", True),
        ("ann", "and in Germany", True),
        ("bo", "what about contractors?", False),
        ("ann", "thanks!", False),
        ("ann", "I'll tell the others.", False),
        ("ann", "<@U0BO> what do you think?", False),
    ],
)
def test_the_askers_follow_up_needs_no_mention(office: Office, who: str, text: str, is_answered: bool) -> None:
    """Right after an answer its asker may ask on; thanks, talk and everybody else are left in peace."""
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        office.say(who, "general", text, thread=ts)
        if is_answered:
            eventually(lambda: len(office.replies("ann", "general", ts)) == 2)
        settled(bot)
    assert len(office.replies("ann", "general", ts)) == (2 if is_answered else 1)


def test_a_thread_that_people_go_on_with_is_theirs(office: Office) -> None:
    """Once somebody else has spoken after the answer, Footnote speaks when it is mentioned."""
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        office.say("bo", "general", "I had asked that too.", thread=ts)
        office.say("ann", "general", "What did you hear?", thread=ts)
        settled(bot)
        assert len(office.replies("ann", "general", ts)) == 1
        office.say("bo", "general", "what about contractors, @footnote ?", thread=ts)
        eventually(lambda: len(office.replies("ann", "general", ts)) == 2)


def test_follow_ups_can_be_left_to_mentions(office: Office) -> None:
    """A team that wants no reply without a mention gets none."""
    with office.bot(follow_ups=FollowUps.NONE) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        office.say("ann", "general", "what about contractors?", thread=ts)
        settled(bot)
    assert len(office.replies("ann", "general", ts)) == 1


def test_a_follow_up_sees_the_thread_as_its_readers_do(office: Office) -> None:
    """The earlier turns are what stands in the thread: people by name, Footnote's answers as its own and whole."""
    with office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        office.say("deploybot", "general", "Deployed.", thread=ts)
        office.say("bo", "general", "Ask about <@U0ANN>'s team, @footnote", thread=ts)
        eventually(lambda: len(office.replies("ann", "general", ts)) == 2)
        settled(bot)  # what an answer rests on is written down right after it stands
        turns = bot.threads.earlier_turns(bot.answers.asked[-1])
    assert turns == (
        Turn("ann", "@Footnote how many days?"),
        Turn("", "You can carry over _five_ days.", is_footnote=True, cites=frozenset({WORKSPACE})),
        Turn("deploybot", "Deployed."),
    )
    assert bot.answers.asked[-1].text == "Ask about @ann's team,"


def test_a_guest_is_told_alone_that_they_are_not_answered(office: Office) -> None:
    """A guest hears it where nobody else does: in words that pass in a channel, in the thread of a DM."""
    with office.bot() as bot:
        ts = office.say("gus", "guests", "@footnote how many days?")
        assert eventually(lambda: office.whispers("gus")) == [NOT_FOR_GUESTS]
        settled(bot)
        assert (office.replies("ann", "guests", ts), office.whispers("ann")) == ([], [])
        dm = office.say("gus", "dm of gus", "how many days?")
        assert eventually(lambda: office.replies("gus", "dm of gus", dm)) == [NOT_FOR_GUESTS]
    assert bot.answers.asked == []


@pytest.mark.parametrize("who", ["eve", "ann"])
def test_a_shared_channel_gets_silence(office: Office, who: str) -> None:
    """Where another organisation reads along nothing is said, to nobody."""
    with office.bot() as bot:
        ts = office.say(who, "partners", "@footnote how many days?")
        settled(bot)
        assert (office.replies("ann", "partners", ts), office.whispers(who), bot.answers.asked) == ([], [], [])


@pytest.mark.parametrize("failure", [StoreUnavailable("The store is away."), SlackError("users.info", "unreachable")])
def test_a_passing_fault_costs_a_moment(office: Office, failure: Exception) -> None:
    """What works at the second try is answered, and nobody hears of the first."""
    with office.bot(Answers([failure])) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        assert eventually(lambda: office.replies("ann", "general", ts)) == [ANSWER_TEXT]
        settled(bot)
    assert (office.replies("ann", "general", ts), office.whispers("ann")) == ([ANSWER_TEXT], [])


@pytest.mark.parametrize(
    "failures", [[ValueError("secret words")], [BotError("No.")], [StoreUnavailable("The store is away.")] * 9]
)
def test_a_failure_is_told_to_the_asker_alone(
    office: Office, failures: list[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    """In a channel only the asker hears that it failed, with an incident that the log knows and none of its words."""
    with caplog.at_level(logging.DEBUG), office.bot(Answers(failures)) as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        (told,) = eventually(lambda: office.whispers("ann"))
        settled(bot)
    assert told.startswith("Sorry, something went wrong on my side")
    assert f"incident {told[-9:-1]}" in caplog.text
    assert (office.replies("ann", "general", ts), office.whispers("bo")) == ([], [])
    assert "secret" not in caplog.text
    assert "how many days" not in caplog.text
    assert not re.search(r"xox[bp]-|xapp-|ticket", caplog.text)


def test_an_answered_question_leaves_one_line_without_words(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    """The log tells where, how and how fast a question was answered, and nothing that anybody said, at any level."""
    with caplog.at_level(logging.DEBUG), office.bot() as bot:
        ts = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", ts))
        settled(bot)
    (line,) = [record for record in caplog.records if record.levelno == logging.INFO and record.name.startswith("bot")]
    expected = rf"question T0HOME {office.channel('general')} {ts}: answer, 1 citations, attempt 1, \d+ ms"
    assert re.fullmatch(expected, line.getMessage())
    assert not re.search(r"how many days|five|xox[bp]-|xapp-|ticket", caplog.text)


def test_a_failure_in_a_dm_is_told_in_its_thread(office: Office) -> None:
    """A DM has no other reader: the sentence stands where the answer would."""
    with office.bot(Answers([ValueError()])) as bot:
        ts = office.say("ann", "dm of ann", "how many days?")
        (told,) = eventually(lambda: office.replies("ann", "dm of ann", ts))
        settled(bot)
    assert told.startswith("Sorry, something went wrong on my side")
    assert office.replies("ann", "dm of ann", ts) == [told]


def test_slack_being_busy_costs_a_moment(office: Office) -> None:
    """When Slack answers 429, the call is made again after the wait that Slack asks for."""
    with office.bot(Answers(delay_s=0.2)) as bot:
        ts = office.say("ann", "dm of ann", "how many days?")
        eventually(lambda: bot.answers.asked)
        office.control("rateLimit", method="chat.postMessage", retry_after=1)
        assert eventually(lambda: office.replies("ann", "dm of ann", ts)) == [ANSWER_TEXT]
    assert len(bot.answers.asked) == 1


def test_a_private_fact_stays_where_it_may_be_read(office: Office) -> None:
    """What stands in a private channel is in scope for its member in a DM, and for nobody in a public channel."""

    with office.bot() as bot:

        def decide(question: Question) -> bool:
            return bot.access.scope_of(question).admits([bot.places["secret"]])

        bot.answers.decide = decide
        asked = [("ann", "general", "@footnote the plan?"), ("ann", "dm of ann", "the plan?")]
        asked += [("bo", "dm of bo", "the plan?"), ("ann", "secret", "@footnote the plan?")]
        got = []
        for who, where, text in asked:
            ts = office.say(who, where, text)
            got += eventually(lambda who=who, where=where, ts=ts: office.replies(who, where, ts))  # type: ignore[misc]  # bound per turn
    assert got == [REFUSAL, ANSWER_TEXT, REFUSAL, ANSWER_TEXT]


def test_who_leaves_a_private_channel_gets_nothing_more_of_it(office: Office) -> None:
    """However fresh the answer before, what is asked right after leaving knows nothing of the channel."""
    with office.bot() as bot:
        bot.answers.decide = lambda question: bot.access.scope_of(question).admits([bot.places["secret"]])
        got = []
        for leaves in (False, True):
            if leaves:
                office.client("ann").conversations_leave(channel=office.channel("secret"))
                settled(bot)
            ts = office.say("ann", "dm of ann", "the plan?")
            got += eventually(lambda ts=ts: office.replies("ann", "dm of ann", ts))  # type: ignore[misc]  # bound per turn
    assert got == [ANSWER_TEXT, REFUSAL]


def test_a_channel_made_private_is_closed_to_the_others(office: Office) -> None:
    """Who isn't in it gets nothing more of it, from the next question on."""
    with office.bot() as bot:
        bot.answers.decide = lambda question: bot.access.scope_of(question).admits([bot.places["guests"]])
        got = []
        for is_private in (False, True):
            if is_private:
                office.control("convertChannel", channel=office.channel("guests"), to="private")
                settled(bot)
            ts = office.say("bo", "dm of bo", "the plan?")
            got += eventually(lambda ts=ts: office.replies("bo", "dm of bo", ts))  # type: ignore[misc]  # bound per turn
    assert got == [ANSWER_TEXT, REFUSAL]
