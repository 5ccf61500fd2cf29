"""Histories are read whole, once, in sources that stay the same, and never talk with Footnote itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

import pytest

from bot.errors import SlackError
from bot.state.progress import ChannelProgress, ReadingState
from bot.sync.backfill import Backfill
from bot.sync.histories import Histories
from bot.sync.reading import ChannelReader
from bot.types import Conversation, ConversationKind, Question, Surface
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import Place
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment of March 2026."""
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("bo"), SeedPerson("pager", kind="bot")),
    channels=(
        SeedChannel("shop", members=("ann", "bo", "pager")),
        SeedChannel("board", kind="private", members=("ann",)),
        SeedChannel("attic", members=("ann",), footnote=False),
        SeedChannel("quiet", members=("ann", "bo")),
        SeedChannel("cellar", members=("ann", "bo"), archived=True),
    ),
    messages={
        "shop": (
            SeedMessage("ann", "The kiln is hot.", at(2, 9)),
            SeedMessage("bo", "So I see.", at(2, 9, 20)),
            SeedMessage("ann", "Lunch is at noon.", at(2, 11)),
            SeedMessage("bo", "Near midnight.", at(2, 23, 50)),
            SeedMessage("ann", "A new day.", at(3, 0, 5)),
            SeedMessage(
                "ann",
                "Where is the ladder?",
                at(4, 9),
                thread=(SeedMessage("bo", "Behind the kiln.", at(4, 9, 5)), SeedMessage("ann", "Found it.", at(9, 8))),
            ),
            SeedMessage("pager", "", at(5, 9), attachments=({"title": "Kiln over 1200 °C", "fallback": "x"},)),
        ),
        "board": (SeedMessage("ann", "Sales are up.", at(3, 9)),),
        "cellar": (SeedMessage("ann", "The old press is scrap.", at(3, 9)),),
    },
)


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """A shop, its board, and an index of both that is still empty."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        yield channels


SHOP = [
    "ann (2 Mar 2026): Lunch is at noon.",
    "ann (2 Mar 2026): The kiln is hot.\n\nbo (2 Mar 2026): So I see.",
    "ann (3 Mar 2026): A new day.",
    "ann (4 Mar 2026): Where is the ladder?\n\nbo (4 Mar 2026): Behind the kiln.\n\nann (9 Mar 2026): Found it.",
    "bo (2 Mar 2026): Near midnight.",
    "pager (5 Mar 2026): **Kiln over 1200 °C**",
]


def test_threads_and_stretches_become_one_source_each(channels: Channels) -> None:
    """A thread is one source however late its replies; unthreaded talk is cut at silences and at midnight in UTC."""
    channels.read("shop", "board")
    assert channels.texts("shop") == SHOP
    assert channels.texts("board") == ["ann (3 Mar 2026): Sales are up."]


def test_passages_stand_in_their_channel_and_open_their_message(channels: Channels) -> None:
    """A citation opens the very message, in its thread; the title says where, not what."""
    channels.read("shop")
    shop = channels.conversation("shop")
    root = channels.ts("shop", "Where is the ladder?")
    (passage,) = channels.store.passages_of(f"slack:{channels.workspace.identity().team}:{shop.place}:{root}")
    assert passage.places == frozenset({shop.place})
    assert passage.title == "#shop"
    assert [anchor.author for anchor in passage.anchors] == ["ann", "bo", "ann"]
    assert passage.anchors[0].url == f"{channels.sandbox.url}archives/{shop.id}/p{root.replace('.', '')}"
    assert passage.anchors[1].url.endswith(f"?thread_ts={root}&cid={shop.id}")


def test_progress_tells_what_was_read(channels: Channels) -> None:
    """What a person sees in `status` is what Slack holds."""
    channels.read("shop", "quiet")
    shop, quiet = channels.progress.of(channels.conversation("shop").place), channels.progress.all()[0]
    assert shop
    assert replace(shop, changed_at=0) == ChannelProgress(
        channels.conversation("shop").place,
        channels.sandbox.channel_id("shop"),
        "shop",
        ReadingState.DONE,
        oldest=channels.ts("shop", "The kiln is hot."),
        newest=channels.ts("shop", ""),
        read=9,
        indexed=9,
    )
    assert (quiet.name, quiet.state, quiet.read) == ("quiet", ReadingState.DONE, 0)


def test_reading_again_changes_and_counts_nothing(channels: Channels) -> None:
    """A restart catches up; what was there is neither embedded nor counted twice."""
    channels.read("shop")
    before = channels.progress.all()
    channels.read("shop")
    assert channels.texts("shop") == SHOP
    assert [replace(channel, changed_at=0) for channel in channels.progress.all()] == [
        replace(channel, changed_at=0) for channel in before
    ]


def test_what_changed_while_nobody_listened_is_caught_up_with(channels: Channels) -> None:
    """New messages and deletions of the last days are found at the next start, without any event."""
    channels.read("shop")
    shop, ann = channels.sandbox.channel_id("shop"), channels.person("ann")
    ann.chat_delete(channel=shop, ts=channels.ts("shop", "A new day."))
    ann.chat_postMessage(channel=shop, text="The kiln is cold again.")
    channels.read("shop")
    texts = channels.texts("shop")
    assert [text for text in texts if "A new day" in text] == []
    assert [text.partition(": ")[2] for text in texts if "cold" in text] == ["The kiln is cold again."]


def test_a_channel_that_the_index_has_lost_is_read_from_its_beginning(channels: Channels) -> None:
    """After another build of the index has begun, how far the last one had come counts for nothing."""
    channels.read("shop", "board")
    channels.backfill.reader.purge(channels.conversation("shop").place)
    channels.backfill.forget_lost([channels.conversation(name) for name in ("shop", "board", "quiet")])
    assert [channel.name for channel in channels.progress.all()] == ["board"]
    channels.read("shop")
    assert channels.texts("shop") == SHOP


def test_a_name_that_changed_while_nobody_listened_stands_above_older_words_too(channels: Channels) -> None:
    """Those are not read again: of a channel that was read to its end the last days are."""
    channels.read("shop")
    (read,) = channels.progress.all()
    channels.progress.write(replace(read, newest="1775000000.000100"))  # a month later
    channels.person("ann").conversations_rename(channel=channels.sandbox.channel_id("shop"), name="depot")
    channels.read("depot")
    assert {passage.title for passage in channels.store.page("", 99)} == {"#depot"}


def test_a_channel_that_fails_is_noted_and_the_rest_goes_on(channels: Channels) -> None:
    """One channel that can't be read keeps no other from being read; it is read as a whole next time."""
    refusal = {"method": "conversations.history", "error": "ekm_access_denied"}
    channels.person("ann").api_call("sandbox.fail", json=refusal)
    channels.read("board", "shop")
    states = {channel.name: (channel.state, channel.error) for channel in channels.progress.all()}
    assert states["shop"] == (ReadingState.DONE, "")
    assert states["board"][0] is ReadingState.FAILED
    assert "ekm_access_denied" in states["board"][1]


