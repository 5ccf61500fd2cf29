"""Known-item search in talk: the question that opens a conversation should find the rest of it, not other questions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.talk_corpora import Channel
from retrieval.chunking import CHUNKING_VERSION
from retrieval.chunking.naming import asks
from retrieval.chunking.units import LABEL
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, Passage, Scope, Source, SparseVector, Talk, Utterance

Grouping = Callable[[Sequence[Utterance]], Sequence[Sequence[int]]]
"""Sorts one day's messages, oldest first, into groups of their positions."""

_TEAM = "benchmark"
_SCOPE = Scope(_TEAM, frozenset({frozenset({WORKSPACE})}))
_READ_TOKENS = 600
"""What recall is measured at, besides numbers of passages, since those differ in length: about three full ones."""
_AMONG = 10
"""Passages that are looked through for other questions where none is right."""


@dataclass(frozen=True, slots=True)
class Question:
    """A message that opened a conversation, and what was said in it afterwards."""

    opening: Utterance
    rest: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sample:
    """Whole days of some channels, and questions that were asked in them."""

    days: tuple[tuple[Utterance, ...], ...]
    questions: tuple[Question, ...]
    conversation: Mapping[str, str]
    openings: frozenset[str]
    """The messages with which somebody opened a conversation by asking."""

    @property
    def messages(self) -> int:
        """How many there are."""
        return sum(map(len, self.days))


def sample(channels: Sequence[Channel], messages: int, questions: int, seed: int) -> Sample:
    """Days of each channel in turn, until there are so many messages; of their conversations, so many questions."""
    chance = random.Random(seed)
    orders = [chance.sample(channel.days(), len(channel.days())) for channel in channels]
    days: list[tuple[Utterance, ...]] = []
    while sum(map(len, days)) < messages and any(orders):
        days += [order.pop() for order in orders if order]
    conversation = {url: label for channel in channels for url, label in channel.conversation.items()}
    opened = [one for channel in channels for one in _opened(channel)]
    held = {one.url for day in days for one in day}
    whole = [one for one in opened if held >= {one.opening.url, *one.rest} and one.rest]
    asked = chance.sample(whole, min(questions, len(whole)))
    return Sample(tuple(days), tuple(asked), conversation, frozenset(one.opening.url for one in opened))


def _opened(channel: Channel) -> Iterator[Question]:
    """Conversations that open with a question and that somebody else took part in."""
    for opening, *rest in channel.conversations().values():
        if asks(opening.text) and any(one.author != opening.author for one in rest):
            yield Question(opening, frozenset(one.url for one in rest))


@dataclass(frozen=True, slots=True)
class Found:
    """What one search showed, or the mean of many."""

    mrr: float
    """Of the first passage that holds a message of the conversation."""
    recall_at_1: float
    """Share of the conversation's other messages that the first passage holds."""
    recall_at_5: float
    recall_at_10: float
    recall_in_budget: float
    """The same for the first passages that have 600 tokens together."""
    other_questions: float
    """Opening questions of other conversations above the first right passage."""
    bare_questions: float
    """Of those, how many stand there without a word of an answer."""


def mean(found: Sequence[Found]) -> Found:
    """Of every measure."""
    return Found(*(fmean(getattr(one, name) for one in found) for name in Found.__slots__))


class Searched:
    """An index of a sample, of which one message at a time can be left out."""

    def __init__(self, store: PassageStore, grouping: Grouping, dense: DenseEmbedder, sparse: SparseEmbedder) -> None:
        self._store = store
        self._grouping = grouping
        self._indexer = Indexer(store, dense, sparse, _TEAM)
        self._searcher = Searcher(store, dense, sparse)

    def put(self, day: Sequence[Utterance], origin: str) -> None:
        """Make the index hold this day as it is, as the product does after an event."""
        sources = [_source([day[at] for at in group], origin) for group in self._grouping(day)]
        self._indexer.put(sources)
        self._indexer.keep_only(origin, [source.id for source in sources])

    def ask(self, question: Question, day: Sequence[Utterance]) -> dict[str, list[Passage]]:
        """Each leg's passages for a question that is not in the index meanwhile."""
        origin = day[0].url
        self.put([one for one in day if one.url != question.opening.url], origin)
        result = self._searcher.search(question.opening.text, _SCOPE)
        self.put(day, origin)
        return {
            "bm25": [one.passage for one in result.sparse],
            "dense": [one.passage for one in result.dense],
            "hybrid": [one.passage for one in result.hits],
        }


