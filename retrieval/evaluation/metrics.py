"""Scores rankings against judgements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from statistics import fmean, stdev


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over queries, 0 to 1, higher is better."""

    ndcg_at_10: float
    recall_at_5: float
    recall_at_10: float
    mrr_at_10: float


@dataclass(frozen=True, slots=True)
class Gain:
    """By how much one run is better than another, query by query."""

    mean: float
    standard_error: float
    """Of the mean."""


def paired_gain(pairs: Sequence[tuple[float, float]]) -> Gain:
    """How much better the first of each pair is; of fewer than two pairs nothing is known."""
    differences = [ours - theirs for ours, theirs in pairs]
    if len(differences) < 2:
        return Gain(0.0, 0.0)
    return Gain(fmean(differences), stdev(differences) / sqrt(len(differences)))


def measure(rankings: Mapping[str, Sequence[str]], qrels: Mapping[str, Mapping[str, float]]) -> Measures:
    """Mean measures of a run: for each query id its ranked source ids, best first; each has gold in `qrels`."""
    judged = [(ranking, qrels[query]) for query, ranking in rankings.items()]
    if not judged:
        return Measures(0.0, 0.0, 0.0, 0.0)
    return Measures(
        ndcg_at_10=fmean(ndcg_at_k(ranking, gains, 10) for ranking, gains in judged),
        recall_at_5=fmean(recall_at_k(ranking, gains, 5) for ranking, gains in judged),
        recall_at_10=fmean(recall_at_k(ranking, gains, 10) for ranking, gains in judged),
        mrr_at_10=fmean(reciprocal_rank_at_k(ranking, gains, 10) for ranking, gains in judged),
    )


def ndcg_at_k(ranking: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Discounted gain of the first k, as a share of the best possible: that of the k greatest of all gains.

    Linear gain. Source: Järvelin & Kekäläinen 2002, as trec_eval counts it.
    """
    return _dcg([gains.get(id_, 0.0) for id_ in ranking[:k]]) / _dcg(sorted(gains.values(), reverse=True)[:k])


def recall_at_k(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of all gold that is among the first k."""
    return len(set(ranking[:k]) & set(gold)) / len(gold)


def reciprocal_rank_at_k(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 / rank of the first gold among the first k; 0 where there is none."""
    return next((1 / rank for rank, id_ in enumerate(ranking[:k], start=1) if id_ in gold), 0.0)


def hit_within_one_page(
    rankings: Mapping[str, Sequence[str]], qrels: Mapping[str, Collection[str]], k: int
) -> float | None:
    """Share of queries whose first k hold a gold page or a neighbour of one; None where gold has no pages."""
    near = {query: frozenset(page for id_ in qrels[query] for page in _near(id_)) for query in rankings}
    if not any(near.values()):
        return None
    return fmean(bool(near[query] & set(ranking[:k])) for query, ranking in rankings.items())


def _near(id_: str) -> list[str]:
    """A page and its neighbours."""
    document, mark, number = id_.rpartition("#page=")
    return [f"{document}{mark}{int(number) + step}" for step in (-1, 0, 1)] if mark and number.isdecimal() else []


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
