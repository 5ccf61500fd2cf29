"""What people don't want to be read or used is not, from then on, whichever way it would have come into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.slack.messages import Message
from bot.slack.workspace import Identity
from bot.state.choices import Choice, Chosen
from bot.state.files import FilePost
from bot.state.progress import ReadingState
from bot.sync.selection import evidence_of_stretch, evidence_of_thread, files_in
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import IndexReport, Source
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder

US = Identity("T1", "https://home.example/", "U0ME", "B0ME", "A0ME")
FILES = ({"id": "F1"},)
SAID = (
    Message("C1", "1.1", "1.1", user="U0ANN", text="Where is it?"),
    Message("C1", "1.2", "1.1", user="U0BO", text="Behind the kiln.", files=FILES),
    Message("C1", "1.3", "1.1", bot_id="B0CI", text="Build failed"),
)


@pytest.mark.parametrize(
    ("unused", "kept"),
    [
        ((), ["1.1", "1.2", "1.3"]),
        ({"U0BO"}, ["1.1", "1.3"]),
        ({"U0ANN", "U0BO"}, ["1.3"]),
        ({""}, ["1.1", "1.2", "1.3"]),
    ],
)
def test_messages_of_people_who_left_theirs_out_are_no_evidence(unused: Sequence[str], kept: list[str]) -> None:
    """Neither in a thread nor in a stretch, nor the files that they carry; bots are nobody's."""
    assert [message.ts for message in evidence_of_thread(SAID, US, (), unused)] == kept
    assert [message.ts for message in evidence_of_stretch(SAID, US, (), unused)] == kept
    assert files_in(SAID, US, unused) == ({FilePost("F1", "1.2", "1.1")} if "1.2" in kept else set())


SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("bo")),
    channels=(
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("yard", members=("ann", "bo")),
    ),
    messages={
        "shop": (
            SeedMessage("ann", "Where is the ladder?", thread=(SeedMessage("bo", "Behind the kiln."),)),
            SeedMessage("bo", "The kiln is hot."),
            SeedMessage("ann", "Then wait an hour."),
        ),
        "yard": (
            SeedMessage("bo", "The gate is shut at six.", at=datetime(2026, 3, 3, 9, tzinfo=UTC)),
            SeedMessage("ann", "Noted.", at=datetime(2026, 5, 2, 9, tzinfo=UTC)),
        ),
    },
)


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """Two channels whose history has been read."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        channels.read("shop", "yard")
        yield channels


def words(channels: Channels, name: str) -> list[str]:
    """What the index holds of a channel, without names and dates."""
    said = (utterance for text in channels.texts(name) for utterance in text.split("\n\n"))
    return sorted(utterance.partition(": ")[2] for utterance in said)


def choose(channels: Channels, what: Choice, subject: str, holds: bool = True, at: float = 1.0) -> None:
    """Have somebody choose something; where it is about their messages, every channel is to be read anew."""
    anew = [channels.conversation(name).place for name in ("shop", "yard")] if what is Choice.UNUSED else []
    team = channels.workspace.identity().team
    channels.choices.make(Chosen(team, what, subject, holds, "U0ANN", at), anew)


YARD = ["Noted.", "The gate is shut at six."]
SHOP = ["Behind the kiln.", "The kiln is hot.", "Then wait an hour.", "Where is the ladder?"]
OF_ANN = ["Then wait an hour.", "Where is the ladder?"]


def test_a_channel_that_is_left_out_goes_and_stays_away(channels: Channels) -> None:
    """Reading it, its events and a reading that had begun leave nothing of it; other channels stay."""
    place = channels.conversation("shop").place
    under_way = channels.sync.reader.read(channels.conversation("shop"))
    next(under_way)
    choose(channels, Choice.LEFT_OUT, place)
    assert list(under_way) == []
    assert channels.texts("shop") == []
    channels.happens(
        type="message", channel=channels.sandbox.channel_id("shop"), ts=channels.says("bo", "shop", "New.")
    )
    channels.read("shop")
    assert (channels.texts("shop"), channels.progress.of(place)) == ([], None)
    assert words(channels, "yard") == YARD


def test_messages_of_a_channel_that_is_left_out_make_no_source(channels: Channels) -> None:
    """Whoever has read them."""
    shop = channels.conversation("shop")
    history = tuple(channels.workspace.history(shop.id))
    assert channels.sources.of_day(shop, history)
    choose(channels, Choice.LEFT_OUT, shop.place)
    assert channels.sources.of_day(shop, history) == channels.sources.of_thread(shop, history) == ()


def test_what_was_put_after_the_choice_goes_too(channels: Channels) -> None:
    """A day that was read before somebody chose, and is put after the channel was purged, doesn't stay."""
    place = channels.conversation("shop").place

    class ChosenMeanwhile:
        """An index during whose writing somebody chooses, and the channel is purged."""

        def put(self, sources: Iterable[Source]) -> IndexReport:
            choose(channels, Choice.LEFT_OUT, place)
            channels.sync.reader.purge(place)
            return channels.indexer.put(sources)

        def remove(self, source_ids: Iterable[str]) -> IndexReport:
            return channels.indexer.remove(source_ids)

    channels.says("bo", "shop", "New.")
    reader = type(channels.sync.reader)(
        channels.workspace, ChosenMeanwhile(), channels.store, channels.sources, channels.shared
    )
    assert list(reader.read(channels.conversation("shop"))) == []
    assert channels.texts("shop") == []
    choose(channels, Choice.LEFT_OUT, place, holds=False)
    reader.refresh(channels.conversation("shop"), channels.ts("shop", "The kiln is hot."))
    assert channels.texts("shop") == []


