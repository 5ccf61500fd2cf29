"""Every way to reach a store: the engine in the process, the same over another process's socket, a Qdrant server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient

from retrieval.stores.collections import Collection
from retrieval.stores.protocol import PassageStore
from retrieval.stores.served import ServerAddress, open_served_store
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import connect, open_with
from retrieval.stores.server_switchboard import collection_name
from retrieval.stores.shared import open_store
from tests.conftest import TEAM, WordHashEmbedder

ORIGINS = ("origin", "private", "handbook", "wiki")
"""What the passages of these tests are read from."""

SERVER_URL = os.environ.get("FOOTNOTE_TEST_QDRANT_URL", "")
"""A real Qdrant server, in which these tests make and delete collections of teams of their own."""
needs_server = pytest.mark.skipif(not SERVER_URL, reason="FOOTNOTE_TEST_QDRANT_URL is not set: no real server to ask")

WAYS = ("owned", "shared", "in memory", pytest.param("on a server", marks=needs_server))
"""An edge store that is ours, one that another has open, qdrant-client's local mode, and a real server."""


def opened(way: str, data: Path, stack: ExitStack) -> PassageStore:
    """An empty store that is reached in the given way, until the stack is closed."""
    return opened_for([TEAM], way, data, stack)[0]


def opened_for(teams: Sequence[str], way: str, data: Path, stack: ExitStack) -> list[PassageStore]:
    """Empty stores of several teams in one place."""
    if way == "in memory":
        client = stack.enter_context(closing(QdrantClient(":memory:")))
        calls = Calls("memory", timeout_s=5.0)
        return [stack.enter_context(closing(open_with(client, calls, _collection(team)))) for team in teams]
    if way == "on a server":
        return [_on_server(f"{team}-{uuid4().hex}", stack) for team in teams]  # others may use the same server
    owners = [stack.enter_context(closing(_open(data, team))) for team in teams]
    return owners if way == "owned" else [stack.enter_context(closing(_open(data, team))) for team in teams]


def _open(data: Path, team: str) -> PassageStore:
    return open_store(data, team, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")


def _on_server(team: str, stack: ExitStack) -> PassageStore:
    address, collection = ServerAddress(SERVER_URL), _collection(team)
    client = stack.enter_context(closing(connect(address)))
    stack.callback(client.delete_collection, collection_name(collection))
    return stack.enter_context(closing(open_served_store(address, collection)))


def _collection(team: str) -> Collection:
    return Collection(team, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")


@pytest.fixture(scope="module", params=WAYS)
def one_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageStore]:
    """A store of each kind, opened once."""
    with ExitStack() as stack:
        yield opened(request.param, tmp_path_factory.mktemp("data"), stack)


@pytest.fixture(scope="module", params=WAYS)
def small_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageStore]:
    """A store of each kind that never holds much: local mode keeps what was deleted, and looks through it each time."""
    with ExitStack() as stack:
        yield opened(request.param, tmp_path_factory.mktemp("data"), stack)


def emptied(store: PassageStore) -> PassageStore:
    """The same store, with nothing in it."""
    for source in frozenset().union(*map(store.sources_of, ORIGINS)):
        store.delete([passage.id for passage in store.passages_of(source)])
    assert store.count() == 0
    return store


@pytest.fixture
def any_store(one_store: PassageStore) -> PassageStore:
    """An empty store of each kind."""
    return emptied(one_store)


@pytest.fixture
def many_writers_store(any_store: PassageStore, request: pytest.FixtureRequest) -> PassageStore:
    """Each kind that takes writes from several threads."""
    if request.node.callspec.params["one_store"] == "in memory":
        pytest.skip("qdrant-client's local mode has no locks: concurrent upserts corrupt it (qdrant-client#1193)")
    return any_store
