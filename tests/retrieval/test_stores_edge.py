"""The embedded store keeps what it acknowledged, and lets nothing out of a scope even where the engine would."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import pytest
import qdrant_edge as engine

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.edge_shard import dense_request, open_shard, to_point
from retrieval.types import WORKSPACE, Passage, Place, Scope
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import EVERYBODY, embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
COLLECTION = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")

OPEN = passage("The pump runs at night", "harbour")
HIDDEN = passage("The pump runs on rum", "cellar")
SHARED = passage("The pump runs for both", "harbour", "loft")
EACH = [OPEN.id, HIDDEN.id, SHARED.id]

Request = engine.QueryRequest
Search = Callable[[EdgeStore, Scope], set[str]]


def fill(store: EdgeStore, *passages: Passage) -> None:
    """Write passages with their vectors."""
    store.upsert(embedded(passages, DENSE, SPARSE))


# ------------------------------------------------------------------------------------------- nothing leaves a scope


@dataclass
class ForgetfulShard:
    """The engine, with a fault: it forgets the filter of the root, of the legs, or both."""

    shard: engine.EdgeShard
    forgets_root: bool
    forgets_legs: bool

    def query(self, asked: Request) -> list[engine.ScoredPoint]:
        """Answer without the filters that are forgotten."""
        legs = [
            engine.Prefetch(leg.limit, leg.query, None, leg.params, None if self.forgets_legs else leg.filter)
            for leg in asked.prefetches
        ]
        root = None if self.forgets_root else asked.filter
        return self.shard.query(
            Request(asked.limit, None, asked.query, legs, False, asked.with_payload, root, None, asked.params)
        )

    def retrieve(self, ids: list[str | int | UUID], with_payload: bool, with_vector: bool) -> list[engine.Record]:
        """Read by id, which knows no filter."""
        return self.shard.retrieve(ids, with_payload, with_vector)

    def scroll(self, asked: engine.ScrollRequest) -> tuple[list[engine.Record], object]:
        """Answer without the filter: there is but one."""
        return self.shard.scroll(engine.ScrollRequest(asked.offset, asked.limit, None, True))


def by_dense(store: EdgeStore, scope: Scope) -> set[str]:
    """Ids that the dense leg finds."""
    return {found.passage.id for found in store.search_dense(DENSE.embed_query("pump"), scope, 10)}


def by_sparse(store: EdgeStore, scope: Scope) -> set[str]:
    """Ids that the sparse leg finds."""
    return {found.passage.id for found in store.search_sparse(SPARSE.embed_query("pump"), scope, 10)}


def by_both(store: EdgeStore, scope: Scope) -> set[str]:
    """Ids that both legs find, asked at once."""
    both = store.search_both(DENSE.embed_query("pump"), SPARSE.embed_query("pump"), scope, 10)
    return {found.passage.id for found in (*both.dense, *both.sparse)}


def by_score(store: EdgeStore, scope: Scope) -> set[str]:
    """Ids that get scores when all are asked for."""
    return set(store.score(EACH, DENSE.embed_query("pump"), SPARSE.embed_query("pump"), scope))


def by_reading(store: EdgeStore, scope: Scope) -> set[str]:
    """Ids that can be read when all are asked for."""
    return {found.id for found in store.read(EACH, scope)}


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score, by_reading])
def test_what_the_engine_lets_slip_is_dropped_and_logged_by_id(
    store: EdgeStore, search: Search, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Even an engine that forgets every filter, and so gives scores of others than were asked for, shows nobody what
    they may not read."""
    fill(store, OPEN, HIDDEN)
    monkeypatch.setattr(store, "_shard", ForgetfulShard(store._shard, forgets_root=True, forgets_legs=True))
    with caplog.at_level(logging.ERROR):
        assert search(store, scope_of(["harbour"])) <= {OPEN.id}
    assert any(HIDDEN.id in record.message for record in caplog.records)
    assert not any(HIDDEN.text in record.message for record in caplog.records)
    monkeypatch.undo()


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score])
@pytest.mark.parametrize(("forgets_root", "forgets_legs"), [(True, False), (False, True)])
def test_the_filter_stands_in_each_leg_and_at_the_root(
    store: EdgeStore,
    search: Search,
    forgets_root: bool,
    forgets_legs: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where the engine forgets one of the two, the other still holds, and the last check has nothing to drop."""
    fill(store, OPEN, HIDDEN)
    monkeypatch.setattr(store, "_shard", ForgetfulShard(store._shard, forgets_root, forgets_legs))
    with caplog.at_level(logging.ERROR):
        assert search(store, scope_of(["harbour"])) == {OPEN.id}
    assert caplog.records == []
    monkeypatch.undo()


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score, by_reading])
@pytest.mark.parametrize("scope", [scope_of(), scope_of([]), scope_of(["harbour"], [])])
def test_an_empty_scope_never_reaches_the_engine(store: EdgeStore, search: Search, scope: Scope) -> None:
    """A closed engine raises when it is asked; an empty scope does not ask it."""
    store._shard.close()
    assert search(store, scope) == set()


# ------------------------------------------------------------------------------------------- what was written stays


NOWHERE = frozenset(Place(f"nowhere {number}") for number in range(1_000))
"""So many places that the engine is asked in another form."""
BESIDE = [frozenset({WORKSPACE}), NOWHERE]
"""Places in which nothing stands, and with which a scope is put to the engine in other forms."""


@pytest.mark.parametrize("search", [by_dense, by_sparse, by_both, by_score, by_reading])
@pytest.mark.parametrize("beside", BESIDE)
def test_a_scope_that_is_put_in_another_form_is_a_scope_like_others(
    store: EdgeStore, search: Search, beside: frozenset[Place]
) -> None:
    """Each kind of reader must be able to open what is found, however many places they may open, and the workspace."""
    fill(store, OPEN, HIDDEN, SHARED)
    harbour, loft = frozenset({Place("harbour"), *beside}), frozenset({Place("loft"), *beside})

    assert search(store, Scope(TEAM, frozenset({harbour}))) == {OPEN.id, SHARED.id}
    assert search(store, Scope(TEAM, frozenset({harbour, loft}))) == {SHARED.id}
    assert search(store, Scope(TEAM, frozenset({beside}))) == set()


@pytest.mark.parametrize("beside", [frozenset(), *BESIDE])
def test_the_filter_admits_nothing_that_lacks_places(beside: frozenset[Place], tmp_path: Path) -> None:
    """A point without the field that the filter goes by is outside every scope, in each form of the filter."""
    places = frozenset({Place("harbour"), *beside})
    shard = open_shard(tmp_path / "shard", WordHashEmbedder.dimension)
    point = to_point(embedded([OPEN], DENSE, SPARSE)[0])
    shard.update(engine.UpdateOperation.upsert_points([engine.Point(OPEN.id, point.vector, {"text": "no places"})]))

    found = shard.query(dense_request(DENSE.embed_query("pump"), Scope(TEAM, frozenset({places})), 10))

    assert found == []


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """A process is killed right after a write returned; the next one finds the write."""
    code = (
        "import os, signal; from pathlib import Path; from tests.retrieval.test_stores_edge import *; "
        f"store = EdgeStore(Path({str(tmp_path / 'store')!r}), COLLECTION); fill(store, OPEN, HIDDEN); "
        "store.describe([replace(OPEN, position=7)]); store.delete([HIDDEN.id]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2])
    store = EdgeStore(tmp_path / "store", COLLECTION)
    assert store.passages_of("source") == (replace(OPEN, position=7),)
    assert by_sparse(store, scope_of(["harbour"])) == {OPEN.id}
    store.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(COLLECTION, model="another/model"),
        replace(COLLECTION, dimension=8),
        replace(COLLECTION, chunking_version="2"),
        replace(COLLECTION, team="T0OTHER"),
    ],
)
def test_another_collections_folder_is_never_opened(tmp_path: Path, other: Collection) -> None:
    """Vectors of two models, or passages of two ways of cutting, are never mixed; the error says what to do."""
    EdgeStore(tmp_path / "store", COLLECTION).close()
    with pytest.raises(CollectionMismatch, match=r"run `footnote reindex`"):
        EdgeStore(tmp_path / "store", other)


def test_a_folder_with_a_damaged_manifest_is_one_clear_error(tmp_path: Path) -> None:
    """It is neither opened nor overwritten."""
    EdgeStore(tmp_path / "store", COLLECTION).close()
    (tmp_path / "store" / "manifest.json").write_text("{")
    with pytest.raises(StoreUnavailable, match=r"manifest.json can't be read"):
        EdgeStore(tmp_path / "store", COLLECTION)


def test_a_store_that_is_open_elsewhere_is_one_clear_error(tmp_path: Path) -> None:
    """The engine lets one opener in."""
    store = EdgeStore(tmp_path / "store", COLLECTION)
    with pytest.raises(StoreUnavailable, match="The store in"):
        EdgeStore(tmp_path / "store", COLLECTION)
    store.close()


def test_a_broken_write_leaves_the_rest(store: EdgeStore) -> None:
    """A vector of the wrong length is refused, and what was there can still be found."""
    fill(store, OPEN)
    (wrong,) = embedded([HIDDEN], DENSE, SPARSE)
    with pytest.raises(StoreUnavailable, match="Writing to the store failed"):
        store.upsert([replace(wrong, dense=wrong.dense[:, :3])])
    assert by_dense(store, scope_of(["harbour", "cellar"])) == {OPEN.id}


def test_a_place_is_never_a_pattern(store: EdgeStore) -> None:
    """Places match whole and to the letter."""
    fill(store, replace(OPEN, places=frozenset({Place("har")})), replace(HIDDEN, places=frozenset({Place("HARBOUR")})))
    assert by_dense(store, scope_of(["harbour", "*", ""])) == set()
    assert by_dense(store, EVERYBODY) == set()
