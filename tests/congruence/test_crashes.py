"""An indexer whose writes fail at any point leaves an index that the next run completes, in every kind of store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from retrieval.errors import StoreUnavailable
from retrieval.stores.protocol import EmbeddedPassage, PassageStore
from retrieval.types import Passage
from tests.congruence.conftest import emptied
from tests.corpora import corpus, index, passages_in, scores_in

BEFORE, AFTER = corpus(1, pages=8), corpus(2, pages=8)
FEWEST_WRITES = 6
"""Of a run over these: descriptions of what moved, what is new, what went, and each source that went."""


@dataclass
class Failing:
    """A store of which one write fails: before it is done, or after, when only the answer is lost."""

    store: PassageStore
    at: int
    is_done: bool

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        self._write(lambda: self.store.upsert(passages))

    def describe(self, passages: Sequence[Passage]) -> None:
        self._write(lambda: self.store.describe(passages))

    def delete(self, passage_ids: Sequence[str]) -> None:
        self._write(lambda: self.store.delete(passage_ids))

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)

    def _write(self, write: Callable[[], None]) -> None:
        self.at -= 1
        if self.at != 0 or self.is_done:
            write()
        if self.at == 0:
            raise StoreUnavailable("The connection was lost.")


@pytest.mark.parametrize("is_done", [False, True])
def test_a_run_whose_nth_write_fails_is_completed_by_the_next(small_store: PassageStore, is_done: bool) -> None:
    """Whichever write it is: passages, payloads and both vectors are in the end those of an index made at once."""
    index(emptied(small_store), AFTER)
    passages, scores = passages_in(small_store), scores_in(small_store)
    at, has_failed = 0, True
    while has_failed:
        at += 1
        index(small_store, BEFORE)
        has_failed = fails(Failing(small_store, at, is_done))
        index(small_store, AFTER)
        assert passages_in(small_store) == passages
        assert scores_in(small_store) == pytest.approx(scores, rel=1e-5)  # local mode's last digits drift
    assert at > FEWEST_WRITES


def fails(failing: Failing) -> bool:
    """Whether a run meets the write that fails."""
    store: PassageStore = failing  # type: ignore[assignment]  # it hands on what it doesn't do itself
    try:
        index(store, AFTER)
    except StoreUnavailable:
        return True
    return False
