"""Posted answers when what they rest on changes: the whole bot, one clock, and every reader of every answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.evaluation.access.stage import Theatre
from bot.evaluation.access.worlds import Document
from bot.slack.rounds import WINDOW_S
from bot.slack.threads import Threads
from bot.texts import PART_REMOVED, REFUSAL, REMOVED
from bot.types import Question, Turn
from retrieval.types import WORKSPACE, Anchor
from sandbox.seed import Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson, SeedTeam
from sandbox.types import Json
from tests.scenarios.company import Company, open_company, question, sentence
from tests.scenarios.office import ANSWER, HANDBOOK, Answers, Office, eventually

SEED = Seed(
    people=(
        SeedPerson("ann", admin=True),
        SeedPerson("bo"),
        SeedPerson("cy"),
        SeedPerson("gus", kind="guest"),
        SeedPerson("olga", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other")),
    ),
    channels=(
        SeedChannel("hall", members=("ann", "bo")),
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
    ),
    messages={"board": (SeedMessage("ann", sentence("budget", "otter")),)},
    now=datetime(2026, 3, 2, 9, tzinfo=UTC),
)


@pytest.fixture
def company(theatre: Theatre) -> Iterator[Company]:
    """A company that Footnote has read."""
    with open_company(theatre, SEED) as company:
        yield company


def shown(company: Company) -> str:
    """Every byte of Footnote's that anybody can read."""
    workspace = company.stage.still.workspace
    own = [
        m
        for channel in workspace.channels.values()
        for m in channel.messages.values()
        if m.user == workspace.app.user_id
    ]
    return json.dumps([(message.text, message.blocks, message.attachments) for message in own], ensure_ascii=False)


def replies(company: Company) -> list[str]:
    """The texts of Footnote's answers."""
    me = company.stage.still.workspace.app.user_id
    channels = company.stage.still.workspace.channels.values()
    return [m.text for channel in channels for m in channel.messages.values() if m.user == me and m.is_reply]


def edit(company: Company, ts: str, text: str, where: str = "shop") -> None:
    """Ann edits what she said."""
    company.does("ann", "chat.update", channel=company.channel(where).id, ts=ts, text=text)


def delete(company: Company, ts: str, where: str = "shop") -> None:
    """Ann deletes what she said."""
    company.does("ann", "chat.delete", channel=company.channel(where).id, ts=ts)


def looks_round(company: Company) -> None:
    """The next round of looks."""
    company.stage.bot.remembering.withdrawing.look_round(WINDOW_S)
    company.stage.settle()


# ------------------------------------------------------------------------------------------ a cited message


@pytest.mark.parametrize("where", ["hall", "shop", "board", ""])
def test_what_a_deleted_message_said_is_removed(company: Company, where: str) -> None:
    """Wherever it was quoted, in channels, private ones and DMs: words, markers, sources and the text read aloud."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    assert "gecko" in company.asks("bo", "cellar", where)
    delete(company, ts)
    assert "gecko" not in shown(company)
    assert company.channel("shop").id not in shown(company)
    assert replies(company) == [REMOVED]


def test_what_an_edited_message_said_is_removed(company: Company) -> None:
    """The new words answer the next question; the old ones stand nowhere."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    edit(company, ts, sentence("cellar", "bison"))
    assert "gecko" not in shown(company)
    assert "bison" in company.asks("bo", "cellar", "hall")


