"""A shard is made anew beside the old one: nothing is lost, whatever is written meanwhile and wherever it is killed."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from uuid import UUID

import numpy as np
import pytest
import qdrant_edge as engine
from numpy.typing import NDArray

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import StoreUnavailable
from retrieval.stores import edge_upkeep
from retrieval.stores.collections import Collection, write_manifest
from retrieval.stores.edge import EdgeStore
from retrieval.stores.edge_shard import dense_request, open_shard, to_point
from retrieval.stores.edge_upkeep import Current, read_current
from retrieval.stores.payload import to_payload
from retrieval.stores.protocol import EmbeddedPassage
from retrieval.types import Passage, Place, SparseVector
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import EVERYBODY, embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
COLLECTION = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")

TERMS = SparseVector((1,), (1.0,))

PAGES = [passage(f"The pump number {number} runs at night", source=str(number)) for number in range(250)]
KEPT, GONE = PAGES[:230], PAGES[230:]


def fill(store: EdgeStore, passages: list[Passage]) -> None:
    """Write passages with their vectors."""
    store.upsert(embedded(passages, DENSE, SPARSE))


def filled(folder: Path) -> EdgeStore:
    """A store from which some passages were deleted."""
    store = EdgeStore(folder, COLLECTION)
    fill(store, PAGES)
    store.delete([one.id for one in GONE])
    return store


def stored(store: EdgeStore) -> set[Passage]:
    """All passages that the store holds."""
    return {one for source in store.sources_of("origin") for one in store.passages_of(source)}


def found(store: EdgeStore) -> object:
    """What searches find, with their scores."""
    vector, terms = DENSE.embed_query("pump 7 night"), SPARSE.embed_query("pump 7 night")
    return store.search_dense(vector, EVERYBODY, 20), store.search_sparse(terms, EVERYBODY, 20)


def test_a_copy_holds_what_was_there_and_no_more(tmp_path: Path) -> None:
    """Passages, order and scores stay; the old shard goes, and the next process opens the new one."""
    with closing(filled(tmp_path)) as store:
        before = stored(store), found(store)
        store.compact()
        assert (stored(store), found(store)) == before
    assert [path.name for path in tmp_path.glob("shard*/")] == ["shard-2"]
    assert read_current(tmp_path) == Current("shard-2")
    with closing(EdgeStore(tmp_path, COLLECTION)) as store:
        assert (stored(store), found(store)) == before


def test_what_is_written_meanwhile_is_in_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New passages, other places and deletions of what was copied already: none is lost."""
    late = passage("The valve is shut", "harbour", source="late")
    moved = replace(KEPT[0], places=frozenset({Place("cellar")}))
    copied, go_on = Event(), Event()
    copy_all = edge_upkeep.Copy.copy_all

    def and_wait(copy: edge_upkeep.Copy, stop: Event) -> bool:
        done = copy_all(copy, stop)
        copied.set()
        go_on.wait()
        return done

    monkeypatch.setattr(edge_upkeep.Copy, "copy_all", and_wait)
    with closing(filled(tmp_path)) as store:
        compacting = Thread(target=store.compact)
        compacting.start()
        copied.wait()
        fill(store, [late])
        store.describe([moved])
        store.delete([one.id for one in KEPT[100:]])
        assert len(stored(store)) == 101
        go_on.set()
        compacting.join()
        assert read_current(tmp_path).folder == "shard-2"
        assert stored(store) == {*KEPT[1:100], moved, late}


def test_searches_go_on_while_the_copy_takes_over(tmp_path: Path) -> None:
    """A thread that asks all the time gets the same answer each time, and no fault."""
    with closing(filled(tmp_path)) as store:
        expected, answers, done = found(store), [], Event()

        def ask() -> None:
            while not done.is_set():
                answers.append(found(store) == expected)

        asking = Thread(target=ask)
        asking.start()
        store.compact()
        store.compact()
        done.set()
        asking.join()
    assert answers
    assert all(answers)


KILLED_AT = {
    "before the copy": "upkeep.Copy.copy_all = kill",
    "half-way": "upkeep.Copy._put = after(upkeep.Copy._put, 2)",
    "before the copy takes over": "edge.write_current = kill",
    "when it has taken over": "edge.write_current = after(edge.write_current, 1)",
    "while the old one is removed": "edge.shutil.rmtree = after(edge.shutil.rmtree, 2)",
}


@pytest.mark.parametrize("moment", KILLED_AT)
def test_a_kill_leaves_one_whole_shard(moment: str, tmp_path: Path) -> None:
    """Whatever the moment, the next process finds everything, removes what was left, and can do it again."""
    code = f"""
import os, signal
from pathlib import Path
from retrieval.stores import edge, edge_upkeep as upkeep
from tests.retrieval.test_stores_edge_upkeep import filled

def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(call, times):
    def wrapped(*args, **named):
        nonlocal times
        result = call(*args, **named)
        times -= 1
        return result if times else kill()
    return wrapped

store = filled(Path({str(tmp_path)!r}))
{KILLED_AT[moment]}
store.compact()
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2])
    assert ended.returncode == -9
    with closing(EdgeStore(tmp_path, COLLECTION)) as store:
        assert stored(store) == set(KEPT)
        assert len(list(tmp_path.glob("shard*/"))) == 1
        store.compact()
        assert stored(store) == set(KEPT)


def test_a_store_that_closes_does_not_wait_for_its_copy(tmp_path: Path) -> None:
    """What was begun is given up, and what was there stays."""
    store = filled(tmp_path)
    store._closing.set()
    store.compact()
    assert stored(store) == set(KEPT)
    store.close()
    with closing(EdgeStore(tmp_path, COLLECTION)) as store:
        assert stored(store) == set(KEPT)


@pytest.fixture
def easily_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard is made anew after few deletions."""
    monkeypatch.setattr(edge_upkeep, "_LEAST_DELETED", 10)