def test_a_channel_that_footnote_turns_out_not_to_be_in_is_left(channels: Channels) -> None:
    """It is no failure that would be tried again, and nothing is remembered of it."""
    attic = replace(channels.conversation("attic"), is_joined=True)
    assert channels.backfill.run([attic], lambda: False)[0].state is ReadingState.READING
    assert channels.progress.all() == ()


def test_a_stop_between_days_is_no_end(channels: Channels) -> None:
    """What was cut off counts as unread and is read from its start next time."""
    stops = iter([False, False, True, True, True])
    channels.backfill.run([channels.conversation("shop")], lambda: next(stops))
    assert [channel.state for channel in channels.progress.all()] == [ReadingState.READING]
    channels.read("shop")
    assert channels.texts("shop") == SHOP
    assert channels.progress.all()[0].read == 9


def test_questions_to_footnote_and_its_answers_are_never_evidence(channels: Channels) -> None:
    """Mentions, follow-ups that it answered and its own posts are left out; what people say beside them is kept."""
    shop, me = channels.sandbox.channel_id("shop"), channels.sandbox.bot_user
    root = channels.says("ann", "shop", "The kiln will be mended.")
    asked = channels.says("ann", "shop", f"<@{me}> how hot is the kiln?", root)
    answered = channels.says("bo", "shop", "Tell me of the night too", root)
    channels.answers("shop", root, asked, "It is hot.")
    channels.answers("shop", root, asked, "Very hot.")
    channels.answers("shop", root, answered, "Nothing says so.")
    channels.says("ann", "shop", "And what about the clay?", root)
    channels.says("bo", "shop", "It cools to 300 degrees overnight.", root)
    known = channels.says("bo", "shop", "Does the glaze mind?", root)
    team = channels.workspace.identity().team
    channels.questions.take(Question(team, "U0", shop, known, root, "", Surface.CHANNEL), "E1", 0.0)
    channels.read("shop")
    new = [text for text in channels.texts("shop") if text not in SHOP]
    said = [utterance.partition(": ")[2] for text in new for utterance in text.split("\n\n")]
    assert said == ["The kiln will be mended.", "It cools to 300 degrees overnight."]


def test_what_is_touched_while_a_channel_is_read_is_read_again(channels: Channels) -> None:
    """A reply that comes while an old state of its thread is being written is in the index in the end."""
    shop = channels.conversation("shop")
    reader = channels.sync.reader
    assert isinstance(reader, ChannelReader)
    days = reader.read(shop)
    next(days)
    edited = channels.ts("shop", "Where is the ladder?")
    channels.person("ann").chat_update(channel=shop.id, ts=edited, text="Where is the long ladder?")
    channels.happens(type="message", channel=shop.id, ts=edited)
    list(days)
    assert [text for text in channels.texts("shop") if "long ladder" in text] != []


def test_an_archived_channel_is_read_like_any_other(channels: Channels) -> None:
    """What was said in it goes on to hold, and reading it fails nothing."""
    channels.read("cellar", "board")
    assert [progress.state for progress in channels.progress.all()] == [ReadingState.DONE] * 2
    assert channels.texts("cellar") == ["ann (3 Mar 2026): The old press is scrap."]


