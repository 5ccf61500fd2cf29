"""Keeps passages in a Qdrant server or cluster, for any number of processes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from qdrant_client import QdrantClient, models

from retrieval.errors import StoreUnavailable
from retrieval.stores.inside import Found, admitted, search_legs
from retrieval.stores.payload import from_payload, to_payload
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, LegScores, Vector
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_requests import (
    COARSE,
    DENSE,
    SPARSE,
    Request,
    conditions,
    dense_request,
    dense_scores_request,
    equals,
    one_of,
    server_vector,
    sparse_request,
    sparse_scores_request,
)
from retrieval.types import Candidate, Passage, Scope, SparseVector

_T = TypeVar("_T")

_PAGE = 1000
"""Points read at once when all of a source are read."""
_BATCH = 50
"""Points written at once. A server takes 32 MB by default; in JSON, four vectors of 384 numbers take about 30 KB, ten
of 1,024 about 200 KB."""
_NO_WORDS = SparseVector((), ())
_FIRST_SOURCES = 1000
"""Sources asked for at once; servers set memory aside for as many as they are asked for, so it grows only if needed."""


def _unasked() -> None:
    """For a collection that nothing can be switched away from."""


class ServerStore:
    """A `PassageStore` in one collection of a server. Nobody owns it: of two writes of a passage the last stays."""

    def __init__(
        self,
        client: QdrantClient,
        calls: Calls,
        name: str,
        *,
        is_coarse: bool = False,
        settled: Callable[[], None] = _unasked,
    ) -> None:
        """Take over a client, to close it in the end; the collection exists.

        Args:
            client: Of the server.
            calls: Makes them.
            name: The collection's.
            is_coarse: Whether it has coarse vectors too.
            settled: Called behind each write; raises where another collection answers by then.
        """
        self._client = client
        self._settled = settled
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
        self._settled()

    # --------------------------------------------------------------------------------- reading, to keep the index

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        records = self._scroll(models.Filter(must=[equals("source_id", source_id)]))
        return tuple(sorted(map(_passage, records), key=lambda passage: (passage.position, passage.id)))

    def sources_of(self, origin: str) -> frozenset[str]:
        inside = models.Filter(must=[equals("origin", origin)])
        limit = _FIRST_SOURCES
        while True:
            facet = partial(self._client.facet, self._name, "source_id", inside, limit, exact=True)
            hits = self._call("Reading the store", facet).hits
            if len(hits) < limit:
                return frozenset(str(hit.value) for hit in hits)
            limit *= 4

    def page(self, after: str, limit: int) -> tuple[Passage, ...]:
        scroll = partial(
            self._client.scroll,
            self._name,
            limit=limit + 1,
            offset=after or None,
            with_payload=True,
            with_vectors=False,
        )
        records, _ = self._call("Reading the store", scroll)
        return tuple(_passage(record) for record in records if str(record.id) != after)[:limit]

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
        return self._search(vector, _NO_WORDS, scope, limit).dense

    def search_sparse(self, vector: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._search(None, vector, scope, limit).sparse

    def search_both(self, dense: Vector, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        return self._search(dense, sparse, scope, limit)

    def score(
        self, passage_ids: Sequence[str], dense: Vector, sparse: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        if scope.is_empty or not passage_ids:
            return {}
        by_meaning = self._scores(dense_scores_request(dense, scope, passage_ids), scope)
        by_words = self._scores(sparse_scores_request(sparse, scope, passage_ids), scope) if sparse.indices else {}
        return {id_: LegScores(score, by_words.get(id_, 0.0)) for id_, score in by_meaning.items()}

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        if scope.is_empty or not passage_ids:
            return ()
        records = self._scroll(models.Filter(must=[*conditions(scope), one_of(passage_ids)]))
        found = {passage.id: passage for passage in admitted(map(_passage, records), scope)}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def close(self) -> None:
        self._is_closed = True
        self._client.close()

    def _search(self, dense: Vector | None, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        def by_words(passages: Sequence[Passage]) -> Mapping[str, float]:
            return self._scores(sparse_scores_request(sparse, scope, [passage.id for passage in passages]), scope)

        return search_legs(partial(self._found, dense, sparse, scope), by_words, scope, limit)

    def _found(self, dense: Vector | None, sparse: SparseVector, scope: Scope, number: int) -> Found:
        near = self._query(dense_request(dense, scope, number, is_coarse=self._is_coarse)) if dense is not None else []
        sharing = self._query(sparse_request(sparse, scope, number, dense)) if sparse.indices else []
        cosines = {_id(point): _score(point) for point in (*near, *sharing)} if dense is not None else {}
        return Found(
            {_id(point): _score(point) for point in near},
            [_id(point) for point in sharing],
            cosines,
            map(_passage, (*near, *sharing)),
        )

    def _scores(self, request: Request, scope: Scope) -> dict[str, float]:
        found = {_id(point): point for point in self._query(request)}
        return {passage.id: _score(found[passage.id]) for passage in admitted(map(_passage, found.values()), scope)}

    def _query(self, request: Request) -> list[models.ScoredPoint]:
        query = partial(
            self._client.query_points,
            self._name,
            query=request.query,
            using=request.using,
            prefetch=request.legs,
            query_filter=request.inside,
            search_params=request.params,
            limit=request.limit,
            with_payload=True,
        )
        return self._call("Searching the store", query).points

    def _call(self, doing: str, call: Callable[[], _T]) -> _T:
        if self._is_closed:
            raise StoreUnavailable("The store was closed; open it again.")
        return self._calls.make(doing, call)


def _point(embedded: EmbeddedPassage, *, is_coarse: bool) -> models.PointStruct:
    dense = embedded.dense.tolist()
    vectors = dict.fromkeys([DENSE, COARSE] if is_coarse else [DENSE], dense) | {SPARSE: server_vector(embedded.sparse)}
    return models.PointStruct(id=embedded.passage.id, vector=vectors, payload=to_payload(embedded.passage))


def _overwriting(passage: Passage) -> models.OverwritePayloadOperation:
    """By a filter, which an unknown id just doesn't match; named outright it would be a fault."""
    chosen = models.Filter(must=[one_of([passage.id])])
    return models.OverwritePayloadOperation(
        overwrite_payload=models.SetPayload(payload=to_payload(passage), filter=chosen)
    )


def _id(point: models.ScoredPoint) -> str:
    return str(point.id)


def _score(point: models.ScoredPoint) -> float:
    """In single precision, in which servers and the edge engine count; local mode's further digits are noise."""
    return float(np.float32(point.score))


def _passage(point: models.ScoredPoint | models.Record) -> Passage:
    return from_payload(str(point.id), point.payload or {})
