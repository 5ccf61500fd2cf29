"""Makes one ranking of two: how much a candidate's meaning and its words count together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import fmean

Scores = Mapping[str, float]
"""A leg's scores by passage id; higher is better."""

Fusion = Callable[[Scores, Scores], dict[str, float]]
"""Takes the dense and the sparse scores of the candidates; gives every candidate of either a score, higher better."""

_DEVIATIONS_PER_POINT = 0.225
"""Standard deviations of cosine that a point of BM25 is worth. Between 0.2 and 0.3 nDCG@10 moves by less than .003 in
the mean of five sets: docs/decisions/0013, `footnote eval retrieval DIR`."""

_NEIGHBOURS_SHARE = 0.15
"""What each neighbour's cosine counts for in a passage's. Between 0.05 and 0.2 the mean of five sets gains .002
to .007: docs/decisions/0013, `python -m benchmarks.ablation SET…`."""

_RRF_K = 60
"""Source: Cormack, Clarke & Buettcher 2009, "Reciprocal Rank Fusion outperforms Condorcet"."""


def by_scores(dense: Scores, sparse: Scores) -> dict[str, float]:
    """How far the cosine stands above the other candidates', in standard deviations, and the BM25 score as it is.

    Models differ in how far apart their cosines lie, so those are measured by their own spread. A BM25 score is a
    log-odds, worth the same whatever the others got: stretching it too would make a chance word decisive where no
    candidate has better.
    """
    words = {id_: _DEVIATIONS_PER_POINT * score for id_, score in sparse.items()}
    return _sum(_in_deviations(dense), words)


def by_relative_scores(dense: Scores, sparse: Scores) -> dict[str, float]:
    """Each leg stretched from 0 for its worst to 1 for its best, and added."""
    return _sum(_stretched(dense), _stretched(sparse))


def by_ranks(dense: Scores, sparse: Scores) -> dict[str, float]:
    """Reciprocal rank fusion; a candidate without a word of the query has no rank in the sparse leg."""
    matching = {id_: score for id_, score in sparse.items() if score > 0}
    return _sum(_reciprocal_ranks(dense), _reciprocal_ranks(matching))


def in_context(own: float, neighbours: Sequence[float]) -> float:
    """A passage's cosine, drawn towards those of what stands right before and after it.

    What stands among passages on the query's subject answers it more often than what is near by chance. An end of a
    source has no neighbour there and is drawn less.
    """
    return own + _NEIGHBOURS_SHARE * sum(beside - own for beside in neighbours)


FUSIONS: Mapping[str, Fusion] = {"scores": by_scores, "relative": by_relative_scores, "rrf": by_ranks}
"""By the name that an evaluation chooses them by; `scores` is the product's."""


def ranked(scores: Scores) -> list[str]:
    """Ids, best first, equal scores by id."""
    return sorted(scores, key=lambda id_: (-scores[id_], id_))


def _sum(dense: Scores, sparse: Scores) -> dict[str, float]:
    return {id_: dense.get(id_, 0.0) + sparse.get(id_, 0.0) for id_ in sorted(dense.keys() | sparse.keys())}


def _in_deviations(scores: Scores) -> dict[str, float]:
    """0 for all where all are equal."""
    if not scores:
        return {}
    mean = fmean(scores.values())
    deviation = sqrt(fmean((score - mean) ** 2 for score in scores.values()))
    return {id_: (score - mean) / deviation if deviation > 0 else 0.0 for id_, score in scores.items()}


def _stretched(scores: Scores) -> dict[str, float]:
    """0 for all where all are equal."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {id_: (score - low) / (high - low) if high > low else 0.0 for id_, score in scores.items()}


def _reciprocal_ranks(scores: Scores) -> dict[str, float]:
    return {id_: 1 / (_RRF_K + rank) for rank, id_ in enumerate(ranked(scores), start=1)}