def test_direct_messages_are_not_read(channels: Channels) -> None:
    """A DM with Footnote has one reader, and nobody else may learn of it."""
    dm = channels.person("ann").conversations_open(users=channels.sandbox.bot_user)["channel"]["id"]
    channels.person("ann").chat_postMessage(channel=dm, text="My salary is secret.")
    with_ann = Conversation(dm, Place("of-ann"), "", ConversationKind.DM)
    channels.backfill.run([with_ann], lambda: False)
    channels.happens(type="message", channel=dm, channel_type="im", ts="1772442840.000000")
    channels.happens(type="message", channel=dm, ts="1772442840.000000")
    assert channels.store.count() == 0
    assert channels.progress.all() == ()


def test_an_error_of_slack_is_not_an_empty_channel(channels: Channels) -> None:
    """Where replies can't be read, what the index holds of the thread stays."""

    class Refusing:
        history = channels.workspace.history

        def replies(self, channel_id: str, thread_ts: str) -> tuple[()]:
            raise SlackError("conversations.replies", "internal_error")

    channels.read("shop")
    reader = ChannelReader(Refusing(), channels.indexer, channels.store, channels.sources, channels.shared)
    Backfill(reader, channels.progress).read(channels.conversation("shop"))
    assert channels.texts("shop") == SHOP
    assert channels.progress.all()[0].state is ReadingState.FAILED


def test_mentions_are_named_and_a_private_channel_is_not(channels: Channels) -> None:
    """Who reads a passage of one channel learns nothing of another, its name neither."""
    shop, board = channels.sandbox.channel_id("shop"), channels.sandbox.channel_id("board")
    text = f"<@{channels.sandbox.user_id('bo')}> wrote in <#{shop}> and <#{board}|board>."
    channels.person("ann").chat_postMessage(channel=shop, text=text)
    channels.read("shop")
    said = [text.partition(": ")[2] for text in channels.texts("shop")]
    assert "@bo wrote in #shop and a private channel." in said


def test_histories_are_read_beside_what_answers_until_they_are_stopped(channels: Channels) -> None:
    """First the channels that Footnote is in, then those that it is invited to, then nothing more."""
    histories, read = Histories(), SimpleQueue[tuple[ChannelProgress, ...]]()
    histories.read_later(channels.conversation("board"))
    histories.start(channels.backfill, [channels.conversation("shop")], read.put)
    assert [progress.name for progress in read.get(timeout=30)] == ["shop"]
    deadline = time.monotonic() + 30
    while channels.texts("board") == [] and time.monotonic() < deadline:
        time.sleep(0.02)
    histories.stop()
    assert channels.texts("board") == ["ann (3 Mar 2026): Sales are up."]
    histories.read_later(channels.conversation("quiet"))
    assert {progress.name for progress in channels.progress.all()} == {"board", "shop"}


def fail(channels: Channels, method: str, count: int) -> None:
    """Have Slack fail at the next calls of a method."""
    faults = {"method": method, "error": "internal_error", "count": count}
    channels.person("ann").api_call("sandbox.fail", json=faults)


def test_authors_whose_names_cant_be_read_are_not_indexed_without(channels: Channels) -> None:
    """A channel whose people Slack doesn't name is one that failed, not one in which "someone" spoke."""
    fail(channels, "users.list", 1)
    channels.read("shop")
    assert channels.progress.all()[0].state is ReadingState.FAILED
    assert [text for text in channels.texts("shop") if "kiln" in text] == []
    channels.read("shop")
    assert channels.texts("shop") == SHOP


@pytest.mark.parametrize("failures", [1, 2])
def test_a_channel_that_failed_is_read_again_meanwhile(channels: Channels, failures: int) -> None:
    """A fault that passes heals without a restart, after waits that grow."""
    fail(channels, "conversations.history", failures)
    histories, read = Histories(again_s=(0.05, 0.1)), SimpleQueue[tuple[ChannelProgress, ...]]()
    histories.start(channels.backfill, [channels.conversation("shop")], read.put)
    assert [progress.state for progress in read.get(timeout=30)] == [ReadingState.FAILED]
    deadline = time.monotonic() + 30
    while channels.progress.all()[0].state is not ReadingState.DONE and time.monotonic() < deadline:
        time.sleep(0.02)
    histories.stop()
    assert channels.texts("shop") == SHOP


def test_a_channel_that_goes_on_failing_is_left_to_the_next_start(channels: Channels) -> None:
    """After so many tries Slack isn't asked any more."""
    fail(channels, "conversations.history", 99)
    histories, read = Histories(again_s=(0.0, 0.0)), SimpleQueue[tuple[ChannelProgress, ...]]()
    histories.start(channels.backfill, [channels.conversation("shop")], read.put)
    read.get(timeout=30)
    time.sleep(0.5)  # long enough for many more tries
    histories.stop()
    calls = channels.person("ann").api_call("sandbox.calls", json={"method": "conversations.history"}).data
    assert isinstance(calls, dict)
    assert len(calls["calls"]) == 3
