"""A search finds what fits by meaning or by words, inside the scope and as if nothing else were stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import StoreUnavailable
from retrieval.search import Searcher, Stages
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import Passage, Scope, SearchResult
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import EVERYBODY, embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()

HANDBOOK = [
    passage(text, source=str(number))
    for number, text in enumerate(
        [
            "Vacation is requested in the leave tool, at least two weeks ahead; your manager approves it.",
            "Invoices go out on the first working day of each month.",
            "ERR_CONN_42 means that the gateway refused the connection: renew its certificate.",
            "ERR_CONN_17 means that the gateway did not answer in time.",
            "The kit weighs 1.15 kg without its battery.",
            "Call the script with --dry-run to see what it would delete.",
            "New colleagues get a laptop and a badge on their first day.",
            "The camera of the front door is a model from 2019.",
        ]
    )
]


@pytest.fixture(scope="module")
def handbook(packaged_embedder: FastEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeStore]:
    """A few pages, embedded with the packaged model."""
    collection = Collection(TEAM, packaged_embedder.model, packaged_embedder.dimension, "tests")
    store = EdgeStore(tmp_path_factory.mktemp("handbook") / "store", collection)
    store.upsert(embedded(HANDBOOK, packaged_embedder, SPARSE))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How do I take some days off?", 0),
        ("When are customers billed?", 1),
        ("What does ERR_CONN_42 mean?", 2),
        ("gateway timed out", 3),
        ("How much does it weigh?", 4),
        ("dry run", 5),
        ("Which equipment do new hires receive?", 6),
    ],
)
def test_meaning_and_letters_both_find(
    handbook: EdgeStore, packaged_embedder: FastEmbedder, question: str, best: int
) -> None:
    """A paraphrase is found by its meaning, an identifier by its letters, an inflected word by its stem."""
    result = Searcher(handbook, packaged_embedder, SPARSE).search(question, EVERYBODY)
    assert result.hits[0].passage == HANDBOOK[best]


def test_a_hit_tells_what_each_leg_thought_of_it(handbook: EdgeStore, packaged_embedder: FastEmbedder) -> None:
    """Also of a passage that the sparse leg never returned; and ranks count from 1."""
    result = Searcher(handbook, packaged_embedder, SPARSE).search("gateway certificate", EVERYBODY)
    dense = {one.passage.id: one.score for one in result.dense}
    sparse = {one.passage.id: one.score for one in result.sparse}
    assert len(sparse) == 2
    assert {hit.passage.id: hit.dense for hit in result.hits} == pytest.approx(dense)
    assert {hit.passage.id: hit.sparse for hit in result.hits} == pytest.approx(dict.fromkeys(dense, 0.0) | sparse)
    assert [hit.rank for hit in result.hits] == list(range(1, len(HANDBOOK) + 1))


def test_a_candidate_that_only_one_leg_found_gets_the_others_score(store: EdgeStore) -> None:
    """With room for one candidate a leg, both hits have both scores."""
    near, wordy = passage("pump pump pump"), passage("valve leaks and the pump stands still", source="other")
    store.upsert(embedded([near, wordy], DENSE, SPARSE))
    result = Searcher(store, DENSE, SPARSE, Stages(candidates=1)).search("pump valve", EVERYBODY, limit=1)
    full = Searcher(store, DENSE, SPARSE).search("pump valve", EVERYBODY)
    both = {hit.passage.id: (hit.dense, hit.sparse) for hit in full.hits}
    assert [(hit.passage.id, hit.dense, hit.sparse) for hit in result.hits] == [
        (full.hits[0].passage.id, *both[full.hits[0].passage.id])
    ]
    assert all(sparse > 0 for _, sparse in both.values())


@pytest.mark.parametrize(
    ("stages", "dense", "sparse"),
    [
        (Stages(sparse=False), True, False),
        (Stages(dense=False), False, True),
        (Stages(fill=False), True, True),
        (Stages(fusion="rrf", fill=False), True, True),
        (Stages(fusion="relative", fill=False), True, True),
    ],
)
def test_every_stage_can_be_switched_off(
    handbook: EdgeStore, packaged_embedder: FastEmbedder, stages: Stages, dense: bool, sparse: bool
) -> None:
    """The hits are then those of the legs that are left, in their order where one is left."""
    result = Searcher(handbook, packaged_embedder, SPARSE, stages).search("renew the gateway certificate", EVERYBODY)
    assert (bool(result.dense), bool(result.sparse)) == (dense, sparse)
    assert result.hits[0].passage == HANDBOOK[2]
    if not (dense and sparse):
        left = result.dense or result.sparse
        assert [hit.passage for hit in result.hits] == [one.passage for one in left]


@pytest.mark.parametrize("scope", [scope_of(), scope_of([]), scope_of(["harbour"], [])])
def test_an_empty_scope_asks_neither_model_nor_store(store: EdgeStore, scope: Scope) -> None:
    """Nothing can be found, so nothing is embedded or asked; this model, and a closed store, would raise."""
    store._shard.close()
    assert Searcher(store, NeverAsked(), SPARSE).search("pump", scope) == SearchResult()


class NeverAsked(WordHashEmbedder):
    """A model that nobody may ask."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Refuse."""
        raise AssertionError(f"{text!r} was embedded")