def test_an_edit_that_changes_no_words_removes_nothing(company: Company) -> None:
    """Previews, replies and the same words once more leave an answer as it is."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    before = company.asks("bo", "cellar", "hall")
    edit(company, ts, sentence("cellar", "gecko"))
    company.says("bo", "shop", "And the attic?", thread_ts=ts)
    company.channel("shop").messages[ts].attachments = [{"from_url": "https://a.example", "text": "a preview"}]
    company.happens(
        {"type": "message", "subtype": "message_changed", "channel": company.channel("shop").id}
        | {"message": {"ts": ts}}
    )
    looks_round(company)
    assert replies(company) == [before]


def test_a_later_reply_in_the_cited_thread_removes_nothing(company: Company) -> None:
    """It changes the passage, and not the message that is quoted."""
    root = company.says("ann", "shop", sentence("cellar", "gecko"))
    reply = company.says("bo", "shop", "Thanks for telling us about that.", thread_ts=root)
    before = company.asks("cy", "cellar")
    company.says("bo", "shop", "One more thing about it.", thread_ts=root)
    company.does("bo", "chat.update", channel=company.channel("shop").id, ts=reply, text="Thanks a lot.")
    assert replies(company) == [before]


def test_a_deleted_root_with_replies_is_removed(company: Company) -> None:
    """Slack leaves a tombstone in its place, and tells of a change."""
    root = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.says("bo", "shop", "Thanks for telling us about that.", thread_ts=root)
    assert "gecko" in company.asks("cy", "cellar")
    delete(company, root)
    assert "gecko" not in shown(company)


def test_what_rests_on_other_messages_stays(company: Company) -> None:
    """Of an answer that quotes two messages, one paragraph and one line of its sources go, and a sentence says so."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    gone = company.says("ann", "shop", "Correction: the code word for cellar is bison by now.")
    answer = company.asks("cy", "cellar")
    assert ("gecko" in answer, "bison" in answer) == (True, True)
    delete(company, gone)
    (left,) = replies(company)
    day = "#shop — ann, 2 Mar 2026"
    assert left == f"{sentence('cellar', 'gecko')} [1]\n\n_{PART_REMOVED}_\n\nSources\n[1] {day}"
    assert ("bison" in shown(company), gone.replace(".", "") in shown(company)) == (False, False)


def test_events_that_come_again_and_again_change_nothing_more(company: Company) -> None:
    """Each event may come twice, late, or for an answer that is gone: the reply is edited once."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    delete(company, ts)
    told = {"type": "message", "subtype": "message_deleted", "channel": company.channel("shop").id, "deleted_ts": ts}
    for number in range(3):
        company.happens(told, number)
    looks_round(company)
    assert replies(company) == [REMOVED]
    assert calls(company, "chat.update") == 1


def calls(company: Company, method: str) -> int:
    """How often the bot has called a method."""
    log = company.stage.still.call("sandbox.calls", company.user("ann"), method=method)["calls"]
    assert isinstance(log, list)
    return len(log)


@pytest.mark.parametrize("error", ["cant_update_message", "edit_window_closed", "internal_error"])
def test_an_answer_that_slack_does_not_let_us_edit_is_deleted(company: Company, error: str) -> None:
    """No words of it stay, whatever Slack says of the edit."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    fails(company, "chat.update", error)
    delete(company, ts)
    assert replies(company) == []


def fails(company: Company, method: str, error: str, count: int = 1) -> None:
    """Have Slack refuse a method."""
    company.stage.still.call("sandbox.fail", company.user("ann"), method=method, error=error, count=count)


@pytest.mark.parametrize("method", ["conversations.replies", "chat.update", "chat.delete", "conversations.info"])
def test_a_fault_of_slacks_is_made_good(company: Company, method: str) -> None:
    """Where Slack can't be read, or takes no edit just now, the event is taken up again."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    if method == "chat.delete":
        fails(company, "chat.update", "cant_update_message", 2)
    fails(company, method, "service_unavailable")
    company.does("ann", "sandbox.convertChannel", channel=company.channel("shop").id, to="private")
    company.passes(2.0)
    assert "gecko" not in shown(company)


def test_a_fault_wipes_no_answer(company: Company) -> None:
    """As long as Slack doesn't say who may read what, what stands stays."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    before = company.asks("bo", "cellar", "hall")
    company.passes(100.0)
    for method in (
        "conversations.info",
        "conversations.members",
        "conversations.list",
        "users.list",
        "users.conversations",
    ):
        fails(company, method, "internal_error", 20)
    company.does("cy", "conversations.join", channel=company.channel("hall").id)
    looks = company.stage.bot.remembering.withdrawing
    with pytest.raises(Exception, match="internal_error"):
        looks.look_round(WINDOW_S)
    assert replies(company) == [before]


# ------------------------------------------------------------------------------------------ who may read it


