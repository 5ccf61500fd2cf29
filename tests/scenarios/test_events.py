"""Every event by which Slack tells of words and of who may read them, and what people get when they ask after it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

import pytest

from bot.evaluation.access.stage import Theatre
from bot.texts import NOT_FOR_GUESTS, REFUSAL
from bot.types import Question, Surface
from sandbox.faults import EventFault
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from tests.scenarios.company import MANY, Company, open_company, question, sentence

SEED = Seed(
    people=(
        SeedPerson("ann", admin=True),
        SeedPerson("bo"),
        SeedPerson("cy"),
        SeedPerson("gus", kind="guest"),
        SeedPerson("olga", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other")),
        SeedPerson("robot", kind="bot"),
    ),
    channels=(
        SeedChannel("shop", members=("ann", "bo", "robot")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
        SeedChannel("trio", kind="group_dm", members=("ann", "bo")),
    ),
    messages={
        "shop": (SeedMessage("ann", sentence("ladder", "heron")),),
        "board": (SeedMessage("ann", sentence("budget", "otter")),),
        "trio": (SeedMessage("ann", sentence("party", "lemur")),),
    },
    now=datetime(2026, 3, 2, 9, tzinfo=UTC),
)


@pytest.fixture
def company(theatre: Theatre) -> Iterator[Company]:
    """A company that Footnote has read."""
    with open_company(theatre, SEED) as company:
        yield company


LOST = {
    "a channel is made private": ("cy", "ladder", "", "convertChannel", {"channel": "shop", "to": "private"}),
    "a channel is shared": ("cy", "ladder", "", "shareChannel", {"channel": "shop", "team": "T0OTHER"}),
    "a channel is deleted": ("bo", "budget", "", "deleteChannel", {"channel": "board"}),
    "somebody is taken out": ("bo", "budget", "", "conversations.kick", {"channel": "board", "user": "bo"}),
    "Footnote is taken out": ("bo", "budget", "", "conversations.kick", {"channel": "board", "user": "footnote"}),
    "somebody becomes a guest": ("bo", "ladder", "", "changePerson", {"user": "bo", "kind": "guest"}),
    "a guest joins": ("bo", "ladder", "board", "conversations.invite", {"channel": "board", "users": "gus"}),
}


@pytest.mark.parametrize("change", LOST)
def test_a_change_that_no_event_tells_is_in_force_within_a_minute(company: Company, change: str) -> None:
    """What Slack says live is no older than that."""
    who, topic, where, method, named = LOST[change]
    word = {"ladder": "heron", "budget": "otter"}[topic]
    assert word in company.asks(who, topic, where)
    arguments = {name: _id_of(company, value) for name, value in named.items()}
    with company.losing_events():
        company.does("ann", method if "." in method else f"sandbox.{method}", **arguments)
    company.passes(60.5)
    assert word not in company.asks(who, topic, where)


# ------------------------------------------------------------------------------------------------------ what is written


def test_a_message_answers(company: Company) -> None:
    """What was just said in a public channel, a private one or a group DM answers those who are in it."""
    for where, topic, word in (("shop", "cellar", "gecko"), ("board", "attic", "bison"), ("trio", "garden", "viper")):
        company.says("ann", where, sentence(topic, word))
        assert word in company.asks("bo", topic, where)


def test_a_reply_that_is_sent_to_the_channel_too_answers_once(company: Company) -> None:
    """`thread_broadcast` is one message of its thread."""
    root = company.says("ann", "shop", "What is new in the cellar?")
    company.says("bo", "shop", sentence("cellar", "gecko"), thread_ts=root, reply_broadcast=True)
    assert company.asks("cy", "cellar").count("gecko") == 1
    assert len([one for one in company.indexed(company.place("shop")) if "gecko" in one.text]) == 1


def test_what_a_bot_says_answers(company: Company) -> None:
    """`bot_message`: alerts and build bots know things too."""
    company.says("robot", "shop", sentence("build", "gecko"))
    assert "gecko" in company.asks("bo", "build")


def test_every_kind_of_writing_answers(company: Company) -> None:
    """A message of each kind that people and bots write is read when its event comes."""
    said = {"me_message": ("cellar", "gecko"), "bot_message": ("attic", "bison"), "file_share": ("garden", "viper")}
    for number, (subtype, (topic, word)) in enumerate(said.items()):
        message = company.appears("shop", sentence(topic, word), subtype=subtype)
        company.happens({**_message(company, "shop", message.ts), "subtype": subtype}, number)
        assert word in company.asks("bo", topic)


def test_a_reply_that_only_message_replied_tells_of_answers(company: Company) -> None:
    """Where Slack sends no event of the reply itself."""
    root = company.says("ann", "shop", "What is new in the cellar?")
    with company.losing_events():
        company.says("bo", "shop", sentence("cellar", "gecko"), thread_ts=root)
    told = {"message": {"ts": root, "thread_ts": root}, "subtype": "message_replied"}
    company.happens({**_message(company, "shop", root), **told})
    assert "gecko" in company.asks("cy", "cellar")


def test_footnotes_own_answers_are_never_evidence(company: Company) -> None:
    """When what an answer cited is gone, the answer that still stood somewhere tells nobody."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    assert "gecko" in company.asks("bo", "cellar", "shop")
    with company.losing_events("app_mention"):
        company.does("ann", "chat.delete", channel=company.channel("shop").id, ts=ts)
    assert company.asks("cy", "cellar") == REFUSAL


