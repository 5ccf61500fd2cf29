"""Runs the product's own indexing and search over a judged set, and reports how well they did."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from retrieval.chunking.cut import CHUNKING_VERSION
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.evaluation.beir import JudgedSet, read
from retrieval.evaluation.metrics import Measures, hit_within_one_page, measure
from retrieval.indexing import Indexer
from retrieval.search import Reranker, Searcher, Stages
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, Candidate, Hit, Passage, Scope, SearchResult

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""

_TEAM = "evaluation"
_EVERYTHING = Scope(_TEAM, frozenset({frozenset({WORKSPACE})}))
_RANKED = 50
"""Sources that each ranking holds at least, where there are so many."""

_NEAR = "hit@5_within_one_page"


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """How well each retriever found the gold, and at what cost."""

    retrievers: Mapping[str, Measures]
    """By name: bm25, dense, hybrid, and hybrid_rerank where there is a reranker."""
    passages: int
    queries: int
    index_seconds: float
    query_ms_p50: float
    """Of a whole hybrid search, embedding included."""
    query_ms_p95: float
    hit_at_5_within_one_page: float | None = None
    """Share of queries of which the hybrid's first five hold a gold page or a neighbour of one; None without pages."""
    skipped: tuple[str, ...] = ()
    """Files that could not be read, and why."""

    def to_json(self) -> dict[str, object]:
        """As `footnote eval retrieval --json` prints it."""
        near = self.hit_at_5_within_one_page
        return {
            "retrievers": {name: _named(measures) for name, measures in self.retrievers.items()},
            "passages": self.passages,
            "queries": self.queries,
            "index_seconds": round(self.index_seconds, 2),
            "query_ms": {"p50": round(self.query_ms_p50, 2), "p95": round(self.query_ms_p95, 2)},
            **({} if near is None else {_NEAR: round(near, 4)}),
            **({"skipped": list(self.skipped)} if self.skipped else {}),
        }

    def to_text(self) -> str:
        """The same as a table for a terminal."""
        columns = ("ndcg@10", "recall@5", "recall@10", "mrr@10")
        width = max(8, *map(len, self.retrievers))
        rows = [f"{'':{width}}" + "".join(f"{column:>11}" for column in columns)]
        for name, measures in self.retrievers.items():
            named = _named(measures)
            rows.append(f"{name:{width}}" + "".join(f"{named[column]:11.3f}" for column in columns))
        rows.append(
            f"{self.passages} passages in {self.index_seconds:.0f} s · {self.queries} queries, "
            f"{self.query_ms_p50:.0f} ms each ({self.query_ms_p95:.0f} ms at the 95th percentile)"
        )
        if self.hit_at_5_within_one_page is not None:
            rows.append(f"{_NEAR} {self.hit_at_5_within_one_page:.3f}")
        rows += [f"Skipped {reason}" for reason in self.skipped]
        return "\n".join(rows)


def evaluate_retrieval(
    folder: Path,
    dense: DenseEmbedder,
    sparse: SparseEmbedder,
    *,
    queries: Path | None = None,
    qrels: Path | None = None,
    stages: Stages | None = None,
    reranker: Reranker | None = None,
    on_progress: Progress | None = None,
) -> RetrievalReport:
    """Index a judged set into a store of its own, ask all of its queries, and measure.

    Raises:
        UnreadableSource: the folder is not in the BEIR layout.
        EmbeddingError, StoreUnavailable, RerankerError: indexing or searching failed.
    """
    judged = read(folder, queries, qrels)
    tell = on_progress or _silent
    with _temporary_store(dense) as store:
        started = time.perf_counter()
        total = len(judged.sources)
        Indexer(store, dense, sparse, _TEAM).put(judged.sources, lambda done: tell("indexing", done, total))
        index_seconds = time.perf_counter() - started
        runs, times_ms = _ask_all(judged, Searcher(store, dense, sparse, stages, reranker), tell)
        passages = store.count()
    percentiles = quantiles(times_ms, n=20, method="inclusive") if len(times_ms) > 1 else times_ms * 19
    return RetrievalReport(
        retrievers={name: measure(rankings, judged.qrels) for name, rankings in runs.items()},
        passages=passages,
        queries=len(judged.queries),
        index_seconds=index_seconds,
        query_ms_p50=percentiles[9],
        query_ms_p95=percentiles[18],
        hit_at_5_within_one_page=hit_within_one_page(runs["hybrid"], judged.qrels, 5),
        skipped=judged.skipped,
    )


