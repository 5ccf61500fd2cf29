"""Finds the passages of a scope that fit a query best, by meaning and by words at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from retrieval.chunking import text_to_embed
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.fusion import FUSIONS, Scores, in_context, ranked
from retrieval.stores.protocol import BothLegs, LegScores, PassageStore, Vector
from retrieval.types import Candidate, Hit, Passage, Scope, SearchResult, SparseVector

_NO_WORDS = SparseVector((), ())


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

    def search(self, query: str, scope: Scope, limit: int = 50) -> SearchResult:
        """The best `limit` passages of the scope, with each leg's candidates; nothing for an empty scope.

        Raises:
            EmbeddingError, StoreUnavailable, RerankerError: a stage failed; there is no half answer.
        """
        if scope.is_empty:
            return SearchResult()
        depth = max(limit, self._stages.candidates)
        terms, vector = self._sparse.embed_query(query), self._dense.embed_query(query)
        found = self._found(vector, terms, scope, depth)
        passages = {
            one.passage.id: one.passage for one in (*found.dense, *found.sparse) if one.passage.id in found.scores
        }
        votes = self._votes(found, passages, self._cosines(passages, found.scores, vector, scope))
        fused = self._fused(passages, votes, found.scores)
        return SearchResult(self._reranked(query, fused)[:limit], found.dense, found.sparse, fused[:limit])

    def _found(self, vector: Vector, terms: SparseVector, scope: Scope, limit: int) -> BothLegs:
        if self._stages.dense and self._stages.sparse:
            return self._store.search_both(vector, terms, scope, limit)
        dense = self._store.search_dense(vector, scope, limit) if self._stages.dense else ()
        sparse = self._store.search_sparse(terms, scope, limit) if self._stages.sparse else ()
        ids = sorted(candidate.passage.id for candidate in (*dense, *sparse))
        return BothLegs(dense, sparse, self._store.score(ids, vector, terms, scope))

    def _cosines(
        self, passages: Mapping[str, Passage], scores: Mapping[str, LegScores], vector: Vector, scope: Scope
    ) -> Mapping[str, float]:
        """Of the candidates and of what stands beside them, as far as that is still in the store and in scope."""
        beside = {id_ for passage in passages.values() for id_ in self._beside(passage)} - scores.keys()
        all_scores = {**scores, **self._store.score(sorted(beside), vector, _NO_WORDS, scope)}
        return {id_: legs.dense for id_, legs in all_scores.items()}

    def _beside(self, passage: Passage) -> tuple[str, ...]:
        return passage.neighbours if self._stages.neighbours and self._stages.dense else ()

    def _votes(
        self, found: BothLegs, passages: Mapping[str, Passage], cosines: Mapping[str, float]
    ) -> tuple[Scores, Scores]:
        """What each leg brings to the fusion."""

        def meaning(id_: str) -> float:
            return in_context(cosines[id_], [cosines[one] for one in self._beside(passages[id_]) if one in cosines])

        of_meaning = self._voters(found.dense, passages, self._stages.dense)
        of_words = self._voters(found.sparse, passages, self._stages.sparse)
        return {id_: meaning(id_) for id_ in of_meaning}, {id_: found.scores[id_].sparse for id_ in of_words}

    def _voters(self, leg: tuple[Candidate, ...], candidates: Collection[str], leg_is_on: bool) -> list[str]:
        """Whose scores one leg brings to the fusion."""
        if self._stages.fill and leg_is_on:
            return list(candidates)
        return [candidate.passage.id for candidate in leg if candidate.passage.id in candidates]

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
