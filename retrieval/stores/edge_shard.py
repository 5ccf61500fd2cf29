"""What a shard of Qdrant's engine is made of here: its vectors, its indexed fields, and the filter of a scope."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import qdrant_edge as engine

from retrieval.errors import StoreUnavailable
from retrieval.stores.inside import in_order, required_places
from retrieval.stores.payload import from_payload, to_payload
from retrieval.stores.protocol import EmbeddedPassage, Vector
from retrieval.types import WORKSPACE, Passage, Place, Scope, SparseVector

_T = TypeVar("_T")

_DENSE = "dense"
_SPARSE = "sparse"
_PLACE_KEYS = "place_keys"
"""Places as numbers: the engine filters by thousands of them in a third of the time that it needs for texts."""
_FIELDS = {
    _PLACE_KEYS: engine.PayloadSchemaType.Integer,
    "source_id": engine.PayloadSchemaType.Keyword,
    "origin": engine.PayloadSchemaType.Keyword,
}

_EXACT = engine.SearchParams(exact=True)
_RESCORED = engine.SearchParams(quantization=engine.QuantizationSearchParams(rescore=True, oversampling=4.0))
"""Every vector of the scope is compared in 4 bits, and the best four times as many as are wanted exactly."""
_AS_IN_THE_LEG = engine.Formula(engine.Expression.Variable("$score"))
"""The root filters and orders what the leg found, and keeps its scores: document frequencies are counted once."""
_PLACES_ONLY = engine.PayloadSelector.Include(["places"])
_SCOPES_KEPT = 32
_PAUSE_S = 0.01
_ATTEMPTS = 1_000
"""For ten seconds: a search takes a tenth of one, and none begins on a shard that another has replaced."""
_FEW_PLACES = 200
"""docs/decisions/0018: up to here the workspace by itself saves a tenth of a search, from 400 on it costs some."""
_MANY_PLACES = 1_000
"""docs/decisions/0018: with 5,000 of 5,500 places to read, a dense leg takes a third less."""


def open_shard(folder: Path, dimension: int) -> engine.EdgeShard:
    """The shard in this folder, made if there is none."""
    if (folder / "edge_config.json").exists():
        return engine.EdgeShard.load(str(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    shard = engine.EdgeShard.create(
        str(folder),
        engine.EdgeConfig(
            vectors={_DENSE: _nearest_of_several(dimension)},
            sparse_vectors={_SPARSE: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
            payload_memory=engine.Memory.Cached,
        ),
    )
    for field, kind in _FIELDS.items():
        shard.update(engine.UpdateOperation.create_field_index(field, kind))
    return shard


def _nearest_of_several(dimension: int) -> engine.EdgeVectorParams:
    """A passage has vectors of itself and of its parts; the engine scores it by the one nearest to the query.

    No graph is ever built (`m=0`): it would let passages outside a scope change what is found inside. The form in 4
    bits is made of each vector alone, so it doesn't either.
    """
    return engine.EdgeVectorParams(
        size=dimension,
        distance=engine.Distance.Cosine,
        multivector_config=engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim),
        quantization_config=engine.TurboQuantQuantizationConfig(bits=engine.TurboQuantBitSize.Bits4),
        hnsw_config=engine.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
    )


def to_point(embedded: EmbeddedPassage) -> engine.Point:
    """A passage with its vectors, as the engine takes it."""
    vectors = {_DENSE: embedded.dense.tolist(), _SPARSE: _engine_vector(embedded.sparse)}
    return engine.Point(embedded.passage.id, vectors, to_edge_payload(embedded.passage))


def to_edge_payload(passage: Passage) -> dict[str, object]:
    """What is kept beside the vectors, with what the filter goes by."""
    return to_payload(passage) | {_PLACE_KEYS: sorted(map(_key, passage.places))}


def to_passage(point: engine.Record) -> Passage:
    """The passage that was stored."""
    return from_payload(str(point.id), point.payload or {})


def to_places(point: engine.ScoredPoint) -> frozenset[Place]:
    """Where the passage stands, of a point whose places were asked for."""
    return frozenset[Place]((point.payload or {}).get("places", ()))


@lru_cache(maxsize=_SCOPES_KEPT)  # one of 5,000 places takes 4 ms to make and 0.4 MB to keep
def conditions(scope: Scope) -> tuple[engine.ConditionType, ...]:
    """The scope as the engine's conditions, all of which must hold."""
    return _conditions(scope)


def _conditions(scope: Scope) -> tuple[engine.ConditionType, ...]:
    return tuple(_stands_in(any_of) for any_of in required_places(scope))


def _stands_in(any_of: Sequence[str]) -> engine.ConditionType:
    """That a passage stands in at least one of these places, in the form that is asked the fastest.

    Of a condition the engine lists all points first, which takes longer than to search them where it names thousands of
    places; of one that is negated twice it asks each point. Among few places the workspace, where most of what can be
    read may stand, is compared by itself. All say the same: a point that has no places fulfils none of them. Each is
    negated by itself, since conditions that are negated together would become alternatives.
    """
    stands = engine.FieldCondition(_PLACE_KEYS, match=engine.MatchAny([_key(place) for place in any_of]))
    if WORKSPACE in any_of and 1 < len(any_of) <= _FEW_PLACES:
        others = engine.MatchAny([_key(place) for place in any_of if place != WORKSPACE])
        return engine.Filter(should=[_in_the_workspace(), engine.FieldCondition(_PLACE_KEYS, match=others)])
    if len(any_of) < _MANY_PLACES:
        return stands
    return engine.Filter(must_not=[engine.Filter(must_not=[stands])])


def _in_the_workspace() -> engine.FieldCondition:
    return engine.FieldCondition(_PLACE_KEYS, match=engine.MatchValue(_key(WORKSPACE)))