@pytest.mark.parametrize("where", ["hall", ""])
def test_what_a_channel_said_before_it_became_private_is_removed(company: Company, where: str) -> None:
    """In public channels for everybody; in the DM of somebody who isn't in it."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    assert "gecko" in company.asks("cy", "cellar") if not where else "gecko" in company.asks("bo", "cellar", where)
    company.does("ann", "sandbox.convertChannel", channel=company.channel("shop").id, to="private")
    assert "gecko" not in shown(company)


def test_who_is_in_a_channel_that_became_private_keeps_the_answer(company: Company) -> None:
    """Bo may open it as before, in the DM and in the channel itself."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    before = [company.asks("bo", "cellar"), company.asks("bo", "cellar", "shop")]
    company.does("ann", "sandbox.convertChannel", channel=company.channel("shop").id, to="private")
    assert sorted(replies(company)) == sorted(before)


def test_a_guest_who_joins_finds_no_answer_that_they_could_not_have_got(company: Company) -> None:
    """What cites another channel goes; what cites this one stays."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.says("ann", "hall", sentence("attic", "heron"))
    company.asks("bo", "cellar", "hall")
    stays = company.asks("bo", "attic", "hall")
    company.does("ann", "conversations.invite", channel=company.channel("hall").id, users=company.user("gus"))
    assert "gecko" not in shown(company)
    assert sorted(replies(company)) == sorted([REMOVED, stays])


def test_a_member_who_joins_takes_nothing_away(company: Company) -> None:
    """Whoever may read all of it already changes nothing."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    before = company.asks("bo", "cellar", "hall")
    company.does("cy", "conversations.join", channel=company.channel("hall").id)
    company.does("ann", "conversations.invite", channel=company.channel("shop").id, users=company.user("gus"))
    assert replies(company) == [before]


def test_a_member_who_becomes_a_guest_is_counted_as_one(company: Company) -> None:
    """In every channel that they are in, from the moment that Slack tells of it."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.does("cy", "conversations.join", channel=company.channel("hall").id)
    company.asks("bo", "cellar", "hall")
    company.does("ann", "sandbox.changePerson", user=company.user("cy"), kind="guest")
    assert "gecko" not in shown(company)


@pytest.mark.parametrize("pending", [False, True])
def test_a_channel_that_is_shared_keeps_no_answer_from_elsewhere(company: Company, pending: bool) -> None:
    """Those who come from another organisation, or are invited, find nothing of this one."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    company.does("ann", "sandbox.shareChannel", channel=company.channel("hall").id, team="T0OTHER", pending=pending)
    company.passes(61.0)
    looks_round(company)  # of an invitation that waits Slack sends no event
    assert "gecko" not in shown(company)


def test_who_leaves_a_private_channel_loses_what_it_told_them_alone(company: Company) -> None:
    """The answer in their DM goes; those in the channel stay."""
    stays = company.asks("ann", "budget", "board")
    assert "otter" in company.asks("bo", "budget")
    company.does("bo", "conversations.leave", channel=company.channel("board").id)
    assert sorted(replies(company)) == sorted([REMOVED, stays])


# ------------------------------------------------------------------------------------------ files and documents


MAIL = SeedFile("mail.eml", content=sentence("garden", "viper"), mode="email", filetype="email")


@pytest.fixture
def with_mail(theatre: Theatre) -> Iterator[Company]:
    """A company in whose shop a mail was shared."""
    messages = {"shop": (SeedMessage("ann", "The mail about it.", files=(MAIL,)),)}
    with open_company(theatre, replace(SEED, messages=messages)) as company:
        yield company


@pytest.mark.parametrize("how", ["deleted", "taken_out", "with_its_message", "private", "changed"])
def test_what_a_file_said_is_removed(with_mail: Company, how: str) -> None:
    """When it is deleted, unshared, deleted with its message, made private with its channel, or says something else."""
    company, shop = with_mail, with_mail.channel("shop")
    assert "viper" in company.asks("cy", "garden")
    (file,) = company.stage.still.workspace.files.values()
    if how == "deleted":
        company.does("ann", "files.delete", file=file.id)
    elif how == "taken_out":
        company.does("ann", "sandbox.unshareFile", file=file.id, channel=shop.id)
    elif how == "with_its_message":
        delete(company, next(message.ts for message in shop.messages.values() if message.files))
    elif how == "private":
        company.does("ann", "sandbox.convertChannel", channel=shop.id, to="private")
    else:
        company.passes(5.0)
        company.does("ann", "sandbox.changeFile", file=file.id, content=sentence("garden", "bison"))
    assert "viper" not in shown(company)