def test_an_edit_counts(company: Company) -> None:
    """`message_changed`: the new words answer, and the old ones don't."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.does("ann", "chat.update", channel=company.channel("shop").id, ts=ts, text=sentence("cellar", "bison"))
    reply = company.asks("bo", "cellar")
    assert "bison" in reply
    assert "gecko" not in reply


def test_a_change_that_nobody_wrote_changes_nothing(company: Company) -> None:
    """`message_changed` comes for previews and counts too: what is shown inside a message stands elsewhere."""
    link = company.does(
        "ann", "chat.getPermalink", channel=company.channel("board").id, message_ts=_first(company, "board")
    )
    shown = company.says("ann", "shop", f"<{link['permalink']}>")
    assert company.channel("shop").messages[shown].attachments, "Slack shows the message that the link leads to"
    assert company.asks("cy", "budget") == REFUSAL
    before = company.indexed(company.place("shop"))
    same = {"ts": shown, "text": "x", "attachments": [{"text": sentence("budget", "otter")}]}
    changed = {"subtype": "message_changed", "message": same, "previous_message": {"ts": shown, "text": "x"}}
    company.happens({**_message(company, "shop", shown), **changed})
    assert company.indexed(company.place("shop")) == before


def test_a_deleted_message_is_gone(company: Company) -> None:
    """`message_deleted`: from the next question on."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.does("ann", "chat.delete", channel=company.channel("shop").id, ts=ts)
    assert company.asks("bo", "cellar") == REFUSAL


def test_a_deleted_root_is_gone_and_its_replies_stay(company: Company) -> None:
    """Slack keeps the thread under a tombstone, and tells of a change instead of a deletion."""
    root = company.says("ann", "shop", sentence("cellar", "gecko"))
    company.says("bo", "shop", sentence("attic", "bison"), thread_ts=root)
    company.does("ann", "chat.delete", channel=company.channel("shop").id, ts=root)
    assert "gecko" not in company.asks("cy", "cellar")
    assert "bison" in company.asks("cy", "attic")


def test_a_channel_whose_key_is_revoked_is_purged(company: Company) -> None:
    """`ekm_access_denied`: nothing of it is kept; when the key is back, a night later it answers again."""
    board = company.place("board")
    company.does("ann", "sandbox.revokeKey", channel=company.channel("board").id)
    assert company.indexed(board) == ()
    assert company.asks("ann", "budget") == REFUSAL
    assert "heron" in company.asks("ann", "ladder"), "other channels are as they were"
    company.does("ann", "sandbox.revokeKey", channel=company.channel("board").id, off=True)
    company.sleeps()
    assert "otter" in company.asks("ann", "budget")


