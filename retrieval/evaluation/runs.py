"""Runs the product's own indexing and search over a judged set, and sees how well they did."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from retrieval.chunking import CHUNKING_VERSION, Budget
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.evaluation.judged import JudgedSet
from retrieval.evaluation.losses import GoldTrace, lost_at, rank_of
from retrieval.evaluation.metrics import hit_within_one_page, measure, ndcg_at_k
from retrieval.evaluation.report import RetrievalReport
from retrieval.indexing import Indexer
from retrieval.search import Reranker, Searcher, Stages
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, Candidate, Hit, Scope, SearchResult

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""

_TEAM = "evaluation"
_DEPTH = 50
"""Passages that a search of the product gives."""
_EVERYTHING = Scope(_TEAM, frozenset({frozenset({WORKSPACE})}))
_RANKED = 50
"""Sources that each ranking holds at least, where there are so many and nobody asks for less."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one query."""

    rankings: Mapping[str, Sequence[str]]
    """By retriever: the ids of sources, best first."""
    candidates: frozenset[str]
    """The ids that at least one leg found, as deep as the product looks."""
    ms: float
    """How long the search took."""


class Evaluation:
    """A judged set in an index of its own, of which searches with other stages can be measured one after the other."""

    def __init__(
        self, judged: JudgedSet, dense: DenseEmbedder, sparse: SparseEmbedder, store: PassageStore, seconds: float
    ) -> None:
        self._judged = judged
        self._dense = dense
        self._sparse = sparse
        self._store = store
        self._seconds = seconds

    def run(
        self,
        stages: Stages | None = None,
        reranker: Reranker | None = None,
        on_progress: Progress | None = None,
        ranked: int = _RANKED,
    ) -> RetrievalReport:
        """Ask all queries, and measure; each ranking holds at least `ranked` sources, where there are so many.

        Raises:
            EmbeddingError, StoreUnavailable, RerankerError: a search failed.
        """
        searcher = Searcher(self._store, self._dense, self._sparse, stages, reranker)
        asked: dict[str, Asked] = {}
        for done, (query, text) in enumerate(self._judged.queries.items(), start=1):
            asked[query] = self._ask(query, text, searcher, ranked)
            (on_progress or _silent)("searching", done, len(self._judged.queries))
        return self._report(asked)

    def _ask(self, query: str, text: str, searcher: Searcher, least: int) -> Asked:
        """Sources as the product's search ranks them; where few sources fill it, deeper searches follow on."""
        started = time.perf_counter()
        result = searcher.search(text, _EVERYTHING, _DEPTH)
        ms = (time.perf_counter() - started) * 1000
        candidates = frozenset(self._ids([*result.dense, *result.sparse], query))
        rankings = {name: self._ids(found, query) for name, found in _retrievers(result).items()}
        limit = _DEPTH
        while any(len(rankings[name]) < least and len(found) >= limit for name, found in _retrievers(result).items()):
            limit *= 4
            result = searcher.search(text, _EVERYTHING, limit)
            for name, found in _retrievers(result).items():
                rankings[name] = list(dict.fromkeys(rankings[name] + self._ids(found, query)))
        return Asked(rankings, candidates, ms)

    def _ids(self, ranked: Sequence[Candidate | Hit], query: str) -> list[str]:
        """Each source or page by its best passage; equal scores by the source's id."""
        best: dict[str, tuple[float, float]] = {}
        for candidate in ranked:
            best.setdefault(self._judged.id_of(candidate.passage, query), _scores(candidate))
        return sorted(sorted(best), key=lambda source: best[source], reverse=True)

    def _report(self, asked: Mapping[str, Asked]) -> RetrievalReport:
        names = list(next(iter(asked.values())).rankings) if asked else list(_retrievers(SearchResult()))
        runs = {name: {query: one.rankings[name] for query, one in asked.items()} for name in names}
        last, times_ms = runs[names[-1]], [one.ms for one in asked.values()] or [0.0]
        percentiles = quantiles(times_ms, n=20, method="inclusive") if len(times_ms) > 1 else times_ms * 19
        qrels = self._judged.qrels
        return RetrievalReport(
            retrievers={name: measure(rankings, qrels) for name, rankings in runs.items()},
            passages=self._store.count(),
            queries=len(asked),
            index_seconds=self._seconds,
            query_ms_p50=percentiles[9],
            query_ms_p95=percentiles[18],
            traces=tuple(self._traces(asked)),
            ndcg_at_10={query: ndcg_at_k(ranking, qrels[query], 10) for query, ranking in last.items()},
            hit_at_5_within_one_page=hit_within_one_page(runs["hybrid"], qrels, 5),
            skipped=self._judged.skipped,
        )

    @cached_property
    def _held(self) -> frozenset[str]:
        """The gold that the index holds."""
        sources = (self._store.passages_of(source.id) for source in self._judged.sources)
        return self._judged.held([passage for passages in sources for passage in passages])

    def _traces(self, asked: Mapping[str, Asked]) -> Iterator[GoldTrace]:
        for query, one in asked.items():
            for gold in self._judged.qrels[query]:
                ranks = {name: rank_of(gold, ranking) for name, ranking in one.rankings.items()}
                lost = lost_at(ranks, is_indexed=gold in self._held, is_candidate=gold in one.candidates)
                yield GoldTrace(query, self._judged.queries[query], gold, ranks, lost)


