"""Keeps passages in a Qdrant server or cluster, for any number of processes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from qdrant_client import QdrantClient, models

from retrieval.errors import StoreUnavailable
from retrieval.stores.inside import Scored, admitted, best, required_places
from retrieval.stores.payload import from_payload, to_payload
from retrieval.stores.protocol import EmbeddedPassage, LegScores, Vector
from retrieval.stores.server_calls import Calls
from retrieval.types import Candidate, Passage, Scope, SparseVector

_T = TypeVar("_T")

DENSE = "dense"
SPARSE = "sparse"
COARSE = "coarse"
"""Where the collection has it, a short copy of the dense vectors, by which its dense leg goes first."""
_OVERSAMPLING = 4
"""How many times as many passages the coarse vectors choose as the whole ones then rank: docs/decisions/0019."""
_PAGE = 1000
"""Points read at once when all of a source are read."""
_BATCH = 50
"""Points written at once. A server takes 32 MB by default; in JSON, four vectors of 384 numbers take about 30 KB, ten
of 1,024 about 200 KB."""
_FIRST_SOURCES = 1000
"""Sources asked for at once; servers set memory aside for as many as they are asked for, so it grows only if needed."""


class ServerStore:
    """A `PassageStore` in one collection of a server. Nobody owns it: of two writes of a passage the last stays."""

    def __init__(self, client: QdrantClient, calls: Calls, name: str, *, is_coarse: bool = False) -> None:
        """Take over a client, to close it in the end; the collection exists, with coarse vectors or without."""
        self._client = client
        self._calls = calls
        self._name = name
        self._is_coarse = is_coarse
        self._is_closed = False

    # ------------------------------------------------------------------------------------------------ writing

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        points = [_point(embedded, is_coarse=self._is_coarse) for embedded in passages]
        for start in range(0, len(points), _BATCH):
            self._write(models.UpsertOperation(upsert=models.PointsList(points=points[start : start + _BATCH])))

    def describe(self, passages: Sequence[Passage]) -> None:
        for start in range(0, len(passages), _BATCH):
            self._write(*map(_overwriting, passages[start : start + _BATCH]))

    def delete(self, passage_ids: Sequence[str]) -> None:
        if passage_ids:
            self._write(models.DeleteOperation(delete=models.PointIdsList(points=list(passage_ids))))

    def _write(self, *changes: models.UpdateOperation) -> None:
        """Make changes; when this returns they can be found on every replica that is in service."""
        update = partial(
            self._client.batch_update_points, self._name, changes, wait=True, ordering=models.WriteOrdering.MEDIUM
        )
        results = self._call("Writing to the store", update)
        if any(result.status is not models.UpdateStatus.COMPLETED for result in results):
            raise StoreUnavailable("Writing to the store failed: the Qdrant server didn't finish in time; try again.")

    # --------------------------------------------------------------------------------- reading, to keep the index

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        records = self._scroll(models.Filter(must=[_equals("source_id", source_id)]))
        return tuple(sorted(map(_passage, records), key=lambda passage: (passage.position, passage.id)))

    def sources_of(self, origin: str) -> frozenset[str]:
        inside = models.Filter(must=[_equals("origin", origin)])
        limit = _FIRST_SOURCES
        while True:
            facet = partial(self._client.facet, self._name, "source_id", inside, limit, exact=True)
            hits = self._call("Reading the store", facet).hits
            if len(hits) < limit:
                return frozenset(str(hit.value) for hit in hits)
            limit *= 4

    def count(self) -> int:
        return self._call("Reading the store", lambda: self._client.count(self._name, exact=True)).count

    def _scroll(self, condition: models.Filter) -> list[models.Record]:
        records: list[models.Record] = []
        offset = None
        while True:
            scroll = partial(self._client.scroll, self._name, condition, limit=_PAGE, offset=offset, with_payload=True)
            page, offset = self._call("Reading the store", scroll)
            records += page
            if offset is None:
                return records

    # ------------------------------------------------------------------------------------- reading inside a scope

    def search_dense(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._search(_dense_leg(vector, first=COARSE if self._is_coarse else DENSE), scope, limit)

    def search_sparse(self, vector: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._search(_sparse_leg(vector), scope, limit) if vector.indices else ()

    def score(
        self, passage_ids: Sequence[str], dense: Vector, sparse: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        if scope.is_empty or not passage_ids:
            return {}
        dense_scores = self._scores_of(passage_ids, _dense_leg(dense), scope)
        sparse_scores = self._scores_of(passage_ids, _sparse_leg(sparse), scope) if sparse.indices else {}
        return {id_: LegScores(score, sparse_scores.get(id_, 0.0)) for id_, score in dense_scores.items()}

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        if scope.is_empty or not passage_ids:
            return ()
        records = self._scroll(models.Filter(must=[*_conditions(scope), _one_of(passage_ids)]))
        found = {passage.id: passage for passage in admitted(map(_passage, records), scope)}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def close(self) -> None:
        self._is_closed = True
        self._client.close()

    def _search(self, leg: _Leg, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        def ask(number: int) -> list[Scored]:
            return [Scored(_passage(point), _score(point)) for point in self._query(leg, scope, number)]

        return best(ask, scope, limit)

    def _scores_of(self, passage_ids: Sequence[str], leg: _Leg, scope: Scope) -> dict[str, float]:
        points = self._query(leg, scope, len(set(passage_ids)), _one_of(passage_ids))
        scores = {str(point.id): _score(point) for point in points}
        return {passage.id: scores[passage.id] for passage in admitted(map(_passage, points), scope)}

    def _query(self, leg: _Leg, scope: Scope, limit: int, *also: models.HasIdCondition) -> list[models.ScoredPoint]:
        """Ask one leg, with the scope in the leg and at the root."""
        inside = models.Filter(must=[*_conditions(scope), *also])
        params = leg.params(scope)
        deep = limit if leg.first == leg.using else limit * _OVERSAMPLING
        query = partial(
            self._client.query_points,
            self._name,
            query=leg.query,
            using=leg.using,
            prefetch=models.Prefetch(query=leg.query, using=leg.first, filter=inside, params=params, limit=deep),
            query_filter=inside,
            search_params=params,
            limit=limit,
            with_payload=True,
        )
        return self._call("Searching the store", query).points

    def _call(self, doing: str, call: Callable[[], _T]) -> _T:
        if self._is_closed:
            raise StoreUnavailable("The store was closed; open it again.")
        return self._calls.make(doing, call)


@dataclass(frozen=True, slots=True)
class _Leg:
    """What one ranking goes by."""

    query: models.SparseVector | list[list[float]]
    first: str
    """The vectors by which candidates are chosen."""
    using: str
    """The vectors by which they are ranked."""
    counts_documents: bool
    """Whether its scores hold document frequencies, which are then counted over the scope."""

    def params(self, scope: Scope) -> models.SearchParams:
        corpus = models.IdfCorpusParams(corpus=models.Filter(must=_conditions(scope)))
        return models.SearchParams(exact=True, idf=corpus if self.counts_documents else None)


def _dense_leg(vector: Vector, *, first: str = DENSE) -> _Leg:
    return _Leg([vector.tolist()], first, DENSE, counts_documents=False)


def _sparse_leg(vector: SparseVector) -> _Leg:
    return _Leg(_server_vector(vector), SPARSE, SPARSE, counts_documents=True)


def _server_vector(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _conditions(scope: Scope) -> list[models.Condition]:
    """The scope as the server's conditions, all of which must hold."""
    return [
        models.FieldCondition(key="places", match=models.MatchAny(any=list(any_of)))
        for any_of in required_places(scope)
    ]


def _equals(field: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def _one_of(passage_ids: Sequence[str]) -> models.HasIdCondition:
    return models.HasIdCondition(has_id=sorted(set(passage_ids)))


def _point(embedded: EmbeddedPassage, *, is_coarse: bool) -> models.PointStruct:
    dense = embedded.dense.tolist()
    vectors = dict.fromkeys([DENSE, COARSE] if is_coarse else [DENSE], dense) | {
        SPARSE: _server_vector(embedded.sparse)
    }
    return models.PointStruct(id=embedded.passage.id, vector=vectors, payload=to_payload(embedded.passage))


def _overwriting(passage: Passage) -> models.OverwritePayloadOperation:
    """By a filter, which an unknown id just doesn't match; named outright it would be a fault."""
    chosen = models.Filter(must=[_one_of([passage.id])])
    return models.OverwritePayloadOperation(
        overwrite_payload=models.SetPayload(payload=to_payload(passage), filter=chosen)
    )


def _score(point: models.ScoredPoint) -> float:
    """In single precision, in which servers and the edge engine count; local mode's further digits are noise."""
    return float(np.float32(point.score))


def _passage(point: models.ScoredPoint | models.Record) -> Passage:
    return from_payload(str(point.id), point.payload or {})
