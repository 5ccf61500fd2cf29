"""Fusion takes two legs' scores and ranks every candidate once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import FUSIONS, Fusion, by_ranks, by_relative_scores, by_scores, in_context, ranked

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1).map(lambda score: round(score, 3)), max_size=8)
WORDS = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 40).map(lambda score: round(score, 2)), max_size=8)


def test_scores_are_deviations_of_cosine_and_points_of_bm25() -> None:
    """The mean cosine scores 0, one standard deviation above it 1, and 40 points of BM25 as much as 9 of those."""
    fused = by_scores({"a": 0.1, "b": 0.3}, {"a": 40.0, "b": 0.0})
    assert fused == pytest.approx({"a": -1 + 9, "b": 1})


def test_relative_scores_stretch_each_leg() -> None:
    """The best of a leg gets 1 and its worst 0."""
    fused = by_relative_scores({"a": 0.1, "b": 0.3, "c": 0.2}, {"a": 4.0, "b": 2.0})
    assert fused == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.5})


def test_ranks_are_reciprocal() -> None:
    """1 / (60 + rank) of each leg; a score of 0 has no rank among words."""
    fused = by_ranks({"a": 0.1, "b": 0.3}, {"a": 4.0, "b": 0.0})
    assert fused == pytest.approx({"a": 1 / 62 + 1 / 61, "b": 1 / 61})


def test_a_chance_word_does_not_outweigh_meaning() -> None:
    """Where no candidate shares more than a common word, meaning decides."""
    dense = {"answer": 0.62, "chance": 0.31} | {f"other {at}": 0.3 + at / 100 for at in range(8)}
    assert ranked(by_scores(dense, dict.fromkeys(dense, 0.0) | {"chance": 1.1}))[0] == "answer"


def test_an_exact_identifier_outweighs_likeness() -> None:
    """A rare term, whole and in parts, brings its passage up from the middle."""
    dense = {"exact": 0.33} | {f"alike {at}": 0.3 + at / 50 for at in range(8)}
    assert ranked(by_scores(dense, dict.fromkeys(dense, 0.0) | {"exact": 18.0}))[0] == "exact"


@pytest.mark.parametrize(
    ("neighbours", "expected"), [([], 0.5), ([0.5, 0.5], 0.5), ([0.1], 0.44), ([0.7, 0.3], 0.5), ([0.7, 0.7], 0.56)]
)
def test_neighbours_draw_a_cosine_towards_their_own(neighbours: list[float], expected: float) -> None:
    """Each counts for 15 %; where there is none nothing is drawn."""
    assert in_context(0.5, neighbours) == pytest.approx(expected)


@pytest.mark.parametrize("fuse", FUSIONS.values(), ids=FUSIONS)
@given(dense=SCORES, sparse=WORDS)
def test_every_candidate_of_either_leg_is_ranked_once(
    fuse: Fusion, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    """No candidate is lost or doubled, and no score is without a number."""
    expected = dense.keys() | (
        {id_ for id_, score in sparse.items() if score > 0} if fuse is by_ranks else sparse.keys()
    )
    fused = fuse(dense, sparse)
    assert sorted(ranked(fused)) == sorted(expected)
    assert all(abs(score) < float("inf") for score in fused.values())


@pytest.mark.parametrize("fuse", FUSIONS.values(), ids=FUSIONS)
@given(dense=SCORES, sparse=WORDS)
def test_the_order_of_candidates_does_not_matter(
    fuse: Fusion, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    """The same candidates in another order get the very same scores."""
    assert fuse(dict(reversed(dense.items())), dict(reversed(sparse.items()))) == fuse(dense, sparse)


@pytest.mark.parametrize("fuse", FUSIONS.values(), ids=FUSIONS)
@given(dense=SCORES, sparse=WORDS)
def test_who_is_best_in_both_legs_is_best(fuse: Fusion, dense: dict[str, float], sparse: dict[str, float]) -> None:
    """Fusion does not overrule legs that agree."""
    both = fuse(dense | {"best": 1.5}, sparse | {"best": 50.0})
    assert ranked(both)[0] == "best"


def test_equal_scores_are_ranked_by_id() -> None:
    """So that a tie never falls differently."""
    assert ranked({"b": 1.0, "c": 2.0, "a": 1.0}) == ["c", "a", "b"]
