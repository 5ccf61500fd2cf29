"""Teams in one place share nothing, however alike their passages are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.stores.protocol import PassageStore
from retrieval.types import Passage, Place
from tests.conftest import TEAM, WordHashEmbedder
from tests.congruence.conftest import WAYS, opened_for
from tests.passages import EVERYBODY, embedded, passage

DENSE, SPARSE = WordHashEmbedder(), Bm25Embedder()

OURS = [passage(f"Our pump {number} runs at night", source="pumps", position=number) for number in range(3)]
THEIRS = [replace(one, text=one.text.replace("Our", "Their secret")) for one in OURS]
"""With the ids, sources, origins, positions and places of ours."""


@pytest.fixture(params=WAYS)
def two_teams(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[PassageStore]]:
    """Two teams' stores in one place, of each kind, with equal ids in both."""
    with ExitStack() as stack:
        stores = opened_for([TEAM, "T0OTHER"], request.param, tmp_path_factory.mktemp("teams"), stack)
        for store, passages in zip(stores, (OURS, THEIRS), strict=True):
            store.upsert(embedded(passages, DENSE, SPARSE))
        yield stores


def seen(store: PassageStore) -> list[Passage]:
    """All that every way of reading and searching finds, whatever of it twice."""
    vector, terms = DENSE.embed_query("secret pump at night"), SPARSE.embed_query("secret pump at night")
    ids = [one.id for one in OURS]
    legs = (*store.search_dense(vector, EVERYBODY, 10), *store.search_sparse(terms, EVERYBODY, 10))
    scored = store.read(list(store.score(ids, vector, terms, EVERYBODY)), EVERYBODY)
    return [*(one.passage for one in legs), *scored, *store.read(ids, EVERYBODY), *store.passages_of("pumps")]


def test_equal_ids_of_two_teams_are_two_passages(two_teams: list[PassageStore]) -> None:
    """Each finds, reads and counts its own alone, by every method."""
    ours, theirs = two_teams
    assert (set(seen(ours)), set(seen(theirs))) == (set(OURS), set(THEIRS))
    assert (len(seen(ours)), ours.count(), theirs.count()) == (15, 3, 3)


def test_how_often_words_occur_is_counted_for_each_team(two_teams: list[PassageStore]) -> None:
    """A word that all of theirs hold is no commoner with us."""
    ours, theirs = two_teams
    before = ours.search_sparse(SPARSE.embed_query("pump"), EVERYBODY, 10)
    theirs.upsert(embedded([passage(f"pump {number}", source="more") for number in range(40)], DENSE, SPARSE))
    assert ours.search_sparse(SPARSE.embed_query("pump"), EVERYBODY, 10) == before


def test_what_one_team_changes_stays_with_it(two_teams: list[PassageStore]) -> None:
    """Describing and deleting touch nothing of the other, though the ids are the same."""
    ours, theirs = two_teams
    theirs.describe([replace(one, places=frozenset({Place("cellar")})) for one in THEIRS])
    assert set(seen(ours)) == set(OURS)
    theirs.delete([one.id for one in THEIRS])
    assert (theirs.count(), set(seen(ours))) == (0, set(OURS))
    assert [one.sources_of("origin") for one in two_teams] == [{"pumps"}, frozenset()]
