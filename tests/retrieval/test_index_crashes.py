"""An indexer that is killed at any moment leaves an index that the next run completes: no doubles, no orphans.

`FOOTNOTE_TEST_KILLS=2000 pytest tests/retrieval/test_index_crashes.py` kills that often.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from signal import SIGKILL

import pytest

from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import PassageStore
from tests.conftest import TEAM, WordHashEmbedder
from tests.corpora import corpus, index, passages_in, scores_in

KILLS = int(os.environ.get("FOOTNOTE_TEST_KILLS", "24"))
COLLECTION = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
_LONGEST_S = 60.0
"""For a child to come to where it is killed, on a machine that several things share."""

context = get_context("forkserver")  # children of a process that has loaded the engine and opened nothing
context.set_forkserver_preload([__name__])


@dataclass
class Counted:
    """A store that counts its writes where another process can see it."""

    store: EdgeStore
    writes: Synchronized[int]

    def __getattr__(self, name: str) -> object:
        if name in {"upsert", "describe", "delete"}:
            self.writes.value += 1
        return getattr(self.store, name)


def run(folder: Path, seed: int, writes: Synchronized[int]) -> None:
    """Open the store, make it hold a corpus, give back room and close it: what a child does until it is killed."""
    store = EdgeStore(folder, COLLECTION)
    writes.value += 1
    counted: PassageStore = Counted(store, writes)  # type: ignore[assignment]  # hands on whatever it is asked
    index(counted, corpus(seed))
    if seed % 3 == 0:
        store.compact()
    store.close()
    writes.value = -1


def kill_once(folder: Path, seed: int, chance: random.Random) -> int:
    """Kill a child a moment after one of its writes began, or while it opens; says how many had begun, -1 for all."""
    is_new, writes = not folder.exists(), context.Value("i", 0)
    child = context.Process(target=run, args=(folder, seed, writes))
    child.start()
    wanted, deadline = 0 if is_new else chance.randrange(12), time.monotonic() + _LONGEST_S
    while 0 <= writes.value < wanted and time.monotonic() < deadline:
        time.sleep(0.0002)
    time.sleep(chance.random() * 0.3 if is_new else chance.random() ** 2 * 0.02)  # making a store takes so long
    child.kill()
    child.join(_LONGEST_S)
    assert child.exitcode in {0, -SIGKILL}
    return int(writes.value)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[EdgeStore]:
    """A store in which nobody was ever killed."""
    store = EdgeStore(tmp_path / "fresh", COLLECTION)
    yield store
    store.close()


def test_a_killed_indexer_is_completed_by_the_next_run(tmp_path: Path, fresh: EdgeStore) -> None:
    """Killed again and again over changing corpora, the index is in the end what it is if nothing ever happened."""
    chance, reached, seed, folder = random.Random(19), list[int](), 0, tmp_path / "killed"
    while len(reached) < KILLS:
        if chance.random() < 0.15:
            folder = tmp_path / f"killed from {seed} on"  # so that some die while a store is made
        for _ in range(chance.choice([1, 1, 2, 4])):
            seed += 1
            reached.append(kill_once(folder, seed, chance))
        seed += chance.choice([0, 1])
        with closing(EdgeStore(folder, COLLECTION)) as store:
            index(store, corpus(seed))
            index(fresh, [])
            index(fresh, corpus(seed))
            assert passages_in(store) == passages_in(fresh), f"after corpus {seed}"
            assert scores_in(store) == scores_in(fresh), f"after corpus {seed}"
            assert index(store, corpus(seed)).added == 0
    assert sum(at > 1 for at in reached) > KILLS / 3, f"too few were killed while they wrote: {reached}"
