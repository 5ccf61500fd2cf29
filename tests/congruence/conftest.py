"""Every way to reach a store: the engine in the process, and the same over another process's socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from retrieval.stores.protocol import PassageStore
from retrieval.stores.shared import open_store
from tests.conftest import TEAM, WordHashEmbedder

ORIGINS = ("origin", "private")
"""What the passages of these tests are read from."""


def opened(way: str, data: Path, stack: ExitStack) -> PassageStore:
    """A store that is `owned` by the one who asks it, or `shared` by another who has it open."""
    owner = stack.enter_context(closing(_open(data)))
    return owner if way == "owned" else stack.enter_context(closing(_open(data)))


def _open(data: Path) -> PassageStore:
    return open_store(data, TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")


@pytest.fixture(scope="module", params=["owned", "shared"])
def one_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageStore]:
    """A store of each kind, opened once."""
    with ExitStack() as stack:
        yield opened(request.param, tmp_path_factory.mktemp("data"), stack)


@pytest.fixture
def any_store(one_store: PassageStore) -> PassageStore:
    """An empty store of each kind."""
    for source in frozenset().union(*map(one_store.sources_of, ORIGINS)):
        one_store.delete([passage.id for passage in one_store.passages_of(source)])
    assert one_store.count() == 0
    return one_store
