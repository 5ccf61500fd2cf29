"""Joins the real parts: what the settings name becomes embedders, a store, a workspace, the path and the bot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.settings import Settings
from bot.slack.api import open_client
from bot.slack.workspace import Workspace
from bot.state.database import Database, open_database
from bot.state.places import Places
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding import packaged
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.protocol import PassageStore
from retrieval.stores.shared import open_store

LOCAL_TEAM = "local"
"""Whose the index is as long as there is no Slack workspace."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """What turns texts into vectors."""

    dense: FastEmbedder
    sparse: Bm25Embedder


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One team's index, open for writing and searching."""

    store: PassageStore
    indexer: Indexer
    searcher: Searcher


def open_embedders(settings: Settings) -> Embedders:
    """Load the embedding model that the settings name.

    Raises:
        EmbeddingError: it is missing or damaged.
    """
    model_path = Path(settings.embedding_model_path) if settings.embedding_model_path else None
    dense = FastEmbedder(settings.data_folder / "models", settings.embedding_model or packaged.NAME, model_path)
    return Embedders(dense, Bm25Embedder(settings.language))


@contextmanager
def open_retrieval(settings: Settings, team: str, command: str, *, must_own: bool = False) -> Iterator[Retrieval]:
    """A team's index, whether or not another process has it open.

    Raises:
        EmbeddingError, StoreUnavailable, CollectionMismatch: it can't be opened.
    """
    with ExitStack() as closing:
        by = open_embedders(settings)
        dimension = by.dense.dimension
        store = open_store(
            settings.data_folder, team, by.dense.model, dimension, CHUNKING_VERSION, command=command, must_own=must_own
        )
        closing.callback(store.close)
        yield Retrieval(store, Indexer(store, by.dense, by.sparse, team), Searcher(store, by.dense, by.sparse))


@contextmanager
def open_state(settings: Settings) -> Iterator[Database]:
    """The database, with every table in it.

    Raises:
        StateError: it can't be opened.
    """
    database = open_database(settings.state_url)
    try:
        yield database
    finally:
        database.close()


def open_workspace(settings: Settings, database: Database) -> Workspace:
    """The Slack workspace that the bot's token belongs to; nothing is asked of it yet."""
    return Workspace(open_client(settings.slack_bot_token, settings.slack_api_url), Places(database))


def team_of(settings: Settings, database: Database) -> str:
    """Whose index a command works on: the workspace's, or our own where there is none.

    Raises:
        SlackError: Slack does not say which workspace it is.
    """
    return open_workspace(settings, database).identity().team if settings.has_slack else LOCAL_TEAM
