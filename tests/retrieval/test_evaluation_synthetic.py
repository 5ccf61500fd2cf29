"""Made-up passages have the shape of real ones, and are the same every time."""

from __future__ import annotations

from itertools import chain

import numpy as np

from retrieval.evaluation.synthetic import DIMENSION, SyntheticCorpus
from retrieval.types import WORKSPACE


def test_made_up_passages_have_the_products_shape() -> None:
    """Three or four vectors of length 1, dozens of terms, one place; a fifth stands where all may read."""
    made = list(chain.from_iterable(SyntheticCorpus(1000).batches()))
    assert len({one.passage.id for one in made}) == 1000
    assert {one.dense.shape for one in made} == {(3, DIMENSION), (4, DIMENSION)}
    np.testing.assert_allclose(np.linalg.norm(np.vstack([one.dense for one in made]), axis=1), 1, rtol=1e-5)
    assert 30 < np.median([len(one.sparse.indices) for one in made]) < 90
    assert 150 < sum(one.passage.places == {WORKSPACE} for one in made) < 250


def test_made_up_passages_know_what_stands_beside_them() -> None:
    """Four stand in a source, as the real ones of a page do: a search asks what the neighbours mean too."""
    first, second, third, fourth, fifth = (one.passage for one in next(SyntheticCorpus(200).batches())[:5])
    assert (first.neighbours, second.neighbours) == ((second.id,), (first.id, third.id))
    assert (fourth.neighbours, fifth.source_id) == ((third.id,), "source 1")


def test_made_up_passages_are_the_same_every_time() -> None:
    """So that figures of two runs are of the same work; a corpus that ends within a batch too."""
    one, other = SyntheticCorpus(250), SyntheticCorpus(250)
    pairs = list(zip(chain(*one.batches()), chain(*other.batches()), strict=True))
    assert len(pairs) == 250
    assert all(a.passage == b.passage and a.sparse == b.sparse and (a.dense == b.dense).all() for a, b in pairs)
    assert [query.sparse for query in one.queries(30)] == [query.sparse for query in other.queries(30)]


def test_a_scope_holds_as_many_places_as_asked_for() -> None:
    """The whole workspace one of them."""
    (places,) = SyntheticCorpus(10).scope(20).readers
    assert len(places) == 20
    assert WORKSPACE in places
