"""Compares the embedded store with qdrant-client's local mode, on the same passages and queries in the same run.

`python -m benchmarks.local_mode [--passages N]`
"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from qdrant_client import QdrantClient

from retrieval.evaluation.store_bench import SCOPES, BruteForce, ask, collection, fill
from retrieval.evaluation.synthetic import SyntheticCorpus
from retrieval.stores.edge import EdgeStore
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import open_with

_QUERIES = 5
"""Local mode takes seconds for each."""


def main() -> None:
    """Fill both, ask both, and print the ratio of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=20_000)
    corpus = SyntheticCorpus(parser.parse_args().passages)
    queries, truth, ignored = corpus.queries(_QUERIES), BruteForce(corpus), BruteForce(corpus)
    local = open_with(QdrantClient(":memory:"), Calls("memory", timeout_s=600.0), collection())
    with (
        TemporaryDirectory() as folder,
        closing(EdgeStore(Path(folder) / "store", collection())) as ours,
        closing(local),
    ):
        print(f"{corpus.passages} passages, written in {fill(ours, corpus, truth):.0f} s")
        print(f"  by local mode in {fill(local, corpus, ignored):.0f} s")
        for places in SCOPES:
            embedded, theirs = ask(ours, truth, queries, places), ask(local, truth, queries, places)
            print(
                f"{places} places, {embedded.passages} passages: p50 {embedded.hybrid.p50:.1f} ms, local mode "
                f"{theirs.hybrid.p50:.0f} ms: {theirs.hybrid.p50 / embedded.hybrid.p50:.0f} × as fast"
            )


if __name__ == "__main__":
    main()
