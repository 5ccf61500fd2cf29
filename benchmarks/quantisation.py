"""Measures what a coarse first pass costs in recall, and whether passages outside a scope can change what it finds.

`python -m benchmarks.quantisation SET… [--cache FILE]`

SET is a folder in the BEIR layout. Its passages are cut and embedded as the product does it, and asked its queries: by
the whole vectors (the truth), and in each coarse way with the best rescored by the whole vectors. The server's engine
runs in the process here, and is optimised once, when it has half of the passages: from then on it has two segments, of
which the first is quantised. `recall` is that of the passages of a scope that holds every second one.

`changed` is the share of queries whose first 50, or their scores, are others when what is outside the scope is not
stored: the same passages of the scope then stand in one segment.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import qdrant_edge as engine
from numpy.typing import NDArray

from benchmarks.vectors import RememberingEmbedder
from retrieval.chunking import Budget, cut, texts_to_embed
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.protocol import DenseEmbedder
from retrieval.evaluation.beir import read

_INSIDE = "inside"
_LIMIT = 50
_ASKED = 66
"""What a search for 50 asks of the engine, to see equal scores at the cut."""

_Quantization = engine.ScalarQuantizationConfig | engine.BinaryQuantizationConfig
Ranking = list[tuple[str, float]]
"""Ids and scores, best first, equal scores by id."""


@dataclass(frozen=True, slots=True)
class Way:
    """How the first pass compares."""

    name: str
    bits: float
    """Of each number, in memory."""
    datatype: engine.VectorStorageDatatype | None = None
    """Of a second vector beside the whole one, by which the first pass goes."""
    quantization: _Quantization | None = None
    """The engine's own, of the whole vector."""


_KINDS = engine.VectorStorageDatatype
_WAYS = (
    Way("float16", 16, datatype=_KINDS.Float16),
    Way("turbo8", 8, datatype=_KINDS.Turbo8),
    Way("turbo4", 4, datatype=_KINDS.Turbo4),  # type: ignore[attr-defined]  # absent from the engine's stubs alone
    Way("scalar", 8, quantization=engine.ScalarQuantizationConfig(engine.ScalarType.Int8, quantile=0.99)),
    Way("binary", 1, quantization=engine.BinaryQuantizationConfig()),
)
_NO_GRAPH = engine.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)


@dataclass(frozen=True, slots=True)
class Points:
    """A set's passages and queries as vectors."""

    ids: list[str]
    vectors: list[NDArray[np.float32]]
    places: list[str]
    queries: list[NDArray[np.float32]]

    def inside(self) -> Points:
        """Those in scope alone."""
        kept = [at for at, place in enumerate(self.places) if place == _INSIDE]
        return Points(
            [self.ids[at] for at in kept],
            [self.vectors[at] for at in kept],
            [_INSIDE] * len(kept),
            self.queries,
        )


def points_of(folder: Path, dense: DenseEmbedder) -> Points:
    """Cut, embedded and in an order of their own."""
    judged, budget = read(folder), Budget().within(dense.max_tokens)
    passages = [
        passage for source in judged.sources for passage in cut(source, "benchmark", dense.count_tokens, budget)
    ]
    random.Random(7).shuffle(passages)
    texts = [texts_to_embed(passage, budget, dense.count_tokens) for passage in passages]
    vectors = dense.embed_passages([text for of_one in texts for text in of_one])
    return Points(
        [passage.id for passage in passages],
        np.split(vectors, np.cumsum([len(of_one) for of_one in texts])[:-1]),
        [_INSIDE if at % 2 else "outside" for at in range(len(passages))],
        [dense.embed_query(text) for text in judged.queries.values()],
    )


def together(sets: list[Points]) -> Points:
    """All passages and all queries."""
    return Points(
        [id_ for points in sets for id_ in points.ids],
        [rows for points in sets for rows in points.vectors],
        [place for points in sets for place in points.places],
        [query for points in sets for query in points.queries],
    )


@contextmanager
def shard_of(points: Points, way: Way, optimised_at: int) -> Iterator[engine.EdgeShard]:
    """A shard that holds these points, optimised when it has so many of them, whosever they are, as servers do."""
    folder = tempfile.mkdtemp(prefix="footnote-")
    shard = engine.EdgeShard.create(folder, _config(points.vectors[0].shape[1], way))
    shard.update(engine.UpdateOperation.create_field_index("place", engine.PayloadSchemaType.Keyword))
    names = ["whole", "coarse"] if way.datatype else ["whole"]
    made = [
        engine.Point(id_, {name: rows.tolist() for name in names}, {"place": place})
        for id_, rows, place in zip(points.ids, points.vectors, points.places, strict=True)
    ]
    write(shard, made[:optimised_at])
    shard.optimize()
    write(shard, made[optimised_at:])
    try:
        yield shard
    finally:
        shard.close()
        shutil.rmtree(folder)