@contextmanager
def indexed(
    judged: JudgedSet,
    dense: DenseEmbedder,
    sparse: SparseEmbedder,
    budget: Budget | None = None,
    on_progress: Progress | None = None,
) -> Iterator[Evaluation]:
    """The set in an index of its own, cut as the product cuts or by another budget.

    Raises:
        EmbeddingError, StoreUnavailable: indexing failed.
    """
    tell = on_progress or _silent
    with TemporaryDirectory(prefix="footnote-") as folder:
        store = EdgeStore(Path(folder), Collection(_TEAM, dense.model, dense.dimension, CHUNKING_VERSION))
        try:
            started, total = time.perf_counter(), len(judged.sources)
            indexer = Indexer(store, dense, sparse, _TEAM, budget)
            indexer.put(judged.sources, lambda done: tell("indexing", done, total))
            yield Evaluation(judged, dense, sparse, store, time.perf_counter() - started)
        finally:
            store.close()


def evaluate_retrieval(
    judged: JudgedSet,
    dense: DenseEmbedder,
    sparse: SparseEmbedder,
    *,
    stages: Stages | None = None,
    budget: Budget | None = None,
    reranker: Reranker | None = None,
    on_progress: Progress | None = None,
) -> RetrievalReport:
    """Index a judged set into a store of its own, ask all of its queries, and measure.

    Raises:
        EmbeddingError, StoreUnavailable, RerankerError: indexing or searching failed.
    """
    with indexed(judged, dense, sparse, budget, on_progress) as evaluation:
        return evaluation.run(stages, reranker, on_progress)


def _retrievers(result: SearchResult) -> dict[str, Sequence[Candidate | Hit]]:
    """What each retriever ranked, in order of stages."""
    legs: dict[str, Sequence[Candidate | Hit]] = {"bm25": result.sparse, "dense": result.dense}
    was_reranked = any(hit.reranked is not None for hit in result.hits)
    return legs | {"hybrid": result.fused} | ({"hybrid_rerank": result.hits} if was_reranked else {})


def _scores(candidate: Candidate | Hit) -> tuple[float, float]:
    """What a candidate is ordered by, higher first: a reranker's score before any other."""
    reranked = candidate.reranked if isinstance(candidate, Hit) else None
    return (-math.inf, candidate.score) if reranked is None else (reranked, 0.0)


def _silent(stage: str, done: int, total: int) -> None:
    del stage, done, total
