"""Shows how much memory indexing takes as the index grows.

`python -m benchmarks.memory [--passages N] [--model]`

Pages are made up one by one. A cheap embedder stands in for the model, so that 100,000 passages end within minutes;
`--model` takes the packaged one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import PASSAGES_PER_PAGE, made_up_pages
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.protocol import DenseEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.memory import own_bytes, peak_rss_bytes, rss_bytes
from retrieval.indexing import Indexer
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore

_STEPS = 10


class CheapEmbedder:
    """Vectors of the packaged model's size that mean nothing and differ from text to text."""

    model = "benchmark/cheap"
    dimension = 384
    max_tokens = 510

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.random.default_rng(list(text.encode()[-64:])).standard_normal(self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def main() -> None:
    """Index, and print a line at each tenth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--model", action="store_true")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        dense: DenseEmbedder = FastEmbedder(Path(folder) / "models") if asked.model else CheapEmbedder()
        print(f"{'passages':>9} {'resident MB':>12} {'without files MB':>17} {'peak MB':>8}")
        for line in _lines(dense, Path(folder) / "store", asked.passages):
            print(line, flush=True)


def _lines(dense: DenseEmbedder, folder: Path, passages: int) -> Iterator[str]:
    pages = made_up_pages(10**9)
    with closing(EdgeStore(folder, Collection("benchmark", dense.model, dense.dimension, "benchmark"))) as store:
        indexer = Indexer(store, dense, Bm25Embedder(), "benchmark")
        yield _line(0)
        for step in range(1, _STEPS + 1):
            while store.count() < passages * step // _STEPS:
                lacking = passages * step // _STEPS - store.count()
                indexer.put(page for _, page in zip(range(lacking // PASSAGES_PER_PAGE + 1), pages, strict=False))
            yield _line(store.count())


def _line(passages: int) -> str:
    resident, own, peak = (number / 1e6 for number in (rss_bytes(), own_bytes(), peak_rss_bytes()))
    return f"{passages:9} {resident:12.0f} {own:17.0f} {peak:8.0f}"


if __name__ == "__main__":
    main()
