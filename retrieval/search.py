"""Finds the passages of a scope that fit a query best, by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

from retrieval.chunking import text_to_embed
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.fusion import FUSIONS, Scores, in_context, ranked
from retrieval.stores.protocol import LegScores, PassageStore, Vector
from retrieval.types import Candidate, Hit, Passage, Scope, SearchResult, SparseVector


@dataclass(frozen=True, slots=True)
class Stages:
    """Which stages a search has; each can be switched off, to see what it is worth."""

    dense: bool = True
    sparse: bool = True
    fill: bool = True
    """Whether a candidate of one leg gets the other leg's score too."""
    neighbours: bool = True
    """Whether a candidate's meaning is also that of the passages right before and after it."""
    fusion: str = "scores"
    """A name of `retrieval.fusion.FUSIONS`."""
    candidates: int = 50
    """How many each leg gives at least, however few hits are asked for."""
    rerank: int = 20
    """How many of the best fused hits a reranker puts into its order, where there is one; 0 switches it off."""


class Reranker(Protocol):
    """Judges passages by reading each together with the query. Raises `RerankerError`."""

    def score(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """A score for each passage, in order; higher is better, comparable within one query only."""
        ...


class Searcher:
    """Dense and sparse search in one store, and a reranker's order of what they find where one is given."""

    def __init__(
        self,
        store: PassageStore,
        dense: DenseEmbedder,
        sparse: SparseEmbedder,
        stages: Stages | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._store = store
        self._dense = dense
        self._sparse = sparse
        self._stages = stages or Stages()
        self._reranker = reranker
        self._fuse = FUSIONS[self._stages.fusion]
        self._pool = ThreadPoolExecutor(thread_name_prefix="sparse-leg")

    def search(self, query: str, scope: Scope, limit: int = 50) -> SearchResult:
        """The best `limit` passages of the scope, with each leg's candidates; nothing for an empty scope.

        Raises:
            EmbeddingError, StoreUnavailable, RerankerError: a stage failed; there is no half answer.
        """
        if scope.is_empty:
            return SearchResult()
        depth = max(limit, self._stages.candidates)
        terms = self._sparse.embed_query(query)
        sparse_leg = self._pool.submit(self._sparse_candidates, terms, scope, depth)
        vector = self._dense.embed_query(query)
        dense = self._dense_candidates(vector, scope, depth)
        sparse = sparse_leg.result()
        passages = {candidate.passage.id: candidate.passage for candidate in (*dense, *sparse)}
        scores = self._scores(passages, vector, terms, scope)
        fused = self._fused(passages, self._votes(dense, sparse, passages, scores), scores)
        return SearchResult(self._reranked(query, fused)[:limit], dense, sparse, fused[:limit])

    def _dense_candidates(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._store.search_dense(vector, scope, limit) if self._stages.dense else ()

    def _sparse_candidates(self, terms: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._store.search_sparse(terms, scope, limit) if self._stages.sparse else ()

    def _scores(
        self, passages: Mapping[str, Passage], vector: Vector, terms: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        """Both scores of every candidate, and of those beside it, that is still in the store and in scope."""
        beside = (id_ for passage in passages.values() for id_ in self._beside(passage))
        return self._store.score(sorted({*passages, *beside}), vector, terms, scope)

    def _beside(self, passage: Passage) -> tuple[str, ...]:
        return passage.neighbours if self._stages.neighbours and self._stages.dense else ()

    def _votes(
        self,
        dense: tuple[Candidate, ...],
        sparse: tuple[Candidate, ...],
        passages: Mapping[str, Passage],
        scores: Mapping[str, LegScores],
    ) -> tuple[Scores, Scores]:
        """What each leg brings to the fusion."""

        def meaning(id_: str) -> float:
            beside = [scores[one].dense for one in self._beside(passages[id_]) if one in scores]
            return in_context(scores[id_].dense, beside)

        of_meaning = self._voters(dense, passages, self._stages.dense)
        of_words = self._voters(sparse, passages, self._stages.sparse)
        return (
            {id_: meaning(id_) for id_ in of_meaning if id_ in scores},
            {id_: scores[id_].sparse for id_ in of_words if id_ in scores},
        )

    def _voters(self, leg: tuple[Candidate, ...], candidates: Iterable[str], leg_is_on: bool) -> list[str]:
        """Whose scores one leg brings to the fusion."""
        if self._stages.fill and leg_is_on:
            return list(candidates)
        return [candidate.passage.id for candidate in leg]

    def _fused(
        self, passages: Mapping[str, Passage], votes: tuple[Scores, Scores], scores: Mapping[str, LegScores]
    ) -> tuple[Hit, ...]:
        fused = self._fuse(*votes)
        return tuple(
            Hit(passages[id_], fused[id_], rank, scores[id_].dense, scores[id_].sparse)
            for rank, id_ in enumerate(ranked(fused), start=1)
        )

    def _reranked(self, query: str, fused: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The best hits in the reranker's order, equal ones by id, before all others; what each leg thought stays."""
        best, others = fused[: self._stages.rerank], fused[self._stages.rerank :]
        if self._reranker is None or not best:
            return fused
        scores = self._reranker.score(query, [text_to_embed(hit.passage) for hit in best])
        judged = sorted(zip(scores, best, strict=True), key=lambda one: (-one[0], one[1].passage.id))
        ordered = (*(replace(hit, reranked=score) for score, hit in judged), *others)
        return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))
