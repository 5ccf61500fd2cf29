"""Which teams have an index and which collection answers for each, and what is built or kept beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.app import open_retrieval, qdrant_address, require_room, store_of
from bot.live import LiveIndex, Retrieval
from bot.settings import Settings
from bot.state.database import Database
from bot.state.rebuilds import ModelFolders
from retrieval.embedding import packaged
from retrieval.reindexing import Site
from retrieval.stores import beside
from retrieval.stores.collections import Collection, active, read_manifest
from retrieval.stores.served import discard_served, open_served_site, served_collections

_SERVER_POLL_S = 5.0
"""How often a running bot asks a server which collection answers; a data folder is looked at every second."""


def indexed_teams(settings: Settings) -> tuple[str, ...]:
    """Every team that has an index, on the server where one is set, or else in the data folder.

    Raises:
        StoreUnavailable: the server does not say.
    """
    if settings.qdrant_url:
        return tuple(collection.team for collection in served_collections(qdrant_address(settings)))
    found = (read_manifest(path) for path in sorted((settings.data_folder / "passages").glob("*/active.json")))
    return tuple(collection.team for collection in found if collection)


def active_collection(settings: Settings, team: str) -> Collection | None:
    """The collection that answers for a team; None before the first.

    Raises:
        StoreUnavailable: the server does not say.
    """
    if settings.qdrant_url:
        served = served_collections(qdrant_address(settings))
        return next((collection for collection in served if collection.team == team), None)
    return active(settings.data_folder, team)


def passages_of_team(settings: Settings, team: str) -> int:
    """How many passages a team's index holds; no model is loaded for that.

    Raises:
        StoreUnavailable: the index can't be opened.
    """
    collection = active_collection(settings, team)
    if collection is None:
        return 0
    with closing(store_of(settings, collection, "footnote")) as store:
        return store.count()


def open_live(settings: Settings, database: Database, team: str, command: str) -> LiveIndex:
    """A team's index, for as long as a bot runs.

    Raises:
        EmbeddingError, RerankerError, StoreUnavailable, CollectionMismatch, StateError: it can't be opened.
    """

    def opened(collection: Collection | None) -> AbstractContextManager[Retrieval]:
        wanted = _settings_for(collection, settings, database) if collection else settings
        return open_retrieval(wanted, team, command, must_own=True)

    def discard(old: Collection) -> None:
        if not settings.qdrant_url:
            beside.discard(old.folder(settings.data_folder))

    poll_s = _SERVER_POLL_S if settings.qdrant_url else 1.0
    return LiveIndex(opened, partial(active_collection, settings, team), discard, poll_s)


def _settings_for(collection: Collection, settings: Settings, database: Database) -> Settings:
    """The settings with which a collection can be used, whatever they say themselves."""
    is_ours = collection.model == (settings.embedding_model or packaged.NAME)
    folder = settings.embedding_model_path if is_ours else ModelFolders(database).of(collection.model)
    return replace(
        settings, embedding_model=collection.model, embedding_model_path=folder, language=collection.language
    )


def remember_model(settings: Settings, model: str, database: Database) -> None:
    """Let running processes find the model that these settings name."""
    path = settings.embedding_model_path
    ModelFolders(database).remember(model, str(Path(path).absolute()) if path else "")


@contextmanager
def open_site(settings: Settings, old: Collection, new: Collection) -> Iterator[Site]:
    """Where a rebuild takes place.

    Raises:
        StoreUnavailable, StateError: it can't be opened.
    """
    if settings.qdrant_url:
        with closing(open_served_site(qdrant_address(settings), old, new)) as served:
            yield served
        return
    require_room(settings.data_folder)
    with closing(beside.FolderSite(settings.data_folder, old, new, "footnote reindex")) as site:
        yield site


def discard_others(settings: Settings, collection: Collection) -> tuple[str, ...]:
    """Delete a team's collections but this one; who has one open that could not be deleted."""
    if settings.qdrant_url:
        discard_served(qdrant_address(settings), collection.team, (collection,))
        return ()
    return beside.discard_others(settings.data_folder, collection.team, (collection,))