def test_many_deletions_start_a_copy_by_themselves(tmp_path: Path, easily_due: None) -> None:
    """Nobody has to ask for it, and no call waits for it."""
    with closing(filled(tmp_path)) as store:
        store.delete([one.id for one in KEPT[50:]])
        deadline = time.monotonic() + 30  # it takes a tenth of a second on an idle machine
        while read_current(tmp_path).folder == "shard-1" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert read_current(tmp_path).folder == "shard-2"
        assert stored(store) == set(KEPT[:50])


@pytest.mark.parametrize(
    ("deleted", "live", "is_due"),
    [(0, 0, False), (4_999, 10, False), (5_000, 10_000, True), (5_000, 10_001, True), (5_000, 10_002, False)],
)
def test_a_shard_is_made_anew_when_a_third_of_it_is_waste(deleted: int, live: int, is_due: bool) -> None:
    """Half as much as lives in it, and enough to be worth the copying."""
    assert Current("shard-1", deleted).is_due(lambda: live) is is_due


def test_deletions_are_counted_from_run_to_run(tmp_path: Path) -> None:
    """Most processes live shortly."""
    filled(tmp_path).close()
    with closing(EdgeStore(tmp_path, COLLECTION)) as store:
        store.delete([KEPT[0].id])
    assert read_current(tmp_path) == Current("shard-1", len(GONE) + 1)


def test_an_earlier_versions_shard_is_brought_over(tmp_path: Path) -> None:
    """It stood in `shard` and had no numbers for places; every passage is found as before."""
    vectors = engine.EdgeVectorParams(
        size=DENSE.dimension,
        distance=engine.Distance.Cosine,
        multivector_config=engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim),
    )
    sparse = engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)
    shard = engine.EdgeShard.create(
        str(tmp_path / "shard"), engine.EdgeConfig(vectors={"dense": vectors}, sparse_vectors={"sparse": sparse})
    )
    points = [
        engine.Point(
            one.passage.id,
            {
                "dense": one.dense.tolist(),
                "sparse": engine.SparseVector(list(one.sparse.indices), list(one.sparse.values)),
            },
            to_payload(one.passage),
        )
        for one in embedded(KEPT, DENSE, SPARSE)
    ]
    shard.update(engine.UpdateOperation.upsert_points(points))
    shard.close()
    write_manifest(tmp_path / "manifest.json", COLLECTION)
    with closing(EdgeStore(tmp_path, COLLECTION)) as store, closing(filled(tmp_path / "another")) as fresh:
        assert stored(store) == set(KEPT)
        assert found(store) == found(fresh)
    assert [path.name for path in tmp_path.glob("shard*/")] == ["shard-1"]


def test_a_damaged_pointer_is_one_clear_error(tmp_path: Path) -> None:
    """Which shard answers is not guessed."""
    filled(tmp_path).close()
    (tmp_path / "shard.json").write_text("{")
    with pytest.raises(StoreUnavailable, match=r"shard.json can't be read"):
        EdgeStore(tmp_path, COLLECTION)


def test_the_coarse_form_of_a_vector_is_made_of_it_alone(tmp_path: Path) -> None:
    """Were it scaled by what else is stored, passages outside a scope would decide which ones are looked at closely."""
    random = np.random.default_rng(0)
    inside = [(f"{number:032x}", random.standard_normal((2, 64)), "harbour") for number in range(100)]
    others = [(f"{number:032x}", random.standard_normal((3, 64)) + 5, "cellar") for number in range(1_000, 1_400)]
    query, scope = random.standard_normal(64).astype(np.float32), scope_of(["harbour"])

    def coarse_scores(name: str, *points: tuple[str, NDArray[np.float64], str]) -> dict[str, float]:
        shard = open_shard(tmp_path / name, 64)
        made = [
            EmbeddedPassage(replace(passage(id_, place), id=str(UUID(id_))), v.astype(np.float32), TERMS)
            for id_, v, place in points
        ]
        shard.update(engine.UpdateOperation.upsert_points(list(map(to_point, made))))
        request = dense_request(query, scope, len(inside))
        only_coarse = engine.SearchParams(quantization=engine.QuantizationSearchParams(rescore=False))
        leg = engine.Prefetch(request.limit, request.prefetches[0].query, None, only_coarse, request.filter)
        found = shard.query(engine.QueryRequest(request.limit, None, request.query, [leg], filter=request.filter))
        shard.close()
        return {str(point.id): point.score for point in found}

    alone = coarse_scores("alone", *inside)
    assert len(alone) == len(inside)
    assert alone == coarse_scores("behind others", *others, *inside)
    assert alone == coarse_scores("before others", *inside, *others)
