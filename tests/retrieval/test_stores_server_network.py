"""What goes to a Qdrant server over the network, what is asked again, and what is told of what stays wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from grpc import ServicerContext, StatusCode  # type: ignore[import-untyped]  # grpcio says no types
from grpc import server as grpc_server
from qdrant_client.grpc.points_pb2 import CountResponse, CountResult, QueryPoints, QueryResponse
from qdrant_client.grpc.points_service_pb2_grpc import PointsServicer, add_PointsServicer_to_server
from qdrant_client.http.exceptions import ResponseHandlingException

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection
from retrieval.stores.served import Layout, Quantization, ServerAddress, open_served_store, server_version
from retrieval.stores.server import ServerStore
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import connect, make_collection
from retrieval.stores.server_switchboard import collection_name
from retrieval.types import Scope
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import embedded, passage, scope_of
from tests.qdrant import Asked, Said, answering, failed, ok, version

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
COLLECTION = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
NAME = collection_name(COLLECTION)
PUMP = passage("The pump runs at night", "harbour")
SCOPE = scope_of(["harbour", "office"], ["cellar"])
INSIDE = [{"key": "places", "match": {"any": places}} for places in (["cellar"], ["harbour", "office"])]
NOTHING = ok({"points": []})
DONE = ok([{"operation_id": 1, "status": "completed"}])


@dataclass
class Clock:
    """Remembers the pauses, and takes none."""

    slept: list[float] = field(default_factory=list)

    def calls(self, where: str, timeout_s: float = 5.0, chance: float = 1.0) -> Calls:
        """Calls that wait on this clock, as long as chance has it."""
        return Calls(where, timeout_s, sleep=self.slept.append, chance=lambda: chance)


def store_at(url: str, clock: Clock | None = None, *, is_coarse: bool = False) -> ServerStore:
    """A store whose collection is taken to be there."""
    return ServerStore(connect(ServerAddress(url)), (clock or Clock()).calls(url), NAME, is_coarse=is_coarse)


# ---------------------------------------------------------------------------------------------------- what is sent


def search_words(store: ServerStore, scope: Scope) -> None:
    """Ask the sparse leg."""
    store.search_sparse(SPARSE.embed_query("pump"), scope, 10)


def search_meaning(store: ServerStore, scope: Scope) -> None:
    """Ask the dense leg."""
    store.search_dense(DENSE.embed_query("pump"), scope, 10)


def parts_of(asked: Asked) -> list[dict[str, Any]]:
    """The query at the root and in its legs."""
    assert isinstance(asked.body, dict)
    assert asked.path == f"/collections/{NAME}/points/query"
    return [asked.body, *asked.body["prefetch"]]


def test_what_is_sent_holds_the_scope_in_the_leg_at_the_root_and_for_the_frequencies() -> None:
    """Not only the stand-in in memory is told: so is what goes over the network."""
    with answering(NOTHING) as (url, asked):
        search_words(store_at(url), SCOPE)
        search_meaning(store_at(url), SCOPE)
        store_at(url).search_both(DENSE.embed_query("pump"), SPARSE.embed_query("pump"), SCOPE, 10)
    for request in asked:
        root, leg = parts_of(request)
        assert (root["filter"]["must"], leg["filter"]["must"], leg["params"]["exact"]) == (INSIDE, INSIDE, True)
    legs = [leg["params"] for _, leg in map(parts_of, asked)]
    assert [leg.get("idf", {}).get("corpus", {}).get("must") for leg in legs] == [INSIDE, None, None, INSIDE]


def test_words_are_added_up_in_an_order_of_our_own() -> None:
    """A server's own order, and with it the last digits of a score, would follow from what else it ever held."""
    query = SPARSE.embed_query("pump valve kiln")
    with answering(NOTHING) as (url, asked):
        store_at(url).score([PUMP.id], DENSE.embed_query("pump"), query, SCOPE)
    root, *legs = parts_of(asked[1])
    first, second, third = sorted(query.indices)
    assert [leg["query"]["indices"] for leg in legs] == [[first, second], [third]]
    assert root["query"]["formula"] == {"sum": ["$score[0]", "$score[1]"]}
    assert root["filter"]["must"] == [*INSIDE, {"has_id": [PUMP.id]}]
    for leg in legs:
        assert leg["filter"] == root["filter"]
        assert (leg["params"]["exact"], leg["params"]["idf"]["corpus"]["must"]) == (True, INSIDE)


