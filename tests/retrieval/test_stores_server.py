"""The server store lets nothing out of a scope even where the server would, and says what is wrong in one sentence."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from grpc import server as grpc_server  # type: ignore[import-untyped]  # grpcio says no types
from qdrant_client import QdrantClient, models
from qdrant_client.grpc.points_pb2 import QueryPoints, QueryResponse
from qdrant_client.grpc.points_service_pb2_grpc import PointsServicer, add_PointsServicer_to_server
from qdrant_client.http.exceptions import ResponseHandlingException

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.stores.collections import Collection
from retrieval.stores.inside import required_places
from retrieval.stores.served import ServerAddress, open_served_store, server_version
from retrieval.stores.server import ServerStore
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import collection_name, connect, open_with
from retrieval.types import Passage, Scope
from tests.conftest import TEAM, WordHashEmbedder
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
        prefetch = asked["prefetch"]
        assert isinstance(prefetch, models.Prefetch)
        if self.forgets_legs:
            asked["prefetch"] = prefetch.model_copy(update={"filter": None})
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


def by_score(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that get scores when both are asked for."""
    return set(store.score([OPEN.id, HIDDEN.id], DENSE.embed_query("pump"), SPARSE.embed_query("pump"), scope))


def by_reading(store: ServerStore, scope: Scope) -> set[str]:
    """Ids that can be read when both are asked for."""
    return {found.id for found in store.read([OPEN.id, HIDDEN.id], scope)}


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_score, by_reading])
def test_what_the_server_lets_slip_is_dropped_and_logged_by_id(
    search: Search, caplog: pytest.LogCaptureFixture
) -> None:
    """Even a server that forgets every filter shows nobody what they may not read."""
    store = open_with(ForgetfulClient(forgets_root=True, forgets_legs=True), CALLS, COLLECTION)
    fill(store, OPEN, HIDDEN)
    with caplog.at_level(logging.ERROR):
        assert search(store, scope_of(["harbour"])) == {OPEN.id}
    assert any(HIDDEN.id in record.message for record in caplog.records)
    assert not any(HIDDEN.text in record.message for record in caplog.records)


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_score])
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


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_score, by_reading])
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


@pytest.mark.parametrize("other", [{"model": "another/model"}, {"dimension": 8}, {"chunking_version": "2"}])
def test_another_collection_of_the_team_is_refused(client: QdrantClient, other: dict[str, object]) -> None:
    """Vectors of two models, or passages of two ways of cutting, are never mixed; the error says what to delete."""
    open_with(client, CALLS, COLLECTION)
    name = collection_name(COLLECTION)
    with pytest.raises(CollectionMismatch, match=rf"delete the collection {name} of the Qdrant server and read"):
        open_with(client, CALLS, replace(COLLECTION, **other))  # type: ignore[arg-type]  # a field and its kind of value
    client.delete_collection(name)
    open_with(client, CALLS, replace(COLLECTION, **other))  # type: ignore[arg-type]  # likewise


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


# ------------------------------------------------------------------------------------------------- over the network