def test_a_channel_that_may_be_read_again_is_read_from_its_start(channels: Channels) -> None:
    """As if Footnote had just been invited."""
    place = channels.conversation("shop").place
    choose(channels, Choice.LEFT_OUT, place)
    channels.read("shop")
    choose(channels, Choice.LEFT_OUT, place, holds=False)
    channels.read("shop")
    assert words(channels, "shop") == SHOP


def test_messages_that_are_left_out_go_and_come_back(channels: Channels) -> None:
    """At the next reading, which goes back to the start, however long ago they were written; until each channel was
    read they are known to be there.
    """
    bo, team = channels.sandbox.user_id("bo"), channels.workspace.identity().team
    choose(channels, Choice.UNUSED, bo)
    channels.read("shop")
    assert words(channels, "shop") == OF_ANN
    assert channels.choices.unused_and_still_indexed(team) == {bo}
    channels.read("yard")
    assert words(channels, "yard") == ["Noted."]
    assert channels.choices.unused_and_still_indexed(team) == frozenset()
    choose(channels, Choice.UNUSED, bo, holds=False, at=2.0)
    channels.read("shop", "yard")
    assert (words(channels, "shop"), words(channels, "yard")) == (SHOP, YARD)


def test_what_somebody_says_after_leaving_theirs_out_is_not_indexed(channels: Channels) -> None:
    """Events of it make nothing of it."""
    choose(channels, Choice.UNUSED, channels.sandbox.user_id("bo"))
    ts = channels.says("bo", "yard", "The key is under the mat.")
    channels.happens(type="message", channel=channels.sandbox.channel_id("yard"), ts=ts)
    assert "The key is under the mat." not in words(channels, "yard")


def test_a_reading_that_began_before_a_choice_does_not_count_for_it(channels: Channels) -> None:
    """Somebody chooses while the channel is being read: it is read again, from its start."""
    bo, place = channels.sandbox.user_id("bo"), channels.conversation("shop").place
    stops = iter([True])
    choose(channels, Choice.UNUSED, "U0ELSE", at=1.0)

    def chosen_meanwhile() -> bool:
        if next(stops, False):
            choose(channels, Choice.UNUSED, bo, at=2.0)
        return False

    channels.backfill.read(channels.conversation("shop"), chosen_meanwhile)
    assert channels.progress.renewal_of(place) == 2.0
    channels.read("shop")
    assert (words(channels, "shop"), channels.progress.renewal_of(place)) == (OF_ANN, None)


def test_a_reading_that_is_cut_off_begins_again(channels: Channels) -> None:
    """After a restart too: what is to be read anew stands in the database until it was."""
    bo = channels.sandbox.user_id("bo")
    choose(channels, Choice.UNUSED, bo)
    progress = channels.backfill.read(channels.conversation("shop"), lambda: True)
    assert progress.state is ReadingState.READING
    assert channels.choices.unused_and_still_indexed(channels.workspace.identity().team) == {bo}