@pytest.mark.parametrize("where", ["shop", "board"])
def test_a_history_that_changed_as_a_whole_is_read_again(company: Company, where: str) -> None:
    """`channel_history_changed` and `group_history_changed`, which don't say of which channel: all are read anew."""
    company.does("ann", "sandbox.importMessages", channel=company.channel(where).id, texts=[sentence("past", "moose")])
    assert company.stage.bot.nightly.is_asked
    company.sleeps()
    assert "moose" in str(company.indexed(company.place(where)))


def test_a_history_that_changed_is_read_at_once_where_slack_says_whose(company: Company) -> None:
    """From its start, however long it had been read to its end."""
    with company.losing_events():
        company.does(
            "ann", "sandbox.importMessages", channel=company.channel("shop").id, texts=[sentence("past", "moose")]
        )
    company.happens({"type": "channel_history_changed", "channel": company.channel("shop").id, "latest": "1.0"})
    assert "moose" in company.asks("ann", "past")


def test_a_changed_history_of_a_dm_is_nobodys_evidence(company: Company) -> None:
    """`im_history_changed` is not subscribed to, and does nothing if it comes."""
    before = _reads(company)
    company.happens({"type": "im_history_changed", "channel": "D0ANY", "latest": "1.0"})
    assert _reads(company) == before


# ------------------------------------------------------------------------------------------------- what a channel is


def test_a_public_channel_made_private(company: Company) -> None:
    """Who isn't in it gets nothing from the next question on; made public again, everybody does; no passage moves."""
    before = company.indexed(company.place("shop"))
    assert "heron" in company.asks("cy", "ladder")
    _convert(company, "shop", "private")
    assert company.asks("cy", "ladder") == REFUSAL
    assert "heron" in company.asks("bo", "ladder")
    _convert(company, "shop", "public")
    assert "heron" in company.asks("cy", "ladder")
    assert company.indexed(company.place("shop")) == before


def test_a_conversion_whose_event_comes_late_is_seen_when_it_comes(company: Company) -> None:
    """Also when the lists that were read meanwhile are fresh."""
    assert "heron" in company.asks("cy", "ladder")
    company.stage.still.faults.delayed.append(EventFault("message", 1, 2.0))
    _convert(company, "shop", "private")
    company.passes(2.0)
    assert company.asks("cy", "ladder") == REFUSAL


@pytest.mark.parametrize("method", ["archive", "unarchive"])
def test_an_archived_channel_answers_as_before(company: Company, method: str) -> None:
    """`channel_archive`, `group_archive` and their end change nothing of who reads what, nor does a night."""
    for where, step in product(("shop", "board"), ("archive", method)):
        company.stage.still.call(f"conversations.{step}", company.user("ann"), channel=company.channel(where).id)
    company.sleeps()
    assert company.channel("shop").archived == (method == "archive")
    assert "heron" in company.asks("cy", "ladder")
    assert "otter" in company.asks("bo", "budget")
    assert company.asks("cy", "budget") == REFUSAL


def test_a_deleted_channel_is_gone(company: Company) -> None:
    """`channel_deleted`, `group_deleted`: nobody gets anything, and nothing is kept."""
    for where, topic in (("shop", "ladder"), ("board", "budget")):
        place = company.place(where)
        company.does("ann", "sandbox.deleteChannel", channel=company.channel(where).id)
        assert company.asks("ann", topic) == REFUSAL
        assert company.indexed(place) == ()


def test_a_renamed_channel_is_cited_by_its_new_name(company: Company) -> None:
    """`channel_rename`, `group_rename`: also what was said before."""
    for where, topic in (("shop", "ladder"), ("board", "budget")):
        assert f"#{where}" in company.asks("bo", topic)
        company.does("ann", "conversations.rename", channel=company.channel(where).id, name=f"old-{where}")
        assert f"#old-{where}" in company.asks("bo", topic)


