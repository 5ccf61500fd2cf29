"""Finds or makes a team's collection on a Qdrant server; which one answers is an alias there, seen by all processes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial

from qdrant_client import QdrantClient, models

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, require_match
from retrieval.stores.served import Layout, Quantization, ServerAddress
from retrieval.stores.server import ServerStore
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_requests import COARSE, DENSE, SPARSE
from retrieval.stores.server_switchboard import (
    ServerSwitchboard,
    alias_of,
    claim_of,
    collection_name,
    names_what_answers,
)
from retrieval.stores.switchboard import require_unswitched

_OLDEST = (1, 19)
"""The first server that counts document frequencies over a scope; older ones ignore that they are asked to."""
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
        return open_with(client, Calls(address.url, address.timeout_s), collection, address.layout)
    except BaseException:  # whatever it is goes on; the connections must not stay open
        client.close()
        raise


def active_collections(address: ServerAddress) -> tuple[Collection, ...]:
    """The collection that answers for each team, in order of team."""
    with connected(address) as (client, calls):
        aliases = calls.make("Reading the store", client.get_aliases).aliases
        names = sorted(alias.collection_name for alias in aliases if names_what_answers(alias.alias_name))
        return tuple(_manifest(name, _info(client, calls, name)) for name in names)


def version_of(address: ServerAddress) -> str:
    """Which Qdrant answers there, refused if too old."""
    with connected(address) as (client, calls):
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


def open_with(client: QdrantClient, calls: Calls, collection: Collection, layout: Layout | None = None) -> ServerStore:
    """A team's passages, by a client that the store then owns; the layout is that of a collection not yet there."""
    require_version(client, calls)
    active = _active(client, calls, collection.team) or _begin(client, calls, collection, layout or Layout())
    require_match(active, collection)
    switchboard = ServerSwitchboard(client, calls, collection.team)
    return _opened(client, calls, collection, partial(require_unswitched, switchboard, collection_name(collection)))


def open_beside(client: QdrantClient, calls: Calls, collection: Collection, layout: Layout) -> ServerStore:
    """A collection that doesn't answer, made if it isn't there."""
    make_collection(client, calls, collection, layout)
    return _opened(client, calls, collection)


def _opened(
    client: QdrantClient, calls: Calls, collection: Collection, settled: Callable[[], None] = lambda: None
) -> ServerStore:
    name = collection_name(collection)
    info = _info(client, calls, name)
    require_match(_manifest(name, info), collection)
    _require_indexes(client, calls, name, info)
    is_coarse = COARSE in (info.config.params.vectors or {})
    return ServerStore(client, calls, name, is_coarse=is_coarse, settled=settled)


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
    names = [alias.collection_name for alias in aliases if alias.alias_name == alias_of(team)]
    return _manifest(names[0], _info(client, calls, names[0])) if names else None


def _begin(client: QdrantClient, calls: Calls, collection: Collection, layout: Layout) -> Collection:
    """Make a team's first collection the one that answers, and say which does.

    Where processes come at once with different ones, one wins: a server makes a collection of a given name only once,
    so whose collection the team's claim names has it, and a claim goes only after an alias stands.
    """
    claim = claim_of(collection.team)
    _make(client, calls, claim, lambda: client.create_collection(claim, {}, metadata=asdict(collection)))
    claimed = _claimed(client, calls, claim)
    active = _active(client, calls, collection.team)  # asked once more: who had the claim before may be done by now
    if active is None:
        require_match(claimed or collection, collection, f"delete the collection {claim} of the Qdrant server")
        make_collection(client, calls, collection, layout)
        _activate(client, calls, collection)
    if claimed == collection:
        calls.make("Writing to the store", lambda: client.delete_collection(claim))
    return active or collection


def _claimed(client: QdrantClient, calls: Calls, claim: str) -> Collection | None:
    """Who claimed to begin; None where they are done and the claim is gone."""
    try:
        return _manifest(claim, _info(client, calls, claim))
    except StoreUnavailable:
        if calls.make("Reading the store", lambda: client.collection_exists(claim)):  # it is there, and unreadable
            raise
    return None


def _activate(client: QdrantClient, calls: Calls, collection: Collection) -> None:
    """Let this collection answer from now on."""
    alias = models.CreateAlias(collection_name=collection_name(collection), alias_name=alias_of(collection.team))
    change = models.CreateAliasOperation(create_alias=alias)
    calls.make("Writing to the store", lambda: client.update_collection_aliases([change]))


def make_collection(client: QdrantClient, calls: Calls, collection: Collection, layout: Layout) -> None:
    """Make a collection, unless it is there; which one answers stays as it is."""
    name, is_coarse = collection_name(collection), layout.quantization is Quantization.TURBO4
    vectors = {DENSE: _nearest_of_several(collection.dimension, on_disk=is_coarse)}
    if is_coarse:
        vectors[COARSE] = _nearest_of_several(collection.dimension, datatype=models.Datatype.TURBO4)

    def create() -> bool:
        return client.create_collection(
            name,
            vectors_config=vectors,
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            shard_number=layout.shards,
            replication_factor=layout.replicas,
            write_consistency_factor=layout.replicas // 2 + 1,
            metadata=asdict(collection),
        )

    _make(client, calls, name, create)


def _make(client: QdrantClient, calls: Calls, name: str, create: Callable[[], bool]) -> None:
    try:
        calls.make("Making the collection", lambda: client.collection_exists(name) or create())
    except StoreUnavailable:
        if not calls.make("Reading the store", lambda: client.collection_exists(name)):  # nobody else made it either
            raise


def _nearest_of_several(
    dimension: int, *, on_disk: bool = False, datatype: models.Datatype | None = None
) -> models.VectorParams:
    """A passage has vectors of itself and of its parts; the server scores it by the one nearest to the query."""
    return models.VectorParams(
        size=dimension,
        on_disk=on_disk or None,
        datatype=datatype,
        distance=models.Distance.COSINE,
        multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
        hnsw_config=models.HnswConfigDiff(m=0),  # the search is exact: a graph would be built and never used
    )


def _require_indexes(client: QdrantClient, calls: Calls, name: str, info: models.CollectionInfo) -> None:
    """Make the indexes that are lacking: whoever made the collection may have died before."""

    def create() -> None:
        for field in _INDEXES.keys() - info.payload_schema.keys():
            client.create_payload_index(name, field, _INDEXES[field], wait=True)

    calls.make("Making the collection", create)


def _info(client: QdrantClient, calls: Calls, name: str) -> models.CollectionInfo:
    return calls.make("Reading the store", lambda: client.get_collection(name))


def _manifest(name: str, info: models.CollectionInfo) -> Collection:
    try:
        return Collection(**(info.config.metadata or {}))
    except TypeError as error:
        raise StoreUnavailable(
            f"The collection {name} of the Qdrant server doesn't say what built it: delete it, and index again."
        ) from error


def _default_port(url: str) -> int | None:
    """Qdrant's own for plain HTTP; behind TLS, the port of HTTPS."""
    return 443 if url.startswith("https:") else 6333


@contextmanager
def connected(address: ServerAddress) -> Iterator[tuple[QdrantClient, Calls]]:
    """A client of this server, closed in the end."""
    client = connect(address)
    try:
        yield client, Calls(address.url, address.timeout_s)
    finally:
        client.close()
