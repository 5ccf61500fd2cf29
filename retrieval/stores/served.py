"""Reaches a Qdrant server, where one is set; its client is an extra package, loaded only then."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection

if TYPE_CHECKING:
    from retrieval.stores.server import ServerStore
    from retrieval.stores.server_beside import ServerSite


class Quantization(Enum):
    """What a server compares vectors by at first; the best of them are always compared whole."""

    NONE = "none"
    """Whole vectors from the start."""
    TURBO4 = "turbo4"
    """Copies of 4 bits a number: docs/decisions/0019."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a collection is made; one that is there stays as it was made."""

    shards: int = 1
    """Document frequencies are counted in each; more than one stands on more than one machine."""
    replicas: int = 1
    """Copies of each shard."""
    quantization: Quantization = Quantization.NONE


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a Qdrant server or cluster is, how it is asked, and how it keeps what it is given."""

    url: str
    api_key: str = field(default="", repr=False)
    grpc_port: int | None = None
    """None: over REST, at the port of the URL."""
    timeout_s: int = 10
    """Of one attempt, in whole seconds: the client knows no others."""
    layout: Layout = field(default_factory=Layout)


def open_served_store(address: ServerAddress, collection: Collection) -> ServerStore:
    """Open a team's passages on a server; any number of processes may do so at once.

    Raises:
        CollectionMismatch: the team's passages were built by another model or chunking version.
        StoreUnavailable: the server can't be reached, refuses, or is too old; or its client isn't installed.
    """
    store: ServerStore = _adapter().open_store(address, collection)
    return store


def served_collections(address: ServerAddress) -> tuple[Collection, ...]:
    """The collection that answers for each team, in order of team.

    Raises:
        StoreUnavailable: as above.
    """
    found: tuple[Collection, ...] = _adapter().active_collections(address)
    return found


def open_served_site(address: ServerAddress, old: Collection, new: Collection) -> ServerSite:
    """Where a rebuild takes place on a server; close it in the end.

    Raises:
        StoreUnavailable: as above.
    """
    site: ServerSite = _adapter("server_beside").open_site(address, old, new)
    return site


def discard_served(address: ServerAddress, team: str, keep: tuple[Collection, ...]) -> None:
    """Delete a team's collections beside those to keep.

    Raises:
        StoreUnavailable: as above.
    """
    _adapter("server_beside").discard_others(address, team, keep)


def server_version(address: ServerAddress) -> str:
    """Which Qdrant answers there.

    Raises:
        StoreUnavailable: as above.
    """
    version: str = _adapter().version_of(address)
    return version


def _adapter(module: str = "server_opening") -> ModuleType:
    try:
        return import_module(f"retrieval.stores.{module}")
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            f"QDRANT_URL is set and {error.name} isn't installed: run `pip install 'footnote[server]'`."
        ) from error