def equals(field: str, value: str) -> engine.FieldCondition:
    """That a field has this value."""
    return engine.FieldCondition(field, match=engine.MatchValue(value))


def dense_request(vector: Vector, scope: Scope, limit: int) -> engine.QueryRequest:
    """Asks for the nearest passages of the scope."""
    return _request(_dense_query(vector), _inside(scope), _RESCORED, limit)


def sparse_request(
    vector: SparseVector, scope: Scope, limit: int, near_to: Vector | None = None
) -> engine.QueryRequest:
    """Asks for the passages of the scope that share the rarest words, and how near they are to another vector."""
    return _request(_sparse_query(vector), _inside(scope), _counting_over(scope), limit, root=_nearness(near_to))


def dense_scores_request(vector: Vector, scope: Scope, passage_ids: Sequence[str]) -> engine.QueryRequest:
    """Asks how near these passages are, those of the scope."""
    inside = _inside(scope, engine.HasIdCondition(set(passage_ids)))
    return _request(_dense_query(vector), inside, _EXACT, len(passage_ids), with_payload=_PLACES_ONLY)


def sparse_scores_request(
    vector: SparseVector, scope: Scope, standing: Mapping[str, frozenset[Place]]
) -> engine.QueryRequest:
    """Asks how rare the words are that these passages share, those of the scope that share any.

    Two terms are a leg, and the root adds the legs up in the order of the terms.

    Args:
        vector: The query's terms.
        scope: What they must stand in; of its places only those that they do stand in are put to the engine.
        standing: Where each of the passages stands.
    """
    places = _conditions(_narrowed(scope, standing.values()))
    inside = engine.Filter(must=[*places, engine.HasIdCondition(set(standing))])
    terms = in_order(vector)
    params = _counting_over(scope)
    scores = [f"$score[{at}]" for at in range(len(terms))]
    total = engine.Expression.Sum([engine.Expression.Variable(score) for score in scores])
    return engine.QueryRequest(
        limit=len(standing),
        query=engine.Formula(total, dict.fromkeys(scores, 0.0)),
        prefetches=[engine.Prefetch(len(standing), _sparse_query(two), None, params, inside) for two in terms],
        filter=inside,
    )


def _narrowed(scope: Scope, standing: Iterable[frozenset[Place]]) -> Scope:
    """The same scope for passages that stand there: a filter of thousands of places is copied for each term."""
    places = frozenset[Place]().union(*standing)
    return Scope(scope.team, frozenset(may_open & places for may_open in scope.readers))


def pages(
    shard: engine.EdgeShard, condition: engine.Filter | None, size: int, *, with_payload: bool = True
) -> Iterator[list[engine.Record]]:
    """All points that fulfil a condition, in order of id, without their vectors."""
    offset = None
    while True:
        request = engine.ScrollRequest(offset=offset, limit=size, filter=condition, with_payload=with_payload)
        page, offset = shard.scroll(request)
        yield page
        if offset is None:
            return


def close_shard(shard: engine.EdgeShard) -> None:
    """Release a shard once what is being asked of it is answered.

    Raises:
        StoreUnavailable: it failed.
    """
    for _ in range(_ATTEMPTS):
        try:
            return shard.close()
        except Exception as error:  # the engine raises bare Exception for everything
            if "borrowed" not in str(error):  # as it is while another thread reads from it
                raise StoreUnavailable(f"Closing the store failed: {error}.") from error
            time.sleep(_PAUSE_S)
    raise StoreUnavailable("Closing the store failed: something goes on reading from it.")


def guarded(call: Callable[[], _T], doing: str) -> _T:
    """What the engine returns, or an error of our own.

    Raises:
        StoreUnavailable: it failed.
    """
    try:
        return call()
    except Exception as error:  # the engine raises bare Exception for everything
        raise StoreUnavailable(f"{doing} failed: {error}.") from error


def _request(
    query: engine.Query,
    inside: engine.Filter,
    params: engine.SearchParams,
    limit: int,
    with_payload: bool | engine.PayloadSelector = False,
    root: engine.Formula | engine.Query = _AS_IN_THE_LEG,
) -> engine.QueryRequest:
    """One leg, with the scope in the leg and at the root."""
    return engine.QueryRequest(
        limit=limit,
        query=root,
        prefetches=[engine.Prefetch(limit=limit, query=query, filter=inside, params=params)],
        filter=inside,
        params=_EXACT,
        with_payload=with_payload,
    )


def _nearness(vector: Vector | None) -> engine.Formula | engine.Query:
    """What a root scores by that what a leg found is compared with, at next to no cost; as the leg did without."""
    return _AS_IN_THE_LEG if vector is None else _dense_query(vector)


def _inside(scope: Scope, *also: engine.ConditionType) -> engine.Filter:
    return engine.Filter(must=[*conditions(scope), *also])


def _counting_over(scope: Scope) -> engine.SearchParams:
    """Exact, with document frequencies counted over the scope."""
    return engine.SearchParams(exact=True, idf=engine.IdfParams(corpus=_inside(scope)))


def _dense_query(vector: Vector) -> engine.Query:
    return engine.Query.Nearest(vector.tolist(), using=_DENSE)


def _sparse_query(vector: SparseVector) -> engine.Query:
    return engine.Query.Nearest(_engine_vector(vector), using=_SPARSE)


def _engine_vector(vector: SparseVector) -> engine.SparseVector:
    return engine.SparseVector(list(vector.indices), list(vector.values))


def _key(place: str) -> int:
    """63 bits of a hash. Should two places ever share them, what the filter lets through is still checked by name."""
    return int.from_bytes(blake2b(place.encode(), digest_size=8).digest(), "big") >> 1
