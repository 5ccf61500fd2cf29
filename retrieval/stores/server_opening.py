"""Finds or makes a team's collection on a Qdrant server; which one answers is an alias there, seen by all processes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from qdrant_client import QdrantClient, models

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, require_match, team_name
from retrieval.stores.served import ServerAddress
from retrieval.stores.server import DENSE, SPARSE, ServerStore
from retrieval.stores.server_calls import Calls

_OLDEST = (1, 19)
"""The first server that counts document frequencies over a scope; older ones ignore that they are asked to."""
_PREFIX = "footnote-"
_INDEXES = {
    # every search names places, and most passages stand in one: the server keeps those of a place together
    "places": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "source_id": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    "origin": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
}


def open_store(address: ServerAddress, collection: Collection) -> ServerStore:
    """A team's passages on this server, made if the team has none yet; see `served.open_served_store`."""
    client = connect(address)
    try:
        return open_with(client, Calls(address.url, address.timeout_s), collection)
    except BaseException:  # whatever it is goes on; the connections must not stay open
        client.close()
        raise


def active_collections(address: ServerAddress) -> tuple[Collection, ...]:
    """The collection that answers for each team, in order of team."""
    with _connected(address) as (client, calls):
        aliases = calls.make("Reading the store", client.get_aliases).aliases
        names = sorted(alias.collection_name for alias in aliases if alias.alias_name.startswith(_PREFIX))
        return tuple(_manifest(client, calls, name) for name in names)


def version_of(address: ServerAddress) -> str:
    """Which Qdrant answers there, refused if too old."""
    with _connected(address) as (client, calls):
        return require_version(client, calls)


def connect(address: ServerAddress) -> QdrantClient:
    """A client of this server; nothing is asked of it yet."""
    try:
        return QdrantClient(
            url=address.url,
            port=_default_port(address.url),
            api_key=address.api_key or None,
            grpc_port=address.grpc_port or 6334,  # Qdrant's own, never used where None is set
            prefer_grpc=address.grpc_port is not None,
            timeout=address.timeout_s,
            check_compatibility=False,  # it warns, in a thread of its own, of what is refused below
        )
    except ValueError as error:
        raise StoreUnavailable(f"QDRANT_URL can't be used: {error}.") from error


def open_with(client: QdrantClient, calls: Calls, collection: Collection) -> ServerStore:
    """A team's passages, by a client that the store then owns."""
    require_version(client, calls)
    name = collection_name(collection)
    found = _active(client, calls, collection.team)
    if found is None:
        _make(client, calls, collection)
        _activate(client, calls, collection)
        found = _active(client, calls, collection.team) or collection  # another process may have been faster
    require_match(found, collection, f"the collection {collection_name(found)} of the Qdrant server")
    require_match(_manifest(client, calls, name), collection, f"the collection {name} of the Qdrant server")
    _require_indexes(client, calls, name)
    return ServerStore(client, calls, name)


def collection_name(collection: Collection) -> str:
    """Of team, model, dimension and chunking version; different for different ones."""
    return f"{_PREFIX}{team_name(collection.team)}-{collection.name}"


def require_version(client: QdrantClient, calls: Calls) -> str:
    """Which version answers.

    Raises:
        StoreUnavailable: one that would let what is outside a scope change what is found inside.
    """
    version = calls.make("Reaching the store", client.info).version
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise StoreUnavailable(f"The Qdrant server at {calls.where} is {version}: Footnote needs {oldest} or newer.")
    return version


def _active(client: QdrantClient, calls: Calls, team: str) -> Collection | None:
    """The collection that answers; None before the first."""
    aliases = calls.make("Reading the store", client.get_aliases).aliases
    names = [alias.collection_name for alias in aliases if alias.alias_name == _alias(team)]
    return _manifest(client, calls, names[0]) if names else None


def _activate(client: QdrantClient, calls: Calls, collection: Collection) -> None:
    """Let this collection answer from now on."""
    alias = models.CreateAlias(collection_name=collection_name(collection), alias_name=_alias(collection.team))
    change = models.CreateAliasOperation(create_alias=alias)
    calls.make("Writing to the store", lambda: client.update_collection_aliases([change]))


def _make(client: QdrantClient, calls: Calls, collection: Collection) -> None:
    name = collection_name(collection)

    def create() -> None:
        if not client.collection_exists(name):
            client.create_collection(
                name,
                vectors_config={DENSE: _nearest_of_several(collection.dimension)},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                metadata=asdict(collection),
            )

    try:
        calls.make("Making the collection", create)
    except StoreUnavailable:
        if not calls.make("Reading the store", lambda: client.collection_exists(name)):  # nobody else made it either
            raise


def _nearest_of_several(dimension: int) -> models.VectorParams:
    """A passage has vectors of itself and of its parts; the server scores it by the one nearest to the query."""
    return models.VectorParams(
        size=dimension,
        distance=models.Distance.COSINE,
        multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
        hnsw_config=models.HnswConfigDiff(m=0),  # the search is exact: a graph would be built and never used
    )


def _require_indexes(client: QdrantClient, calls: Calls, name: str) -> None:
    """Make the indexes that are lacking: whoever made the collection may have died before."""
    there = calls.make("Reading the store", lambda: client.get_collection(name)).payload_schema

    def create() -> None:
        for field in _INDEXES.keys() - there.keys():
            client.create_payload_index(name, field, _INDEXES[field], wait=True)

    calls.make("Making the collection", create)


def _manifest(client: QdrantClient, calls: Calls, name: str) -> Collection:
    metadata = calls.make("Reading the store", lambda: client.get_collection(name)).config.metadata
    try:
        return Collection(**(metadata or {}))
    except TypeError as error:
        raise StoreUnavailable(
            f"The collection {name} of the Qdrant server doesn't say what built it: delete it, and index again."
        ) from error


def _alias(team: str) -> str:
    return f"{_PREFIX}{team_name(team)}"


def _default_port(url: str) -> int | None:
    """Qdrant's own for plain HTTP; behind TLS, the port of HTTPS."""
    return 443 if url.startswith("https:") else 6333


@contextmanager
def _connected(address: ServerAddress) -> Iterator[tuple[QdrantClient, Calls]]:
    client = connect(address)
    try:
        yield client, Calls(address.url, address.timeout_s)
    finally:
        client.close()
