"""Puts questions to the product over a corpus, and notes how sure it was and what it cited or would have cited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.answering.evidence import judge
from bot.answering.meaning import Meaning, Similarity
from bot.answering.quoting import quote
from bot.answering.rewriting import rewrite
from bot.answering.smalltalk import is_small_talk
from bot.evaluation.answers.items import Item
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.evaluation.judged import page_or_source
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, Passage, Scope, SearchResult, Source

_TEAM = "evaluation"
_EVERYTHING = Scope(_TEAM, frozenset({frozenset({WORKSPACE})}))

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question."""

    item: Item
    confidence: float
    """0 to 1, by which the product decides whether it answers."""
    is_answered: bool
    would_cite: tuple[str, ...]
    """Ids of the sources or pages that an answer cites, whether or not it was given; none where nothing could be quoted
    however sure the product were."""


class Corpus:
    """Sources in an index of their own, of which questions are asked one after the other."""

    def __init__(self, sources: Sequence[Source], store: PassageStore, searcher: Searcher, similar: Similarity) -> None:
        self._sources = sources
        self._store = store
        self._searcher = searcher
        self._similar = similar

    def ask(self, item: Item) -> Asked:
        """Quoting, with follow-ups made to stand alone by rules.

        Raises:
            EmbeddingError, StoreUnavailable: a search failed.
        """
        query = rewrite(item.question, item.turns)
        if is_small_talk(item.question):
            return Asked(item, 0.0, False, ())
        evidence = judge(query, self._found(query.text, item.withheld), self._similar)
        quotes = quote(query, evidence, self._similar)
        cited = tuple(dict.fromkeys(page_or_source(one.passage) for one in quotes))
        return Asked(item, evidence.confidence, evidence.is_enough and bool(quotes), cited)

    def _found(self, query: str, withheld: frozenset[str]) -> SearchResult:
        """What is found where all of this, and whatever has the very same words, was never written."""
        found = self._searcher.search(query, _EVERYTHING)
        if not withheld:
            return found
        sources = {id_.partition("#page=")[0] for id_ in withheld}
        passages = [one for source in sources for one in self._store.passages_of(source)]
        words = {one.text for one in passages if page_or_source(one) in withheld}
        kept = [hit for hit in found.hits if not _is_taken_out(hit.passage, withheld, words)]
        return replace(found, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)))


@contextmanager
def indexed(
    sources: Sequence[Source], dense: DenseEmbedder, sparse: SparseEmbedder, on_progress: Progress
) -> Iterator[Corpus]:
    """A corpus, as long as it is asked.

    Raises:
        EmbeddingError, StoreUnavailable: indexing failed.
    """
    with TemporaryDirectory(prefix="footnote-") as folder:
        store = EdgeStore(Path(folder), Collection(_TEAM, dense.model, dense.dimension, CHUNKING_VERSION))
        try:
            indexer = Indexer(store, dense, sparse, _TEAM)
            indexer.put(sources, lambda done: on_progress("Indexing", done, len(sources)))
            yield Corpus(sources, store, Searcher(store, dense, sparse), Meaning(dense))
        finally:
            store.close()


def _is_taken_out(passage: Passage, withheld: frozenset[str], words: set[str]) -> bool:
    return page_or_source(passage) in withheld or passage.text in words