@contextmanager
def grpc_serving(points: PointsServicer) -> Iterator[ServerAddress]:
    """The address of a server that does with points what it is told."""
    server = grpc_server(ThreadPoolExecutor(1))
    add_PointsServicer_to_server(points, server)  # type: ignore[no-untyped-call]  # generated without types
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield ServerAddress("http://127.0.0.1", grpc_port=port)
    server.stop(None)


def test_over_grpc_the_same_is_sent() -> None:
    """The client turns what it is asked into another form for gRPC; the scope is there in it three times as well."""
    sent: list[QueryPoints] = []

    class Points(PointsServicer):
        def Query(self, request: QueryPoints, context: object) -> QueryResponse:
            sent.append(request)
            return QueryResponse()

    with grpc_serving(Points()) as address:
        store = ServerStore(connect(address), Calls(address.url, timeout_s=5.0), NAME)
        search_words(store, SCOPE)
        store.score([PUMP.id], DENSE.embed_query("pump"), SPARSE.embed_query("pump valve kiln"), SCOPE)
        store.close()
    (search, _, scores) = sent
    assert (len(search.prefetch), len(scores.prefetch)) == (1, 2)
    for query in (search, scores):
        for inside in (query.filter, *(part for leg in query.prefetch for part in (leg.filter, leg.params.idf.corpus))):
            anys = [list(condition.field.match.keywords.strings) for condition in inside.must[:2]]
            assert anys == [["cellar"], ["harbour", "office"]]


def test_coarse_vectors_only_choose_and_whole_ones_rank() -> None:
    """Both passes look at every passage of the scope; the first chooses several times as many as are wanted."""
    with answering(NOTHING) as (url, asked):
        search_meaning(store_at(url, is_coarse=True), SCOPE)
    root, leg = parts_of(asked[0])
    assert (root["using"], leg["using"], leg["limit"]) == ("dense", "coarse", 4 * root["limit"])
    for part in (root, leg):
        assert (part["filter"]["must"], part["params"]["exact"]) == (INSIDE, True)


def test_a_write_is_waited_for_and_takes_its_turn() -> None:
    """Each write returns when it is applied, and writes of one passage reach all replicas in the same order."""
    with answering(DONE) as (url, asked):
        store = store_at(url, is_coarse=True)
        store.upsert(embedded([PUMP], DENSE, SPARSE))
        store.describe([PUMP])
        store.delete([PUMP.id])
    assert [(one.path, one.params) for one in asked] == [
        (f"/collections/{NAME}/points/batch", {"wait": "true", "ordering": "medium"})
    ] * 3
    (point,) = asked[0].body["operations"][0]["upsert"]["points"]  # type: ignore[index]  # JSON
    assert point["vector"]["coarse"] == point["vector"]["dense"]


@pytest.mark.parametrize("status", ["acknowledged", "wait_timeout"])
def test_a_write_that_is_not_done_is_a_failure(status: str) -> None:
    """It may be done later or never: nobody may take it for done."""
    with answering(ok([{"operation_id": 1, "status": status}])) as (url, _), pytest.raises(StoreUnavailable):
        store_at(url).delete([PUMP.id])