def _ask_all(
    judged: JudgedSet, searcher: Searcher, tell: Progress
) -> tuple[dict[str, dict[str, list[str]]], list[float]]:
    """Each retriever's ranking of sources by query id, and how long each search took in ms."""
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in ("bm25", "dense", "hybrid")}
    times_ms = []
    for done, (query, text) in enumerate(judged.queries.items(), start=1):
        started = time.perf_counter()
        result = searcher.search(text, _EVERYTHING)
        times_ms.append((time.perf_counter() - started) * 1000)
        for name, ranking in _rankings(result, text, searcher, judged.id_of).items():
            runs.setdefault(name, {})[query] = ranking
        tell("searching", done, len(judged.queries))
    return runs, times_ms


def _rankings(
    result: SearchResult, text: str, searcher: Searcher, id_of: Callable[[Passage], str]
) -> dict[str, list[str]]:
    """Sources as the product's search ranks them; where passages of few sources fill it, deeper searches follow on."""
    rankings = {name: _sources(ranked, id_of) for name, ranked in _retrievers(result).items()}
    limit = _RANKED
    while any(len(rankings[name]) < _RANKED and len(ranked) >= limit for name, ranked in _retrievers(result).items()):
        limit *= 4
        result = searcher.search(text, _EVERYTHING, limit)
        for name, ranked in _retrievers(result).items():
            rankings[name] = list(dict.fromkeys(rankings[name] + _sources(ranked, id_of)))
    return rankings


def _retrievers(result: SearchResult) -> dict[str, Sequence[Candidate | Hit]]:
    legs: dict[str, Sequence[Candidate | Hit]] = {"bm25": result.sparse, "dense": result.dense}
    was_reranked = any(hit.reranked is not None for hit in result.hits)
    return legs | {"hybrid": result.fused} | ({"hybrid_rerank": result.hits} if was_reranked else {})


def _sources(ranked: Sequence[Candidate | Hit], id_of: Callable[[Passage], str]) -> list[str]:
    """Each source or page by its best passage; equal scores by the source's id."""
    best: dict[str, tuple[float, float]] = {}
    for candidate in ranked:
        best.setdefault(id_of(candidate.passage), _scores(candidate))
    return sorted(sorted(best), key=lambda source: best[source], reverse=True)


def _scores(candidate: Candidate | Hit) -> tuple[float, float]:
    """What a candidate is ordered by, higher first: a reranker's score before any other."""
    reranked = candidate.reranked if isinstance(candidate, Hit) else None
    return (-math.inf, candidate.score) if reranked is None else (reranked, 0.0)


def _named(measures: Measures) -> dict[str, float]:
    return {
        "ndcg@10": round(measures.ndcg_at_10, 4),
        "recall@5": round(measures.recall_at_5, 4),
        "recall@10": round(measures.recall_at_10, 4),
        "mrr@10": round(measures.mrr_at_10, 4),
    }


@contextmanager
def _temporary_store(dense: DenseEmbedder) -> Iterator[PassageStore]:
    with TemporaryDirectory(prefix="footnote-") as folder:
        store = EdgeStore(Path(folder), Collection(_TEAM, dense.model, dense.dimension, CHUNKING_VERSION))
        try:
            yield store
        finally:
            store.close()


def _silent(stage: str, done: int, total: int) -> None:
    del stage, done, total
