"""What tests of every room share: the packaged model once a run, a small one without meaning, a store of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore

TEAM = "T0TEST"

# How fast an example is says nothing on a machine that several things share.
settings.register_profile("footnote", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("footnote")


class WordHashEmbedder:
    """A dense embedder of 16 dimensions that knows no meaning: texts are near when they share words."""

    model = "tests/word-hash"
    dimension = 16
    max_tokens = 256

    def count_tokens(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dimension, 1e-3, dtype=np.float32)
        for word in re.findall(r"\w+", text.casefold()):
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % self.dimension] += 1
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the packaged model is laid out for this run."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def packaged_embedder(models_folder: Path) -> FastEmbedder:
    """The model that Footnote comes with, loaded once a run: for tests in which meaning matters."""
    return FastEmbedder(models_folder)


@pytest.fixture(scope="session")
def small_embedder() -> WordHashEmbedder:
    """A deterministic dense embedder that costs nothing: for tests in which meaning does not matter."""
    return WordHashEmbedder()


@pytest.fixture(scope="session")
def bm25() -> Bm25Embedder:
    """The sparse embedder, in English."""
    return Bm25Embedder("english")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EdgeStore]:
    """An empty store of the real class, for vectors of the small embedder."""
    collection = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
    store = EdgeStore(tmp_path / "store", collection)
    yield store
    store.close()
