"""Calls at the edges of what a store is asked, which every kind of store answers alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, PassageStore
from retrieval.types import Anchor, Place, SparseVector
from tests.conftest import WordHashEmbedder
from tests.passages import EVERYBODY, embedded, passage, scope_of

DENSE, SPARSE = WordHashEmbedder(), Bm25Embedder()

PUMP = passage("The pump runs at night", source="pumps")
VALVE = passage("The valve leaks", source="pumps", position=1)
NEVER = passage("Nobody ever wrote this")
QUERY, TERMS = DENSE.embed_query("pump valve"), SPARSE.embed_query("pump valve")


@pytest.fixture
def store(any_store: PassageStore) -> PassageStore:
    """A store of each kind that holds two passages."""
    any_store.upsert(embedded([PUMP, VALVE], DENSE, SPARSE))
    return any_store


def test_nothing_asked_is_nothing_done(store: PassageStore) -> None:
    """Empty lists, a limit of nothing and sources that never were are no faults."""
    store.upsert([])
    store.describe([])
    store.delete([])
    assert (store.score([], QUERY, TERMS, EVERYBODY), store.read([], EVERYBODY)) == ({}, ())
    for limit in (0, -1):
        assert store.search_dense(QUERY, EVERYBODY, limit) == ()
        assert store.search_sparse(TERMS, EVERYBODY, limit) == ()
        assert store.search_both(QUERY, TERMS, EVERYBODY, limit) == BothLegs()
    assert (store.passages_of("nothing"), store.passages_of(""), store.sources_of("")) == ((), (), frozenset())
    assert store.passages_of("pumps") == (PUMP, VALVE)


def test_unknown_ids_are_left_out(store: PassageStore) -> None:
    """Among known ones, which are answered; and nothing is made of them."""
    ids = [NEVER.id, VALVE.id]
    assert store.read(ids, EVERYBODY) == (VALVE,)
    assert store.read([NEVER.id], EVERYBODY) == ()
    assert set(store.score(ids, QUERY, TERMS, EVERYBODY)) == {VALVE.id}
    assert store.score([NEVER.id], QUERY, TERMS, EVERYBODY) == {}
    store.describe([NEVER, replace(VALVE, position=7)])
    store.delete([NEVER.id, PUMP.id])
    assert store.passages_of("pumps") == (replace(VALVE, position=7),)
    assert store.count() == 1


def test_ids_given_twice_count_once(store: PassageStore) -> None:
    """The last of two writes stays; what is read is answered as often as it was asked for."""
    store.upsert(embedded([PUMP, replace(PUMP, position=5)], DENSE, SPARSE))
    assert store.passages_of("pumps") == (VALVE, replace(PUMP, position=5))
    once, twice = (store.score([VALVE.id] * times, QUERY, TERMS, EVERYBODY) for times in (1, 2))
    assert once == twice
    assert store.read([VALVE.id, VALVE.id], EVERYBODY) == (VALVE, VALVE)
    store.describe([VALVE, replace(VALVE, position=9)])
    assert [one.position for one in store.passages_of("pumps")] == [5, 9]
    store.delete([VALVE.id, VALVE.id])
    assert store.count() == 1


def test_more_may_be_asked_for_than_there_is(store: PassageStore) -> None:
    """However much more."""
    for limit in (3, 10_000, 1_000_000):
        assert {one.passage for one in store.search_dense(QUERY, EVERYBODY, limit)} == {PUMP, VALVE}
        assert {one.passage for one in store.search_sparse(TERMS, EVERYBODY, limit)} == {PUMP, VALVE}


ODD = "\U0001f6df naïve नमस्ते שָׁלוֹם \u200b\u202e 'quoted\" \\ {json: [1]} \t\n\x00 " + "n" * 5_000


def test_every_text_comes_back_to_the_letter(any_store: PassageStore) -> None:
    """In all fields: whatever somebody wrote, and whatever a source is called."""
    odd = replace(
        passage(ODD, source=f"source {ODD}", origin="private"),
        title=ODD,
        heading_path=(ODD, ""),
        anchors=(Anchor(0, ODD, ODD, -0.25),),
        updated_at=None,
        fingerprint=ODD,
    )
    any_store.upsert(embedded([odd], DENSE, SPARSE))
    assert any_store.passages_of(odd.source_id) == (odd,)
    assert any_store.sources_of("private") == {odd.source_id}
    assert any_store.read([odd.id], EVERYBODY) == (odd,)


@pytest.mark.parametrize(
    "name", ["", " ", "*", "harbour ", "HARBOUR", "ha", "🛟", "a\x00b", "../x", "null", "7", "x" * 5_000]
)
def test_a_place_is_matched_whole_and_to_the_letter(any_store: PassageStore, name: str) -> None:
    """It is never a pattern, a prefix, another letter case or another type."""
    odd, harbour = replace(PUMP, places=frozenset({Place(name)})), replace(VALVE, places=frozenset({Place("harbour")}))
    any_store.upsert(embedded([odd, harbour], DENSE, SPARSE))
    assert {one.passage for one in any_store.search_dense(QUERY, scope_of([name]), 5)} == {odd}
    assert {one.passage for one in any_store.search_sparse(TERMS, scope_of([name]), 5)} == {odd}
    assert any_store.read([odd.id, harbour.id], scope_of(["harbour"])) == (harbour,)


def test_a_scope_of_thousands_of_places_is_one_scope(store: PassageStore) -> None:
    """A large workspace has as many channels."""
    many = [f"place {number}" for number in range(5_000)]
    assert store.search_dense(QUERY, scope_of(many), 5) == ()
    assert {one.passage for one in store.search_dense(QUERY, scope_of([*many, "workspace"]), 5)} == {PUMP, VALVE}
    assert {one.passage for one in store.search_sparse(TERMS, scope_of([*many, "workspace"], ["workspace"]), 5)} == {
        PUMP,
        VALVE,
    }


def test_vectors_of_nothing_are_near_to_nothing(any_store: PassageStore) -> None:
    """A passage, or a query, whose vector is all zeros has a cosine of 0 to everything, and equal scores go by id."""
    nothing, words = np.zeros((1, DENSE.dimension), dtype=np.float32), SPARSE.embed_passages([PUMP.text])[0]
    any_store.upsert([EmbeddedPassage(PUMP, nothing, words), *embedded([VALVE], DENSE, SPARSE)])
    by_valve = any_store.search_dense(DENSE.embed_query("The valve leaks"), EVERYBODY, 5)
    assert [(one.passage, one.score) for one in by_valve] == [(VALVE, pytest.approx(1.0)), (PUMP, 0.0)]
    by_nothing = any_store.search_dense(nothing[0], EVERYBODY, 5)
    assert [(one.passage.id, one.score) for one in by_nothing] == [(id_, 0.0) for id_ in sorted([PUMP.id, VALVE.id])]


def test_a_passage_without_words_is_found_by_meaning_alone(any_store: PassageStore) -> None:
    """It has no term, and the sparse leg never sees it."""
    any_store.upsert([EmbeddedPassage(PUMP, DENSE.embed_passages([PUMP.text]), SparseVector((), ()))])
    assert any_store.search_sparse(TERMS, EVERYBODY, 5) == ()
    assert [one.passage for one in any_store.search_dense(QUERY, EVERYBODY, 5)] == [PUMP]
    assert any_store.score([PUMP.id], QUERY, TERMS, EVERYBODY)[PUMP.id].sparse == 0.0


def test_an_empty_store_is_no_fault(any_store: PassageStore) -> None:
    """Everything can be asked of it."""
    assert (any_store.count(), any_store.passages_of("pumps"), any_store.sources_of("origin")) == (0, (), frozenset())
    assert (any_store.search_dense(QUERY, EVERYBODY, 5), any_store.search_sparse(TERMS, EVERYBODY, 5)) == ((), ())
    assert any_store.score([PUMP.id], QUERY, TERMS, EVERYBODY) == {}
    assert any_store.read([PUMP.id], EVERYBODY) == ()