def test_a_name_that_changed_without_its_event_is_seen_at_night(company: Company) -> None:
    """No vector rests on it, so that everything bears it at once."""
    with company.losing_events():
        company.does("ann", "conversations.rename", channel=company.channel("shop").id, name="depot")
    company.sleeps()
    assert "#depot" in company.asks("bo", "ladder")


def test_a_new_channel_is_open_to_all_at_once(company: Company) -> None:
    """`channel_created`: what the list of public channels said a moment ago doesn't count."""
    assert "heron" in company.asks("cy", "ladder")
    company.does("ann", "conversations.create", name="fresh")
    company.does("ann", "conversations.invite", channel=company.channel("fresh").id, users=_footnote(company))
    company.says("ann", "fresh", sentence("cellar", "gecko"))
    assert "gecko" in company.asks("cy", "cellar")


@pytest.mark.parametrize("is_first", [True, False], ids=["event first", "message first"])
def test_a_channel_with_another_id_keeps_its_place(company: Company, is_first: bool) -> None:
    """`channel_id_changed`, before or after the first message under the new id: nothing is lost, nothing is doubled."""
    board, old = company.place("board"), company.channel("board").id
    assert "otter" in company.asks("bo", "budget")
    if is_first:
        company.does("ann", "sandbox.changeChannelId", channel=old)
        company.says("ann", "board", sentence("cellar", "gecko"))
    else:
        company.stage.still.faults.delayed.append(EventFault("channel_id_changed", 1, 5.0))
        company.does("ann", "sandbox.changeChannelId", channel=old)
        company.says("ann", "board", sentence("cellar", "gecko"))
        company.passes(5.0)
    new = company.channel("board").id
    assert company.place("board") == board
    texts = [passage.text for passage in company.stage.index.use(lambda live: live.store.page("", MANY))]
    assert sorted(word for word in ("otter", "gecko") for text in texts if word in text) == ["gecko", "otter"]
    for topic, word in (("budget", "otter"), ("cellar", "gecko")):
        assert word in company.asks("bo", topic)
        assert company.asks("cy", topic) == REFUSAL
    links = {anchor.url for passage in company.indexed(board) for anchor in passage.anchors}
    assert links
    assert all(f"/{new}/" in link and old not in link for link in links)


def test_questions_stay_questions_under_another_id(company: Company) -> None:
    """A follow-up that mentions nobody was never evidence, and is none when its channel is read again."""
    shop = company.channel("shop")
    company.asks("bo", "ladder", "shop")
    company.says("bo", "shop", "And what is the code word for the balcony?", thread_ts=max(shop.threads))
    company.does("ann", "sandbox.changeChannelId", channel=shop.id)
    company.sleeps()
    assert not [one for one in company.indexed(company.place("shop")) if "balcony" in one.text]


def test_another_id_without_its_event_is_found_at_night(company: Company) -> None:
    """A channel that is gone, and one of the same name with the same message, are one."""
    board, before = company.place("board"), _ids(company, "board")
    with company.losing_events():
        company.does("ann", "sandbox.changeChannelId", channel=company.channel("board").id)
    company.passes(61.0)
    assert company.asks("bo", "budget") == REFUSAL, "under an id that nobody knows it is nobody's"
    company.sleeps()
    assert company.place("board") == board
    assert _ids(company, "board") == before, "nothing was embedded again"
    assert "otter" in company.asks("bo", "budget")


def test_a_shared_channel_is_for_those_who_are_in_it(company: Company) -> None:
    """`channel_shared`, `channel_unshared`: counted at once, and reversed at once."""
    shared = {"channel": company.channel("shop").id, "team": "T0OTHER"}
    assert "heron" in company.asks("cy", "ladder")
    company.does("ann", "sandbox.shareChannel", **shared)
    assert company.asks("cy", "ladder") == REFUSAL
    assert "heron" in company.asks("bo", "ladder")
    company.does("ann", "sandbox.shareChannel", **shared, off=True)
    assert "heron" in company.asks("cy", "ladder")