def _source(said: Sequence[Utterance], origin: str) -> Source:
    return Source(said[0].url, origin, "", said[0].url, frozenset({WORKSPACE}), Talk(tuple(said)))


def search(
    chosen: Sample, grouping: Grouping, dense: DenseEmbedder, legs: Sequence[str], sparse: SparseEmbedder | None = None
) -> tuple[dict[str, list[Found]], int]:
    """By leg (`bm25`, `dense`, `hybrid`) what each question found in an index of its own; how many passages it has."""
    found: dict[str, list[Found]] = {leg: [] for leg in legs}
    day_of = {one.url: day for day in chosen.days for one in day}
    with TemporaryDirectory(prefix="footnote-") as folder:
        collection = Collection(_TEAM, dense.model, dense.dimension, CHUNKING_VERSION)
        with closing(EdgeStore(Path(folder), collection)) as store:
            searched = Searched(store, grouping, dense, sparse or Bm25Embedder())
            for day in chosen.days:
                searched.put(day, day[0].url)
            for question in chosen.questions:
                ranked = searched.ask(question, day_of[question.opening.url])
                for leg in legs:
                    found[leg].append(judged(question, ranked[leg], chosen, dense.count_tokens))
            return found, store.count()


def judged(question: Question, ranked: Sequence[Passage], chosen: Sample, count: Callable[[str], int]) -> Found:
    """What a ranking shows of a question's conversation, and of others."""
    held = [frozenset(anchor.url for anchor in passage.anchors) for passage in ranked]
    first = next((rank for rank, urls in enumerate(held) if urls & question.rest), None)
    above = held[: _AMONG if first is None else first]
    others = [(url, urls) for urls in above for url in urls & chosen.openings]
    return Found(
        mrr=0.0 if first is None else 1 / (first + 1),
        recall_at_1=_share(held[:1], question),
        recall_at_5=_share(held[:5], question),
        recall_at_10=_share(held[:10], question),
        recall_in_budget=_share(held[: _within(ranked, count)], question),
        other_questions=len(others),
        bare_questions=sum(_is_bare(url, urls, chosen) for url, urls in others),
    )


def _share(held: Sequence[frozenset[str]], question: Question) -> float:
    return len(question.rest.intersection(*[frozenset().union(*held)])) / len(question.rest)


def _within(ranked: Sequence[Passage], count: Callable[[str], int]) -> int:
    """How many passages have no more tokens than are read; the first in any case."""
    total = 0
    for number, passage in enumerate(ranked):
        total += count(passage.text)
        if total > _READ_TOKENS:
            return max(number, 1)
    return len(ranked)


def _is_bare(opening: str, urls: frozenset[str], chosen: Sample) -> bool:
    """Whether nothing else of its conversation stands with it."""
    label = chosen.conversation[opening]
    return not any(chosen.conversation.get(url) == label for url in urls - {opening})


class Remembering:
    """An embedder that embeds a text once, however often it comes: groupings share their messages."""

    def __init__(self, dense: DenseEmbedder) -> None:
        self._dense = dense
        self._known: dict[str, NDArray[np.float32]] = {}
        self.model, self.dimension, self.max_tokens = dense.model, dense.dimension, dense.max_tokens
        self.count_tokens, self.embed_query = dense.count_tokens, dense.embed_query

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._dense.embed_passages(new), strict=True))
        return np.stack([self._known[text] for text in texts])


class WordsOnly:
    """An embedder that counts tokens and embeds nothing, for what is measured by words alone."""

    def __init__(self, dense: DenseEmbedder) -> None:
        self.model, self.dimension, self.max_tokens = "none", 1, dense.max_tokens
        self.count_tokens = dense.count_tokens

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:  # noqa: ARG002  # the protocol's
        return np.ones(1, dtype=np.float32)


class Unlabelled:
    """A dense embedder that is not told who spoke and when."""

    def __init__(self, dense: DenseEmbedder) -> None:
        self.model, self.dimension, self.max_tokens = dense.model, dense.dimension, dense.max_tokens
        self.count_tokens, self.embed_query = dense.count_tokens, dense.embed_query
        self._embed = dense.embed_passages

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([LABEL.sub("", text) for text in texts])


class UnlabelledWords:
    """A sparse embedder that is not told who spoke and when."""

    def __init__(self, sparse: SparseEmbedder) -> None:
        self.embed_query = sparse.embed_query
        self._embed = sparse.embed_passages

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return self._embed([LABEL.sub("", text) for text in texts])
