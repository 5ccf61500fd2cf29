"""What every passage store does, asked of each of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import StoreUnavailable
from retrieval.stores.protocol import EmbeddedPassage, PassageStore
from retrieval.types import Candidate, Passage, Place, Scope, SparseVector
from tests.conftest import WordHashEmbedder
from tests.congruence.conftest import WAYS, emptied, opened
from tests.passages import EVERYBODY, embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()

PUMP = passage("The pump runs at night", "harbour", source="pumps")
VALVE = passage("The valve of the pump leaks", "harbour", "office", source="pumps", position=1)
LEAVE = passage("Leave is asked for in the portal", "office", source="leave")
SECRET = passage("The secret pump runs on rum", "cellar", source="cellar", origin="private")
ALL = (PUMP, VALVE, LEAVE, SECRET)


def fill(store: PassageStore, *passages: Passage) -> None:
    """Write passages with their vectors."""
    store.upsert(embedded(passages, DENSE, SPARSE))


VOCABULARY = ("pump", "valve", "leak", "night", "portal", "leave", "rum")
WEIGHTS = (15 / 16, 5 / 16, 2 / 16, 1 / 16, 1 / 16)


def fill_exact(store: PassageStore, *passages: Passage) -> None:
    """Write passages with a vector for each of their words, along an axis of its own.

    Scores against `exact_query` are then the same in whatever order they are summed up: qdrant-client's local mode sums
    in one that follows from where a vector lies in memory.
    """
    axes = np.eye(DENSE.dimension, dtype=np.float32)
    terms = SPARSE.embed_passages([one.text for one in passages])
    rows = [axes[[VOCABULARY.index(word) for word in one.text.split()]] for one in passages]
    store.upsert([EmbeddedPassage(*parts) for parts in zip(passages, rows, terms, strict=True)])


def exact_query(words: list[str]) -> NDArray[np.float32]:
    """A vector of length exactly 1, along the axes of these words, the first counting most, and of some others."""
    vector = np.zeros(DENSE.dimension, dtype=np.float32)
    for weight, word in zip(WEIGHTS, dict.fromkeys([*words, *VOCABULARY]), strict=False):
        vector[VOCABULARY.index(word)] = weight
    return vector


def dense(store: PassageStore, words: str, scope: Scope, limit: int = 10) -> tuple[Candidate, ...]:
    """Ask the dense leg."""
    return store.search_dense(DENSE.embed_query(words), scope, limit)


def sparse(store: PassageStore, words: str, scope: Scope, limit: int = 10) -> tuple[Candidate, ...]:
    """Ask the sparse leg."""
    return store.search_sparse(SPARSE.embed_query(words), scope, limit)


def texts(candidates: tuple[Candidate, ...]) -> set[str]:
    """What was found, by its words."""
    return {candidate.passage.text for candidate in candidates}


def test_what_is_stored_comes_back_whole(any_store: PassageStore) -> None:
    """Every field of a passage survives."""
    fill(any_store, *ALL)
    assert any_store.passages_of("pumps") == (PUMP, VALVE)
    assert any_store.read([SECRET.id, PUMP.id], scope_of(["cellar", "harbour"])) == (SECRET, PUMP)


def test_equal_ids_replace_each_other(any_store: PassageStore) -> None:
    """Writing a passage again leaves one of it."""
    fill(any_store, PUMP, VALVE)
    moved = replace(PUMP, places=frozenset({Place("office")}))
    fill(any_store, moved)
    assert (any_store.count(), any_store.passages_of("pumps")) == (2, (moved, VALVE))


def test_describing_changes_all_but_the_vectors(any_store: PassageStore) -> None:
    """Places and times are rewritten, the passage is found as before, and unknown passages are not made up."""
    fill(any_store, PUMP)
    before = dense(any_store, "pump at night", scope_of(["harbour"]))
    moved = replace(PUMP, places=frozenset({Place("office")}), updated_at=None)
    any_store.describe([moved, LEAVE])
    after = dense(any_store, "pump at night", scope_of(["office"]))
    assert [one.passage for one in after] == [moved]
    assert after[0].score == pytest.approx(before[0].score)
    assert dense(any_store, "pump at night", scope_of(["harbour"])) == ()
    assert any_store.count() == 1


def test_deleted_passages_are_gone_and_unknown_ones_ignored(any_store: PassageStore) -> None:
    """Deleting twice, or what never was, is no fault."""
    fill(any_store, PUMP, LEAVE)
    for _ in range(2):
        any_store.delete([PUMP.id, SECRET.id])
    any_store.delete([])
    assert (any_store.count(), any_store.passages_of("pumps"), any_store.passages_of("leave")) == (1, (), (LEAVE,))


def test_sources_are_listed_by_origin(any_store: PassageStore) -> None:
    """Each source once, of this origin alone."""
    fill(any_store, *ALL)
    found = [any_store.sources_of(origin) for origin in ("origin", "private", "nowhere")]
    assert found == [{"pumps", "leave"}, {"cellar"}, frozenset()]


def test_a_long_source_comes_back_in_order(any_store: PassageStore) -> None:
    """More passages than the engine gives at once."""
    pages = [passage(f"page {number}", source="book", position=number) for number in range(1500)]
    fill(any_store, *reversed(pages))
    assert any_store.passages_of("book") == tuple(pages)


def test_pages_walk_through_all_in_order_of_id(any_store: PassageStore) -> None:
    """Each once, whatever the size of a page, and from behind an id that is gone too."""
    everything = [passage(f"page {number}", source="book", position=number) for number in range(7)]
    fill(any_store, *everything)
    in_order = sorted(everything, key=lambda one: one.id)
    assert any_store.page("", 3) == tuple(in_order[:3])
    assert any_store.page(in_order[2].id, 3) == tuple(in_order[3:6])
    any_store.delete([in_order[5].id])
    assert any_store.page(in_order[5].id, 3) == tuple(in_order[6:])
    assert any_store.page(in_order[6].id, 3) == ()


def test_candidates_are_ranked_by_falling_score(any_store: PassageStore) -> None:
    """Ranks count from 1; the dense leg ranks everything, the sparse one what shares a word."""
    fill(any_store, *ALL)
    scope = scope_of(["harbour", "office"])
    for found, size in ((dense(any_store, "valve pump", scope), 3), (sparse(any_store, "valve pump", scope), 2)):
        assert [candidate.rank for candidate in found] == list(range(1, size + 1))
        assert [candidate.score for candidate in found] == sorted((one.score for one in found), reverse=True)
        assert found[0].passage == VALVE


@pytest.mark.parametrize(
    ("readers", "readable"),
    [
        ((["harbour"],), {PUMP, VALVE}),
        ((["harbour", "cellar"],), {PUMP, VALVE, SECRET}),
        ((["harbour"], ["office"]), {VALVE}),
        ((["harbour", "office"], ["office", "cellar"]), {VALVE, LEAVE}),
        ((["harbour"], ["cellar"]), set()),
        ((["nowhere"],), set()),
        ((["harbour"], []), set()),
        ((), set()),
    ],
)
def test_only_what_every_reader_may_open_is_found(
    any_store: PassageStore, readers: tuple[list[str], ...], readable: set[Passage], caplog: pytest.LogCaptureFixture
) -> None:
    """In both legs, in scoring and in reading; no readers, or one who may open nothing, find nothing.

    The engine's own filter does it: the check after it has nothing to drop and to log.
    """
    fill(any_store, *ALL)
    scope = scope_of(*readers)
    words = " ".join(one.text for one in ALL)
    scores = any_store.score([one.id for one in ALL], DENSE.embed_query(words), SPARSE.embed_query(words), scope)
    assert texts(dense(any_store, words, scope)) == {one.text for one in readable}
    assert texts(sparse(any_store, words, scope)) == {one.text for one in readable}
    both = any_store.search_both(DENSE.embed_query(words), SPARSE.embed_query(words), scope, 10)
    assert texts((*both.dense, *both.sparse)) == {one.text for one in readable}
    assert set(scores) == {one.id for one in readable}
    assert set(any_store.read([one.id for one in ALL], scope)) == readable
    assert caplog.records == []


def test_scores_are_those_of_the_legs(any_store: PassageStore) -> None:
    """A passage that one leg missed gets the score that the leg would have given it; no shared word scores 0."""
    fill(any_store, *ALL)
    scope = scope_of(["harbour", "office"])
    scores = any_store.score(
        [one.id for one in ALL], DENSE.embed_query("valve pump"), SPARSE.embed_query("valve pump"), scope
    )
    by_dense = {one.passage.id: one.score for one in dense(any_store, "valve pump", scope)}
    by_sparse = {one.passage.id: one.score for one in sparse(any_store, "valve pump", scope)}
    assert {id_: legs.dense for id_, legs in scores.items()} == pytest.approx(by_dense)
    assert {id_: legs.sparse for id_, legs in scores.items()} == pytest.approx({LEAVE.id: 0.0} | by_sparse)


def test_a_passage_is_as_near_as_the_nearest_of_its_vectors(any_store: PassageStore) -> None:
    """The leg and the scoring take the best of the whole and its excerpts, never their sum or their mean."""
    whole, terms = embedded([PUMP], DENSE, SPARSE)[0].dense, SPARSE.embed_passages([PUMP.text])[0]
    excerpts = DENSE.embed_passages(["The ladder stands behind the kiln", "Lunch is at noon"])
    any_store.upsert([EmbeddedPassage(PUMP, np.concatenate([whole, excerpts]), terms)])
    fill(any_store, VALVE)
    query, scope = DENSE.embed_query("ladder behind kiln"), scope_of(["harbour"])
    best = any_store.search_dense(query, scope, 10)[0]
    scored = any_store.score([PUMP.id], query, SPARSE.embed_query("ladder"), scope)[PUMP.id]
    assert best.passage == PUMP
    assert [best.score, scored.dense, scored.sparse] == pytest.approx(
        [*[float(excerpts[0] @ query)] * 2, 0.0], abs=1e-5
    )


def test_a_query_of_stop_words_matches_no_words(any_store: PassageStore) -> None:
    """The sparse leg has nothing to say, and the dense one still scores."""
    fill(any_store, PUMP)
    nothing = SparseVector((), ())
    scores = any_store.score([PUMP.id], DENSE.embed_query("what is it"), nothing, scope_of(["harbour"]))
    assert any_store.search_sparse(nothing, scope_of(["harbour"]), 10) == ()
    assert any_store.search_both(DENSE.embed_query("what is it"), nothing, scope_of(["harbour"]), 10).sparse == ()
    assert [legs.sparse for legs in scores.values()] == [0.0]


PLACES = st.sampled_from(["harbour", "office", "cellar"])
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6)
PASSAGES = st.lists(st.tuples(WORDS, st.sets(PLACES, min_size=1)), min_size=1, max_size=12)
READERS = st.lists(st.sets(PLACES, min_size=1), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None)  # each example writes and searches a store; test_searching asks more
@given(drafts=PASSAGES, readers=READERS, query=WORDS, limit=st.integers(1, 6))
def test_what_is_outside_the_scope_changes_nothing(
    small_store: PassageStore,
    drafts: list[tuple[list[str], set[str]]],
    readers: list[set[str]],
    query: list[str],
    limit: int,
) -> None:
    """Passages, order and scores of both legs are the same whether or not anything else is stored."""
    scope = scope_of(*readers)
    passages = [passage(" ".join(words), *places, source=str(at)) for at, (words, places) in enumerate(drafts)]
    store = emptied(small_store)
    fill_exact(store, *(one for one in passages if scope.admits(one.places)))
    alone = everything(store, passages, query, scope, limit)
    fill_exact(store, *passages)
    among_others = everything(store, passages, query, scope, limit)
    store.delete([one.id for one in passages if not scope.admits(one.places)])
    assert alone == among_others == everything(store, passages, query, scope, limit)


def everything(store: PassageStore, passages: list[Passage], words: list[str], scope: Scope, limit: int) -> object:
    """All that one query can learn from a store."""
    vector, terms = exact_query(words), SPARSE.embed_query(" ".join(words))
    return (
        store.search_dense(vector, scope, limit),
        store.search_sparse(terms, scope, limit),
        store.search_both(vector, terms, scope, limit),
        store.score([one.id for one in passages], vector, terms, scope),
    )


@pytest.mark.parametrize("limit", [1, 7, 40, 100])
def test_equal_scores_are_ordered_by_id_at_the_cut_too(any_store: PassageStore, limit: int) -> None:
    """Sixty passages with the same words: which of them are found, and in what order, never changes."""
    copies = [passage("pump leak", source=str(number)) for number in range(60)]
    fill_exact(any_store, *copies, *(passage("portal", source=str(number)) for number in range(10)))
    expected = sorted(one.id for one in copies)[:limit]
    for _ in range(3):
        by_dense = any_store.search_dense(exact_query(["leak", "rum"]), EVERYBODY, limit)
        by_sparse = sparse(any_store, "pump leak", EVERYBODY, limit)
        both = any_store.search_both(exact_query(["leak", "rum"]), SPARSE.embed_query("pump leak"), EVERYBODY, limit)
        for found in (by_dense, by_sparse, both.dense, both.sparse):
            assert [one.passage.id for one in found][:60] == expected


def test_writers_and_readers_do_not_disturb_each_other(many_writers_store: PassageStore) -> None:
    """Six writing and four reading threads: every write is there, every answer is whole."""
    store = many_writers_store
    pages = [
        [passage(f"page {at} of {book}", source=f"book {book}", position=at) for at in range(40)] for book in range(6)
    ]

    def write(book: list[Passage]) -> None:
        for start in range(0, len(book), 10):
            fill(store, *book[start : start + 10])
        store.delete([book[0].id])

    def read(_: int) -> list[int]:
        return [len(dense(store, "page", EVERYBODY, 5)) for _ in range(30)]

    with ThreadPoolExecutor(10) as pool:
        writing = [pool.submit(write, book) for book in pages]
        reading = [pool.submit(read, at) for at in range(4)]
        found = [future.result() for future in reading]
        for future in writing:
            future.result()
    assert all(0 <= size <= 5 for sizes in found for size in sizes)
    assert [store.passages_of(f"book {book}") for book in range(6)] == [tuple(book[1:]) for book in pages]


def test_a_failure_is_one_sentence_of_our_own(any_store: PassageStore) -> None:
    """What the engine raises stays behind the adapter."""
    with pytest.raises(StoreUnavailable, match="Searching the store failed"):
        any_store.search_dense(np.ones(3, dtype=np.float32), EVERYBODY, 5)


@pytest.mark.parametrize("way", WAYS)
def test_a_closed_store_says_so(way: str, tmp_path: Path) -> None:
    """It does not pretend to be empty."""
    with ExitStack() as stack:
        store = opened(way, tmp_path, stack)
        store.close()
        with pytest.raises(StoreUnavailable):
            store.count()