def write(shard: engine.EdgeShard, points: list[engine.Point]) -> None:
    """Not all at once."""
    for start in range(0, len(points), 200):
        shard.update(engine.UpdateOperation.upsert_points(points[start : start + 200]))


def _config(dimension: int, way: Way) -> engine.EdgeConfig:
    nearest = engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim)

    def params(
        datatype: engine.VectorStorageDatatype | None, quantization: _Quantization | None = None
    ) -> engine.EdgeVectorParams:
        return engine.EdgeVectorParams(
            size=dimension,
            distance=engine.Distance.Cosine,
            multivector_config=nearest,
            datatype=datatype,
            quantization_config=quantization,
            hnsw_config=_NO_GRAPH,
        )

    vectors = {"whole": params(None, way.quantization)} | ({"coarse": params(way.datatype)} if way.datatype else {})
    return engine.EdgeConfig(vectors=vectors, optimizers=engine.EdgeOptimizersConfig(indexing_threshold=1))


def ask(shard: engine.EdgeShard, query: NDArray[np.float32], way: Way | None, oversampling: int) -> Ranking:
    """The first `_ASKED` in scope: by the whole vectors alone, or by a coarse pass whose best are rescored."""
    inside = engine.Filter(must=[engine.FieldCondition("place", match=engine.MatchValue(_INSIDE))])
    by_whole = engine.Query.Nearest(query.tolist(), using="whole")
    exact = engine.SearchParams(exact=True)
    if way is None:
        request = engine.QueryRequest(limit=_ASKED, query=by_whole, filter=inside, params=exact)
    elif way.datatype:
        first = engine.Query.Nearest(query.tolist(), using="coarse")
        leg = engine.Prefetch(limit=_ASKED * oversampling, query=first, filter=inside, params=exact)
        request = engine.QueryRequest(limit=_ASKED, query=by_whole, prefetches=[leg], filter=inside, params=exact)
    else:
        quantised = engine.SearchParams(
            quantization=engine.QuantizationSearchParams(rescore=True, oversampling=float(oversampling))
        )
        request = engine.QueryRequest(limit=_ASKED, query=by_whole, filter=inside, params=quantised)
    found = [(str(point.id), float(point.score)) for point in shard.query(request)]
    return sorted(found, key=lambda one: (-one[1], one[0]))


@dataclass(frozen=True, slots=True)
class Row:
    """What one way found."""

    recall_at_10: float
    recall_at_50: float
    changed: float
    """Share of queries."""
    times_exact: float
    """The time of the quickest query over that of a search by whole vectors, in the same run."""


def measured(points: Points, way: Way, oversampling: int) -> Row:
    """Against the search by whole vectors, and with the passages outside the scope gone."""
    half = len(points.ids) // 2
    with shard_of(points, way, half) as shard:
        truth, exact_s = asked(shard, points, None, 1)
        among_others, coarse_s = asked(shard, points, way, oversampling)
    with shard_of(points.inside(), way, half) as shard:
        alone, _ = asked(shard, points, way, oversampling)
    pairs = list(zip(truth, among_others, strict=True))
    return Row(
        fmean(recall(*pair, 10) for pair in pairs),
        fmean(recall(*pair, 50) for pair in pairs),
        fmean(one[:_LIMIT] != other[:_LIMIT] for one, other in zip(alone, among_others, strict=True)),
        coarse_s / exact_s,
    )


def asked(shard: engine.EdgeShard, points: Points, way: Way | None, oversampling: int) -> tuple[list[Ranking], float]:
    """What each query finds, and the time of the quickest in seconds: of many, it is disturbed least."""
    rankings, times = [], []
    for query in points.queries:
        started = time.perf_counter()
        rankings.append(ask(shard, query, way, oversampling))
        times.append(time.perf_counter() - started)
    return rankings, min(times)


def recall(truth: Ranking, found: Ranking, k: int) -> float:
    """The share of the true first k that are among the first k."""
    wanted = {id_ for id_, _ in truth[:k]}
    return len(wanted & {id_ for id_, _ in found[:k]}) / len(wanted)


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(".footnote/benchmarks/vectors.db"))
    arguments = parser.parse_args()
    dense = RememberingEmbedder(FastEmbedder(Path(".footnote/models")), arguments.cache)
    sets = {folder.name: points_of(folder, dense) for folder in arguments.sets}
    for name, points in (sets | ({"all together": together([*sets.values()])} if len(sets) > 1 else {})).items():
        rows = sum(map(len, points.vectors))
        print(f"\n{name}: {len(points.ids)} passages, {rows} vectors, {len(points.queries)} queries")
        print("| first pass | bits | oversampling | recall@10 | recall@50 | changed | time |")
        print("|---|---|---|---|---|---|---|")
        for way in _WAYS:
            for oversampling in (1, 4):
                row = measured(points, way, oversampling)
                print(
                    f"| {way.name} | {way.bits:g} | {oversampling} | {row.recall_at_10:.4f} | {row.recall_at_50:.4f} "
                    f"| {row.changed:.3f} | {row.times_exact:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
