"""Keeps passages in Qdrant's engine inside the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TypeVar

import qdrant_edge as engine

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, read_manifest, require_match, write_manifest
from retrieval.stores.inside import Scored, admitted, best, required_places
from retrieval.stores.payload import from_payload, to_payload
from retrieval.stores.protocol import EmbeddedPassage, LegScores, Vector
from retrieval.types import Candidate, Passage, Scope, SparseVector

_T = TypeVar("_T")

_DENSE = "dense"
_SPARSE = "sparse"
_PAGE = 1000
"""Points read at once when all of a source are read."""
_BATCH = 200
"""Points written at once: about 2 MB."""
_NO_LIMIT = 2**31 - 1


class EdgeStore:
    """A `PassageStore` in a folder; only one process at a time can have it open.

    It is never optimised here: `optimize()` holds the interpreter's lock for as long as it runs.
    """

    def __init__(self, folder: Path, collection: Collection) -> None:
        """Open the collection's shard, or make it.

        Raises:
            CollectionMismatch: the folder holds another collection.
            StoreUnavailable: it can't be opened; another process may have it.
        """
        self._write = RLock()
        found = read_manifest(folder / "manifest.json")
        if found is not None:
            require_match(found, collection, folder)
        self._shard = _guarded(lambda: _open(folder / "shard", collection.dimension), f"The store in {folder}")
        if found is None:
            write_manifest(folder / "manifest.json", collection)

    # ------------------------------------------------------------------------------------------------ writing

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        points = [_point(embedded) for embedded in passages]
        for start in range(0, len(points), _BATCH):
            self._update(engine.UpdateOperation.upsert_points(points[start : start + _BATCH]))

    def describe(self, passages: Sequence[Passage]) -> None:
        with self._write:  # what is stored now must still be when it is written: the engine fails at unknown ids
            stored = self._stored({passage.id for passage in passages})
            for passage in passages:
                if passage.id in stored:
                    self._update(engine.UpdateOperation.overwrite_payload([passage.id], to_payload(passage)))

    def delete(self, passage_ids: Sequence[str]) -> None:
        if passage_ids:
            self._update(engine.UpdateOperation.delete_points(list(passage_ids)))

    def _update(self, operation: engine.UpdateOperation) -> None:
        """Apply one operation; it is in the write-ahead log when this returns."""
        with self._write:
            _guarded(lambda: self._shard.update(operation), "Writing to the store")

    # --------------------------------------------------------------------------------- reading, to keep the index

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        records = self._scroll(engine.Filter(must=[_equals("source_id", source_id)]))
        return tuple(sorted(map(_passage, records), key=lambda passage: (passage.position, passage.id)))

    def sources_of(self, origin: str) -> frozenset[str]:
        request = engine.FacetRequest(
            "source_id", limit=_NO_LIMIT, exact=True, filter=engine.Filter(must=[_equals("origin", origin)])
        )
        hits = _guarded(partial(self._shard.facet, request), "Reading the store").hits
        return frozenset(str(hit.value) for hit in hits)

    def count(self) -> int:
        return int(_guarded(lambda: self._shard.count(engine.CountRequest(exact=True)), "Reading the store"))

    def _stored(self, passage_ids: set[str]) -> set[str]:
        records = _guarded(lambda: self._shard.retrieve(list(passage_ids), False, False), "Reading the store")
        return {str(record.id) for record in records}

    def _scroll(self, condition: engine.Filter) -> list[engine.Record]:
        records: list[engine.Record] = []
        offset = None
        while True:
            request = engine.ScrollRequest(offset=offset, limit=_PAGE, filter=condition, with_payload=True)
            page, offset = _guarded(partial(self._shard.scroll, request), "Reading the store")
            records += page
            if offset is None:
                return records

    # ------------------------------------------------------------------------------------- reading inside a scope

    def search_dense(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._search(_dense_leg(vector), scope, limit)

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
        asked = engine.HasIdCondition(set(passage_ids))
        records = self._scroll(engine.Filter(must=[*_conditions(scope), asked]))
        found = {passage.id: passage for passage in admitted(map(_passage, records), scope)}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def close(self) -> None:
        with self._write:
            _guarded(self._shard.close, "Closing the store")

    def _search(self, leg: _Leg, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        def ask(number: int) -> list[Scored]:
            return [Scored(_passage(point), point.score) for point in self._query(leg, scope, number)]

        return best(ask, scope, limit)

    def _scores_of(self, passage_ids: Sequence[str], leg: _Leg, scope: Scope) -> dict[str, float]:
        asked = engine.HasIdCondition(set(passage_ids))
        points = self._query(leg, scope, len(set(passage_ids)), asked)
        scores = {str(point.id): float(point.score) for point in points}
        return {passage.id: scores[passage.id] for passage in admitted(map(_passage, points), scope)}

    def _query(self, leg: _Leg, scope: Scope, limit: int, *also: engine.HasIdCondition) -> list[engine.ScoredPoint]:
        """Ask one leg, with the scope in the leg and at the root."""
        inside = engine.Filter(must=[*_conditions(scope), *also])
        params = leg.params(scope)
        request = engine.QueryRequest(
            limit=limit,
            query=leg.query,
            prefetches=[engine.Prefetch(limit=limit, query=leg.query, filter=inside, params=params)],
            filter=inside,
            params=params,
            with_payload=True,
        )
        return _guarded(partial(self._shard.query, request), "Searching the store")


@dataclass(frozen=True, slots=True)
class _Leg:
    """What one ranking goes by."""

    query: engine.Query
    counts_documents: bool
    """Whether its scores hold document frequencies, which are then counted over the scope."""

    def params(self, scope: Scope) -> engine.SearchParams:
        idf = engine.IdfParams(corpus=engine.Filter(must=_conditions(scope))) if self.counts_documents else None
        return engine.SearchParams(exact=True, idf=idf)


def _dense_leg(vector: Vector) -> _Leg:
    return _Leg(engine.Query.Nearest(vector.tolist(), using=_DENSE), counts_documents=False)


def _sparse_leg(vector: SparseVector) -> _Leg:
    return _Leg(engine.Query.Nearest(_engine_vector(vector), using=_SPARSE), counts_documents=True)


def _engine_vector(vector: SparseVector) -> engine.SparseVector:
    return engine.SparseVector(list(vector.indices), list(vector.values))


def _conditions(scope: Scope) -> list[engine.ConditionType]:
    """The scope as the engine's conditions, all of which must hold."""
    return [engine.FieldCondition("places", match=engine.MatchAny(list(any_of))) for any_of in required_places(scope)]