@pytest.mark.parametrize("text", [sentence("gate", "bison"), ""])
def test_what_a_document_said_is_removed_with_the_next_round(company: Company, text: str) -> None:
    """When it is indexed again without the words, or not at all."""
    company.stage.put_document(Document("page", f"# Gates\n\n{sentence('gate', 'viper')}\n", ""))
    assert "viper" in company.asks("bo", "gate", "hall")
    if text:
        company.stage.put_document(Document("page", f"# Gates\n\n{text}\n", ""))
    else:
        company.stage.index.remove([one.source_id for one in company.indexed(WORKSPACE)])
    looks_round(company)
    assert "viper" not in shown(company)


def test_a_document_that_says_the_same_elsewhere_keeps_its_answers(company: Company) -> None:
    """What changes around the words that are quoted changes no answer."""
    company.stage.put_document(Document("page", f"# Gates\n\n{sentence('gate', 'viper')}\n", ""))
    before = company.asks("bo", "gate", "hall")
    company.stage.put_document(Document("page", f"# Gates\n\nNews. {sentence('gate', 'viper')} More news.\n", ""))
    looks_round(company)
    assert replies(company) == [before]


# ------------------------------------------------------------------------------------------ time


@pytest.mark.parametrize("change", ["deleted", "private", "guest"])
def test_what_no_event_told_of_is_found_by_the_next_round(company: Company, change: str) -> None:
    """An event that was lost costs minutes, and not for ever."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    with company.losing_events():
        if change == "deleted":
            delete(company, ts)
        elif change == "private":
            company.does("ann", "sandbox.convertChannel", channel=company.channel("shop").id, to="private")
        else:
            company.does("ann", "conversations.invite", channel=company.channel("hall").id, users=company.user("gus"))
    company.passes(61.0)
    looks_round(company)
    assert "gecko" not in shown(company)


@pytest.mark.parametrize("kind", ["channel_history_changed", "app_rate_limited"])
def test_an_event_that_tells_of_others_that_never_came_has_answers_looked_at(company: Company, kind: str) -> None:
    """`channel_history_changed`: many messages at once; `app_rate_limited`: Slack has sent none for a while."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    with company.losing_events():
        delete(company, ts)
    if kind == "app_rate_limited":
        company.hears({"type": kind, "team_id": company.team, "minute_rate_limited": 1, "api_app_id": "A1"})
    else:
        company.happens({"type": kind, "channel": company.channel("shop").id})
    assert "gecko" not in shown(company)


