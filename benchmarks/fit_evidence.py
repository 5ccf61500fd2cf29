"""Fits what `bot/answering/evidence.py` judges evidence by, and prints the coefficients and what they are worth.

`python -m benchmarks.fit_evidence SET… SET=ITEMS…`

SET is a folder in the BEIR layout: each query as it is (answerable), and with its gold sources and word-for-word
copies taken out (unanswerable). SET=ITEMS asks those of ITEMS instead, JSON lines of question, history, gold and
label (`answerable` or `unanswerable`), of the folder's sources. An answerable question whose gold was not found is left
out of the fit, and counts in AUROC.

There are two fits. In the one for questions that share words with what is nearest, sets weigh the same. Paraphrases are
few in any set: they are taken together, and those with an answer weigh as much as those without, since how many of each
are in these sets says nothing about how a team asks.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.answering.evidence import ENOUGH, Features, features
from bot.answering.meaning import Meaning
from bot.answering.rewriting import rewrite
from bot.types import Turn
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.beir import read
from retrieval.evaluation.judged import JudgedSet
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE, Hit, Scope

Matrix = NDArray[np.float64]

_FOUND_WITHIN = 10
"""Hits among which gold counts as found."""

_RIDGE = 0.01
"""Keeps the coefficients of what moves together from growing against each other."""

_SCOPE = Scope("benchmark", frozenset({frozenset({WORKSPACE})}))


@dataclass(frozen=True, slots=True)
class Item:
    """What one search looked like."""

    seen: Features
    is_answerable: bool
    is_fitted: bool


def items_of(argument: str, data: Path) -> list[Item]:
    """Every question of a set, searched for among its sources."""
    folder, _, file = argument.partition("=")
    judged = read(Path(folder))
    dense, sparse = FastEmbedder(data / "models"), Bm25Embedder()
    store = EdgeStore(data / Path(folder).name, Collection("benchmark", dense.model, dense.dimension, "benchmark"))
    Indexer(store, dense, sparse, "benchmark").put(judged.sources)
    searcher, meaning = Searcher(store, dense, sparse), Meaning(dense)

    def looked(query: str, hits: tuple[Hit, ...], *, is_answerable: bool, is_fitted: bool = True) -> Iterator[Item]:
        seen = features(query, hits, meaning)
        if seen is not None:
            yield Item(seen, is_answerable, is_fitted)

    items: list[Item] = []
    for query, is_answerable, gold in _questions(Path(file)) if file else _judged(judged):
        hits = searcher.search(query, _SCOPE).hits
        found = any(hit.passage.source_id in gold for hit in hits[:_FOUND_WITHIN])
        items += looked(query, hits, is_answerable=is_answerable, is_fitted=found or not is_answerable)
        if not file:
            items += looked(query, _without(hits, gold), is_answerable=False)
    store.close()
    return items


def _judged(judged: JudgedSet) -> Iterator[tuple[str, bool, frozenset[str]]]:
    for id_, query in judged.queries.items():
        yield query, True, frozenset(judged.qrels[id_])


def _questions(file: Path) -> Iterator[tuple[str, bool, frozenset[str]]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["label"] in ("answerable", "unanswerable"):
            turns = tuple(Turn("", said["text"], said["role"] == "assistant") for said in row["history"])
            yield rewrite(row["question"], turns).text, row["label"] == "answerable", frozenset(row["gold"] or ())


def _without(hits: tuple[Hit, ...], gold: frozenset[str]) -> tuple[Hit, ...]:
    """The hits that are neither gold nor word for word the same."""
    texts = {hit.passage.text for hit in hits if hit.passage.source_id in gold}
    return tuple(hit for hit in hits if hit.passage.source_id not in gold and hit.passage.text not in texts)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Both regressions: coefficients and base."""

    of_words: tuple[Matrix, float]
    """Of the columns of `inputs`."""
    of_paraphrases: tuple[Matrix, float]
    """Of nearness alone."""

    def log_odds(self, items: list[Item]) -> Matrix:
        """As the product judges, its rule for names left out."""
        (words, words_base), (paraphrases, paraphrases_base) = self.of_words, self.of_paraphrases
        is_paraphrase = np.array([one.seen.is_paraphrase for one in items])
        by_nearness = nearness(items) @ paraphrases + paraphrases_base
        return np.where(is_paraphrase, by_nearness, inputs(items) @ words + words_base)