def _equals(field: str, value: str) -> engine.FieldCondition:
    return engine.FieldCondition(field, match=engine.MatchValue(value))


def _point(embedded: EmbeddedPassage) -> engine.Point:
    vectors = {_DENSE: embedded.dense.tolist(), _SPARSE: _engine_vector(embedded.sparse)}
    return engine.Point(embedded.passage.id, vectors, to_payload(embedded.passage))


def _passage(point: engine.ScoredPoint | engine.Record) -> Passage:
    return from_payload(str(point.id), point.payload or {})


def _open(folder: Path, dimension: int) -> engine.EdgeShard:
    if (folder / "edge_config.json").exists():
        return engine.EdgeShard.load(str(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    shard = engine.EdgeShard.create(
        str(folder),
        engine.EdgeConfig(
            vectors={_DENSE: _nearest_of_several(dimension)},
            sparse_vectors={_SPARSE: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
        ),
    )
    for field in ("places", "source_id", "origin"):
        shard.update(engine.UpdateOperation.create_field_index(field, engine.PayloadSchemaType.Keyword))
    return shard


def _nearest_of_several(dimension: int) -> engine.EdgeVectorParams:
    """A passage has vectors of itself and of its parts; the engine scores it by the one nearest to the query."""
    nearest = engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim)
    return engine.EdgeVectorParams(size=dimension, distance=engine.Distance.Cosine, multivector_config=nearest)


def _guarded(call: Callable[[], _T], doing: str) -> _T:
    try:
        return call()
    except Exception as error:  # the engine raises bare Exception for everything
        raise StoreUnavailable(f"{doing} failed: {error}.") from error
