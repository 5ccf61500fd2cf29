"""Measures what years of edits cost the embedded store, and what a copy or the engine's own optimising would give back.

`python -m benchmarks.upkeep [--passages N]`
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from uuid import NAMESPACE_URL, uuid5

import qdrant_edge as engine

from retrieval.evaluation.memory import own_bytes, rss_bytes
from retrieval.evaluation.store_bench import collection
from retrieval.evaluation.synthetic import SyntheticCorpus, SyntheticQuery
from retrieval.stores import edge_upkeep
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import EmbeddedPassage
from retrieval.types import Scope

_ROUNDS = 10
"""Times that a fifth of all passages is replaced: an index whose every page was edited twice."""
_QUERIES = 40
_PLACES = 5_000


def main() -> None:
    """Fill, edit, copy, optimise; a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=20_000)
    corpus = SyntheticCorpus(parser.parse_args().passages)
    edge_upkeep._LEAST_DELETED = 10**9  # the copy is to come when it is asked for
    with TemporaryDirectory() as name:
        folder = Path(name) / "store"
        with closing(EdgeStore(folder, collection())) as store:
            for batch in corpus.batches():
                store.upsert(batch)
        _say("new", folder, corpus)
        _optimised(folder, Path(name) / "optimised", "new, optimised", corpus)
        with closing(EdgeStore(folder, collection())) as store:
            for round_ in range(_ROUNDS):
                _replace_a_fifth(store, corpus, round_)
        _say(f"{_ROUNDS} fifths replaced", folder, corpus)
        _optimised(folder, Path(name) / "optimised later", "that, optimised", corpus)
        with closing(EdgeStore(folder, collection())) as store:
            waits = _longest_waits(store, corpus, store.compact)
        _say(f"that, copied ({waits})", folder, corpus)


def _replace_a_fifth(store: EdgeStore, corpus: SyntheticCorpus, round_: int) -> None:
    for number, batch in enumerate(corpus.batches()):
        if number % 5 == round_ % 5:
            store.delete([_edited(one, round_ // 5).passage.id for one in batch])
            store.upsert([_edited(one, round_ // 5 + 1) for one in batch])


def _edited(one: EmbeddedPassage, times: int) -> EmbeddedPassage:
    """The passage with the id that it has after so many edits."""
    if not times:
        return one
    id_ = str(uuid5(NAMESPACE_URL, f"{one.passage.id}/{times}"))
    return replace(one, passage=replace(one.passage, id=id_))


def _optimised(folder: Path, beside: Path, what: str, corpus: SyntheticCorpus) -> None:
    """By the engine itself, on a copy of the files; how long that holds the interpreter's lock."""
    shutil.copytree(folder, beside)
    shard = engine.EdgeShard.load(str(beside / edge_upkeep.read_current(beside).folder))
    longest = _longest_pause(shard.optimize)
    shard.close()
    _say(f"{what} (no thread runs for {longest:.1f} s)", beside, corpus)
    shutil.rmtree(beside)


def _longest_pause(call: Callable[[], object]) -> float:
    """Of a thread that wants to run every millisecond."""
    done, pauses = Event(), [0.0]

    def tick() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            pauses.append(time.perf_counter() - last)
            last = time.perf_counter()

    with _beside(tick, done):
        call()
    return max(pauses)


def _longest_waits(store: EdgeStore, corpus: SyntheticCorpus, call: Callable[[], object]) -> str:
    """Of one that searches and one that writes, while something else is done, after they did so alone for a while."""
    query, scope, batch = corpus.queries(1)[0], corpus.scope(20), next(corpus.batches())[:5]
    done = Event()
    searching: list[float] = []
    writing: list[float] = []

    def work() -> None:
        while not done.is_set():
            searching.append(_seconds(lambda: store.search_dense(query.dense, scope, 50)))
            writing.append(_seconds(lambda: store.upsert(batch)))

    with _beside(work, done):
        time.sleep(2)
        alone = max(searching), max(writing)
        searching.clear()
        writing.clear()
        took = _seconds(call)
    return (
        f"{took:.1f} s; meanwhile the longest search took {1000 * max(searching):.0f} ms, alone {1000 * alone[0]:.0f}; "
        f"the longest write {1000 * max(writing):.0f} ms, alone {1000 * alone[1]:.0f}"
    )


@contextmanager
def _beside(work: Callable[[], None], done: Event) -> Iterator[None]:
    """Do something in a thread until the block ends."""
    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _say(what: str, folder: Path, corpus: SyntheticCorpus) -> None:
    before = rss_bytes(), own_bytes()
    started = time.perf_counter()
    with closing(EdgeStore(folder, collection())) as store:
        load = time.perf_counter() - started
        scope, queries = corpus.scope(_PLACES), corpus.queries(_QUERIES)
        dense, sparse = (_cpu_ms(legs, queries, scope) for legs in _legs(store))
        own = (own_bytes() - before[1]) / 1e6
        segments = store._shard.info().segments_count
    disk = sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 1e6
    print(
        f"{what}: {disk:.0f} MB on disk, {segments} segments, opened in {load:.2f} s, {own:.0f} MB of its own memory, "
        f"dense leg {dense:.1f} ms, sparse leg {sparse:.1f} ms of processor time",
        flush=True,
    )


def _legs(store: EdgeStore) -> Iterator[Callable[[SyntheticQuery, Scope], object]]:
    yield lambda query, scope: store.search_dense(query.dense, scope, 50)
    yield lambda query, scope: store.search_sparse(query.sparse, scope, 50)


def _cpu_ms(leg: Callable[[SyntheticQuery, Scope], object], queries: list[SyntheticQuery], scope: Scope) -> float:
    times = []
    for query in queries:
        started = time.process_time()
        leg(query, scope)
        times.append((time.process_time() - started) * 1000)
    return median(times)


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