@contextmanager
def answering(*answers: tuple[int, dict[str, object]]) -> Iterator[tuple[str, list[str]]]:
    """A server's address, and the paths it is asked for; it gives one answer after the other, the last for ever."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers[min(len(asked), len(answers) - 1)]
            asked.append(f"{self.path} {self.headers.get('api-key', '')}".strip())
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.do_GET()
            asked[-1] += f" {sent}"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_what_is_sent_holds_the_scope_in_the_leg_at_the_root_and_for_the_frequencies() -> None:
    """Not only the stand-in in memory is told: so is what goes over the network."""
    nothing: dict[str, object] = {"result": {"points": []}, "status": "ok", "time": 0.0}
    with answering((200, nothing)) as (url, asked):
        store = ServerStore(connect(ServerAddress(url)), Calls(url, timeout_s=5.0), "passages")
        assert by_sparse(store, scope_of(["harbour", "office"], ["cellar"])) == set()
        store.close()
    path, _, sent = asked[0].partition(" ")
    query = json.loads(sent)
    inside = [{"key": "places", "match": {"any": places}} for places in (["cellar"], ["harbour", "office"])]
    assert path == "/collections/passages/points/query"
    for part, params in ((query, query["params"]), (query["prefetch"], query["prefetch"]["params"])):
        assert part["filter"]["must"] == inside
        assert (params["exact"], params["idf"]["corpus"]["must"]) == (True, inside)


def test_over_grpc_the_same_is_sent() -> None:
    """The client turns what it is asked into another form for gRPC; the scope is there in it three times as well."""
    sent: list[QueryPoints] = []

    class Points(PointsServicer):
        def Query(self, request: QueryPoints, context: object) -> QueryResponse:
            sent.append(request)
            return QueryResponse()

    server = grpc_server(ThreadPoolExecutor(1))
    add_PointsServicer_to_server(Points(), server)  # type: ignore[no-untyped-call]  # generated without types
    address = ServerAddress("http://127.0.0.1", grpc_port=server.add_insecure_port("127.0.0.1:0"))
    server.start()
    store = ServerStore(connect(address), Calls(address.url, timeout_s=5.0), "passages")
    assert by_sparse(store, scope_of(["harbour", "office"], ["cellar"])) == set()
    store.close()
    server.stop(None)
    (query,) = sent
    for part in (query, query.prefetch[0]):
        for inside in (part.filter, part.params.idf.corpus):
            anys = [list(condition.field.match.keywords.strings) for condition in inside.must]
            assert anys == [["cellar"], ["harbour", "office"]]


def version(number: str) -> tuple[int, dict[str, object]]:
    """What a server answers at its root."""
    return 200, {"title": "qdrant - vector search engine", "version": number}


BUSY: tuple[int, dict[str, object]] = (503, {"status": {"error": "secret words"}})


def test_what_may_pass_is_asked_again() -> None:
    """A server that restarts costs a moment and no error."""
    with answering(BUSY, BUSY, version("1.20.1")) as (url, asked):
        assert server_version(ServerAddress(url)) == "1.20.1"
        assert asked == ["/", "/", "/"]


@pytest.mark.parametrize(
    ("answer", "attempts", "told"),
    [
        (BUSY, 3, r"can't be reached \(503\); see that it runs, and check QDRANT_URL\.$"),
        ((401, {}), 1, r"refuses the key \(401\); check QDRANT_API_KEY\.$"),
        ((403, {}), 1, r"refuses the key \(403\); check QDRANT_API_KEY\.$"),
        ((500, {"status": {"error": "secret words"}}), 1, r"answered 500; its log says why\.$"),
        ((200, {"hello": "secret words"}), 1, r"answered with what is no answer of Qdrant; its log says why\.$"),
        (version("1.18.3"), 1, r"is 1\.18\.3: Footnote needs 1\.19 or newer\.$"),
    ],
)
def test_what_stays_wrong_is_one_sentence_that_says_what_to_do(
    answer: tuple[int, dict[str, object]], attempts: int, told: str
) -> None:
    """Attempts are bounded, and the server's words, which may repeat ours, are left out."""
    with answering(answer) as (url, asked), pytest.raises(StoreUnavailable, match=told) as raised:
        server_version(ServerAddress(url))
    assert len(asked) == attempts
    assert "secret words" not in str(raised.value)


@pytest.mark.parametrize("grpc_port", [None, 9])
def test_a_server_that_is_not_there_is_one_sentence(grpc_port: int | None) -> None:
    """Over REST and over gRPC; nothing listens at the port of the discard service."""
    with pytest.raises(StoreUnavailable, match=r"can't be reached.*check QDRANT_URL"):
        open_served_store(ServerAddress("http://127.0.0.1:9", grpc_port=grpc_port, timeout_s=1), COLLECTION)


def test_no_attempt_begins_after_the_timeout() -> None:
    """A server that hangs is not waited for three times."""
    attempts = []

    def hang() -> None:
        attempts.append(1)
        raise ResponseHandlingException(TimeoutError())

    slept: list[float] = []
    with pytest.raises(StoreUnavailable):
        Calls("there", timeout_s=0.1, sleep=slept.append).make("Searching the store", hang)
    assert (len(attempts), slept) == (1, [])


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning")  # on loopback
def test_the_key_is_sent_and_never_shown() -> None:
    """It goes with each request, and stays out of what is printed and told."""
    with answering((403, {})) as (url, asked):
        address = ServerAddress(url, api_key="k3y")
        with pytest.raises(StoreUnavailable) as raised:
            server_version(address)
    assert asked == ["/ k3y"]
    assert "k3y" not in f"{address!r} {raised.value}"


@pytest.mark.parametrize(
    ("url", "reached"),
    [
        ("http://qdrant.internal", "http://qdrant.internal:6333"),
        ("http://qdrant.internal:8080", "http://qdrant.internal:8080"),
        ("https://qdrant.example.com", "https://qdrant.example.com:443"),
        ("https://qdrant.example.com:6333/inside", "https://qdrant.example.com:6333/inside"),
    ],
)
def test_the_port_is_the_urls_or_the_usual_one(url: str, reached: str) -> None:
    """Qdrant's own for plain HTTP, that of HTTPS behind TLS."""
    client = connect(ServerAddress(url))
    assert client._client.rest_uri == reached  # type: ignore[attr-defined]  # the client says it nowhere else
    client.close()


def test_a_missing_client_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is an extra; who set QDRANT_URL without it is told how to get it."""
    for module in [name for name in sys.modules if name.startswith("retrieval.stores.server")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(
        StoreUnavailable, match=r"qdrant_client isn't installed: run `pip install 'footnote\[server\]'`"
    ):
        open_served_store(ServerAddress("http://127.0.0.1:9"), COLLECTION)
