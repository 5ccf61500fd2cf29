"""A shared file is a source of its own, where messages carry it and Slack says it is shared, and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.files import SharedFile
from bot.state.files import FileState
from bot.sync.file_contents import Interrupted
from bot.sync.file_queue import FileQueue
from bot.sync.file_readings import FileReadings
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import ReadingEnded
from retrieval.reading import Reading
from retrieval.reindexing import CARRIED
from retrieval.types import IndexReport, Markup, Passage, Source
from sandbox.seed import Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder

GLAZE = SeedFile("glaze.md", "# Glaze\n\nMix two parts of ash with one part of clay.\n", id="F1", title="Ash glaze")
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
                SeedMessage("ann", "See the rota.", files=(SeedFile("rota.txt", "Bo fires on Monday.", id="F2"),)),
            )),
            SeedMessage("bo", "", files=(SeedFile("kiln.png", "not really", id="F3"),)),
        ),
    },
)  # fmt: skip


@contextmanager
def opened(folder: Path, dense: WordHashEmbedder, sparse: Bm25Embedder) -> Iterator[Channels]:
    """A shop whose history has been read, its files too."""
    with open_channels(SEED, folder, dense, sparse) as channels:
        channels.read("shop", "board")
        channels.readings.read_waiting()
        yield channels


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """A shop of its own for each test that does something there."""
    with opened(tmp_path, small_embedder, bm25) as channels:
        yield channels


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the shop of those that only look is kept."""
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def seen(folder: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """One shop for all tests that only look."""
    with opened(folder, small_embedder, bm25) as channels:
        yield channels


@dataclass
class Scripted:
    """Stands in for Slack and for what a file says: gives what it is told to give."""

    file: SharedFile | None = None
    words: str = ""
    meanwhile: Callable[[], None] = lambda: None
    failures: list[Exception] = field(default_factory=list)
    read_files: list[str] = field(default_factory=list)

    def describe(self, file_id: str) -> SharedFile | None:
        return self.file

    def read(self, file: SharedFile) -> Reading:
        self.read_files.append(file.id)
        self.meanwhile()
        if self.failures:
            raise self.failures.pop(0)
        return Reading(Markup(self.words))

    def stop(self) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Watched:
    """The index, which notes where each file stood when it was written."""

    channels: Channels
    written: list[Source] = field(default_factory=list)

    def put(self, sources: Iterable[Source]) -> IndexReport:
        self.written = list(sources)
        return self.channels.indexer.put(self.written)

    def remove(self, source_ids: Iterable[str]) -> IndexReport:
        return self.channels.indexer.remove(source_ids)

    def keep_only(self, origin: str, source_ids: Collection[str]) -> IndexReport:
        return self.channels.indexer.keep_only(origin, source_ids)


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


def happens(channels: Channels, kind: str, file_id: str = "F1", channel: str = "") -> None:
    """Handle an event of a file, as Slack sends it."""
    where = {"channel_id": channels.sandbox.channel_id(channel)} if channel else {}
    channels.happens(type=kind, file_id=file_id, file={"id": file_id}, **where)


def control(channels: Channels, method: str, /, **arguments: object) -> None:
    """Do something that Slack has no method for."""
    channels.person("ann").api_call(f"sandbox.{method}", json=arguments)


def share_in_board(channels: Channels) -> None:
    """Post the glaze in a private channel too."""
    board = channels.sandbox.channel_id("board")
    control(channels, "shareFile", file="F1", channel=board)
    ts = str(channels.person("ann").conversations_history(channel=board)["messages"][0]["ts"])
    channels.happens(type="message", subtype="file_share", channel=board, ts=ts)
    channels.readings.read_waiting()


def seen_by_slack(channels: Channels, file_id: str = "F1") -> SharedFile:
    """A file as Slack describes it now."""
    file = channels.shared.slack.describe(file_id)
    assert file is not None
    return file


def read(channels: Channels, scripted: Scripted) -> bool:
    """Read the glaze by a script: what Slack says of it, and what is in it."""
    shared = replace(channels.shared, slack=scripted)
    return shared.read("F1", scripted)


def test_files_of_a_history_are_sources(seen: Channels) -> None:
    """A file has its title, its words by its kind, its place, and opens in Slack as a whole."""
    (passage,) = passages(seen, "F1")
    assert (passage.title, passage.heading_path, passage.text) == (
        "Ash glaze", ("Glaze",), "Mix two parts of ash with one part of clay.",
    )  # fmt: skip
    assert [anchor.url for anchor in passage.anchors] == [f"{seen.sandbox.url}files/U0ANN/F1/glaze.md"]
    assert "Monday" in words(seen, "F2")
    assert (places(seen, "F1"), places(seen, "F2")) == ({"shop"}, {"shop"})


def test_the_message_says_which_file_it_carries(seen: Channels) -> None:
    """A reader of the talk sees the name, and the words of the file stand in the file alone."""
    (said,) = [text for text in seen.texts("shop") if "at last" in text]
    assert "The glaze, at last.\n\nFile: Ash glaze" in said
    assert "clay" not in said


def test_what_is_no_text_is_skipped_with_a_reason(seen: Channels) -> None:
    """A picture is counted, and not asked for."""
    assert seen.files.tally() == {
        (FileState.READ, ""): 2,
        (FileState.SKIPPED, "Pictures, audio and video are not read."): 1,
    }


def test_nothing_of_a_file_is_kept(seen: Channels, folder: Path) -> None:
    """The bytes are gone as soon as they have been read."""
    assert list((folder / "incoming").iterdir()) == []


def test_a_file_in_two_channels_is_one_source_with_two_places(channels: Channels) -> None:
    """Whoever may open either of them may find it, and it is read once."""
    share_in_board(channels)
    assert len(passages(channels, "F1")) == 1
    assert places(channels, "F1") == {"shop", "board"}


def test_unsharing_takes_a_file_away_from_that_channel_at_once(channels: Channels) -> None:
    """It is gone before anything is asked of Slack, and stays where it still is."""
    share_in_board(channels)
    control(channels, "unshareFile", file="F1", channel=channels.sandbox.channel_id("shop"))
    happens(channels, "file_unshared", channel="shop")
    assert places(channels, "F1") == {"board"}
    channels.readings.read_waiting()
    assert places(channels, "F1") == {"board"}


def test_an_unsharing_that_is_no_longer_true_changes_nothing(channels: Channels) -> None:
    """An event that comes late takes the file away only until Slack has been asked."""
    happens(channels, "file_unshared", channel="shop")
    assert places(channels, "F1") == set()
    channels.readings.read_waiting()
    assert places(channels, "F1") == {"shop"}


def test_a_deleted_file_is_gone_at_once(channels: Channels) -> None:
    """Nothing of it is left, however often that is said."""
    channels.person("ann").files_delete(file="F1")
    for _ in range(2):
        happens(channels, "file_deleted")
        assert passages(channels, "F1") == ()
    channels.readings.read_waiting()
    channels.read("shop")
    channels.readings.read_waiting()
    assert passages(channels, "F1") == ()
    assert channels.files.of("F1") is None


def test_a_lost_deletion_is_found_when_the_channel_is_read_again(channels: Channels) -> None:
    """Slack shows a tombstone where the file was, which is no file any more."""
    channels.person("ann").files_delete(file="F1")
    channels.read("shop")
    assert passages(channels, "F1") == ()


def test_the_message_going_takes_the_file_with_it(channels: Channels) -> None:
    """A file that no message carries stands nowhere, though Slack keeps it for its owner."""
    shop, ts = channels.sandbox.channel_id("shop"), channels.ts("shop", "The glaze, at last.")
    channels.person("ann").chat_delete(channel=shop, ts=ts)
    channels.happens(type="message", channel=shop, subtype="message_deleted", deleted_ts=ts)
    assert passages(channels, "F1") == ()
    assert words(channels, "F2") != ""


def test_a_reply_going_takes_its_file_with_it(channels: Channels) -> None:
    """Files of replies follow their thread."""
    shop, root = channels.sandbox.channel_id("shop"), channels.ts("shop", "Who fires on Monday?")
    reply = channels.workspace.replies(shop, root)[1].ts
    channels.person("ann").chat_delete(channel=shop, ts=reply)
    channels.happens(type="message", channel=shop, subtype="message_deleted", deleted_ts=reply,
                     previous_message={"ts": reply, "thread_ts": root})  # fmt: skip
    assert passages(channels, "F2") == ()
    assert words(channels, "F1") != ""


def test_leaving_a_channel_leaves_the_file_where_it_still_is(channels: Channels) -> None:
    """What stood there alone is gone, and what stands elsewhere stands only there."""
    share_in_board(channels)
    shop, me = channels.sandbox.channel_id("shop"), channels.sandbox.bot_user
    channels.person("ann").conversations_kick(channel=shop, user=me)
    channels.happens(type="channel_left", channel=shop)
    assert passages(channels, "F2") == ()
    assert {place for passage in passages(channels, "F1") for place in passage.places} == {
        channels.conversation("board").place
    }


def test_a_changed_file_is_read_again(channels: Channels) -> None:
    """The new words are found, and the old ones are not."""
    control(channels, "changeFile", file="F1", content="# Glaze\n\nThree parts of ash.\n")
    happens(channels, "file_change")
    channels.readings.read_waiting()
    assert words(channels, "F1") == "Three parts of ash."
    assert places(channels, "F1") == {"shop"}


def test_an_unchanged_file_is_not_fetched_again(channels: Channels) -> None:
    """A look at Slack's description is enough, when its channel is read again as a whole."""
    scripted = Scripted(seen_by_slack(channels), failures=[AssertionError("it was fetched")])
    assert read(channels, scripted)
    assert scripted.read_files == []


def test_a_file_is_heard_of_without_its_message(channels: Channels) -> None:
    """The event of the share alone has the message read, and the file after it."""
    shop = channels.sandbox.channel_id("shop")
    uploaded = channels.person("bo").files_upload_v2(channel=shop, filename="kiln.txt", content="The kiln is cold.")
    file_id = str(uploaded["files"][0]["id"])
    happens(channels, "file_shared", file_id, "shop")
    channels.readings.read_waiting()
    assert words(channels, file_id) == "The kiln is cold."
    assert places(channels, file_id) == {"shop"}


def test_files_of_direct_messages_are_never_taken(channels: Channels) -> None:
    """Neither by their message nor by the event of the share."""
    ann = channels.person("ann")
    direct = str(ann.conversations_open(users=channels.sandbox.bot_user)["channel"]["id"])
    file_id = str(ann.files_upload_v2(channel=direct, filename="diary.txt", content="Dear diary.")["files"][0]["id"])
    ts = str(ann.conversations_history(channel=direct)["messages"][0]["ts"])
    channels.happens(type="message", channel_type="im", subtype="file_share", channel=direct, ts=ts)
    channels.happens(type="file_shared", file_id=file_id, channel_id=direct)
    channels.readings.read_waiting()
    assert passages(channels, file_id) == ()
    assert channels.files.of(file_id) is None


def test_a_file_gets_no_place_by_slacks_word_alone(channels: Channels) -> None:
    """A share that no message read in that channel confirms counts for nothing."""
    file = seen_by_slack(channels)
    board = channels.sandbox.channel_id("board")
    assert read(channels, Scripted(replace(file, channels=file.channels | {board}, version="2"), "Other words."))
    assert words(channels, "F1") == "Other words."
    assert places(channels, "F1") == {"shop"}


def test_a_file_gets_no_place_by_its_message_alone(channels: Channels) -> None:
    """What Slack does not say is shared there is taken away, and asked for again."""
    share_in_board(channels)
    file, shop = seen_by_slack(channels), channels.sandbox.channel_id("shop")
    assert read(channels, Scripted(replace(file, channels=frozenset({shop}))))
    assert places(channels, "F1") == {"shop"}
    assert not read(channels, Scripted(replace(file, channels=frozenset())))
    assert places(channels, "F1") == set()


def test_a_file_shown_inside_a_message_is_not_its_own(channels: Channels) -> None:
    """Of a message that is shared in another one, the files stand where that message stands."""
    shop = channels.sandbox.channel_id("shop")
    quoted = {"is_share": True, "text": "words", "files": [{"id": "F9", "name": "secret.txt"}]}
    blocks = [{"message": {"files": [{"id": "F9", "name": "secret.txt"}]}}]
    posted = channels.person("ann").chat_postMessage(
        channel=shop, text="look", attachments=[{**quoted, "message_blocks": blocks}]
    )
    channels.happens(type="message", channel=shop, ts=str(posted["ts"]))
    assert channels.files.of("F9") is None
    assert not any("secret" in text for text in channels.texts("shop"))


def test_what_is_heard_while_a_file_is_read_counts(channels: Channels) -> None:
    """A file that is unshared while it is fetched is not put there by what was true before."""
    share_in_board(channels)

    def unshared() -> None:
        channels.shared.unshare("F1", channels.sandbox.channel_id("shop"))

    assert read(channels, Scripted(replace(seen_by_slack(channels), version="2"), "Other words.", unshared))
    assert "shop" not in places(channels, "F1")


def test_a_file_deleted_while_it_is_read_stays_deleted(channels: Channels) -> None:
    """What was fetched of it is not kept."""
    scripted = Scripted(replace(seen_by_slack(channels), version="2"), "Words.", lambda: channels.shared.delete("F1"))
    read(channels, scripted)
    assert passages(channels, "F1") == ()


def test_a_file_is_seen_when_it_is_whole(channels: Channels) -> None:
    """While it is written it stands nowhere, so that nobody finds half of it, or finds it where it no longer is."""
    watched = Watched(channels)
    shared = replace(channels.shared, index=watched, slack=Scripted(replace(seen_by_slack(channels), version="2")))
    shared.read("F1", Scripted(words="Other words."))
    assert [source.places for source in watched.written] == [frozenset()]
    assert places(channels, "F1") == {"shop"}


@pytest.mark.parametrize(
    ("failure", "state", "reason"),
    [
        (ReadingEnded("It took too long."), FileState.SKIPPED, "It took too long."),
        (SlackError("a", "ratelimited"), FileState.WAITING, "Slack answered a with ratelimited."),
        (Interrupted(), FileState.WAITING, ""),
        (ZeroDivisionError(), FileState.WAITING, ""),
    ],
)
def test_a_file_that_fails_is_skipped_or_tried_again(
    channels: Channels, failure: Exception, state: FileState, reason: str
) -> None:
    """What lies in the file is settled, and anything else is not; the other files are read all the same."""
    happens(channels, "file_change")
    happens(channels, "file_change", "F2")
    scripted = Scripted(words="Read.", failures=[failure])
    FileReadings(channels.shared, channels.shared.queue, lambda: scripted).read_waiting()
    record = channels.files.of("F1")
    assert record is not None
    assert (record.state, record.reason) == (state, reason)
    assert scripted.read_files == ["F1", "F2"]
    assert words(channels, "F2") == "Read."


def test_what_slack_denies_is_skipped_until_it_is_asked_again(channels: Channels) -> None:
    """Without the scope no file is read, and each says so."""
    for file_id in ("F1", "F2"):
        control(channels, "fail", method="files.info", error="missing_scope", count=1)
        channels.shared.check(file_id)
        channels.readings.read_waiting()
    assert channels.files.tally()[(FileState.SKIPPED, "Slack answered files.info with missing_scope.")] == 2
    assert passages(channels, "F1") == ()
    channels.shared.check("F1")
    channels.readings.read_waiting()
    assert places(channels, "F1") == {"shop"}


def test_a_new_start_takes_up_what_was_left(channels: Channels) -> None:
    """Files that waited are read, and sources of files that stand nowhere are dropped."""
    happens(channels, "file_change")
    channels.files.forget("F2")
    queue = FileQueue()
    shared = replace(channels.shared, queue=queue)
    scripted = Scripted(words="Read.")
    readings = FileReadings(shared, queue, lambda: scripted)
    readings.start()
    try:
        deadline = time.monotonic() + 20
        while not (queue.is_empty and scripted.read_files) and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        readings.stop()
    assert scripted.read_files == ["F1"]
    assert (words(channels, "F1"), words(channels, "F2")) == ("Read.", "")


def test_messages_are_found_before_their_files(channels: Channels) -> None:
    """However long a file takes, what people say does not wait for it."""
    shop = channels.sandbox.channel_id("shop")
    bo = channels.person("bo")
    bo.files_upload_v2(channel=shop, filename="kiln.txt", content="Cold.", initial_comment="How the kiln is:")
    message = bo.conversations_history(channel=shop)["messages"][0]
    channels.happens(type="message", subtype="file_share", channel=shop, ts=message["ts"])
    assert any("How the kiln is:\n\nFile: kiln.txt" in text for text in channels.texts("shop"))
    assert passages(channels, message["files"][0]["id"]) == ()


def test_a_message_no_longer_names_what_is_gone(channels: Channels) -> None:
    """The name of a deleted or unshared file goes with it."""
    control(channels, "unshareFile", file="F2", channel=channels.sandbox.channel_id("shop"))
    happens(channels, "file_unshared", "F2", "shop")
    channels.person("ann").files_delete(file="F1")
    happens(channels, "file_deleted")
    assert not any("rota.txt" in text or "Ash glaze" in text for text in channels.texts("shop"))
    assert any("The glaze, at last." in text for text in channels.texts("shop"))
    assert (passages(channels, "F1"), passages(channels, "F2")) == ((), ())
    assert channels.files.ids() == ("F3",)


def test_a_file_that_a_rebuild_carried_over_is_cut_anew(channels: Channels) -> None:
    """A new way of cutting reaches files when their channel is read again, though they have not changed."""
    channels.store.describe([replace(one, fingerprint=CARRIED + one.fingerprint) for one in passages(channels, "F1")])
    channels.read("shop")
    channels.readings.read_waiting()
    assert [one.fingerprint.startswith(CARRIED) for one in passages(channels, "F1")] == [False]
    assert places(channels, "F1") == {"shop"}
