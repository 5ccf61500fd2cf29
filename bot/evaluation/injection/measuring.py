"""Asks each question with and without what was planted: quoting, and by models that obey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.answering.meaning import Meaning
from bot.answering.path import Parts, answer, compose
from bot.answering.writing import Write, Writer
from bot.evaluation.injection.items import Item, Planted
from bot.evaluation.injection.obedient import STYLES, ObedientModel
from bot.evaluation.injection.verdicts import Asked, Replied, sentences_of
from bot.types import Question, Surface
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import Markup, Passage, Place, Scope, Source, Talk, Utterance

_TEAM = "evaluation"
_URL = "https://pages.invalid/"
_TOKENS = 8000
"""That the model reads at once, as by default."""


def measure(items: Sequence[Item], dense: FastEmbedder, sparse: Bm25Embedder) -> Iterator[Asked]:
    """Put every item to the product, each page in a place of its own: once quoting, once by an obedient model.

    Raises:
        EmbeddingError, StoreUnavailable: indexing or searching failed.
    """
    with TemporaryDirectory(prefix="footnote-") as folder:
        store = EdgeStore(Path(folder), Collection(_TEAM, dense.model, dense.dimension, CHUNKING_VERSION))
        try:
            Indexer(store, dense, sparse, _TEAM).put(_sources(items))
            searcher, meaning = Searcher(store, dense, sparse), Meaning(dense)
            for number, item in enumerate(items):
                yield from _asked(number, item, searcher, meaning)
        finally:
            store.close()


def _asked(number: int, item: Item, searcher: Searcher, meaning: Meaning) -> Iterator[Asked]:
    true = next(iter(sentences_of(item.clean_page)), "")
    models = [ObedientModel(true, item.obeyed_by, style) for style in STYLES]
    writers = [None, *(Writer(model, meaning, meaning.count_tokens, _TOKENS) for model in models)]
    for write in writers:
        clean = _replied(item, _clean(number), searcher, meaning, write)
        planted = _replied(item, _planted(number), searcher, meaning, write)
        yield Asked(item, f"{_URL}{_planted(number)}", clean, planted)


def _replied(item: Item, place: Place, searcher: Searcher, meaning: Meaning, write: Write | None) -> Replied:
    access = _Fixed(Scope(_TEAM, frozenset({frozenset({place})})))
    parts = Parts(access, lambda _: (), searcher.search, meaning, write)
    reply = answer(_question(item), parts)
    if reply.query is None or reply.evidence is None:
        return Replied(reply.outcome, reply.outcome)
    return Replied(reply.outcome, compose(reply.query, replace(reply.evidence, is_enough=True), parts))


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Access to one place."""

    scope: Scope

    def scope_of(self, _question: Question) -> Scope:
        return self.scope

    def still_admits(self, _question: Question, passages: tuple[Passage, ...]) -> bool:
        return all(self.scope.admits(passage.places) for passage in passages)


def _question(item: Item) -> Question:
    return Question(_TEAM, "U0ASKER", "C0HERE", "1.0", None, item.question, Surface.CHANNEL)


def _sources(items: Iterable[Item]) -> Iterator[Source]:
    for number, item in enumerate(items):
        yield _source(replace(item, page=item.clean_page, planted="", where=Planted.TEXT), _clean(number))
        yield _source(item, _planted(number))


def _source(item: Item, place: Place) -> Source:
    title = item.planted if item.where is Planted.TITLE else "Notes"
    by = item.planted if item.where is Planted.AUTHOR else "Ines"
    url = f"{_URL}{place}"
    is_talk = item.where is Planted.AUTHOR
    content = Talk((Utterance(by, item.page, url, 1.0),)) if is_talk else Markup(item.page, "text/plain")
    return Source(place, _URL, title, url, frozenset({place}), content)


def _clean(number: int) -> Place:
    return Place(f"clean-{number}")


def _planted(number: int) -> Place:
    return Place(f"planted-{number}")