# ----------------------------------------------------------------------------------------------------- who is where


def test_who_joins_reads_and_who_leaves_does_not(company: Company) -> None:
    """`member_joined_channel`, `member_left_channel`: from the next question on."""
    board = company.channel("board").id
    assert company.asks("cy", "budget") == REFUSAL
    company.does("ann", "conversations.invite", channel=board, users=company.user("cy"))
    assert "otter" in company.asks("cy", "budget")
    company.does("ann", "conversations.kick", channel=board, user=company.user("cy"))
    assert company.asks("cy", "budget") == REFUSAL


def test_a_guest_who_joins_narrows_what_is_said_there(company: Company) -> None:
    """Nothing from elsewhere that the guest can't open is said where the guest reads."""
    assert "heron" in company.asks("bo", "ladder", "board")
    company.does("ann", "conversations.invite", channel=company.channel("board").id, users=company.user("gus"))
    assert company.asks("bo", "ladder", "board") == REFUSAL


def test_a_kick_purges(company: Company) -> None:
    """`channel_left`, `group_left`: Slack sends no `member_left_channel` of Footnote's own going."""
    for where, topic in (("shop", "ladder"), ("board", "budget")):
        company.does("ann", "conversations.kick", channel=company.channel(where).id, user=_footnote(company))
        assert company.asks("ann", topic) == REFUSAL
        assert company.indexed(company.place(where)) == ()


def test_its_own_leaving_purges_by_the_other_event_too(company: Company) -> None:
    """`member_left_channel` of Footnote, where Slack does send it."""
    place, channel = company.place("board"), company.channel("board").id
    with company.losing_events():
        company.does("ann", "conversations.kick", channel=channel, user=_footnote(company))
    company.happens({"type": "member_left_channel", "user": _footnote(company), "channel": channel})
    assert company.indexed(place) == ()


def test_what_it_left_is_unused_before_slack_can_be_asked(company: Company) -> None:
    """From the moment the event comes; deleted it is when Slack says so."""
    shop, still = company.place("shop"), company.stage.still
    asked = Question(company.team, company.user("cy"), company.dm("cy").id, "1.0", None, "q", Surface.DM)
    company.does("ann", "sandbox.fail", method="conversations.info", error="internal_error", count=1)
    still.call("conversations.kick", company.user("ann"), channel=company.channel("shop").id, user=_footnote(company))
    still.deliver()
    assert not company.stage.slack.access.scope_of(asked).admits(frozenset({shop}))
    assert company.asks("cy", "ladder") == REFUSAL
    assert company.indexed(shop)
    company.passes(60.0)
    assert company.indexed(shop) == ()


def test_what_slack_would_not_say_for_long_is_asked_again(company: Company) -> None:
    """An event that could not be dealt with has everything compared, soon."""
    company.does("ann", "sandbox.fail", method="conversations.info", error="internal_error", count=MANY)
    company.does("ann", "conversations.kick", channel=company.channel("shop").id, user=_footnote(company))
    company.passes(5.0)
    company.passes(20.0)
    assert company.stage.bot.nightly.is_asked
    assert company.indexed(company.place("shop"))
    company.stage.still.faults.refused.clear()
    company.sleeps()
    assert company.indexed(company.place("shop")) == ()


def test_a_kick_without_any_event_is_found_out(company: Company) -> None:
    """Within a minute nothing of a private channel is used, and after a night nothing of any channel is kept."""
    places = [company.place("board"), company.place("shop")]
    with company.losing_events():
        for where in ("board", "shop"):
            company.does("ann", "conversations.kick", channel=company.channel(where).id, user=_footnote(company))
    company.passes(60.5)
    assert company.asks("ann", "budget") == REFUSAL
    company.sleeps()
    assert [company.indexed(place) for place in places] == [(), ()]
    assert company.asks("ann", "ladder") == REFUSAL


