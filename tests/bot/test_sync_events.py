"""What an event touches is read again, so that the index says what Slack says, however the events come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.slack.events import Event
from bot.slack.workspace import Identity
from bot.state.progress import ReadingState
from bot.sync.events import Touched, opened_by, touched_by
from bot.sync.leaving import closed_by
from retrieval.embedding.sparse import Bm25Embedder
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder

US = Identity("T1", "https://home.example/", "U0ME", "B0ME", "A0ME")
SHARED = Path(__file__).parents[3] / "shared" / "data" / "slack" / "events"


REPLY = {"ts": "1.2", "thread_ts": "1.1"}
UNFURL = {"from_url": "https://example.org", "text": "page"}


def message(**fields: object) -> dict[str, object]:
    """An event of a message in channel C1."""
    return {"type": "message", "channel": "C1", "channel_type": "channel", **fields}


def changed(after: Mapping[str, object], before: Mapping[str, object] | None = None) -> dict[str, object]:
    """An event of an edit."""
    return message(subtype="message_changed", message=after, previous_message=before or {})


@pytest.mark.parametrize(
    ("event", "root"),
    [
        (message(ts="1.1", text="x"), "1.1"),
        (message(ts="1.2", thread_ts="1.1"), "1.1"),
        (message(ts="1.2", thread_ts="1.1", subtype="thread_broadcast"), "1.1"),
        (message(ts="1.2", thread_ts="1.1", user="U0ME", bot_id="B0ME"), "1.1"),
        (message(subtype="message_deleted", deleted_ts="1.1"), "1.1"),
        (message(subtype="message_deleted", deleted_ts="1.2", previous_message=REPLY), "1.1"),
        (message(subtype="message_replied", message={"ts": "1.1", "thread_ts": "1.1"}), "1.1"),
        (changed({"ts": "1.1", "text": "b"}, {"ts": "1.1", "text": "a"}), "1.1"),
        (changed({"ts": "1.1", "text": "a"}), "1.1"),
        (changed({"ts": "1.2", "thread_ts": "1.1", "text": "b"}, {"ts": "1.2", "text": "a"}), "1.1"),
        (changed({"ts": "1.1", "subtype": "tombstone", "text": "a"}, {"ts": "1.1", "text": "a"}), "1.1"),
        (changed({"ts": "1.1", "text": "a", "edited": {"ts": "2"}}, {"ts": "1.1", "text": "a"}), "1.1"),
        (changed({"ts": "1.1", "text": "a", "attachments": [UNFURL]}, {"ts": "1.1", "text": "a"}), None),
        (changed({"ts": "1.1", "text": "a", "reply_count": 2}, {"ts": "1.1", "text": "a", "reply_count": 1}), None),
        (changed({"ts": "1.1", "text": "b", "bot_id": "B0ME"}, {"ts": "1.1", "text": "a", "bot_id": "B0ME"}), None),
        (message(ts="1.1", channel_type="im"), None),
        (message(), None),
        ({"type": "reaction_added"}, None),
    ],
)  # fmt: skip
def test_an_event_touches_the_thread_of_its_message(event: dict[str, object], root: str | None) -> None:
    """Posts, edits of words and deletions touch; unfurls, counts of replies and our own streaming don't."""
    assert touched_by(event, US) == (Touched("C1", root) if root else None)


@pytest.mark.parametrize(
    ("event", "opened", "closed"),
    [
        ({"type": "member_joined_channel", "user": "U0ME", "channel": "C1"}, "C1", ""),
        ({"type": "member_joined_channel", "user": "U1", "channel": "C1"}, "", ""),
        ({"type": "member_left_channel", "user": "U0ME", "channel": "C1"}, "", "C1"),
        ({"type": "member_left_channel", "user": "U1", "channel": "C1"}, "", ""),
        ({"type": "channel_left", "channel": "C1"}, "", "C1"),
        ({"type": "group_left", "channel": "C1"}, "", "C1"),
        ({"type": "channel_deleted", "channel": "C1"}, "", "C1"),
    ],
)
def test_joining_reads_a_channel_and_leaving_drops_it(event: dict[str, object], opened: str, closed: str) -> None:
    """Only Footnote's own joining and leaving count."""
    assert (opened_by(event, US), closed_by(event, US)) == (opened, closed)


@pytest.mark.skipif(not SHARED.exists(), reason="the payload collection stands beside the project, not in it")
def test_every_known_event_is_understood_without_an_exception() -> None:
    """Whatever event Slack is known to send is told apart, fields blank or absent."""
    for path in sorted(SHARED.glob("*.json")):
        event = json.loads(path.read_text(encoding="utf-8")).get("event") or {}
        found = (touched_by(event, US), opened_by(event, US), closed_by(event, US))
        assert len([one for one in found if one]) <= 1, path.name


SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("bo")),
    channels=(SeedChannel("shop", members=("ann", "bo")), SeedChannel("later", members=("ann",), footnote=False)),
    messages={
        "shop": (SeedMessage("ann", "Where is the ladder?", thread=(SeedMessage("bo", "Behind the kiln."),)),),
        "later": (SeedMessage("ann", "Older than Footnote."),),
    },
)


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """A shop whose history has been read."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        channels.read("shop")
        yield channels


def words(channels: Channels) -> list[str]:
    """What the index holds of the shop, without names and dates."""
    said = (utterance for text in channels.texts("shop") for utterance in text.split("\n\n"))
    return sorted(utterance.partition(": ")[2] for utterance in said)


LADDER = ["Behind the kiln.", "Where is the ladder?"]


def test_posts_edits_replies_and_deletions_reach_the_index(channels: Channels) -> None:
    """After each event the index holds what a reader of the channel sees."""
    shop, ann = channels.sandbox.channel_id("shop"), channels.person("ann")
    ts = ann.chat_postMessage(channel=shop, text="Lunch is at noon.")["ts"]
    channels.happens(type="message", channel=shop, ts=ts)
    assert words(channels) == sorted([*LADDER, "Lunch is at noon."])
    ann.chat_update(channel=shop, ts=ts, text="Lunch is at one.")
    channels.happens(**changed({"ts": ts, "text": "Lunch is at one."}, {"ts": ts, "text": ""}) | {"channel": shop})
    assert words(channels) == sorted([*LADDER, "Lunch is at one."])
    reply = ann.chat_postMessage(channel=shop, thread_ts=ts, text="With cake.")["ts"]
    channels.happens(type="message", channel=shop, ts=reply, thread_ts=ts)
    assert len([text for text in channels.texts("shop") if "cake" in text and "at one" in text]) == 1
    ann.chat_delete(channel=shop, ts=reply)
    channels.happens(type="message", channel=shop, subtype="message_deleted", deleted_ts=reply,
                     previous_message={"ts": reply, "thread_ts": ts})  # fmt: skip
    assert words(channels) == sorted([*LADDER, "Lunch is at one."])
    ann.chat_delete(channel=shop, ts=ts)
    channels.happens(type="message", channel=shop, subtype="message_deleted", deleted_ts=ts)
    assert words(channels) == LADDER


def test_events_out_of_order_and_twice_end_right(channels: Channels) -> None:
    """What an event says of the past does not matter, since Slack is asked how things are now."""
    shop, ann = channels.sandbox.channel_id("shop"), channels.person("ann")
    ts = ann.chat_postMessage(channel=shop, text="first words")["ts"]
    ann.chat_update(channel=shop, ts=ts, text="last words")
    for event in (changed({"ts": ts, "text": "last words"}), message(ts=ts, text="first words"), message(ts=ts)):
        channels.happens(**event | {"channel": shop})
    assert words(channels) == sorted([*LADDER, "last words"])


def test_a_deleted_root_leaves_its_replies(channels: Channels) -> None:
    """Slack keeps the thread under a tombstone, whose words nobody reads any more."""
    shop = channels.sandbox.channel_id("shop")
    root = channels.ts("shop", "Where is the ladder?")
    channels.person("ann").chat_delete(channel=shop, ts=root)
    channels.happens(type="message", channel=shop, subtype="message_deleted", deleted_ts=root)
    assert words(channels) == ["Behind the kiln."]
    other = channels.person("ann").chat_postMessage(channel=shop, text="Unrelated.")["ts"]
    channels.happens(type="message", channel=shop, ts=other)
    assert words(channels) == ["Behind the kiln.", "Unrelated."]


def test_being_invited_has_the_channel_read(channels: Channels) -> None:
    """The history of a channel from before Footnote's time is read when it joins."""
    later, me = channels.sandbox.channel_id("later"), channels.sandbox.bot_user
    channels.person("ann").conversations_invite(channel=later, users=me)
    channels.happens(type="member_joined_channel", user=me, channel=later)
    assert [conversation.name for conversation in channels.read_later] == ["later"]
    channels.backfill.read(channels.read_later[0])
    assert [text.partition(": ")[2] for text in channels.texts("later")] == ["Older than Footnote."]


def test_leaving_drops_what_was_read(channels: Channels) -> None:
    """A channel that Footnote was removed from is neither in the index nor in the progress."""
    shop, me = channels.sandbox.channel_id("shop"), channels.sandbox.bot_user
    channels.person("ann").conversations_kick(channel=shop, user=me)
    channels.happens(type="channel_left", channel=shop)
    assert channels.store.count() == 0
    assert channels.progress.all() == ()


def test_a_new_name_stands_above_everything_at_once(channels: Channels) -> None:
    """What was read under the old name bears it, before anything is read again; no vector is touched."""
    shop = channels.sandbox.channel_id("shop")
    before = channels.store.page("", 99)
    channels.person("ann").conversations_rename(channel=shop, name="depot")
    channels.happens(type="channel_rename", channel={"id": shop, "name": "depot", "created": 1})
    assert channels.store.page("", 99) == tuple(replace(passage, title="#depot") for passage in before)
    assert [conversation.name for conversation in channels.read_later] == ["depot"]


def test_an_event_that_could_not_be_dealt_with_is_noted_as_a_gap(channels: Channels) -> None:
    """A gap is never called success: the channel is read as a whole at the next start."""
    shop = channels.sandbox.channel_id("shop")
    lost = message(ts="1772442840.000100") | {"channel": shop}
    channels.sync.give_up(Event("E1", "A1", channels.workspace.identity().team, "message", lost), "abc123")
    (progress,) = channels.progress.all()
    assert progress.state is ReadingState.FAILED
    assert "abc123" in progress.error
    assert [conversation.name for conversation in channels.read_later] == ["shop"]
