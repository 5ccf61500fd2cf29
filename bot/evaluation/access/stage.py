"""A sandbox with the product's own bot in it, in one thread and by one clock, so that a seed gives the same trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from bot.answering.meaning import Meaning
from bot.app import Slack, open_slack
from bot.evaluation.access.embedding import WordEmbedder
from bot.evaluation.access.worlds import Document, World
from bot.live import LiveIndex, Retrieval
from bot.running import Bot, build_bot
from bot.settings import Settings
from bot.slack.listeners import build_app
from bot.slack.rounds import EVERY_S
from bot.slack.socket import take
from bot.state.database import open_database
from bot.sync.documents import index_documents
from bot.types import Conversation, Guests
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE
from sandbox.still import StillSandbox, Take

_WIPED_AT_ONCE = 1000


@dataclass
class Stage:
    """Where a trial is played."""

    still: StillSandbox
    slack: Slack
    bot: Bot
    take: Take
    """Gives the bot what Slack sends."""
    index: LiveIndex
    folder: Path
    unread: list[Conversation] = field(default_factory=list)
    """Channels whose history is to be read."""
    _looked_at: float = 0.0
    """When a round of looks at posted answers was made last."""

    def settle(self) -> None:
        """Have the bot deal with all that has reached it by now, and with what comes of that."""
        is_busy = True
        while is_busy:
            self.still.deliver()
            is_busy = self.bot.inbox.work_off() or self._read_histories()
        self.bot.files.read_waiting()

    def pass_time(self, seconds: float) -> None:
        """Push the clock, and do what the bot's own threads would have done by then."""
        self.still.advance(seconds)
        if self.still.workspace.clock.now() >= self._looked_at + EVERY_S:
            self._looked_at = self.still.workspace.clock.now()
            self.bot.remembering.rounds.run_now()

    def put_document(self, document: Document) -> None:
        """Index a page, as `footnote index` does."""
        places = frozenset({WORKSPACE})
        if document.visible_to:
            channel = self.still.workspace.channel_by_name(document.visible_to)
            assert channel, document.visible_to
            places = frozenset({self.slack.places.place_of(self.still.workspace.team.id, channel.id)})
        path = self.folder / f"{document.name}.md"
        path.write_text(document.text, encoding="utf-8")
        self.index.use(
            lambda retrieval: index_documents(retrieval.indexer, path, places, "https://handbook.example.com")
        )

    def _read_histories(self) -> bool:
        if not self.unread:
            return False
        self.bot.backfill.read(self.unread.pop(0))
        return True


class Theatre:
    """Keeps what is costly to set up from one trial to the next: the store, and the embedders."""

    def __init__(self, folder: Path) -> None:
        dense, sparse = WordEmbedder(), Bm25Embedder("english")
        self._folder = folder
        collection = Collection("T0HOME", dense.model, dense.dimension, CHUNKING_VERSION)
        self._store = EdgeStore(folder / "store", collection)
        self._retrieval = Retrieval(
            collection,
            self._store,
            Indexer(self._store, dense, sparse, collection.team),
            Searcher(self._store, dense, sparse),
            Meaning(dense),
        )

    def close(self) -> None:
        self._store.close()

    @contextmanager
    def stage(self, world: World) -> Iterator[Stage]:
        """The world with a bot that has read it."""
        self._wipe()
        still = StillSandbox(world.seed)
        with (
            still.reachable(),
            closing(open_database("sqlite://")) as database,
            closing(LiveIndex(lambda _: nullcontext(self._retrieval), lambda: None)) as index,
        ):
            clock = still.workspace.clock.now
            # Numbered, so that what ranks equal comes in the same order in every run.
            new_place = map("place{:04}".format, count()).__next__
            slack = open_slack(self._settings(still, world), database, clock, new_place)
            unread: list[Conversation] = []
            bot = build_bot(slack, database, index, unread.append, clock=clock)
            app = build_app(slack.client, bot.inbox)
            bot.backfill.run(slack.workspace.joined(), lambda: False)
            bot.files.read_waiting()
            stage = Stage(still, slack, bot, partial(take, app), index, self._folder, unread)
            for document in world.documents:
                stage.put_document(document)
            yield stage

    def _settings(self, still: StillSandbox, world: World) -> Settings:
        return Settings.from_env(
            {
                "FOOTNOTE_DATA": str(self._folder),
                "SLACK_BOT_TOKEN": still.bot_token,
                "SLACK_API_URL": still.api_url,
                "FOOTNOTE_GUESTS": (Guests.ANSWER if world.answers_guests else Guests.REFUSE).value,
            }
        )

    def _wipe(self) -> None:
        while passages := self._store.page("", _WIPED_AT_ONCE):
            self._store.delete([passage.id for passage in passages])
