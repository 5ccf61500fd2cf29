"""Keeps a running bot on the collection that answers: when `footnote reindex` switches, it goes over without a gap."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as Several
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from bot.answering.meaning import Meaning
from bot.errors import BotError
from retrieval.errors import CollectionMismatch, RetrievalError, StoreUnavailable
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.protocol import PassageStore
from retrieval.types import IndexReport, Passage, Source

POLL_S = 1.0
"""How often it looks which collection answers."""
PATIENCE_S = 120.0
"""How long a call that met the switch waits until the new model is loaded."""

_T = TypeVar("_T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One team's index, open for writing and searching."""

    collection: Collection
    store: PassageStore
    indexer: Indexer
    searcher: Searcher
    meaning: Meaning


@dataclass(slots=True, eq=False)
class _Opened:
    """An index and those who use it now."""

    retrieval: Retrieval
    close: Callable[[], None]
    users: int = 0


class LiveIndex:
    """One team's index as it answers now; it also is what reads channels write to.

    Each question and each write goes through one index from its beginning to its end, so that vectors of two models
    never meet. One that fails because the index was switched meanwhile is made again on the new one.
    """

    def __init__(
        self,
        opened: Callable[[Collection | None], AbstractContextManager[Retrieval]],
        find_active: Callable[[], Collection | None],
        discard: Callable[[Collection], None] = lambda _old: None,
        poll_s: float = POLL_S,
    ) -> None:
        """Open the index.

        Args:
            opened: Opens the index that the settings ask for, or that of a collection.
            find_active: Which collection answers.
            discard: Deletes one that answers no more and that this process has let go of.
            poll_s: How often to look, in seconds.
        """
        self._open = opened
        self._find_active = find_active
        self._discard = discard
        self._poll_s = poll_s
        self._changed = threading.Condition()
        self._look = threading.Event()
        self._is_closed = False
        self._lost: BotError | RetrievalError | None = None
        self._current = self._opened(None)
        self._thread: threading.Thread | None = None

    def watch(self, when_lost: Callable[[], None]) -> None:
        """Look from now on which collection answers, and go over to it; say so where that can't be done."""

        def work() -> None:
            while not self._is_closed:
                self._look.wait(self._poll_s)
                self._look.clear()
                if not self._is_closed and not self._looked():
                    when_lost()
                    return

        self._thread = threading.Thread(target=work, name="index", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Go over to nothing any more, and let go.

        Raises:
            BotError, RetrievalError: why it could not go over.
        """
        self._is_closed = True
        self._look.set()
        if self._thread:
            self._thread.join()
        self._current.close()
        if self._lost:
            raise self._lost

    def use(self, call: Callable[[Retrieval], _T]) -> _T:
        """What the call returns, made with an index that answered when it began, or when it ended."""
        while True:
            with self._in_use() as opened:
                try:
                    return call(opened.retrieval)
                except RetrievalError:
                    if self._answers(opened):
                        raise
            self._wait_until_past(opened)

    def put(self, sources: Iterable[Source]) -> IndexReport:
        """Make the index hold these sources."""
        known = tuple(sources)
        return self._keep(lambda retrieval: retrieval.indexer.put(known))

    def remove(self, source_ids: Iterable[str]) -> IndexReport:
        """Delete sources."""
        known = tuple(source_ids)
        return self._keep(lambda retrieval: retrieval.indexer.remove(known))

    def keep_only(self, origin: str, source_ids: Several[str]) -> IndexReport:
        """Delete the sources of an origin that are no longer there."""
        return self._keep(lambda retrieval: retrieval.indexer.keep_only(origin, source_ids))

    def describe(self, passages: Sequence[Passage]) -> None:
        """Rewrite what is kept beside the vectors of passages that are stored."""
        self._keep(lambda retrieval: retrieval.store.describe(passages))

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        """All passages of a source, in order of position."""
        return self._keep(lambda retrieval: retrieval.store.passages_of(source_id))

    def sources_of(self, origin: str) -> frozenset[str]:
        """Ids of all sources that were read from an origin."""
        return self._keep(lambda retrieval: retrieval.store.sources_of(origin))

    def _keep(self, call: Callable[[Retrieval], _T]) -> _T:
        """As `use`; what was done, or found to need nothing, on an index that no more answers is done again."""

        def kept(retrieval: Retrieval) -> _T:
            result = call(retrieval)
            if self._find_active() not in (retrieval.collection, None):
                raise CollectionMismatch("The index was rebuilt meanwhile: start again to go on with it.")
            return result

        return self.use(kept)

    @contextmanager
    def _in_use(self) -> Iterator[_Opened]:
        with self._changed:
            opened = self._current
            opened.users += 1
        try:
            yield opened
        finally:
            with self._changed:
                opened.users -= 1
                self._changed.notify_all()

    def _answers(self, opened: _Opened) -> bool:
        try:
            return self._find_active() in (opened.retrieval.collection, None)
        except StoreUnavailable:
            return True  # as far as anybody knows: the failure that was met is the one to tell

    def _wait_until_past(self, opened: _Opened) -> None:
        self._look.set()
        with self._changed:
            self._changed.wait_for(lambda: self._current is not opened or self._lost is not None, PATIENCE_S)
            if self._lost:
                raise self._lost
            if self._current is opened:
                raise StoreUnavailable("The index was rebuilt, and its model isn't loaded yet; try again.")

    def _looked(self) -> bool:
        """Go over where another collection answers; False where that will not work."""
        try:
            active = self._find_active()
            if active not in (self._current.retrieval.collection, None):
                self._go_over(active)
        except StoreUnavailable as error:  # it may be there the next time
            log.warning("the index: %s", error)
        except (BotError, RetrievalError) as error:
            log.error("the index was rebuilt, and can't be opened: %s", error)
            with self._changed:
                self._lost = error
                self._changed.notify_all()
            return False
        return True

    def _go_over(self, active: Collection | None) -> None:
        opened, old = self._opened(active), self._current
        with self._changed:
            self._current = opened
            self._changed.notify_all()
            log.info("answers come from the rebuilt index now: %s", opened.retrieval.collection.name)
            self._changed.wait_for(lambda: old.users == 0)
        old.close()
        self._discard(old.retrieval.collection)

    def _opened(self, collection: Collection | None) -> _Opened:
        with ExitStack() as stack:
            retrieval = stack.enter_context(self._open(collection))
            return _Opened(retrieval, stack.pop_all().close)
