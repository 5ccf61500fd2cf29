"""A shared file is a source of its own, where messages carry it and Slack says it is shared, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.state.files import FileState
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import Passage
from sandbox.seed import Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder

GLAZE = SeedFile("glaze.md", "# Glaze\n\nMix two parts of ash with one part of clay.\n", id="F1", title="Ash glaze")
CANVAS = '<div class="quip-canvas-content"><h1>Open day</h1><p class="line">Doors open at nine.</p></div>'
SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo")),
    channels=(
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann",)),
        SeedChannel("elsewhere", members=("ann",), footnote=False),
    ),
    messages={
        "shop": (
            SeedMessage("ann", "The glaze, at last.", files=(GLAZE,)),
            SeedMessage("bo", "Who fires on Monday?", thread=(
                SeedMessage("ann", "See the rota.", files=(SeedFile("rota.csv", "Day,Who\nMonday,Bo\n", id="F2"),)),
            )),
            SeedMessage("bo", "", files=(SeedFile("kiln.png", "not really", id="F3"),)),
        ),
    },
)  # fmt: skip


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """A shop whose history has been read, its files too."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        channels.read("shop", "board")
        channels.readings.read_waiting()
        yield channels


def passages(channels: Channels, file_id: str) -> tuple[Passage, ...]:
    """What the index holds of a file."""
    return channels.store.passages_of(channels.shared.source_id(file_id))


def words(channels: Channels, file_id: str) -> str:
    """The words of a file, as the index holds them."""
    return "\n\n".join(passage.text for passage in passages(channels, file_id))


def places(channels: Channels, file_id: str) -> set[str]:
    """The names of the channels in which the index has a file."""
    named = {channels.conversation(name).place: name for name in ("shop", "board")}
    return {named[place] for passage in passages(channels, file_id) for place in passage.places}


def test_files_of_a_history_are_sources(channels: Channels) -> None:
    """A file has its title, its words by its kind, its place, and opens in Slack."""
    (passage,) = passages(channels, "F1")
    assert (passage.title, passage.heading_path, passage.text) == (
        "Ash glaze", ("Glaze",), "Mix two parts of ash with one part of clay.",
    )  # fmt: skip
    assert passage.anchors[0].url == f"{channels.sandbox.url}files/U0ANN/F1/glaze.md"
    assert places(channels, "F1") == {"shop"}
    assert "Monday" in words(channels, "F2")
    assert places(channels, "F2") == {"shop"}


def test_what_is_no_text_is_skipped_with_a_reason(channels: Channels) -> None:
    """A picture is counted, and not asked for."""
    assert channels.files.tally() == {
        (FileState.READ, ""): 2,
        (FileState.SKIPPED, "Pictures, audio and video are not read."): 1,
    }