@pytest.mark.parametrize("change", ["deleted", "guest"])
def test_a_change_during_the_answer_is_not_missed(
    company: Company, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last look and the post: the event finds an answer that is on its way, and it is looked at again."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    poster = type(company.stage.bot.remembering.withdrawing.poster)
    reply = poster.reply

    def reply_late(*arguments: object, **more: object) -> str:
        monkeypatch.setattr(poster, "reply", reply)
        act: tuple[str, Json] = ("chat.delete", {"channel": company.channel("shop").id, "ts": ts})
        if change == "guest":
            act = ("conversations.invite", {"channel": company.channel("hall").id, "users": company.user("gus")})
        company.stage.still.call(act[0], company.user("ann"), **act[1])
        company.stage.still.deliver()
        for event in list(company.stage.still.sent()):
            company.stage.take(event)
        company.stage.bot.inbox.work_off()
        return reply(*arguments, **more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(poster, "reply", reply_late)
    company.asks("bo", "cellar", "hall")
    assert "gecko" not in shown(company)


def test_what_the_index_has_not_forgotten_yet_is_not_said(company: Company) -> None:
    """A message whose deletion nobody told of is in the index still; it is looked at before it is quoted."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    with company.losing_events():
        delete(company, ts)
    assert company.asks("bo", "cellar", "hall") == REFUSAL


def test_an_earlier_answer_that_lost_its_readers_is_not_read_back(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it stands in its thread, a follow-up leans on nothing that not every reader of the reply may open."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    with company.losing_events():
        company.does("ann", "conversations.invite", channel=company.channel("hall").id, users=company.user("gus"))
    company.passes(61.0)
    assert "gecko" in shown(company)
    assert follow_up(company, monkeypatch) == ("What is the code word for cellar?",)


def test_an_earlier_answer_is_read_back_to_those_who_may_read_it(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a follow-up leans on is the thread as it stands, without what was taken back."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    assert follow_up(company, monkeypatch) == ("What is the code word for cellar?", sentence("cellar", "gecko"))
    delete(company, ts)
    assert sentence("cellar", "gecko") not in follow_up(company, monkeypatch)


def follow_up(company: Company, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """What a further question in the thread is understood by."""
    turns: list[tuple[Turn, ...]] = []
    read = Threads.earlier_turns

    def read_and_told(threads: Threads, asked: Question) -> tuple[Turn, ...]:
        turns.append(read(threads, asked))
        return turns[-1]

    monkeypatch.setattr(Threads, "earlier_turns", read_and_told)
    root = next(m.thread_ts for m in company.channel("hall").messages.values() if m.is_reply)
    me = company.stage.still.workspace.app.user_id
    company.says("bo", "hall", f"<@{me}> {question('attic')}", thread_ts=root)
    monkeypatch.setattr(Threads, "earlier_turns", read)
    said = [turn.text.removeprefix("@Footnote ") for turn in turns[-1]]
    return tuple(text for text in said if text not in (REFUSAL, question("attic")))


def test_messages_whose_key_was_taken_back_are_removed(company: Company) -> None:
    """Nobody may read them any more, whoever could."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    company.does("ann", "sandbox.revokeKey", channel=company.channel("shop").id)
    assert "gecko" not in shown(company)


def test_what_a_dying_bot_left_is_taken_back_by_the_next(company: Company) -> None:
    """What was written down to fall, and not taken away any more, goes with the first round of the next start."""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    answers = company.stage.bot.remembering.answers
    (answer,) = answers.since(0.0)
    answers.fall(answer.id, {1})
    company.stage.bot.rounds.run_now(None)
    assert replies(company) == [REMOVED]


def test_a_channel_with_another_id_is_still_the_one_that_was_cited(company: Company) -> None:
    """Slack gives a channel another id when it begins to be shared; what is deleted in it then goes all the same."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.asks("bo", "cellar", "hall")
    company.does("ann", "sandbox.changeChannelId", channel=company.channel("shop").id)
    assert "gecko" in shown(company)
    delete(company, ts)
    assert "gecko" not in shown(company)


def test_what_happened_while_no_bot_ran_is_found_at_the_start(office: Office) -> None:
    """Another process, the same database: what was cited is gone, and of that no event comes any more."""
    ts = office.say("bo", "general", "You can carry over five days.")
    with office.bot(answers := Answers()) as bot:
        url = f"https://home.slack.com/archives/{office.channel('general')}/p{ts.replace('.', '')}"
        answers.passages = [
            replace(HANDBOOK, places=frozenset({bot.places["general"]}), anchors=(Anchor(0, url, "bo", 1.0),))
        ]
        answers.answer = replace(ANSWER, citations=(replace(ANSWER.citations[0], url=url),))
        asked = office.say("ann", "general", "@footnote how many days?")
        eventually(lambda: office.replies("ann", "general", asked), lambda replies: "five_ days" in "".join(replies))
    office.control("dropEvents", event="message", count=9)
    office.client("bo").chat_delete(channel=office.channel("general"), ts=ts)
    with office.bot(Answers()) as bot:
        bot.remembering.rounds.start()
        eventually(lambda: office.replies("ann", "general", asked), lambda replies: replies == [REMOVED])
        bot.remembering.rounds.stop()