def inputs(items: list[Item]) -> Matrix:
    """The columns of the regression for questions that share words: top, margin, reply and agreement."""
    return np.array([(one.seen.top, one.seen.margin, one.seen.reply, one.seen.agreement) for one in items])


def nearness(items: list[Item]) -> Matrix:
    """The one column of the regression for paraphrases."""
    return np.array([((one.seen.top + one.seen.meaning) / 2,) for one in items])


def labels(items: list[Item]) -> Matrix:
    """1 for what can be answered."""
    return np.array([float(one.is_answerable) for one in items])


def fit(x: Matrix, y: Matrix, weights: Matrix) -> tuple[Matrix, float]:
    """Coefficients and base of a logistic regression with a small ridge, by Newton's method."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.column_stack([(x - mean) / spread, np.ones(len(x))])
    ridge = _RIDGE * np.append(np.ones(x.shape[1]), 0.0)
    beta = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ beta))
        gradient = z.T @ (weights * (p - y)) + ridge * beta
        curvature = (z * (weights * p * (1 - p))[:, None]).T @ z + np.diag(ridge + 1e-9)
        beta -= np.linalg.solve(curvature, gradient)
    scaled = beta[:-1] / spread
    return scaled, float(beta[-1] - scaled @ mean)


def auroc(scores: Matrix, y: Matrix) -> float:
    """How often an answerable question scores above an unanswerable one."""
    higher, lower = scores[y == 1], scores[y == 0]
    return float((higher[:, None] > lower).mean() + (higher[:, None] == lower).mean() / 2)


def joined(sets: list[list[Item]]) -> Fitted:
    """Both fits over all sets."""
    fitted = [[one for one in items if one.is_fitted] for items in sets]
    by_words = [[one for one in items if not one.seen.is_paraphrase] for items in fitted]
    paraphrases = [one for items in fitted for one in items if one.seen.is_paraphrase]
    shares = np.concatenate([np.full(len(items), 1 / len(items) / len(by_words)) for items in by_words])
    x, y = np.concatenate([inputs(items) for items in by_words]), np.concatenate([labels(items) for items in by_words])
    balance = labels(paraphrases)
    halves = np.where(balance == 1, 1 / max(balance.sum(), 1), 1 / max((1 - balance).sum(), 1)) / 2
    return Fitted(fit(x, y, shares), fit(nearness(paraphrases), balance, halves))


def main(arguments: list[str]) -> None:
    """Fit on all sets, print each one's figures, and those without it in the fit."""
    with tempfile.TemporaryDirectory() as folder:
        sets = {argument: items_of(argument, Path(folder)) for argument in arguments}
    fitted = joined(list(sets.values()))
    (words, base), (paraphrases, base_of_paraphrases) = fitted.of_words, fitted.of_paraphrases
    lines = [f"base {base:.2f}, top, margin, reply, agreement {np.round(words, 2)}"]
    lines.append(f"of paraphrases: base {base_of_paraphrases:.2f}, nearness {np.round(paraphrases, 2)}")
    for name, items in sets.items():
        others = [sets[other] for other in sets if other != name]
        lines.append(f"{name}: {_figures(items, fitted, joined(others) if others else None)}")
    sys.stdout.write("\n".join(lines) + "\n")


def _figures(items: list[Item], fitted: Fitted, without: Fitted | None) -> str:
    y = labels(items)
    chance = 1 / (1 + np.exp(-fitted.log_odds(items)))
    paraphrases = [one.is_answerable for one in items if one.seen.is_paraphrase]
    figures = [f"{len(items)} items", f"{len(paraphrases)} paraphrases ({sum(paraphrases)} answerable)"]
    figures.append(f"AUROC {auroc(chance, y):.3f}")
    if without:
        figures.append(f"left out {auroc(without.log_odds(items), y):.3f}")
    for cut in (0.35, ENOUGH, 0.5):
        wrong, missed = (chance[y == 0] >= cut).mean(), (chance[y == 1] < cut).mean()
        figures.append(f"at {cut} false answers {wrong:.2f}, false refusals {missed:.2f}")
    return "; ".join(figures)


if __name__ == "__main__":
    main(sys.argv[1:])
