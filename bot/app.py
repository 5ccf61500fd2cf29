"""Joins the real parts: what the settings name becomes embedders, a store, a workspace, the path and the bot."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from slack_sdk import WebClient

from bot.access.certain import CertainAccess
from bot.access.membership import Membership, People
from bot.answering.leaving_out import without_people
from bot.answering.meaning import Meaning
from bot.answering.path import Access, Parts
from bot.errors import StateError
from bot.live import Retrieval
from bot.models import WritingModel, with_model
from bot.settings import Settings
from bot.slack.api import open_client
from bot.slack.decisions import standing_of
from bot.slack.directory import Directory
from bot.slack.files import SlackFiles
from bot.slack.workspace import Workspace
from bot.state.choices import Choices
from bot.state.database import Database, open_database
from bot.state.places import Places, new_place
from bot.state.questions import Questions
from bot.sync.talk import TalkSources
from bot.types import Question, Turn
from bot.wishes import Wishes, left_out_of, unusable_places
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding import packaged
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.reranking import CrossEncoder
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.protocol import PassageStore
from retrieval.stores.served import Layout, Quantization, ServerAddress, open_served_store
from retrieval.stores.shared import open_store

LEAST_ROOM_BYTES = 200_000_000
"""The engine lays out files of 190 MB that are mostly holes; where the disk can't fill one, the process is killed."""
LOCAL_TEAM = "local"
"""Whose the index is as long as there is no Slack workspace."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """What turns texts into vectors."""

    dense: FastEmbedder
    sparse: Bm25Embedder


def open_embedders(settings: Settings) -> Embedders:
    """Load the embedding model that the settings name.

    Raises:
        EmbeddingError: it is missing or damaged.
    """
    model_path = Path(settings.embedding_model_path) if settings.embedding_model_path else None
    dense = FastEmbedder(settings.data_folder / "models", settings.embedding_model or packaged.NAME, model_path)
    return Embedders(dense, Bm25Embedder(settings.language))


def open_reranker(settings: Settings) -> CrossEncoder | None:
    """Load the reranker that the settings name; None where they name none.

    Raises:
        RerankerError: it is missing or damaged.
    """
    if not settings.reranker_model:
        return None
    path = Path(settings.reranker_model_path) if settings.reranker_model_path else None
    return CrossEncoder(settings.data_folder / "models", settings.reranker_model, path)


@contextmanager
def open_retrieval(settings: Settings, team: str, command: str, *, must_own: bool = False) -> Iterator[Retrieval]:
    """A team's index, whether or not another process has it open.

    Raises:
        EmbeddingError, RerankerError, StoreUnavailable, CollectionMismatch, StateError: it can't be opened.
    """
    if not settings.qdrant_url:
        require_room(settings.data_folder)
    with ExitStack() as closing:
        by = open_embedders(settings)
        collection = collection_of(team, by)
        store = store_of(settings, collection, command, must_own=must_own)
        closing.callback(store.close)
        indexer = Indexer(store, by.dense, by.sparse, team)
        searcher = Searcher(store, by.dense, by.sparse, reranker=open_reranker(settings))
        yield Retrieval(collection, store, indexer, searcher, Meaning(by.dense))


def collection_of(team: str, by: Embedders) -> Collection:
    """The collection that the settings ask for."""
    return Collection(team, by.dense.model, by.dense.dimension, CHUNKING_VERSION, by.sparse.language)


def store_of(settings: Settings, collection: Collection, command: str, *, must_own: bool = False) -> PassageStore:
    """Where the settings say that passages are kept; a server has no owner, the data folder has one."""
    if settings.qdrant_url:
        return open_served_store(qdrant_address(settings), collection)
    return open_store(
        settings.data_folder,
        collection.team,
        collection.model,
        collection.dimension,
        collection.chunking_version,
        language=collection.language,
        command=command,
        must_own=must_own,
    )


def qdrant_address(settings: Settings) -> ServerAddress:
    """The server that keeps the passages, where one is set."""
    grpc_port = int(settings.qdrant_grpc_port) if settings.qdrant_grpc_port else None
    layout = Layout(
        int(settings.qdrant_shards), int(settings.qdrant_replicas), Quantization(settings.qdrant_quantization)
    )
    return ServerAddress(
        settings.qdrant_url, settings.qdrant_api_key, grpc_port, int(settings.qdrant_timeout_s), layout
    )


def require_room(folder: Path) -> None:
    """Refuse a folder whose disk the engine could fill.

    Raises:
        StateError: there is too little room, or no such folder.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StateError(f"{folder} can't be used ({error.strerror}): set another with FOOTNOTE_DATA.") from error
    if free < LEAST_ROOM_BYTES:
        raise StateError(
            f"The disk of {folder} has {free // 1_000_000} MB left, and Footnote needs {LEAST_ROOM_BYTES // 1_000_000}"
            ": make room, or set another folder with FOOTNOTE_DATA."
        )


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


@dataclass(frozen=True, slots=True)
class Slack:
    """One workspace: what is read of it, and who may read what in it."""

    client: WebClient
    workspace: Workspace
    places: Places
    names: Directory
    access: Membership
    files: SlackFiles
    choices: Choices
    certain: CertainAccess
    """Decides what may go on standing."""


def open_slack(
    settings: Settings,
    database: Database,
    clock: Callable[[], float] = time.monotonic,
    new_id: Callable[[], str] = new_place,
) -> Slack:
    """The workspace that the bot's token belongs to; nothing is asked of it yet.

    Args:
        clock: tells how old facts are.
        new_id: makes our own ids of conversations.
    """
    client = open_client(settings.slack_bot_token, settings.slack_api_url)
    places = Places(database, new_id)
    workspace = Workspace(client, places)
    choices = Choices(database)

    def access_by(people: People) -> Membership:
        return Membership(
            people,
            places.places_of,
            clock,
            left_out=lambda: unusable_places(database, workspace.identity().team),
            approved=lambda one: standing_of(one, choices, workspace.identity().team).is_approved,
            guests=settings.guests,
        )

    files, names = SlackFiles(client, settings.data_folder / "incoming"), Directory(workspace, clock)
    certain = CertainAccess(workspace, access_by)
    return Slack(client, workspace, places, names, access_by(workspace), files, choices, certain)


def team_of(settings: Settings, database: Database) -> str:
    """Whose index a command works on: the workspace's, or our own where there is none.

    Raises:
        SlackError: Slack does not say which workspace it is.
    """
    return open_slack(settings, database).workspace.identity().team if settings.has_slack else LOCAL_TEAM


def talk_sources(slack: Slack, database: Database) -> TalkSources:
    """What makes sources of this workspace's messages."""
    us = slack.workspace.identity()
    asked_in = partial(Questions(database).asked_in, us.team)
    names = Directory(slack.workspace, insists=True)  # a fault would stay in the index as a name
    return TalkSources(us, names, slack.workspace.permalink, asked_in, left_out_of(database, us.team))


def path_parts(
    access: Access,
    earlier_turns: Callable[[Question], tuple[Turn, ...]],
    retrieval: Retrieval,
    wishes: Wishes,
    model: WritingModel | None = None,
) -> Parts:
    """What the path from a question to a reply needs."""
    search = without_people(retrieval.searcher.search, wishes.unquoted)
    parts = Parts(access, earlier_turns, search, retrieval.meaning, confiding=wishes.confiding)
    return with_model(parts, retrieval.meaning, model)
