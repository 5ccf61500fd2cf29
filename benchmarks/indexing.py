"""Measures indexing against the embedding model alone, and how long a question waits meanwhile.

`python -m benchmarks.indexing [DIR] [--pages N] [--default]`

DIR is a folder of documents; without one, pages are made up. Process start, loading the model and reading files are
left out. The model alone embeds the very texts that indexing embeds (passages and excerpts), at the setting that was
fastest: a session of one thread for each core, one text at a time, longest first. `--default` also runs fastembed as it
comes, `embed(batch_size=256)`, on 256 whole passages: that takes gigabytes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Event

import numpy as np
from fastembed import TextEmbedding

from benchmarks.pages import made_up_pages
from bot.sync.documents import Skipped, read_documents
from retrieval.chunking import Budget, cut, texts_to_embed
from retrieval.embedding import packaged
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.memory import peak_rss_bytes
from retrieval.indexing import Indexer
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE, Source

_TEAM = "benchmark"
_CORES = 2
_QUESTION = "How do I get a new badge for the office when mine is lost?"
_QUESTIONS = 100
_TEXTS_BY_DEFAULT = 256


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--default", action="store_true")
    asked = parser.parse_args()
    sources = _sources(asked.folder, asked.pages)
    with TemporaryDirectory() as folder:
        dense = FastEmbedder(Path(folder) / "models")
        texts = _texts(sources, dense)
        flat = [text for of_one in texts for text in of_one]
        print(f"{len(sources)} pages, {len(texts)} passages, {len(flat)} texts")
        alone = _seconds(lambda: _embed_alone(flat, _sessions(dense, Path(folder) / "models")))
        first, second, waits = _index(sources, dense, Path(folder) / "store")
        _say("the model alone", alone, len(texts))
        print(f"  memory until here {peak_rss_bytes() / 1e6:.0f} MB at its peak")
        _say("indexing", first, len(texts))
        print(f"  {first / alone:.3f} × the model alone")
        _say("indexing again, unchanged", second, len(texts))
        print(f"  {first / second:.0f} × as fast as at first")
        for name, times in waits.items():
            p50, p95 = (1000 * value for value in (quantiles(times, n=20)[at] for at in (9, 18)))
            print(f"embedding a question {name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms ({len(times)} questions)")
        if asked.default:
            _compare_default([of_one[0] for of_one in texts][:_TEXTS_BY_DEFAULT], dense, Path(folder) / "models")


def _sources(folder: Path | None, pages: int) -> list[Source]:
    if folder is None:
        return list(made_up_pages(pages))
    read = read_documents(folder, frozenset({WORKSPACE}), None)
    sources = [source for source in read if not isinstance(source, Skipped)]
    return sources[: max(pages, 1)] if pages else sources


def _texts(sources: Sequence[Source], dense: FastEmbedder) -> list[tuple[str, ...]]:
    """What indexing embeds: of each passage itself and its excerpts."""
    budget = Budget().within(dense.max_tokens)
    passages = [passage for source in sources for passage in cut(source, _TEAM, dense.count_tokens, budget)]
    return [texts_to_embed(passage, budget, dense.count_tokens) for passage in passages]


def _sessions(dense: FastEmbedder, cache: Path) -> list[TextEmbedding]:
    """Loaded anew, with nothing of ours around them."""
    path = str(packaged.lay_out(cache))
    return [
        TextEmbedding(dense.model, threads=1, specific_model_path=path, local_files_only=True, cuda=False)
        for _ in range(_CORES)
    ]


def _embed_alone(texts: Sequence[str], sessions: Sequence[TextEmbedding]) -> None:
    """Whichever session is idle takes the next longest text."""
    waiting = sorted(texts, key=len)

    def work(session: TextEmbedding) -> None:
        while True:
            try:
                text = waiting.pop()
            except IndexError:  # another session has taken the last
                return
            list(session.embed([text], batch_size=1))

    with ThreadPoolExecutor(len(sessions)) as pool:
        list(pool.map(work, sessions))


def _index(
    sources: Sequence[Source], dense: FastEmbedder, folder: Path
) -> tuple[float, float, dict[str, Sequence[float]]]:
    """Seconds at first and again; how long questions took before and meanwhile, in a run of its own."""
    sparse = Bm25Embedder()

    def indexer(name: str) -> tuple[EdgeStore, Indexer]:
        store = EdgeStore(folder / name, Collection(_TEAM, dense.model, dense.dimension, "benchmark"))
        return store, Indexer(store, dense, sparse, _TEAM)

    store, index = indexer("timed")
    with closing(store):
        first = _seconds(lambda: index.put(sources))
        again = _seconds(lambda: index.put(sources))
    store, index = indexer("asked")
    with closing(store):
        idle = [_seconds(lambda: dense.embed_query(_QUESTION)) for _ in range(_QUESTIONS)]
        done = Event()
        with ThreadPoolExecutor(1) as beside:
            running = beside.submit(index.put, sources[: len(sources) // 4 + 1])
            running.add_done_callback(lambda _: done.set())
            busy = _ask_until(dense, done)
    return first, again, {"while nothing else runs": idle, "while passages are embedded": busy}


def _ask_until(dense: FastEmbedder, stop: Event) -> Sequence[float]:
    times = []
    while not stop.wait(0.05):
        times.append(_seconds(lambda: dense.embed_query(_QUESTION)))
    return times


def _compare_default(wholes: Sequence[str], dense: FastEmbedder, cache: Path) -> None:
    """fastembed as it comes, on whole passages; vectors differ in the last digits, since its batches share a scale."""
    path = str(packaged.lay_out(cache))
    ours = _seconds(lambda: dense.embed_passages(wholes))
    theirs = TextEmbedding(dense.model, specific_model_path=path, local_files_only=True, cuda=False)
    found: list[np.ndarray] = []
    default = _seconds(lambda: found.extend(theirs.embed(list(wholes), batch_size=256)))
    apart = 1 - np.sum(np.array(found) * dense.embed_passages(wholes), axis=1)
    print(
        f"{len(wholes)} whole passages: {len(wholes) / ours:.1f}/s, fastembed's default {len(wholes) / default:.1f}/s"
    )
    print(f"  {default / ours:.1f} × as fast; cosines of both are apart by {apart.max():.4f} at most")
    print(f"  its memory {peak_rss_bytes() / 1e6:.0f} MB at its peak")


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _say(what: str, seconds: float, passages: int) -> None:
    print(f"{what}: {seconds:.1f} s, {passages / seconds:.1f} passages/s")


if __name__ == "__main__":
    main()
