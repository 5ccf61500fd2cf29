"""Makes one ranking of two: how much a candidate's meaning and its words count together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Scores = Mapping[str, float]
"""A leg's scores by passage id; higher is better."""

Fusion = Callable[[Scores, Scores], dict[str, float]]
"""Takes the dense and the sparse scores of the candidates; gives every candidate of either a score, higher better."""

_RRF_K = 60
"""Source: Cormack, Clarke & Buettcher 2009, "Reciprocal Rank Fusion outperforms Condorcet"."""


def by_scores(dense: Scores, sparse: Scores) -> dict[str, float]:
    """The mean of both legs' scores, each stretched over its candidates' range."""
    return _sum(_stretched(dense), _stretched(sparse))


def by_ranks(dense: Scores, sparse: Scores) -> dict[str, float]:
    """Reciprocal rank fusion."""
    return _sum(_reciprocal_ranks(dense), _reciprocal_ranks(sparse))


FUSIONS: Mapping[str, Fusion] = {"scores": by_scores, "rrf": by_ranks}


def ranked(scores: Scores) -> list[str]:
    """Ids, best first, equal scores by id."""
    return sorted(scores, key=lambda id_: (-scores[id_], id_))


def _sum(dense: Scores, sparse: Scores) -> dict[str, float]:
    return {id_: dense.get(id_, 0.0) + sparse.get(id_, 0.0) for id_ in dense.keys() | sparse.keys()}


def _stretched(scores: Scores) -> dict[str, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {id_: (score - low) / (high - low) if high > low else 0.0 for id_, score in scores.items()}


def _reciprocal_ranks(scores: Scores) -> dict[str, float]:
    return {id_: 1 / (_RRF_K + rank) for rank, id_ in enumerate(ranked(scores), start=1)}