@pytest.mark.parametrize(
    ("layout", "shards", "replicas", "agreeing", "coarse"),
    [
        (Layout(), 1, 1, 1, None),
        (Layout(replicas=2), 1, 2, 2, None),
        (Layout(shards=6, replicas=3), 6, 3, 2, None),
        (Layout(quantization=Quantization.TURBO4), 1, 1, 1, "turbo4"),
    ],
)
def test_a_collection_is_laid_out_as_the_settings_say(
    layout: Layout, shards: int, replicas: int, agreeing: int, coarse: str | None
) -> None:
    """Most replicas must have taken a write; coarse vectors lie beside the whole ones, which then stay on disk."""
    with answering(ok({"exists": False}), ok(True)) as (url, asked):
        make_collection(connect(ServerAddress(url)), Clock().calls(url), COLLECTION, layout)
    made = asked[1].body
    assert isinstance(made, dict)
    assert (asked[1].method, asked[1].path) == ("PUT", f"/collections/{NAME}")
    assert [made[name] for name in ("shard_number", "replication_factor", "write_consistency_factor")] == [
        shards,
        replicas,
        agreeing,
    ]
    assert {name: vector.get("datatype") for name, vector in made["vectors"].items()} == (
        {"dense": None, "coarse": coarse} if coarse else {"dense": None}
    )
    assert made["vectors"]["dense"].get("on_disk") is (True if coarse else None)
    assert {vector["hnsw_config"]["m"] for vector in made["vectors"].values()} == {0}


# ---------------------------------------------------------------------------------------------- what is asked again

HANGS_UP = Said(hangs_up=True)


@pytest.mark.parametrize(
    "fault", [HANGS_UP, *map(failed, (408, 429, 500, 502, 503, 504))], ids=lambda said: str(said.status)
)
def test_what_may_pass_is_asked_again(fault: Said) -> None:
    """A server that restarts, or a cluster that moves a shard, costs a moment and no error."""
    clock = Clock()
    with answering(fault, fault, ok({"count": 7})) as (url, asked):
        assert store_at(url, clock).count() == 7
    assert (len(asked), clock.slept) == (3, [0.2, 1.0])


def test_a_write_whose_answer_was_lost_is_made_again() -> None:
    """The same passages with the same ids: done twice, it comes to the same."""
    with answering(HANGS_UP, DONE) as (url, asked):
        store_at(url).upsert(embedded([PUMP], DENSE, SPARSE))
    assert len(asked) == 2
    assert asked[0] == asked[1]


def test_pauses_differ_from_client_to_client() -> None:
    """Half of each is left to chance, so that those who were turned away together don't come back together."""
    clock = Clock()
    with answering(failed(503)) as (url, _):
        for chance in (0.0, 0.5, 1.0):
            with pytest.raises(StoreUnavailable):
                clock.calls(url, chance=chance).make("Reading the store", store_at(url)._client.get_aliases)
    assert clock.slept == pytest.approx([0.1, 0.5, 0.15, 0.75, 0.2, 1.0])


def test_a_server_that_asks_for_patience_gets_it() -> None:
    """As many seconds as it asks for and a little more, where there is time for that."""
    clock = Clock()
    with answering(failed(429, Retry_After="2"), ok({"count": 7})) as (url, _):
        assert store_at(url, clock).count() == 7
    assert clock.slept == [2.2]


@pytest.mark.parametrize(
    ("code", "trailing", "slept"),
    [
        (StatusCode.UNAVAILABLE, (), [0.2]),
        (StatusCode.INTERNAL, (), [0.2]),
        (StatusCode.RESOURCE_EXHAUSTED, (), [0.2]),
        (StatusCode.RESOURCE_EXHAUSTED, (("retry-after", "2"),), [2.2]),
    ],
)
def test_over_grpc_the_same_is_asked_again(
    code: object, trailing: tuple[tuple[str, str], ...], slept: list[float]
) -> None:
    """A fault that may pass has other names there."""
    clock, asked = Clock(), list[object]()

    class Points(PointsServicer):
        def Count(self, request: object, context: ServicerContext) -> CountResponse:
            asked.append(request)
            if len(asked) == 1:
                context.set_trailing_metadata(trailing)
                context.abort(code, "secret words")
            return CountResponse(result=CountResult(count=7))

    with grpc_serving(Points()) as address:
        store = ServerStore(connect(address), clock.calls(address.url), NAME)
        assert store.count() == 7
        store.close()
    assert (len(asked), clock.slept) == (2, slept)


