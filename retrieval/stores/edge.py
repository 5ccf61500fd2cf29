"""Keeps passages in Qdrant's engine inside the process."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TypeVar

import qdrant_edge as engine

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, read_manifest, require_match, write_manifest
from retrieval.stores.edge_shard import (
    close_shard,
    conditions,
    dense_request,
    dense_scores_request,
    equals,
    guarded,
    open_shard,
    pages,
    sparse_request,
    sparse_scores_request,
    to_edge_payload,
    to_passage,
    to_places,
    to_point,
)
from retrieval.stores.edge_upkeep import Copy, Current, open_current, write_current
from retrieval.stores.inside import Found, admitted, is_admitted, search_legs
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, LegScores, Vector
from retrieval.types import Candidate, Passage, Place, Scope, SparseVector

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_PAGE = 1000
"""Points read at once when all of a source are read."""
_BATCH = 200
"""Points written at once: about 2 MB."""
_NO_LIMIT = 2**31 - 1
_SEARCHING = "Searching the store"
_NO_WORDS = SparseVector((), ())


class EdgeStore:
    """A `PassageStore` in a folder; only one process at a time can have it open.

    It is never optimised: `optimize()` holds the interpreter's lock for as long as it runs, and exact search gains
    nothing by it. Where much was deleted, a thread copies what is left into a new shard that takes the old one's place.
    """

    def __init__(self, folder: Path, collection: Collection) -> None:
        """Open the collection's shard, or make it.

        Raises:
            CollectionMismatch: the folder holds another collection.
            StoreUnavailable: it can't be opened; another process may have it.
        """
        self._write = RLock()
        self._folder = folder
        self._dimension = collection.dimension
        found = read_manifest(folder / "manifest.json")
        if found is not None:
            require_match(found, collection)
        self._current, self._shard = open_current(folder, collection.dimension)
        if found is None:
            write_manifest(folder / "manifest.json", collection)
        self._copy: Copy | None = None
        self._compacting: Thread | None = None
        self._closing = Event()

    # ------------------------------------------------------------------------------------------------ writing

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            operation = engine.UpdateOperation.upsert_points([to_point(embedded) for embedded in batch])
            self._update(operation, [embedded.passage.id for embedded in batch])

    def describe(self, passages: Sequence[Passage]) -> None:
        with self._write:  # what is stored now must still be when it is written: the engine fails at unknown ids
            stored = self._stored({passage.id for passage in passages})
            for passage in passages:
                if passage.id in stored:
                    operation = engine.UpdateOperation.overwrite_payload([passage.id], to_edge_payload(passage))
                    self._update(operation, [passage.id])

    def delete(self, passage_ids: Sequence[str]) -> None:
        if not passage_ids:
            return
        with self._write:
            self._update(engine.UpdateOperation.delete_points(list(passage_ids)), passage_ids)
            self._current = replace(self._current, deleted=self._current.deleted + len(passage_ids))
            write_current(self._folder, self._current)
            if self._compacting is None and self._current.is_due(self.count):
                self._compacting = Thread(target=self._compact_in_peace, name="store-upkeep", daemon=True)
                self._compacting.start()

    def _update(self, operation: engine.UpdateOperation, passage_ids: Sequence[str]) -> None:
        """Apply one operation; it is in the write-ahead log when this returns."""
        with self._write:
            guarded(lambda: self._shard.update(operation), "Writing to the store")
            if self._copy is not None:
                self._copy.note(passage_ids)

    # ------------------------------------------------------------------------------------------------ upkeep

    def compact(self) -> None:
        """Give back the room of what was deleted; others read and write meanwhile.

        Raises:
            StoreUnavailable: it failed; the shard that was there stays.
        """
        following = self._current.following()
        place = self._folder / following.folder
        shutil.rmtree(place, ignore_errors=True)  # what an attempt before left
        copy = Copy(self._shard, guarded(lambda: open_shard(place, self._dimension), "Copying the store"))
        with self._write:
            self._copy = copy
        try:
            if copy.copy_all(self._closing) and copy.catch_up(self._write, self._closing):
                self._take_over(copy, following)
            else:
                guarded(copy.target.close, "Copying the store")
        finally:
            with self._write:
                self._copy = None

    def _take_over(self, copy: Copy, following: Current) -> None:
        """Let the copy answer from now on; a kill before or after leaves one whole shard that answers."""
        copy.flush()
        with self._write:
            copy.finish()
            write_current(self._folder, following)
            old, replaced = self._shard, self._current
            self._shard, self._current, self._copy = copy.target, following, None
        close_shard(old)
        shutil.rmtree(self._folder / replaced.folder)

    def _compact_in_peace(self) -> None:
        """The edge of a thread of its own: what fails here fails nobody's call, and is tried again."""
        try:
            self.compact()
        except (StoreUnavailable, OSError):
            _log.exception("The store could not be copied without what was deleted; it is tried again later.")
        finally:
            self._compacting = None

    # --------------------------------------------------------------------------------- reading, to keep the index

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        records = self._scroll(engine.Filter(must=[equals("source_id", source_id)]))
        return tuple(sorted(map(to_passage, records), key=lambda passage: (passage.position, passage.id)))

    def sources_of(self, origin: str) -> frozenset[str]:
        inside = engine.Filter(must=[equals("origin", origin)])
        request = engine.FacetRequest("source_id", limit=_NO_LIMIT, exact=True, filter=inside)
        hits = self._ask(lambda shard: shard.facet(request), "Reading the store").hits
        return frozenset(str(hit.value) for hit in hits)

    def page(self, after: str, limit: int) -> tuple[Passage, ...]:
        request = engine.ScrollRequest(offset=after or None, limit=limit + 1, with_payload=True)
        records, _ = self._ask(lambda shard: shard.scroll(request), "Reading the store")
        return tuple(to_passage(record) for record in records if str(record.id) != after)[:limit]

    def count(self) -> int:
        return self._ask(lambda shard: shard.count(engine.CountRequest(exact=True)), "Reading the store")

    def _stored(self, passage_ids: set[str]) -> set[str]:
        records = self._ask(lambda shard: shard.retrieve(list(passage_ids), False, False), "Reading the store")
        return {str(record.id) for record in records}

    def _scroll(self, condition: engine.Filter) -> list[engine.Record]:
        def read(shard: engine.EdgeShard) -> list[engine.Record]:
            return [record for page in pages(shard, condition, _PAGE) for record in page]

        return self._ask(read, "Reading the store")

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
        points = self._ask(lambda shard: shard.query(dense_scores_request(dense, scope, passage_ids)), _SEARCHING)
        found = {str(point.id): (float(point.score), to_places(point)) for point in points}
        standing = {id_: places for id_, (_, places) in found.items() if is_admitted(id_, places, scope)}
        sparse_scores = self._sparse_scores(sparse, scope, standing)
        return {id_: LegScores(found[id_][0], sparse_scores.get(id_, 0.0)) for id_ in standing}

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        if scope.is_empty or not passage_ids:
            return ()
        asked = engine.HasIdCondition(set(passage_ids))
        records = self._scroll(engine.Filter(must=[*conditions(scope), asked]))
        found = {passage.id: passage for passage in admitted(map(to_passage, records), scope)}
        return tuple(found[id_] for id_ in passage_ids if id_ in found)

    def close(self) -> None:
        self._closing.set()
        if compacting := self._compacting:
            compacting.join()
        with self._write:
            close_shard(self._shard)

    def _search(self, dense: Vector | None, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        def by_words(passages: Sequence[Passage]) -> Mapping[str, float]:
            return self._sparse_scores(sparse, scope, {passage.id: passage.places for passage in passages})

        return search_legs(partial(self._found, dense, sparse, scope), by_words, scope, limit)

    def _found(self, dense: Vector | None, sparse: SparseVector, scope: Scope, number: int) -> Found:
        """What is kept beside the vectors is read afterwards, by id: within a query it costs five times as much."""

        def read(shard: engine.EdgeShard) -> Found:
            near = _scores(shard.query(dense_request(dense, scope, number))) if dense is not None else {}
            sharing = _scores(shard.query(sparse_request(sparse, scope, number, dense))) if sparse.indices else {}
            records = shard.retrieve(list(near | sharing), True, False)
            return Found(near, sharing, near | sharing if dense is not None else {}, map(to_passage, records))

        return self._ask(read, _SEARCHING)

    def _sparse_scores(
        self, vector: SparseVector, scope: Scope, standing: Mapping[str, frozenset[Place]]
    ) -> dict[str, float]:
        """Of passages that stand there, which has been checked."""
        if not vector.indices or not standing:
            return {}
        request = sparse_scores_request(vector, scope, standing)
        return _scores(self._ask(lambda shard: shard.query(request), _SEARCHING))

    def _ask(self, call: Callable[[engine.EdgeShard], _T], doing: str) -> _T:
        """Read from the shard that answers; where another takes its place at that moment, from that one."""
        while True:
            shard = self._shard
            try:
                return guarded(partial(call, shard), doing)
            except StoreUnavailable:
                if shard is self._shard:
                    raise


def _scores(points: Iterable[engine.ScoredPoint]) -> dict[str, float]:
    return {str(point.id): float(point.score) for point in points}