def test_a_failing_leg_fails_the_search(store: EdgeStore) -> None:
    """Half an answer would look like a whole one."""
    store.upsert(embedded([passage("pump")], DENSE, SPARSE))
    store._shard.close()
    with pytest.raises(StoreUnavailable):
        Searcher(store, DENSE, SPARSE).search("pump", EVERYBODY)


def test_a_question_of_stop_words_is_answered_by_meaning_alone(
    handbook: EdgeStore, packaged_embedder: FastEmbedder
) -> None:
    """No term, no sparse candidate, and the search goes on."""
    result = Searcher(handbook, packaged_embedder, SPARSE).search("What is it?", EVERYBODY)
    assert (result.sparse, len(result.hits)) == ((), len(HANDBOOK))


PLACES = st.sampled_from(["harbour", "office", "cellar"])
WORDS = st.lists(
    st.sampled_from(["pump", "valve", "leak", "night", "portal", "leave", "rum"]), min_size=1, max_size=6
).map(" ".join)
DRAFTS = st.lists(st.tuples(WORDS, st.sets(PLACES, min_size=1)), min_size=1, max_size=14)
READERS = st.lists(st.sets(PLACES, min_size=1), min_size=1, max_size=3)

_kept: list[EdgeStore] = []


@pytest.fixture(autouse=True, scope="module")
def _one_store_for_properties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Examples of a property share a store: opening one takes longer than all that they do in it."""
    collection = Collection(TEAM, DENSE.model, DENSE.dimension, "tests")
    _kept.append(EdgeStore(tmp_path_factory.mktemp("property") / "store", collection))
    yield
    _kept.pop().close()


@settings(max_examples=60, deadline=None)  # each example writes and searches a store
@given(
    drafts=DRAFTS,
    readers=READERS,
    query=WORDS,
    limit=st.integers(1, 8),
    stages=st.sampled_from(
        [Stages(candidates=1), Stages(candidates=2, fill=False), Stages(fusion="rrf"), Stages(fusion="relative")]
    ),
)
def test_what_is_outside_the_scope_changes_nothing(
    drafts: list[tuple[str, set[str]]], readers: list[set[str]], query: str, limit: int, stages: Stages
) -> None:
    """Hits, scores, order and every leg's candidates are the same, whether or not other passages are stored."""
    scope = scope_of(*readers)
    passages = [passage(text, *places, source=str(at)) for at, (text, places) in enumerate(drafts)]
    (store,) = _kept
    _fill_anew(store, passages)
    searcher = Searcher(store, DENSE, SPARSE, stages)
    among_others = searcher.search(query, scope, limit)
    outside = [one for one in passages if not scope.admits(one.places)]
    store.delete([one.id for one in outside])
    alone = searcher.search(query, scope, limit)
    store.upsert(embedded([replace(one, text=f"{one.text} {query}") for one in outside], DENSE, SPARSE))
    assert alone == among_others == searcher.search(query, scope, limit)
    assert all(scope.admits(hit.passage.places) for hit in alone.hits)


def _fill_anew(store: EdgeStore, passages: list[Passage]) -> None:
    for source in store.sources_of("origin"):
        store.delete([one.id for one in store.passages_of(source)])
    store.upsert(embedded(passages, DENSE, SPARSE))


def beside_each_other(*texts: str, source: str) -> list[Passage]:
    """Passages of one source in order, each knowing those around it."""
    ids = [passage(text, source=source, position=at).id for at, text in enumerate(texts)]
    return [
        replace(
            passage(text, source=source, position=at), neighbours=tuple(ids[max(at - 1, 0) : at] + ids[at + 1 : at + 2])
        )
        for at, text in enumerate(texts)
    ]


def test_of_equally_near_passages_the_one_among_its_like_is_first(store: EdgeStore) -> None:
    """What stands right beside a passage lends it meaning; what each leg thought of the passage itself stays."""
    stray = beside_each_other("boats and oars", "pumps hum", "sails and ropes", source="a stray word")
    among = beside_each_other("pumps and valves", "pumps hum", "pumps leak", source="about pumps")
    store.upsert(embedded([*stray, *among], DENSE, SPARSE))
    result = Searcher(store, DENSE, SPARSE).search("pumps hum", EVERYBODY)
    assert [hit.passage for hit in result.hits[:2]] == [among[1], stray[1]]
    assert result.hits[0].dense == result.hits[1].dense == pytest.approx(1)
    alone = Searcher(store, DENSE, SPARSE, Stages(neighbours=False)).search("pumps hum", EVERYBODY)
    assert alone.hits[0].score == alone.hits[1].score


def test_neighbours_that_are_no_candidates_are_no_hits(store: EdgeStore) -> None:
    """They are asked what they mean, and that is all."""
    pages = beside_each_other("pumps hum", "sails and ropes", "oars", source="a page")
    store.upsert(embedded(pages, DENSE, SPARSE))
    hits = Searcher(store, DENSE, SPARSE, Stages(candidates=1)).search("pumps", EVERYBODY, limit=1).hits
    assert [hit.passage for hit in hits] == [pages[0]]


def test_a_neighbour_that_has_gone_lends_nothing(store: EdgeStore) -> None:
    """An edit may be halfway: what is not stored is passed over."""
    first, second = beside_each_other("pumps hum", "pumps leak", source="a page")
    store.upsert(embedded([first], DENSE, SPARSE))
    assert [hit.passage for hit in Searcher(store, DENSE, SPARSE).search("pumps", EVERYBODY).hits] == [first]
    assert second.id in first.neighbours
