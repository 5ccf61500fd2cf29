"""Keeps a store true to its sources: embeds what is new, deletes what went, leaves the rest."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from retrieval.chunking import Budget, cut, texts_to_embed
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.errors import UnreadableSource
from retrieval.stores.protocol import EmbeddedPassage, PassageStore
from retrieval.types import IndexReport, Passage, Source

_BATCH = 48
"""Passages that are embedded and written at once, in about two hundred texts: enough to keep all cores busy, little
enough to hold in memory, and for others who index meanwhile not to wait long."""


@dataclass(slots=True)
class _Pending:
    """What has been cut and not been written yet."""

    new: list[Passage] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    source_ids: set[str] = field(default_factory=set)


class _Writing:
    """Embeds one batch while the one before it is written and the one after it is cut."""

    def __init__(
        self, store: PassageStore, embedded: Callable[[Sequence[Passage]], list[EmbeddedPassage]], ahead: Executor
    ) -> None:
        self._store = store
        self._embedded = embedded
        self._ahead = ahead
        self._begun: deque[Future[list[EmbeddedPassage]]] = deque()
        self._gone: list[str] = []
        self._source_ids: set[str] = set()

    def holds(self, source_id: str) -> bool:
        """Whether something of this source is not written yet."""
        return source_id in self._source_ids

    def begin(self, pending: _Pending) -> None:
        """Embed what is new; what was begun before is written meanwhile."""
        begun = deque(
            self._ahead.submit(self._embedded, pending.new[start : start + _BATCH])
            for start in range(0, len(pending.new), _BATCH)
        )
        self.finish()
        self._begun, self._gone, self._source_ids = begun, pending.gone, pending.source_ids

    def finish(self) -> None:
        """Write what was begun; what it replaces is deleted afterwards, so that a stop leaves nothing missing."""
        while self._begun:
            self._store.upsert(self._begun.popleft().result())
        if self._gone:
            self._store.delete(self._gone)
        self._gone, self._source_ids = [], set()


class Indexer:
    """Writes one team's sources into its store.

    At whatever point a run stops, the next one completes it: passages are written before those that they replace are
    deleted, and what is compared is what the store holds.
    """

    def __init__(
        self,
        store: PassageStore,
        dense: DenseEmbedder,
        sparse: SparseEmbedder,
        team: str,
        budget: Budget | None = None,
    ) -> None:
        self._store = store
        self._dense = dense
        self._sparse = sparse
        self._team = team
        self._budget = (budget or Budget()).within(dense.max_tokens)

    def put(self, sources: Iterable[Source], on_progress: Callable[[int], None] | None = None) -> IndexReport:
        """Make the index hold these sources as they are now.

        Args:
            sources: read one by one, so that they need not all fit into memory.
            on_progress: told how many sources are done.

        Raises:
            StoreUnavailable, EmbeddingError: what was written until then is complete and stays.
        """
        report, pending = IndexReport(), _Pending()
        with _one_ahead() as ahead:
            writing = _Writing(self._store, self._embedded, ahead)
            for number, source in enumerate(sources, start=1):
                if source.id in pending.source_ids or writing.holds(source.id):
                    writing.begin(pending)
                    writing.finish()
                    pending = _Pending()
                report += self._compare(source, pending)
                if len(pending.new) >= _BATCH:
                    writing.begin(pending)
                    pending = _Pending()
                if on_progress is not None:
                    on_progress(number)
            writing.begin(pending)
            writing.finish()
        return report

    def remove(self, source_ids: Iterable[str]) -> IndexReport:
        """Delete sources; unknown ids are ignored."""
        report = IndexReport()
        for source_id in source_ids:
            ids = [passage.id for passage in self._store.passages_of(source_id)]
            if ids:
                self._store.delete(ids)
                report += IndexReport(deleted=len(ids), sources_deleted=1)
        return report

    def keep_only(self, origin: str, source_ids: Collection[str]) -> IndexReport:
        """Delete the sources that were read from an origin and are no longer there."""
        return self.remove(sorted(self._store.sources_of(origin) - frozenset(source_ids)))

    def _compare(self, source: Source, pending: _Pending) -> IndexReport:
        """Find what is new and what went; describe at once what stays and stands elsewhere now."""
        stored = {passage.id: passage for passage in self._store.passages_of(source.id)}
        fingerprint = _fingerprint(source, self._budget)
        if stored and {one.fingerprint for one in stored.values()} == {f"{fingerprint}/{len(stored)}"}:
            return IndexReport(sources=1, kept=len(stored))
        try:
            passages = cut(source, self._team, self._dense.count_tokens, self._budget)
        except UnreadableSource as error:
            return IndexReport(skipped=((source.id, str(error)),))
        passages = tuple(replace(one, fingerprint=f"{fingerprint}/{len(passages)}") for one in passages)
        new = [passage for passage in passages if passage.id not in stored]
        kept = [passage for passage in passages if passage.id in stored]
        gone = [stored[passage_id] for passage_id in stored.keys() - {passage.id for passage in passages}]
        self._describe(source, kept, gone, stored)
        pending.new += new
        pending.gone += [passage.id for passage in gone]
        pending.source_ids.add(source.id)
        return IndexReport(sources=1, added=len(new), kept=len(kept), deleted=len(gone))

    def _describe(
        self, source: Source, kept: Sequence[Passage], gone: Sequence[Passage], stored: dict[str, Passage]
    ) -> None:
        """Places come first, those of passages that are about to go too: nobody reads on where they no longer may."""
        moved = [replace(passage, places=source.places) for passage in gone if passage.places != source.places]
        changed = [passage for passage in kept if passage != stored[passage.id]]
        if moved or changed:
            self._store.describe([*moved, *changed])

    def _embedded(self, passages: Sequence[Passage]) -> list[EmbeddedPassage]:
        """By meaning as a whole and by its excerpts, by words as a whole alone."""
        texts = [texts_to_embed(passage, self._budget, self._dense.count_tokens) for passage in passages]
        vectors = self._dense.embed_passages([text for of_one in texts for text in of_one])
        dense = np.split(vectors, np.cumsum([len(of_one) for of_one in texts])[:-1])
        sparse = self._sparse.embed_passages([whole for whole, *_ in texts])
        return [EmbeddedPassage(*parts) for parts in zip(passages, dense, sparse, strict=True)]


@contextmanager
def _one_ahead() -> Iterator[Executor]:
    """A thread for what is embedded next; where a run fails, what has not begun there never does."""
    ahead = ThreadPoolExecutor(1, thread_name_prefix="embedding-ahead")
    try:
        yield ahead
    finally:
        ahead.shutdown(cancel_futures=True)


def _fingerprint(source: Source, budget: Budget) -> str:
    """Equal for sources that would be cut and described alike.

    How many passages that makes is written behind it, so that a run which stopped halfway is not taken for done.
    """
    known = repr((replace(source, places=frozenset()), sorted(source.places), budget))
    return hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()
