"""Makes the table of docs/ablation.md: what retrieval is worth without each of its stages.

`python -m benchmarks.ablation SET… --cache FOLDER`

SET is a folder in the BEIR layout, or of documents with queries.jsonl and qrels/. FOLDER, outside the project, keeps
the vectors of texts, and what was measured: an interrupted run goes on where it was. Measures go by the names of rows
and sets, so remove `measured.json` from it when the code has changed.

The gain of a stage is the mean, over the queries of all sets, of the product's nDCG@10 less that without the stage,
with the standard error of that mean. A stage holds when its gain exceeds one standard error and no set loses more than
.01 by it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean

from benchmarks.vectors import RememberingEmbedder
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.protocol import DenseEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.beir import read
from retrieval.evaluation.judged import JudgedSet
from retrieval.evaluation.metrics import paired_gain
from retrieval.evaluation.runs import indexed
from retrieval.evaluation.variants import PRODUCT, Variant

ROWS: Mapping[str, Variant] = {
    "**the product**": PRODUCT,
    "BM25 alone": PRODUCT.without(["dense"]),
    "dense alone": PRODUCT.without(["sparse"]),
    "no fill: a leg's score only for its own candidates": PRODUCT.without(["fill"]),
    "no neighbours: a passage's own meaning alone": PRODUCT.without(["neighbours"]),
    "fusion of relative scores": PRODUCT.of(fusion="relative"),
    "fusion of relative scores, no fill": PRODUCT.of(fusion="relative").without(["fill"]),
    "fusion of reciprocal ranks, no fill": PRODUCT.of(fusion="rrf").without(["fill"]),
    "no excerpts": PRODUCT.without(["excerpts"]),
    "no parts of identifiers": PRODUCT.without(["parts"]),
    "no stems": PRODUCT.without(["stems"]),
    "no stop words": PRODUCT.without(["stop-words"]),
    "no title and headings in what is embedded": PRODUCT.without(["headings"]),
    "passages of 120 tokens": PRODUCT.of(passage_tokens=120),
    "passages of 400 tokens": PRODUCT.of(passage_tokens=400),
}
"""The first row is what the others are compared with."""

_RANKED = 10
"""Sources that a ranking must hold for nDCG@10."""

MOST_LOST = 0.01
"""What a stage may cost one set."""

ByQuery = Mapping[str, float]
Measured = dict[str, dict[str, dict[str, float]]]
"""By row, by set, by query: nDCG@10."""


def measure(folders: Sequence[Path], dense: DenseEmbedder, kept: Path) -> Measured:
    """All rows of all sets, what was measured before taken from `kept`."""
    measured: Measured = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    sets = {folder.name: read(folder) for folder in folders}
    for _, group in groupby(ROWS, key=lambda name: (ROWS[name].budget, ROWS[name].terms)):
        rows = list(group)
        for name, judged in sets.items():
            missing = [row for row in rows if name not in measured.get(row, {})]
            for row, by_query in _measure(judged, dense, missing) if missing else ():
                measured.setdefault(row, {})[name] = dict(by_query)
                kept.write_text(json.dumps(measured), encoding="utf-8")
                sys.stderr.write(f"{name}: {row}: {fmean(by_query.values()):.4f}\n")
    return measured


def _measure(judged: JudgedSet, dense: DenseEmbedder, rows: Sequence[str]) -> Iterator[tuple[str, ByQuery]]:
    """Rows of one set that differ in searching alone, over one index."""
    first = ROWS[rows[0]]
    with indexed(judged, dense, Bm25Embedder(rules=first.terms), first.budget) as evaluation:
        for row in rows:
            yield row, evaluation.run(ROWS[row].stages, ranked=_RANKED).ndcg_at_10


def table(measured: Measured, sets: Sequence[str]) -> Iterator[str]:
    """Markdown, a line for each row; a set that a row was not measured on has a dash, and no part in the gain."""
    yield f"| | {' | '.join(sets)} | mean | gain of the stage | holds |"
    yield "|---" * (len(sets) + 4) + "|"
    product = measured[next(iter(ROWS))]
    for name in ROWS:
        row = measured.get(name, {})
        figures = [_figure(fmean(row[one].values())) if one in row else "–" for one in sets]
        mean = _figure(fmean(fmean(row[one].values()) for one in sets)) if set(sets) <= row.keys() else "–"
        gain = _gain(product, row, [one for one in sets if one in row])
        yield f"| {name} | {' | '.join((*figures, mean))} | {gain} |"


def _gain(product: Mapping[str, ByQuery], other: Mapping[str, ByQuery], sets: Sequence[str]) -> str:
    """The paired gain over all queries, and whether the stage holds; nothing of the product itself."""
    if product is other or not sets:
        return "|"
    gain = paired_gain([(product[one][query], other[one][query]) for one in sets for query in product[one]])
    lost = max(fmean(other[one].values()) - fmean(product[one].values()) for one in sets)
    holds = "yes" if gain.mean > gain.standard_error and lost <= MOST_LOST else "no"
    return f"{_figure(gain.mean)} ± {_figure(gain.standard_error)} | {holds}"


def _figure(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def main(arguments: Sequence[str]) -> None:
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--cache", type=Path, required=True, metavar="FOLDER")
    given = parser.parse_args(arguments)
    dense = RememberingEmbedder(FastEmbedder(given.cache / "models"), given.cache / "vectors.sqlite")
    measured = measure(given.sets, dense, given.cache / "measured.json")
    sys.stdout.write("\n".join(table(measured, [folder.name for folder in given.sets])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
