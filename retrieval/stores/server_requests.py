"""What a Qdrant server is asked: each leg, or scores of given passages, with the scope in the leg and at the root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdrant_client import models

from retrieval.stores.inside import in_order, required_places
from retrieval.stores.protocol import Vector
from retrieval.types import Scope, SparseVector

DENSE = "dense"
SPARSE = "sparse"
COARSE = "coarse"
"""Where the collection has it, a short copy of the dense vectors, by which its dense leg goes first."""
_OVERSAMPLING = 4
"""How many times as many passages the coarse vectors choose as the whole ones then rank: docs/decisions/0019."""
_AS_IN_THE_LEG = models.FormulaQuery(formula="$score")
"""The root filters what the leg found and keeps its scores: document frequencies are counted once."""


@dataclass(frozen=True, slots=True)
class Request:
    """One query: legs choose, the root ranks what they chose."""

    legs: list[models.Prefetch]
    query: list[list[float]] | models.FormulaQuery
    inside: models.Filter
    limit: int
    using: str | None = None
    """The vectors that the root goes by, where it goes by vectors."""
    params: models.SearchParams | None = None


def dense_request(vector: Vector, scope: Scope, limit: int, *, is_coarse: bool) -> Request:
    """Asks for the nearest passages of the scope, chosen by coarse vectors where there are any."""
    inside = models.Filter(must=conditions(scope))
    first, chosen = (COARSE, limit * _OVERSAMPLING) if is_coarse else (DENSE, limit)
    return _dense(vector, inside, limit, first, chosen)


def dense_scores_request(vector: Vector, scope: Scope, passage_ids: Sequence[str]) -> Request:
    """Asks how near these passages are, those of the scope."""
    inside, number = _these(passage_ids, scope)
    return _dense(vector, inside, number, DENSE, number)


def sparse_request(vector: SparseVector, scope: Scope, limit: int, near_to: Vector | None = None) -> Request:
    """Asks for the passages of the scope that share the rarest words, and how near they are to another vector."""
    inside = models.Filter(must=conditions(scope))
    leg = _sparse_leg(server_vector(vector), scope, inside, limit)
    if near_to is None:
        return Request([leg], _AS_IN_THE_LEG, inside, limit)
    return Request([leg], [near_to.tolist()], inside, limit, DENSE, models.SearchParams(exact=True))


def sparse_scores_request(vector: SparseVector, scope: Scope, passage_ids: Sequence[str]) -> Request:
    """Asks how rare the words are that these passages share, those of the scope that share any.

    Two terms are a leg, and the root adds the legs up in the order of the terms.
    """
    inside, number = _these(passage_ids, scope)
    legs = [_sparse_leg(server_vector(two), scope, inside, number) for two in in_order(vector)]
    scores = [f"$score[{at}]" for at in range(len(legs))]
    total = models.FormulaQuery(formula=models.SumExpression(sum=[*scores]), defaults=dict.fromkeys(scores, 0.0))
    return Request(legs, total, inside, number)


def conditions(scope: Scope) -> list[models.Condition]:
    """The scope as the server's conditions, all of which must hold."""
    return [
        models.FieldCondition(key="places", match=models.MatchAny(any=list(any_of)))
        for any_of in required_places(scope)
    ]


def equals(field: str, value: str) -> models.FieldCondition:
    """That a field has this value."""
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def one_of(passage_ids: Sequence[str]) -> models.HasIdCondition:
    """That it is one of these passages."""
    return models.HasIdCondition(has_id=sorted(set(passage_ids)))


def server_vector(vector: SparseVector) -> models.SparseVector:
    """The same in the server's terms."""
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _dense(vector: Vector, inside: models.Filter, limit: int, first: str, chosen: int) -> Request:
    query, params = [vector.tolist()], models.SearchParams(exact=True)
    leg = models.Prefetch(query=query, using=first, filter=inside, params=params, limit=chosen)
    return Request([leg], query, inside, limit, DENSE, params)


def _these(passage_ids: Sequence[str], scope: Scope) -> tuple[models.Filter, int]:
    return models.Filter(must=[*conditions(scope), one_of(passage_ids)]), len(set(passage_ids))


def _sparse_leg(query: models.SparseVector, scope: Scope, inside: models.Filter, limit: int) -> models.Prefetch:
    """Exact, with document frequencies counted over the scope."""
    corpus = models.IdfCorpusParams(corpus=models.Filter(must=conditions(scope)))
    params = models.SearchParams(exact=True, idf=corpus)
    return models.Prefetch(query=query, using=SPARSE, filter=inside, params=params, limit=limit)
