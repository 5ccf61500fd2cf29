"""Measures a store on made-up passages: how fast it answers, what it misses, and what it takes."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, quantiles

import numpy as np

from retrieval.evaluation.memory import own_bytes, peak_rss_bytes, rss_bytes
from retrieval.evaluation.synthetic import (
    DIMENSION,
    TEAM,
    PreparedDense,
    PreparedSparse,
    SyntheticCorpus,
    SyntheticQuery,
)
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import EmbeddedPassage, PassageStore

SCOPES = (20, 5_000)
"""Places that may be read: by somebody who is in a few channels, and by a full member of a large workspace."""
QUERIES = 200
_UNCOUNTED = 100
"""Queries before those that are measured: a bot that has run for an hour has touched its files."""
_FOR_RECALL = 50
_K = 10
_DEPTH = 50
"""Candidates of one leg, as the product asks for."""

Progress = Callable[[int, int], None]
"""Told how many passages are written, and of how many."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one kind of query."""

    p50: float
    p95: float

    def to_json(self) -> dict[str, float]:
        return {"p50": round(self.p50, 2), "p95": round(self.p95, 2)}


@dataclass(frozen=True, slots=True)
class ScopeFigures:
    """How queries of one scope went."""

    places: int
    passages: int
    """How many stand in it."""
    hybrid: Latency
    """A whole search of the product (both legs, document frequencies over the scope, both scores for every candidate,
    fusion) without the embedding of the query."""
    cpu_ms: float
    """Processor time of the median search, of all threads together: what a busy machine does not change."""
    dense: Latency
    sparse: Latency
    recall_at_10: float
    """Of the dense leg, against every vector of the scope compared in float64."""


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """All that one run measured."""

    passages: int
    vectors: int
    scopes: tuple[ScopeFigures, ...]
    disk_bytes: int
    rss_bytes: int
    """Of a process that has the store open and has answered all queries. Most of it are files, which the engine maps
    twice and the system can drop at any time."""
    own_bytes: int
    """The rest of it, without files."""
    load_seconds: float
    write_seconds: float
    write_peak_rss_bytes: int

    def to_json(self) -> dict[str, object]:
        """As `footnote bench store --json` prints it; `query_ms` and `recall@10` are the widest scope's."""
        widest = self.scopes[-1]
        return {
            "passages": self.passages,
            "vectors": self.vectors,
            "query_ms": widest.hybrid.to_json(),
            "recall@10": round(widest.recall_at_10, 4),
            "disk_bytes": self.disk_bytes,
            "rss_bytes": self.rss_bytes,
            "own_bytes": self.own_bytes,
            "load_seconds": round(self.load_seconds, 3),
            "write_seconds": round(self.write_seconds, 2),
            "write_peak_rss_bytes": self.write_peak_rss_bytes,
            "scopes": [_scope_json(scope) for scope in self.scopes],
        }

    def to_text(self) -> str:
        """The same as a table for a terminal."""
        columns = ("places", "passages", "p50 ms", "p95 ms", "CPU ms", "dense", "sparse", "recall@10")
        rows = ["".join(f"{column:>10}" for column in columns)]
        rows += [
            f"{one.places:10}{one.passages:10}{one.hybrid.p50:10.1f}{one.hybrid.p95:10.1f}{one.cpu_ms:10.1f}"
            f"{one.dense.p95:10.1f}{one.sparse.p95:10.1f}{one.recall_at_10:10.3f}"
            for one in self.scopes
        ]
        rows.append(
            f"{self.passages} passages with {self.vectors} vectors written in {self.write_seconds:.0f} s, "
            f"opened in {self.load_seconds:.1f} s; {self.disk_bytes / 1e6:.0f} MB on disk, "
            f"{self.rss_bytes / 1e6:.0f} MB in memory, {self.own_bytes / 1e6:.0f} MB of it no files"
        )
        return "\n".join(rows)


def measure_store(folder: Path, passages: int, on_progress: Progress | None = None) -> StoreFigures:
    """Fill a store in an empty folder, and ask it from a process of its own.

    Raises:
        StoreUnavailable: writing or searching failed.
    """
    corpus = SyntheticCorpus(passages)
    truth = BruteForce(corpus)
    with closing(EdgeStore(folder, collection())) as store:
        write_seconds = fill(store, corpus, truth, on_progress)
    peak = peak_rss_bytes()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as fresh:
        load_seconds, scopes, rss, own = fresh.submit(_opened_and_asked, folder, corpus, truth).result()
    disk = _bytes_in(folder)
    return StoreFigures(passages, truth.vectors, scopes, disk, rss, own, load_seconds, write_seconds, peak)


def collection() -> Collection:
    """What made-up passages are kept as."""
    return Collection(TEAM, PreparedDense.model, DIMENSION, "benchmark")


