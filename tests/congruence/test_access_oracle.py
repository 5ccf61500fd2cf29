"""What every kind of store finds for a random workspace's reply is what the oracle allows, on both legs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings

from bot.access.scope import scope_for
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.stores.protocol import PassageStore
from retrieval.types import Scope
from tests.bot.test_scope_oracle import WORKSPACES, audience_of, place
from tests.conftest import WordHashEmbedder
from tests.congruence.conftest import WAYS, opened
from tests.oracle import STANDING_PLACES, Office
from tests.passages import embedded, passage

DENSE, SPARSE = WordHashEmbedder(), Bm25Embedder()
STANDING = {
    passage(f"The pump of hall {number} runs", *map(place, stands_in), source=f"hall {number}"): stands_in
    for number, stands_in in enumerate(STANDING_PLACES)
}
"""A passage in each place, and one in each two, whatever a workspace makes of those places."""
IDS: Mapping[str, tuple[int, ...]] = {one.id: stands_in for one, stands_in in STANDING.items()}
VECTOR, TERMS = DENSE.embed_query("pump"), SPARSE.embed_query("pump")


@pytest.fixture(scope="module", params=WAYS)
def filled_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageStore]:
    """A store of each kind that holds them all."""
    with ExitStack() as stack:
        store = opened(request.param, tmp_path_factory.mktemp("oracle"), stack)
        store.upsert(embedded(STANDING, DENSE, SPARSE))
        yield store


@settings(max_examples=200, derandomize=True, database=None)
@given(WORKSPACES)
def test_each_leg_finds_what_the_oracle_allows_and_all_of_it(filled_store: PassageStore, world: Office) -> None:
    """Neither leg, nor both at once, nor reading by id lets anything slip or loses any of it."""
    audience = audience_of(world)
    scope = scope_for(audience) if audience else Scope("T1", frozenset())
    both = filled_store.search_both(VECTOR, TERMS, scope, 100)
    found = {
        "dense": [candidate.passage.id for candidate in filled_store.search_dense(VECTOR, scope, 100)],
        "sparse": [candidate.passage.id for candidate in filled_store.search_sparse(TERMS, scope, 100)],
        "both, dense": [candidate.passage.id for candidate in both.dense],
        "both, sparse": [candidate.passage.id for candidate in both.sparse],
        "read": [one.id for one in filled_store.read(list(IDS), scope)],
        "scored": list(filled_store.score(list(IDS), np.array(VECTOR), TERMS, scope)),
    }
    allowed = sorted(id_ for id_, stands_in in IDS.items() if world.may_use(stands_in))
    assert {way: sorted(ids) for way, ids in found.items()} == dict.fromkeys(found, allowed)