@pytest.mark.parametrize("patience", ["60", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_more_patience_than_there_is_time_for_is_a_failure(patience: str) -> None:
    """Nobody is kept waiting longer than the settings allow."""
    clock = Clock()
    with (
        answering(failed(429, Retry_After=patience)) as (url, _),
        pytest.raises(StoreUnavailable, match=r"takes no more for now \(429\); try again later\.$"),
    ):
        store_at(url, clock).count()
    assert sum(clock.slept) <= 1.2


def test_no_attempt_begins_after_the_timeout() -> None:
    """A server that hangs is not waited for three times."""
    attempts = []

    def hang() -> None:
        attempts.append(1)
        raise ResponseHandlingException(TimeoutError())

    clock = Clock()
    with pytest.raises(StoreUnavailable):
        clock.calls("there", timeout_s=0.1).make("Searching the store", hang)
    assert (len(attempts), clock.slept) == (1, [])


# --------------------------------------------------------------------------------------------- what is told of faults


@pytest.mark.parametrize(
    ("answer", "attempts", "told"),
    [
        (failed(503), 3, r"can't do it now \(503\); try again, and if it stays so, its log says why\.$"),
        (failed(500), 3, r"can't do it now \(500\); try again, and if it stays so, its log says why\.$"),
        (failed(429), 3, r"takes no more for now \(429\); try again later\.$"),
        (HANGS_UP, 3, r"can't be reached; see that it runs, and check QDRANT_URL\.$"),
        (failed(401), 1, r"refuses the key \(401\); check QDRANT_API_KEY\.$"),
        (failed(403), 1, r"refuses the key \(403\); check QDRANT_API_KEY\.$"),
        (failed(404), 1, r"has no such collection any more; start again, and index again\.$"),
        (failed(400), 1, r"answered 400; its log says why\.$"),
        (failed(507), 1, r"has no room left \(507\); make room there\.$"),
        (Said(body={"hello": "secret words"}), 1, r"answered with what is no answer of Qdrant; its log says why\.$"),
    ],
)
def test_what_stays_wrong_is_one_sentence_that_says_what_to_do(answer: Said, attempts: int, told: str) -> None:
    """Attempts are bounded, and the server's words, which may repeat ours, are left out."""
    with answering(answer) as (url, asked), pytest.raises(StoreUnavailable, match=told) as raised:
        store_at(url).count()
    assert len(asked) == attempts
    assert "secret words" not in str(raised.value)


@pytest.mark.parametrize("grpc_port", [None, 9])
def test_a_server_that_is_not_there_is_one_sentence(grpc_port: int | None) -> None:
    """Over REST and over gRPC; nothing listens at the port of the discard service."""
    with pytest.raises(StoreUnavailable, match=r"can't be reached.*check QDRANT_URL|can't do it now \(UNAVAILABLE\)"):
        open_served_store(ServerAddress("http://127.0.0.1:9", grpc_port=grpc_port, timeout_s=1), COLLECTION)


def test_a_server_that_is_too_old_is_refused() -> None:
    """It would let what is outside a scope change what is found inside."""
    with (
        answering(version("1.18.3")) as (url, _),
        pytest.raises(StoreUnavailable, match=r"is 1\.18\.3: Footnote needs 1\.19 or newer\.$"),
    ):
        server_version(ServerAddress(url))


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning")  # on loopback
def test_the_key_is_sent_and_never_shown() -> None:
    """It goes with each request, and stays out of what is printed and told."""
    with answering(failed(403)) as (url, asked):
        address = ServerAddress(url, api_key="k3y")
        with pytest.raises(StoreUnavailable) as raised:
            server_version(address)
    assert asked == [Asked("GET", "/", {}, "k3y")]
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
