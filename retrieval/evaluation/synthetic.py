"""Makes up passages with vectors of the product's shape, any number of them, the same ones every time."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from retrieval.stores.protocol import EmbeddedPassage, Vector, Vectors
from retrieval.types import WORKSPACE, Anchor, Passage, Place, Scope, SparseVector

DIMENSION = 384
TEAM = "benchmark"
BATCH = 200

_TOPICS = 1_000
_PLACES = 5_500
_VOCABULARY = 60_000
_ZIPF_OFFSET = 30
"""Ranks that stop words would have: the most frequent term stands in a third of the passages."""
_DOCUMENTS = 0.2
"""The share of passages that stand where every full member may read."""
_READ_AT_FIRST = 0.9
"""The share that was written place by place, as histories are read; the rest came here and there, as people write."""
_PASSAGES_PER_SOURCE = 4


@dataclass(frozen=True, slots=True)
class SyntheticQuery:
    """A question near one excerpt, with some of its passage's words and some others."""

    dense: Vector
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class SyntheticCorpus:
    """So many passages of 3 to 4 vectors around topics, 25 to 145 terms of a Zipf vocabulary, four to a source, and
    5,500 places."""

    passages: int
    seed: int = 0
    _topics: Vectors = field(init=False)
    _words: NDArray[np.float64] = field(init=False)
    _places: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)
        object.__setattr__(self, "_topics", _units(random, _TOPICS))
        object.__setattr__(self, "_words", _cumulated(1.0 / (np.arange(_VOCABULARY) + _ZIPF_OFFSET)))
        object.__setattr__(self, "_places", _cumulated((np.arange(_PLACES) + 50.0) ** -0.7))

    def batches(self) -> Iterator[list[EmbeddedPassage]]:
        """All passages, some at a time."""
        for start in range(0, self.passages, BATCH):
            yield self._batch(start)[: self.passages - start]

    def queries(self, count: int) -> list[SyntheticQuery]:
        """Questions that have an answer."""
        numbers = np.random.default_rng([self.seed, 1]).integers(self.passages, size=count)
        made: dict[int, SyntheticQuery] = {}
        for start in {int(number) // BATCH * BATCH for number in numbers}:
            batch = self._batch(start)  # one at a time: two hundred passages take 2 MB
            for at in np.flatnonzero(numbers // BATCH * BATCH == start):
                random = np.random.default_rng([self.seed, 4, int(at)])
                made[int(at)] = _query(batch[int(numbers[at]) - start], random, self._words)
        return [made[at] for at in range(count)]

    def scope(self, places: int) -> Scope:
        """What somebody may read who is in so many places, the whole workspace one of them."""
        random = np.random.default_rng([self.seed, 2])
        others = (_place(int(at)) for at in random.permutation(_PLACES)[: places - 1])
        return Scope(TEAM, frozenset({frozenset({WORKSPACE, *others})}))

    def _batch(self, start: int) -> list[EmbeddedPassage]:
        random = np.random.default_rng([self.seed, 3, start])
        wholes = _near(random, self._topics[random.integers(_TOPICS, size=BATCH)], 1.0)
        excerpts = random.integers(2, 4, size=BATCH)
        parts = np.split(_near(random, np.repeat(wholes, excerpts, axis=0), 0.9), np.cumsum(excerpts)[:-1])
        lengths = random.integers(25, 146, size=BATCH)
        terms = np.split(np.searchsorted(self._words, random.random(lengths.sum())), np.cumsum(lengths)[:-1])
        places = self._standing(np.arange(start, start + BATCH), random)
        return [
            EmbeddedPassage(
                _passage(start + at, terms[at], places[at]), np.vstack([wholes[at], parts[at]]), _weighed(terms[at])
            )
            for at in range(BATCH)
        ]

    def _standing(self, numbers: NDArray[np.int64], random: np.random.Generator) -> list[Place]:
        """Where passages stand: documents first, then place after place, in the end here and there."""
        share = numbers / max(self.passages, 1) / _READ_AT_FIRST
        drawn = np.where(share < 1, share, random.random(len(numbers)))
        among_places = np.searchsorted(self._places, (drawn - _DOCUMENTS) / (1 - _DOCUMENTS))
        return [
            WORKSPACE if at < _DOCUMENTS else _place(int(number))
            for at, number in zip(drawn, among_places, strict=True)
        ]


class PreparedDense:
    """Stands in for the dense embedder of a searcher: the text of a query is its number."""

    model = "synthetic"
    dimension = DIMENSION
    max_tokens = 512

    def __init__(self, queries: Sequence[SyntheticQuery]) -> None:
        self._queries = queries

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        return self._queries[int(text)].dense


class PreparedSparse:
    """Likewise, for the sparse embedder."""

    def __init__(self, queries: Sequence[SyntheticQuery]) -> None:
        self._queries = queries

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> SparseVector:
        return self._queries[int(text)].sparse


def _query(about: EmbeddedPassage, random: np.random.Generator, words: NDArray[np.float64]) -> SyntheticQuery:
    own = random.choice(about.sparse.indices, size=3, replace=False)
    others = np.searchsorted(words, random.random(3))
    indices = tuple(sorted({*map(int, own), *map(int, others)}))
    return SyntheticQuery(_near(random, about.dense[1:2], 1.0)[0], SparseVector(indices, (1.0,) * len(indices)))


def _units(random: np.random.Generator, count: int) -> Vectors:
    vectors = random.standard_normal((count, DIMENSION))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _near(random: np.random.Generator, vectors: Vectors, spread: float) -> Vectors:
    """Others around these: a spread of 1 is a cosine of .71, one of .9 of .74."""
    moved = vectors + spread * _units(random, len(vectors))
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)


def _cumulated(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Up to 1 for the last but one, so that any number below 1 finds a place in it."""
    return np.asarray(np.cumsum(weights / weights.sum())[:-1], dtype=np.float64)


def _place(number: int) -> Place:
    """Of the length that the product's have."""
    return Place(uuid.UUID(int=number).hex)


def _weighed(terms: NDArray[np.int64]) -> SparseVector:
    """As BM25 weighs them in the product."""
    indices, counts = np.unique(terms, return_counts=True)
    weights = counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * len(terms) / 85))
    return SparseVector(tuple(indices.tolist()), tuple(weights.tolist()))


def _passage(number: int, terms: NDArray[np.int64], place: Place) -> Passage:
    source = f"source {number // _PASSAGES_PER_SOURCE}"
    return Passage(
        id=_id(number),
        source_id=source,
        origin=f"origin of {place}",
        title="A page with a title of the usual length",
        heading_path=("A part", "A section under it"),
        text=" ".join(f"word{term} and" for term in terms),
        anchors=(Anchor(0, f"https://example.org/{source}#a-section-under-it"),),
        places=frozenset({place}),
        position=number % _PASSAGES_PER_SOURCE,
        updated_at=1.7e9,
        fingerprint=f"{number:064x}/{_PASSAGES_PER_SOURCE}",
        neighbours=tuple(
            _id(beside)
            for beside in (number - 1, number + 1)
            if beside // _PASSAGES_PER_SOURCE == number // _PASSAGES_PER_SOURCE
        ),
    )


def _id(number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, str(number)))
