"""A search over every kind of store: what is outside the scope changes no bit of it, and neither does time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.search import Searcher, Stages
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, PassageStore
from retrieval.types import Passage, SearchResult
from tests.conftest import WordHashEmbedder
from tests.congruence.conftest import WAYS, emptied, opened
from tests.passages import passage, scope_of

SPARSE = Bm25Embedder()
VOCABULARY = ("pump", "valve", "leak", "night", "portal", "leave", "rum", "tide", "crane", "ledger", "gate", "rope")
WEIGHTS = (12 / 16, 8 / 16, 4 / 16, 4 / 16, 4 / 16)
"""Their squares add up to 1, so that the vector is of length 1 to the last digit."""


class AxisEmbedder(WordHashEmbedder):
    """A vector for each word of a passage, along an axis of its own; of a query, one between its first words' axes.

    Products are then exact in any order: qdrant-client's local mode adds in one that follows from a vector's address.
    """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for weight, word in zip(WEIGHTS, dict.fromkeys([*text.split(), *VOCABULARY]), strict=False):
            vector[VOCABULARY.index(word)] = weight
        return vector

    def rows(self, text: str) -> NDArray[np.float32]:
        """Several vectors, as a passage has them of itself and of its excerpts."""
        return np.eye(self.dimension, dtype=np.float32)[[VOCABULARY.index(word) for word in text.split()]]


DENSE = AxisEmbedder()


def fill(store: PassageStore, passages: Sequence[Passage]) -> None:
    """Write passages with their vectors."""
    terms = SPARSE.embed_passages([one.text for one in passages])
    store.upsert(
        [EmbeddedPassage(one, DENSE.rows(one.text), words) for one, words in zip(passages, terms, strict=True)]
    )


WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8).map(" ".join)
PLACES = st.sets(st.sampled_from(["harbour", "office", "cellar"]), min_size=1)
DRAFTS = st.lists(st.tuples(WORDS, PLACES), min_size=1, max_size=12)
READERS = st.lists(PLACES, min_size=1, max_size=3)
STAGES = (Stages(candidates=1), Stages(candidates=3, fill=False), Stages(fusion="rrf"), Stages())


def passages_of(drafts: Sequence[tuple[str, set[str]]], prefix: str) -> list[Passage]:
    """Passages, each of a source of its own."""
    return [passage(text, *places, source=f"{prefix}{at}") for at, (text, places) in enumerate(drafts)]


@settings(max_examples=15, deadline=None)  # each writes and searches a store; local mode takes long for each
@given(
    drafts=DRAFTS,
    others=DRAFTS,
    readers=READERS,
    query=WORDS,
    limit=st.integers(1, 6),
    stages=st.sampled_from(STAGES),
    order=st.randoms(use_true_random=False),
)
def test_what_is_outside_the_scope_changes_no_bit_of_a_search(
    small_store: PassageStore,
    drafts: list[tuple[str, set[str]]],
    others: list[tuple[str, set[str]]],
    readers: list[set[str]],
    query: str,
    limit: int,
    stages: Stages,
    order: object,
) -> None:
    """Hits, scores, order and both legs' candidates: with nothing else there, before, after, or there no more."""
    scope, store = scope_of(*readers), emptied(small_store)
    searcher = Searcher(store, DENSE, SPARSE, stages)
    inside = [one for one in passages_of(drafts, "in") if scope.admits(one.places)]
    outside = [one for one in passages_of(others, "out") if not scope.admits(one.places)]
    fill(store, inside)
    alone = searcher.search(query, scope, limit)
    fill(store, outside)
    assert searcher.search(query, scope, limit) == alone
    store.delete([one.id for one in inside])
    fill(store, shuffled(inside, order))  # now written after the others, in another order
    assert searcher.search(query, scope, limit) == alone
    store.delete([one.id for one in outside])
    assert searcher.search(query, scope, limit) == alone
    assert all(scope.admits(hit.passage.places) for hit in alone.hits)


@settings(max_examples=15, deadline=None)  # each writes and searches a store
@given(drafts=DRAFTS, readers=READERS, query=WORDS, limit=st.integers(1, 6))
def test_both_legs_at_once_are_the_two_searches_and_the_scores(
    small_store: PassageStore,
    drafts: list[tuple[str, set[str]]],
    readers: list[set[str]],
    query: str,
    limit: int,
) -> None:
    """To the last bit: the same candidates in the same order, and both scores of every one of them."""
    scope, store = scope_of(*readers), emptied(small_store)
    fill(store, passages_of(drafts, "page"))
    vector, terms = DENSE.embed_query(query), SPARSE.embed_query(query)
    near, sharing = store.search_dense(vector, scope, limit), store.search_sparse(terms, scope, limit)
    scores = store.score([one.passage.id for one in (*near, *sharing)], vector, terms, scope)
    assert store.search_both(vector, terms, scope, limit) == BothLegs(near, sharing, scores)


def shuffled(passages: Sequence[Passage], chance: object) -> list[Passage]:
    """The same in an order of chance."""
    mixed = list(passages)
    chance.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis's stand-in for random.Random
    return mixed


CHANCE = random.Random(5)
PAGES = [
    passage(text, source="book", position=at)
    for at, text in enumerate(
        [*VOCABULARY, *(" ".join(CHANCE.choices(VOCABULARY, k=CHANCE.randrange(3, 25))) for _ in range(40))]
    )
]
"""The first of them, and so the first word that a store sees, is another when they are written in reverse."""
QUESTIONS = (" ".join(VOCABULARY), "pump leak night portal rum tide crane", "ledger gate rope", "rum rum rum valve")
EVERYWHERE = scope_of(["workspace"])


def found(store: PassageStore) -> list[SearchResult]:
    """What every question finds."""
    searcher = Searcher(store, DENSE, SPARSE)
    return [searcher.search(question, EVERYWHERE, 20) for question in QUESTIONS]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_question_gives_the_same_evidence_every_time(way: str, tmp_path: Path) -> None:
    """Asked again, of a store filled in another order, and after a restart where there is something to restart.

    Without an order of our own in which words' scores are added, the last digits differ between the two stores.
    """
    with ExitStack() as stack:
        store = opened(way, tmp_path / "one", stack)
        fill(store, PAGES)
        first = found(store)
        assert [found(store) for _ in range(3)] == [first] * 3
        other = opened(way, tmp_path / "other", stack)
        for one in reversed(PAGES):
            fill(other, [one])
        assert found(other) == first
    if way == "owned":
        with ExitStack() as stack:
            assert found(opened(way, tmp_path / "one", stack)) == first