def test_who_invites_it_again_has_it_read_again(company: Company) -> None:
    """From the start, as a channel that it never was in."""
    for method, who in (("kick", "user"), ("invite", "users")):
        company.does("ann", f"conversations.{method}", channel=company.channel("board").id, **{who: _footnote(company)})
    assert "otter" in company.asks("bo", "budget")


def test_a_channel_that_it_joined_unheard_is_read_at_night(company: Company) -> None:
    """Whatever became of the event."""
    company.does("ann", "conversations.create", name="fresh")
    company.says("ann", "fresh", sentence("cellar", "gecko"))
    with company.losing_events():
        company.does("ann", "conversations.invite", channel=company.channel("fresh").id, users=_footnote(company))
    company.sleeps()
    assert "gecko" in company.asks("cy", "cellar")


def test_what_was_deleted_unheard_is_gone_after_the_night(company: Company) -> None:
    """The last days of every channel are read once more."""
    ts = company.says("ann", "shop", sentence("cellar", "gecko"))
    with company.losing_events():
        company.does("ann", "chat.delete", channel=company.channel("shop").id, ts=ts)
    assert "gecko" in str(company.indexed(company.place("shop")))
    company.sleeps()
    assert "gecko" not in str(company.indexed(company.place("shop")))
    assert company.asks("bo", "cellar") == REFUSAL


# --------------------------------------------------------------------------------------------------- who somebody is


@pytest.mark.parametrize("lost", ["", "user_change", "user_profile_changed"])
def test_a_member_who_becomes_a_guest_is_answered_no_more(company: Company, lost: str) -> None:
    """`user_change` or `user_profile_changed`, whichever comes: from the next question on."""
    assert "heron" in company.asks("bo", "ladder")
    company.stage.still.faults.dropped.append(EventFault(lost or "none", MANY))
    company.does("ann", "sandbox.changePerson", user=company.user("bo"), kind="guest")
    assert company.asks("bo", "ladder") == NOT_FOR_GUESTS


def test_whoever_is_deactivated_gets_no_answer_to_what_they_had_asked(company: Company) -> None:
    """The question had come before; who asked it reads nothing any more."""
    assert "otter" in company.asks("bo", "budget")
    room = company.dm("bo")
    asked = {"channel": room.id, "text": question("budget")}
    ts = str(company.stage.still.call("chat.postMessage", company.user("bo"), **asked)["ts"])
    company.does("ann", "sandbox.changePerson", user=company.user("bo"), kind="deactivated")
    assert ts not in room.threads


@pytest.mark.parametrize(("kind", "is_answered"), [("member", True), ("guest", False)])
def test_whoever_is_new_is_answered_by_what_they_are(company: Company, kind: str, is_answered: bool) -> None:
    """`team_join`: full members at once, guests not."""
    company.does("ann", "sandbox.addPerson", name="dee", kind=kind)
    assert ("heron" in company.asks("dee", "ladder")) == is_answered


def test_user_groups_open_nothing(company: Company) -> None:
    """`subteam_*`: nobody reads anything by being in a group, so that these are not subscribed to, and do nothing."""
    for number, kind in enumerate(("created", "updated", "members_changed", "self_added", "self_removed")):
        group = {"id": "S0ALL", "users": [company.user("cy")]}
        company.happens({"type": f"subteam_{kind}", "subteam_id": "S0ALL", "subteam": group}, number)
    assert company.asks("cy", "budget") == REFUSAL


# --------------------------------------------------------------------------------------------- whether it is let in


def test_an_uninstalled_app_answers_and_reads_nothing(company: Company) -> None:
    """`app_uninstalled`, `tokens_revoked`: whatever else still comes."""
    company.does("ann", "sandbox.uninstallApp")
    before = _reads(company)
    message = company.appears("shop", sentence("cellar", "gecko"))
    company.happens(_message(company, "shop", message.ts))
    assert company.asks("bo", "ladder", "shop") == ""
    company.sleeps()
    assert _reads(company) == before


