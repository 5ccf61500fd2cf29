"""The server store lets nothing out of a scope even where the server would, and keeps collections apart."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import pytest
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.reindexing import Rebuild
from retrieval.stores.collections import Collection
from retrieval.stores.inside import required_places
from retrieval.stores.served import Layout, Quantization
from retrieval.stores.server import ServerStore
from retrieval.stores.server_beside import ServerSite
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import open_with
from retrieval.stores.server_switchboard import collection_name
from retrieval.types import Passage, Scope
from tests.conftest import TEAM, WordHashEmbedder
from tests.corpora import corpus, index, passages_in
from tests.passages import embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
COLLECTION = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
CALLS = Calls("memory", timeout_s=5.0)

OPEN = passage("The pump runs at night", "harbour")
HIDDEN = passage("The pump runs on rum", "cellar")

Search = Callable[[ServerStore, Scope], set[str]]


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    """Qdrant's own stand-in for a server."""
    client = QdrantClient(":memory:")
    yield client
    client.close()


@pytest.fixture
def server_store(client: QdrantClient) -> ServerStore:
    """A store on it, empty."""
    return open_with(client, CALLS, COLLECTION)


def fill(store: ServerStore, *passages: Passage) -> None:
    """Write passages with their vectors."""
    store.upsert(embedded(passages, DENSE, SPARSE))


# ------------------------------------------------------------------------------------------- nothing leaves a scope


class ForgetfulClient(QdrantClient):
    """A server with a fault: it forgets the filter of the root, of the legs, or both."""

    def __init__(self, *, forgets_root: bool, forgets_legs: bool) -> None:
        super().__init__(":memory:")
        self.forgets_root = forgets_root
        self.forgets_legs = forgets_legs

    def query_points(self, *args: object, **asked: object) -> models.QueryResponse:
        """Answer without the filters that are forgotten."""
        if self.forgets_legs:
            legs = asked["prefetch"]
            asked["prefetch"] = [leg.model_copy(update={"filter": None}) for leg in legs]  # type: ignore[attr-defined]  # a list
        if self.forgets_root:
            asked["query_filter"] = None
        return super().query_points(*args, **asked)  # type: ignore[arg-type]  # handed on as they came

    def scroll(self, name: str, *_: object, **asked: object) -> tuple[list[models.Record], object]:  # type: ignore[override]  # the store asks no more
        """Answer without the filter: there is but one."""
        return super().scroll(name, None, **asked)  # type: ignore[arg-type]  # handed on as they came