def fill(store: PassageStore, corpus: SyntheticCorpus, truth: BruteForce, on_progress: Progress | None = None) -> float:
    """Write all passages; the seconds that the store took for it."""
    seconds = 0.0
    for batch in corpus.batches():
        truth.look_at(batch)
        started = time.perf_counter()
        store.upsert(batch)
        seconds += time.perf_counter() - started
        if on_progress is not None:
            on_progress(truth.passages, corpus.passages)
    return seconds


def ask(
    store: PassageStore, truth: BruteForce, queries: Sequence[SyntheticQuery], places: int, uncounted: int = 0
) -> ScopeFigures:
    """Put queries to a full store inside a scope of so many places; the first of them are not counted."""
    scope, timed = truth.scopes[places], range(uncounted, len(queries))
    searcher = Searcher(store, PreparedDense(queries), PreparedSparse(queries))
    for number in range(uncounted):
        searcher.search(str(number), scope)
    return ScopeFigures(
        places,
        truth.admitted[places],
        hybrid=_timed(lambda number: searcher.search(str(number), scope), timed),
        cpu_ms=_cpu_ms(lambda number: searcher.search(str(number), scope), timed),
        dense=_timed(lambda number: store.search_dense(queries[number].dense, scope, _DEPTH), timed),
        sparse=_timed(lambda number: store.search_sparse(queries[number].sparse, scope, _DEPTH), timed),
        recall_at_10=truth.recall(store, places),
    )


class BruteForce:
    """Finds what is nearest to some queries in each scope, by comparing every vector."""

    def __init__(self, corpus: SyntheticCorpus) -> None:
        self.passages = 0
        self.vectors = 0
        self.admitted = dict.fromkeys(SCOPES, 0)
        self._queries = np.array([query.dense for query in corpus.queries(_FOR_RECALL)], dtype=np.float64)
        self.scopes = {places: corpus.scope(places) for places in SCOPES}
        self._best: dict[int, list[list[tuple[float, str]]]] = {at: [[] for _ in self._queries] for at in SCOPES}

    def look_at(self, batch: Sequence[EmbeddedPassage]) -> None:
        """Compare some more."""
        self.passages += len(batch)
        self.vectors += sum(len(one.dense) for one in batch)
        starts = np.cumsum([0, *(len(one.dense) for one in batch[:-1])])
        nearness = np.maximum.reduceat(np.vstack([one.dense for one in batch]) @ self._queries.T, starts)
        for places, scope in self.scopes.items():
            inside = [at for at, one in enumerate(batch) if scope.admits(one.passage.places)]
            self.admitted[places] += len(inside)
            for query, best in enumerate(self._best[places]):
                best += [(-float(nearness[at, query]), batch[at].passage.id) for at in inside]
                best[:] = sorted(best)[:_K]

    def recall(self, store: PassageStore, places: int) -> float:
        """How much of it the dense leg finds among its first ten; 1 where there is nothing to find."""
        shares = []
        for query, best in zip(self._queries.astype(np.float32), self._best[places], strict=True):
            found = {candidate.passage.id for candidate in store.search_dense(query, self.scopes[places], _K)}
            shares.append(len(found & {id_ for _, id_ in best}) / max(len(best), 1))
        return fmean(shares) if self.admitted[places] else 1.0


def _opened_and_asked(
    folder: Path, corpus: SyntheticCorpus, truth: BruteForce
) -> tuple[float, tuple[ScopeFigures, ...], int, int]:
    """In a process of its own, so that its memory is the store's: seconds to open, figures, bytes in all, its own."""
    started = time.perf_counter()
    with closing(EdgeStore(folder, collection())) as store:
        load_seconds = time.perf_counter() - started
        queries = corpus.queries(_UNCOUNTED + QUERIES)
        scopes = tuple(ask(store, truth, queries, places, _UNCOUNTED) for places in SCOPES)
        return load_seconds, scopes, rss_bytes(), own_bytes()


def _timed(call: Callable[[int], object], numbers: Sequence[int]) -> Latency:
    times_ms = []
    for number in numbers:
        started = time.perf_counter()
        call(number)
        times_ms.append((time.perf_counter() - started) * 1000)
    percentiles = quantiles(times_ms, n=20, method="inclusive")
    return Latency(percentiles[9], percentiles[18])


def _cpu_ms(call: Callable[[int], object], numbers: Sequence[int]) -> float:
    times = []
    for number in numbers:
        started = time.process_time()
        call(number)
        times.append((time.process_time() - started) * 1000)
    return median(times)


def _scope_json(scope: ScopeFigures) -> dict[str, object]:
    return {
        "places": scope.places,
        "passages": scope.passages,
        "query_ms": scope.hybrid.to_json(),
        "cpu_ms": round(scope.cpu_ms, 2),
        "dense_ms": scope.dense.to_json(),
        "sparse_ms": scope.sparse.to_json(),
        "recall@10": round(scope.recall_at_10, 4),
    }


def _bytes_in(folder: Path) -> int:
    """What its files take of the disk: the engine lays out large ones that are mostly holes."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
