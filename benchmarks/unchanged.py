"""Measures indexing a large folder again that has not changed, against the first time without the embedding model.

`python -m benchmarks.unchanged DIR`

The model's own time, by far the most of the first, is left out: vectors are made up. So the ratio is a lower bound, and
thousands of passages take a minute.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from bot.sync.documents import Skipped, read_documents
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE

_TEAM = "benchmark"


class _MadeUp:
    """Counts tokens as the packaged model does, and makes vectors up."""

    def __init__(self, counting: FastEmbedder) -> None:
        self.model, self.dimension, self.max_tokens = counting.model, counting.dimension, counting.max_tokens
        self.count_tokens = counting.count_tokens
        self._random = np.random.default_rng(1)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._random.normal(size=(len(texts), self.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        (vector,) = self.embed_passages([text])
        return np.asarray(vector, dtype=np.float32)


def main(folder: Path) -> None:
    """Index twice, and print."""
    read = read_documents(folder, frozenset({WORKSPACE}), None)
    sources = [source for source in read if not isinstance(source, Skipped)]
    with TemporaryDirectory() as scratch:
        dense = _MadeUp(FastEmbedder(Path(scratch) / "models"))
        collection = Collection(_TEAM, dense.model, dense.dimension, "benchmark")
        with closing(EdgeStore(Path(scratch) / "store", collection)) as store:
            indexer = Indexer(store, dense, Bm25Embedder(), _TEAM)
            times = []
            for _ in range(2):
                started = time.perf_counter()
                indexer.put(sources)
                times.append(time.perf_counter() - started)
            print(f"{len(sources)} documents, {store.count()} passages")
    first, again = times
    print(f"first, without the model {first:.1f} s; again, unchanged {again:.2f} s: {first / again:.0f} × as fast")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
