"""Whatever people do with files, and however the events of it come, the index ends up with what Slack has."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from slack_sdk.errors import SlackApiError

from retrieval.embedding.sparse import Bm25Embedder
from sandbox.seed import Seed, SeedChannel, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder

CHANNELS = ("shop", "board", "crew")
SEED = Seed(
    people=(SeedPerson("ann", admin=True),),
    channels=tuple(SeedChannel(name, kind="private", members=("ann",)) for name in CHANNELS),
)
STEPS = 30


@dataclass
class People:
    """Somebody who shares, unshares, changes and deletes files and messages at random, and what Slack tells of it."""

    channels: Channels
    chance: random.Random
    events: list[dict[str, object]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ann = self.channels.person("ann")
        self._changes = 0

    def act(self) -> None:
        """One step."""
        steps = [self.upload, self.upload, self.share, self.share, self.unshare, self.change, self.delete, self.unsay]
        self.chance.choice(steps)()

    def upload(self) -> None:
        where, number = self._somewhere(), len(self.files) + 1
        uploaded = self._ann.files_upload_v2(channel=where, filename=f"{number}.txt", content=f"File {number} is new.")
        self.files.append(str(uploaded["files"][0]["id"]))
        self._shared(self.files[-1], where)

    def share(self) -> None:
        file_id, where = self._some_file(), self._somewhere()
        if file_id and self._control("shareFile", file=file_id, channel=where):
            self._shared(file_id, where)

    def unshare(self) -> None:
        file_id, where = self._some_file(), self._somewhere()
        if file_id and self._control("unshareFile", file=file_id, channel=where):
            self.events.append({"type": "file_unshared", "file_id": file_id, "channel_id": where})

    def change(self) -> None:
        file_id, self._changes = self._some_file(), self._changes + 1
        content = f"It was changed: {self._changes * '+'}."  # another size, since Slack tells times in whole seconds
        if file_id and self._control("changeFile", file=file_id, content=content):
            self.events.append({"type": "file_change", "file_id": file_id})

    def delete(self) -> None:
        if file_id := self._some_file():
            self._ann.files_delete(file=file_id)
            self.files.remove(file_id)
            self.events.append({"type": "file_deleted", "file_id": file_id})

    def unsay(self) -> None:
        where = self._somewhere()
        if messages := self._ann.conversations_history(channel=where)["messages"]:
            ts = str(self.chance.choice(messages)["ts"])
            self._ann.chat_delete(channel=where, ts=ts)
            gone = {"subtype": "message_deleted", "deleted_ts": ts}
            self.events.append({"type": "message", "channel": where, **gone})

    def truth(self) -> Mapping[str, tuple[frozenset[str], str]]:
        """Of each file that a message carries, where it stands and what it says."""
        found: dict[str, tuple[frozenset[str], str]] = {}
        for name in CHANNELS:
            for message in self._ann.conversations_history(channel=self.channels.sandbox.channel_id(name))["messages"]:
                for file in message.get("files", []):
                    if file["mode"] != "tombstone":
                        before, _ = found.get(file["id"], (frozenset[str](), ""))
                        found[file["id"]] = (before | {name}, file["preview"])
        return found

    def _shared(self, file_id: str, where: str) -> None:
        ts = str(self._ann.conversations_history(channel=where)["messages"][0]["ts"])
        self.events.append({"type": "message", "subtype": "file_share", "channel": where, "ts": ts})
        self.events.append({"type": "file_shared", "file_id": file_id, "channel_id": where})

    def _control(self, method: str, **arguments: object) -> bool:
        try:
            return bool(self._ann.api_call(f"sandbox.{method}", json=arguments)["ok"])
        except SlackApiError:  # such as unsharing what isn't shared there
            return False

    def _some_file(self) -> str:
        return self.chance.choice(self.files) if self.files else ""

    def _somewhere(self) -> str:
        return self.channels.sandbox.channel_id(self.chance.choice(CHANNELS))


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """Three channels in which nothing has been said."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        yield channels


def indexed(channels: Channels) -> Mapping[str, tuple[frozenset[str], str]]:
    """Of each file in the index, where it stands and what it says."""
    named = {channels.conversation(name).place: name for name in CHANNELS}
    found = {}
    for source_id in channels.store.sources_of(channels.shared.origin):
        passages = channels.store.passages_of(source_id)
        places = frozenset(named[place] for passage in passages for place in passage.places)
        found[source_id.rpartition(":")[2]] = (places, "\n\n".join(passage.text for passage in passages))
    return found


@pytest.mark.parametrize("seed", range(2))
def test_files_end_up_as_slack_has_them(channels: Channels, seed: int) -> None:
    """With events late, in another order and twice; and with events lost, once the channels are read again."""
    chance = random.Random(seed)
    people = People(channels, chance)
    for _ in range(STEPS):
        people.act()
        if chance.random() < 0.3:
            for event in chance.sample(people.events, min(3, len(people.events))):
                channels.happens(**event)
            channels.readings.read_waiting()
    chance.shuffle(people.events)
    for event in [*people.events, *people.events[:5]]:
        channels.happens(**event)
    channels.readings.read_waiting()
    assert indexed(channels) == people.truth() != {}

    people.events.clear()
    for _ in range(STEPS // 3):
        people.act()
    channels.read(*CHANNELS)
    channels.readings.read_waiting()
    assert indexed(channels) == people.truth()