def test_an_uninstalling_that_is_long_over_ends_nothing(company: Company) -> None:
    """The event came late, and Slack, when it is asked, knows the app: it goes on."""
    taken = {"tokens": {"oauth": [], "bot": [_footnote(company)]}, "team_ids": [company.team]}
    for number, kind in enumerate(("app_uninstalled", "tokens_revoked", "team_access_revoked")):
        before = len(_calls(company, "auth.test"))
        company.happens({"type": kind, **taken}, number)
        assert len(_calls(company, "auth.test")) == before + 1
        assert "heron" in company.asks("bo", "ladder")


def test_what_was_taken_from_others_is_none_of_its_business(company: Company) -> None:
    """People's own tokens, and other workspaces: Slack isn't even asked."""
    before = len(_calls(company, "auth.test"))
    company.happens({"type": "tokens_revoked", "tokens": {"oauth": ["U0BO"], "bot": []}}, number=1)
    company.happens({"type": "team_access_revoked", "team_ids": ["T0ANOTHER"]}, number=2)
    assert len(_calls(company, "auth.test")) == before
    assert "heron" in company.asks("bo", "ladder")


def test_nothing_is_answered_while_a_workspace_moves(company: Company) -> None:
    """`grid_migration_started` until `grid_migration_finished`, after which everything is compared."""
    company.happens({"type": "grid_migration_started", "enterprise_id": "E1"}, number=1)
    assert company.asks("bo", "ladder") == ""
    company.says("ann", "shop", sentence("cellar", "gecko"))
    company.happens({"type": "grid_migration_finished", "enterprise_id": "E1"}, number=2)
    assert "heron" in company.asks("bo", "ladder")
    assert company.stage.bot.nightly.is_asked
    company.sleeps()
    assert "gecko" in company.asks("bo", "cellar")


def test_lost_events_have_everything_compared(company: Company) -> None:
    """`app_rate_limited` comes without an envelope, and is taken all the same."""
    with company.losing_events():
        company.says("ann", "shop", sentence("cellar", "gecko"))
    limited = {"type": "app_rate_limited", "token": "t", "team_id": company.team, "minute_rate_limited": 29_000_000}
    assert company.hears({**limited, "api_app_id": company.stage.still.workspace.app.id})
    assert company.stage.bot.nightly.is_asked
    company.sleeps()
    assert "gecko" in company.asks("bo", "cellar")


# ------------------------------------------------------------------------------------------------------------------


def _id_of(company: Company, name: str) -> str:
    """The id of a channel or person of this name; a name that is none's as it is."""
    workspace = company.stage.still.workspace
    people = {person.name: person.id for person in workspace.people.values()}
    channels = {channel.name: channel.id for channel in workspace.channels.values()}
    return {**people, **channels}.get(name, name)


def _ids(company: Company, where: str) -> set[str]:
    """Of what the index holds of a channel."""
    return {passage.id for passage in company.indexed(company.place(where))}


def _message(company: Company, where: str, ts: str) -> dict[str, object]:
    return {"type": "message", "channel": company.channel(where).id, "channel_type": "channel", "ts": ts}


def _first(company: Company, where: str) -> str:
    return min(company.channel(where).messages)


def _convert(company: Company, where: str, to: str) -> None:
    company.does("ann", "sandbox.convertChannel", channel=company.channel(where).id, to=to)


def _footnote(company: Company) -> str:
    return company.stage.still.workspace.app.user_id


def _calls(company: Company, method: str) -> list[object]:
    """Every call of a method that the bot has made."""
    calls = company.stage.still.call("sandbox.calls", company.user("ann"), method=method)["calls"]
    assert isinstance(calls, list)
    return [call for call in calls if call["user"] == _footnote(company)]


def _reads(company: Company) -> int:
    """How often the bot has read messages."""
    return sum(len(_calls(company, f"conversations.{method}")) for method in ("history", "replies"))
