"""Channels on the sandbox and an index of their own, for the tests of what keeps the two equal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from slack_sdk import WebClient

from bot.slack.api import open_client
from bot.slack.directory import Directory
from bot.slack.events import Event
from bot.slack.files import SlackFiles
from bot.slack.posting import Poster
from bot.slack.replies import note
from bot.slack.workspace import Workspace
from bot.state.choices import Choices
from bot.state.database import open_database
from bot.state.departures import Departures
from bot.state.files import Files
from bot.state.moving import move_channel
from bot.state.places import Places
from bot.state.progress import Progress
from bot.state.questions import Questions
from bot.state.suspensions import Suspensions
from bot.sync.backfill import Backfill
from bot.sync.events import Sync
from bot.sync.file_contents import FileContents
from bot.sync.file_queue import FileQueue
from bot.sync.file_readings import FileReadings
from bot.sync.files import SharedFiles
from bot.sync.leaving import Leaving
from bot.sync.reading import ChannelReader
from bot.sync.reconcile import Reconciliation
from bot.sync.talk import TalkSources, origin_of
from bot.sync.welcome import Welcome
from bot.types import Conversation, Question, Surface
from bot.wishes import left_out_of
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.indexing import Indexer
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from sandbox.seed import Seed
from sandbox.server import Sandbox


@dataclass
class Channels:
    """A workspace, the index of it, and the parts that keep the index."""

    sandbox: Sandbox
    workspace: Workspace
    store: EdgeStore
    indexer: Indexer
    sources: TalkSources
    progress: Progress
    backfill: Backfill
    sync: Sync
    questions: Questions
    files: Files
    shared: SharedFiles
    readings: FileReadings
    choices: Choices
    places: Places
    leaving: Leaving
    reconciliation: Reconciliation
    read_later: list[Conversation] = field(default_factory=list)

    def person(self, name: str) -> WebClient:
        """A stock Slack client in somebody's name."""
        return WebClient(self.sandbox.token(name), base_url=self.sandbox.api_url)

    def says(self, name: str, channel: str, text: str, thread: str | None = None) -> str:
        """Post as somebody; the `ts`."""
        channel_id = self.sandbox.channel_id(channel)
        return str(self.person(name).chat_postMessage(channel=channel_id, text=text, thread_ts=thread)["ts"])

    def answers(self, channel: str, thread: str, question_ts: str, text: str) -> None:
        """Post as Footnote, in answer to a question."""
        question = Question("", "", self.sandbox.channel_id(channel), question_ts, thread, "", Surface.CHANNEL)
        Poster(open_client(self.sandbox.bot_token, self.sandbox.api_url)).reply(question, note(text))

    def conversation(self, name: str) -> Conversation:
        return self.workspace.conversation(self.sandbox.channel_id(name))

    def ts(self, name: str, text: str) -> str:
        """The `ts` of a message outside threads."""
        history = self.workspace.history(self.sandbox.channel_id(name))
        return next(message.ts for message in history if message.text == text)

    def read(self, *names: str) -> None:
        """Read the histories of channels."""
        self.backfill.run([self.conversation(name) for name in names], lambda: False)

    def happens(self, **payload: object) -> None:
        """Handle an event, as the inbox would give it."""
        team = self.workspace.identity().team
        self.sync.handle(Event("E1", "A1", team, str(payload["type"]), payload))

    def texts(self, name: str) -> list[str]:
        """What the index holds of a channel: the text of every passage, without the dates."""
        origin = origin_of(self.workspace.identity().team, self.conversation(name).place)
        passages = [p for id_ in self.store.sources_of(origin) for p in self.store.passages_of(id_)]
        return sorted(passage.text.replace("\u00a0", " ") for passage in passages)


@contextmanager
def open_channels(seed: Seed, folder: Path, dense: DenseEmbedder, sparse: SparseEmbedder) -> Iterator[Channels]:
    """A sandbox with this seed, and an empty index of it."""
    with Sandbox.running(seed) as sandbox:
        database = open_database(f"sqlite:///{folder / 'state.db'}")
        workspace = Workspace(open_client(sandbox.bot_token, sandbox.api_url), places := Places(database))
        us = workspace.identity()
        store = EdgeStore(folder / "passages", Collection(us.team, dense.model, dense.dimension, "tests"))
        indexer = Indexer(store, dense, sparse, us.team)
        questions = Questions(database)
        asked_in = partial(questions.asked_in, us.team)
        choices, departures = Choices(database), Departures(database, us.team)
        names, left_out = Directory(workspace, insists=True), left_out_of(database, us.team)
        sources = TalkSources(us, names, workspace.permalink, asked_in, left_out)
        files, queue, place_of = Files(database, us.team), FileQueue(), partial(places.place_of, us.team)
        slack_files = SlackFiles(open_client(sandbox.bot_token, sandbox.api_url), folder / "incoming")
        shared = SharedFiles(slack_files, indexer, store, files, queue, us.team, place_of)
        readings = FileReadings(shared, queue, partial(FileContents, slack_files))
        reader = ChannelReader(workspace, indexer, store, sources, shared)
        progress = Progress(database, us.team)
        later: list[Conversation] = []
        leaving = Leaving(workspace, reader, progress, departures, places, us)
        welcome = Welcome(workspace.is_itself, Suspensions(database), us.team)
        sync = Sync(workspace, reader, progress, place_of, later.append, shared, leaving, welcome)
        backfill = Backfill(reader, progress, leave=leaving.settle)
        reconciliation = Reconciliation(
            workspace, leaving, welcome, partial(move_channel, database, us.team), later.append
        )
        parts = (sandbox, workspace, store, indexer, sources, progress, backfill, sync, questions, files, shared)
        yield Channels(*parts, readings, choices, places, leaving, reconciliation, later)
        store.close()
        database.close()