def by_dense(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that the dense leg finds."""
    return {found.passage.id for found in store.search_dense(DENSE.embed_query("pump"), scope, 10)}


def by_sparse(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that the sparse leg finds."""
    return {found.passage.id for found in store.search_sparse(SPARSE.embed_query("pump"), scope, 10)}


def by_both(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that both legs find, asked at once."""
    both = store.search_both(DENSE.embed_query("pump"), SPARSE.embed_query("pump"), scope, 10)
    return {found.passage.id for found in (*both.dense, *both.sparse)}


def by_score(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that get scores when both are asked for."""
    return set(store.score([OPEN.id, HIDDEN.id], DENSE.embed_query("pump"), SPARSE.embed_query("pump"), scope))


def by_reading(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that can be read when both are asked for."""
    return {found.id for found in store.read([OPEN.id, HIDDEN.id], scope)}


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score, by_reading])
def test_what_the_server_lets_slip_is_dropped_and_logged_by_id(
    search: Search, caplog: pytest.LogCaptureFixture
) -> None:
    """Even a server that forgets every filter, and so gives the scores of others than were asked for, shows nobody what
    they may not read."""
    store = open_with(ForgetfulClient(forgets_root=True, forgets_legs=True), CALLS, COLLECTION)
    fill(store, OPEN, HIDDEN)
    with caplog.at_level(logging.ERROR):
        assert search(store, scope_of(["harbour"])) <= {OPEN.id}
    assert any(HIDDEN.id in record.message for record in caplog.records)
    assert not any(HIDDEN.text in record.message for record in caplog.records)


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score])
@pytest.mark.parametrize(("forgets_root", "forgets_legs"), [(True, False), (False, True)])
def test_the_filter_stands_in_each_leg_and_at_the_root(
    search: Search, forgets_root: bool, forgets_legs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the server forgets one of the two, the other still holds, and the last check has nothing to drop."""
    store = open_with(ForgetfulClient(forgets_root=forgets_root, forgets_legs=forgets_legs), CALLS, COLLECTION)
    fill(store, OPEN, HIDDEN)
    with caplog.at_level(logging.ERROR):
        assert search(store, scope_of(["harbour"])) == {OPEN.id}
    assert caplog.records == []


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score, by_reading])
@pytest.mark.parametrize("scope", [scope_of(), scope_of([]), scope_of(["harbour"], [])])
def test_an_empty_scope_never_reaches_the_server(server_store: ServerStore, search: Search, scope: Scope) -> None:
    """A closed store raises when it is asked; an empty scope does not ask it, and has no filter to ask it with."""
    server_store.close()
    assert search(server_store, scope) == set()
    with pytest.raises(ValueError, match="no filter"):
        required_places(scope)


# ------------------------------------------------------------------------------------------------- one collection


def test_any_number_of_processes_see_the_same(client: QdrantClient) -> None:
    """Nobody owns the collection: what one writes, the other finds, and opening it again makes nothing anew."""
    one, other = (open_with(client, CALLS, COLLECTION) for _ in range(2))
    fill(one, OPEN)
    other.describe([replace(OPEN, position=7)])
    assert (one.count(), one.passages_of("source")) == (1, (replace(OPEN, position=7),))


@pytest.mark.parametrize(
    "other", [{"model": "another/model"}, {"dimension": 8}, {"chunking_version": "2"}, {"language": "german"}]
)
def test_another_collection_of_the_team_is_refused(client: QdrantClient, other: dict[str, object]) -> None:
    """Vectors of two models, or passages of two ways of cutting, are never mixed; the error says what to do."""
    open_with(client, CALLS, COLLECTION)
    with pytest.raises(CollectionMismatch, match="run `footnote reindex`"):
        open_with(client, CALLS, replace(COLLECTION, **other))  # type: ignore[arg-type]  # a field and its kind of value


def test_teams_do_not_share_a_collection(client: QdrantClient) -> None:
    """Teams whose names look alike in a collection's name are still two."""
    stores = [open_with(client, CALLS, replace(COLLECTION, team=team)) for team in ("T0/A", "T0-A")]
    fill(stores[0], OPEN)
    assert [store.count() for store in stores] == [1, 0]


def test_a_collection_that_is_not_ours_is_left_alone(client: QdrantClient) -> None:
    """One of this name that says nothing of what built it is neither written nor read."""
    client.create_collection(collection_name(COLLECTION), vectors_config={})
    with pytest.raises(StoreUnavailable, match="doesn't say what built it: delete it"):
        open_with(client, CALLS, COLLECTION)


def test_a_collection_that_went_is_a_failure(client: QdrantClient, server_store: ServerStore) -> None:
    """It does not look like one with nothing in it."""
    client.delete_collection(collection_name(COLLECTION))
    with pytest.raises(StoreUnavailable, match="Reading the store failed"):
        server_store.count()


@pytest.mark.parametrize("made_with", list(Quantization))
@pytest.mark.parametrize("opened_with", list(Quantization))
def test_a_collection_stays_as_it_was_made(
    client: QdrantClient, made_with: Quantization, opened_with: Quantization
) -> None:
    """What is set later holds for later collections; this one is written and searched as it is, and finds the same."""
    open_with(client, CALLS, COLLECTION, Layout(quantization=made_with))
    store = open_with(client, CALLS, COLLECTION, Layout(quantization=opened_with))
    fill(store, OPEN, HIDDEN)
    vectors = client.retrieve(collection_name(COLLECTION), [OPEN.id], with_vectors=True)[0].vector
    assert set(vectors or {}) == {"dense", "sparse"} | ({"coarse"} if made_with is Quantization.TURBO4 else set())
    assert by_dense(store, scope_of(["harbour"])) == by_score(store, scope_of(["harbour"])) == {OPEN.id}
    assert by_dense(store, scope_of(["harbour", "cellar"])) == {OPEN.id, HIDDEN.id}


# ------------------------------------------------------------------------------------------- a server that goes away


class GoingAway(QdrantClient):
    """A server that takes so many requests to write, and is away from then on; a request holds part of a batch."""

    takes = 1_000_000

    def __init__(self) -> None:
        super().__init__(":memory:")

    def batch_update_points(self, *args: object, **asked: object) -> list[models.UpdateResult]:
        """Take it, or be away."""
        if self.takes == 0:
            raise ResponseHandlingException(ConnectionResetError())
        self.takes -= 1
        return super().batch_update_points(*args, **asked)  # type: ignore[arg-type]  # handed on as they came


def test_a_server_that_goes_away_within_a_batch_leaves_what_the_next_run_completes() -> None:
    """After whichever request it goes, the store is in the end what it is if it never went."""
    server, calls = GoingAway(), Calls("memory", timeout_s=5.0, sleep=lambda _: None)
    store, before, after = open_with(server, calls, COLLECTION), corpus(1, pages=32), corpus(2, pages=32)
    index(store, after)
    passages, takes, has_failed = passages_in(store), 0, True
    while has_failed:
        index(store, before)
        server.takes, has_failed = takes, False
        try:
            index(store, after)
        except StoreUnavailable:
            has_failed = True
        server.takes, takes = GoingAway.takes, takes + 7
        index(store, after)
        assert passages_in(store) == passages
    assert takes > 15
    store.close()


# --------------------------------------------------------------------------------------- who begins, when two do

STEPS = frozenset(
    {
        "collection_exists",
        "create_collection",
        "create_payload_index",
        "delete_collection",
        "get_aliases",
        "get_collection",
        "info",
        "update_collection_aliases",
    }
)
"""What opening a store asks of a client."""
MOST_STEPS = 20
"""More than any opening takes."""
OTHER = replace(COLLECTION, model="another/model")


class Interrupted(QdrantClient):
    """A client that lets something else happen before one of its steps, the first being number 0."""

    def __init__(self, before: int, happens: Callable[[], object]) -> None:
        super().__init__(":memory:")
        self.steps = 0
        self.before = before
        self.happens = happens

    def __getattribute__(self, name: str) -> object:
        if name in STEPS:
            self.steps += 1
            if self.steps == self.before + 1:
                self.happens()
        return super().__getattribute__(name)


def answers(client: QdrantClient) -> list[str]:
    """The collections that have an alias."""
    return [alias.collection_name for alias in client.get_aliases().aliases]


def goes_on(client: QdrantClient, collection: Collection) -> bool:
    """Whether a process with these settings may; the other is told what answers."""
    try:
        open_with(client, CALLS, collection)
    except CollectionMismatch:
        return False
    return True


@pytest.mark.parametrize("before", range(MOST_STEPS))
def test_of_two_that_begin_a_teams_collection_at_once_one_goes_on(before: int) -> None:
    """Wherever in the first one's opening the second one opens another collection, the same one wins from then on."""
    second: list[bool] = []
    server = Interrupted(before, lambda: second.append(goes_on(server, OTHER)))
    first = goes_on(server, COLLECTION)
    server.before = -1
    second += [] if second else [goes_on(server, OTHER)]
    assert (first, *second) in {(True, False), (False, True)}
    winner, loser = (COLLECTION, OTHER) if first else (OTHER, COLLECTION)
    assert answers(server) == [collection_name(winner)]
    assert (goes_on(server, winner), goes_on(server, loser)) == (True, False)
    assert [one.name for one in server.get_collections().collections] == [collection_name(winner)]
    server.close()


@pytest.mark.parametrize("before", range(MOST_STEPS))
def test_two_that_begin_the_same_collection_at_once_both_go_on(before: int) -> None:
    """They are not in each other's way."""
    second: list[bool] = []
    server = Interrupted(before, lambda: second.append(goes_on(server, COLLECTION)))
    assert goes_on(server, COLLECTION)
    assert all(second)
    assert answers(server) == [collection_name(COLLECTION)]
    server.close()


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("before", range(MOST_STEPS))
@pytest.mark.parametrize("collection", [COLLECTION, OTHER])
def test_who_dies_while_beginning_is_in_nobodys_way_for_long(before: int, collection: Collection) -> None:
    """The same settings complete what was begun; others begin themselves, or are told what to delete and then do."""

    def die() -> None:
        raise Killed

    server = Interrupted(before, die)
    with suppress(Killed):
        open_with(server, CALLS, COLLECTION)
    server.before = -1
    store = opened_at_last(server, collection)
    fill(store, OPEN)
    assert (store.count(), answers(server)) == (1, [collection_name(collection)])
    store.close()


def opened_at_last(server: QdrantClient, collection: Collection) -> ServerStore:
    """A store on a server where somebody does what they are told to, which is to delete one's own in no case."""
    while True:
        try:
            return open_with(server, CALLS, collection)
        except CollectionMismatch as error:
            if "run `footnote reindex`" in str(error):
                site = ServerSite(server, CALLS, COLLECTION, collection)
                Rebuild(site, COLLECTION, collection, DENSE, SPARSE).run(lambda _done, _total: None)
            else:
                (told,) = re.findall(r"delete the collection (\S+) of", str(error))
                assert told != collection_name(collection)
                assert server.delete_collection(told)
