"""Measures are those of the literature, counted over sources."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.metrics import (
    Gain,
    Measures,
    hit_within_one_page,
    measure,
    ndcg_at_k,
    paired_gain,
    recall_at_k,
    reciprocal_rank_at_k,
)

GAINS = {"a": 3.0, "b": 1.0, "c": 2.0}


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["a", "c", "b"], 1.0),
        (["x", "a"], (3 / log2(3)) / (3 + 2 / log2(3) + 1 / 2)),
        (["b", "x", "x2", "a"], (1 + 3 / log2(5)) / (3 + 2 / log2(3) + 1 / 2)),
        ([], 0.0),
    ],
)
def test_ndcg_has_linear_gain_and_an_ideal_over_all_gold(ranking: list[str], expected: float) -> None:
    """The ideal counts gold that was never retrieved."""
    assert ndcg_at_k(ranking, GAINS, 10) == pytest.approx(expected)


def test_the_ideal_holds_no_more_than_k() -> None:
    """With more gold than places, filling all places with gold is perfect."""
    gains = {f"gold {at}": 1.0 for at in range(25)}
    assert ndcg_at_k(list(gains), gains, 10) == pytest.approx(1)


def test_ndcg_looks_no_further_than_k() -> None:
    """Gold at rank 11 counts nothing at 10."""
    assert ndcg_at_k([*"0123456789", "a"], {"a": 1.0}, 10) == 0


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 1 / 3), (4, 2 / 3), (10, 2 / 3)])
def test_recall_is_a_share_of_all_gold(k: int, expected: float) -> None:
    """Gold that was never retrieved counts as missed."""
    assert recall_at_k(["x", "a", "y", "b"], GAINS, k) == pytest.approx(expected)


@pytest.mark.parametrize(("ranking", "expected"), [(["x", "b", "a"], 1 / 2), (["a"], 1.0), (["x"], 0.0), ([], 0.0)])
def test_the_reciprocal_rank_is_that_of_the_first_gold(ranking: list[str], expected: float) -> None:
    """Later gold counts nothing."""
    assert reciprocal_rank_at_k(ranking, GAINS, 10) == expected


def test_a_paired_gain_is_a_mean_of_differences_with_its_error() -> None:
    """Differences of .2, 0 and .4: the mean is .2, and its error their deviation over the root of three."""
    gain = paired_gain([(0.7, 0.5), (0.5, 0.5), (0.9, 0.5)])
    assert gain.mean == pytest.approx(0.2)
    assert gain.standard_error == pytest.approx(0.2 / 3**0.5)
    assert paired_gain([(1.0, 0.0)]) == paired_gain([]) == Gain(0.0, 0.0)


def test_measures_are_means_over_queries() -> None:
    """Every query counts the same, however much gold it has."""
    measures = measure({"q1": ["a"], "q2": ["x"]}, {"q1": {"a": 1.0}, "q2": {"b": 1.0, "c": 1.0}})
    assert measures == Measures(0.5, 0.5, 0.5, 0.5)


@given(
    ranking=st.lists(st.sampled_from("abcdefghijklmn"), unique=True),
    gains=st.dictionaries(st.sampled_from("abcdefghijklmn"), st.integers(1, 4).map(float), min_size=1),
)
def test_all_measures_lie_between_0_and_1(ranking: list[str], gains: dict[str, float]) -> None:
    """And moving the best gold to the front never lowers one."""
    best = max(gains, key=lambda id_: gains[id_])
    moved = [best, *(id_ for id_ in ranking if id_ != best)]
    before, after = (measure({"q": one}, {"q": gains}) for one in (ranking, moved))
    for name in ("ndcg_at_10", "recall_at_5", "recall_at_10", "mrr_at_10"):
        assert 0 <= getattr(before, name) <= 1 + 1e-9
    assert after.ndcg_at_10 >= before.ndcg_at_10 - 1e-9
    assert after.mrr_at_10 == 1


@pytest.mark.parametrize(
    ("ranking", "hit"),
    [
        (["a.pdf#page=4"], 1.0),
        (["a.pdf#page=6"], 1.0),
        (["b.pdf#page=5", "a.pdf#page=7"], 0.0),
        ([*(f"b.pdf#page={at}" for at in range(5)), "a.pdf#page=5"], 0.0),
        (["a.pdf"], 0.0),
    ],
)
def test_a_neighbour_of_a_gold_page_is_a_hit(ranking: list[str], hit: float) -> None:
    """Of the same file, among the first k."""
    assert hit_within_one_page({"q": ranking}, {"q": {"a.pdf#page=5": 1.0}}, 5) == hit


def test_without_pages_there_are_no_neighbours() -> None:
    """A set of other sources has no such figure."""
    assert hit_within_one_page({"q": ["a"]}, {"q": {"a": 1.0}}, 5) is None
