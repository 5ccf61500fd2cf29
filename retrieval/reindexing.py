"""Builds a collection beside the one that answers, from what that one holds, and lets it answer in its place."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

import numpy as np

from retrieval.chunking import Budget
from retrieval.chunking.embedded import text_to_embed
from retrieval.chunking.excerpts import texts_that_fit
from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.stores.collections import Collection
from retrieval.stores.protocol import EmbeddedPassage, PassageStore
from retrieval.stores.switchboard import Switchboard
from retrieval.types import Passage

CARRIED = "carried/"
"""Before the fingerprint of what another model or way of cutting had cut: when its source is read the next time, it is
taken for changed, and cut as it is now."""

_PAGE = 500
"""Passages read at once of each collection, some 2 MB."""
_BATCH = 32
"""Passages that are embedded and written at once: some seconds of work at most are lost with a run that is killed."""
_FEW = 64
"""So many passages changed since the last comparison are embedded while writers wait."""
_MOST_FOLLOWED = 8
"""Comparisons after the first, so that an index which is written all the time is switched too."""


class Site(Protocol):
    """Where a rebuild takes place."""

    @property
    def old(self) -> PassageStore:
        """What answers."""
        ...

    @property
    def new(self) -> PassageStore:
        """What is built; nobody else has it open."""
        ...

    @property
    def switchboard(self) -> Switchboard:
        """Says which of them answers."""
        ...

    def give_way(self) -> None:
        """Let in whoever waits for what is held here; called between batches."""
        ...

    def seal(self) -> None:
        """Make all that was written to the new one durable, and let go of it until it is asked for again."""
        ...


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What one run of a rebuild did, in passages."""

    passages: int = 0
    """In the new collection, at the switch."""
    embedded: int = 0
    described: int = 0
    """Embedded before, and changed since in what is kept beside the vectors."""
    deleted: int = 0
    """Embedded before, and gone since."""

    def __add__(self, other: RebuildReport) -> RebuildReport:
        return RebuildReport(
            other.passages,
            self.embedded + other.embedded,
            self.described + other.described,
            self.deleted + other.deleted,
        )


Progress = Callable[[int, int], None]
"""Told how many passages of how many have been compared, and embedded where that was needed."""


@dataclass(slots=True)
class _Pending:
    """What was found to differ and has not been written yet."""

    new: list[Passage] = field(default_factory=list)
    changed: list[Passage] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.new) + len(self.changed) + len(self.gone)


class Rebuild:
    """Makes a new collection hold what the old one holds, and switches over.

    What is compared is what both hold, passage by passage, so that a run which was killed at whatever point is
    completed by the next, and that nothing needs to be noted of what others write meanwhile: it is found by comparing
    again. The last comparison comes when the switch is announced; a write that it may have missed is refused
    (`Switchboard`).
    """

    def __init__(
        self,
        site: Site,
        old: Collection,
        new: Collection,
        dense: DenseEmbedder,
        sparse: SparseEmbedder,
        budget: Budget | None = None,
    ) -> None:
        self._site = site
        self._target = new
        self._dense = dense
        self._sparse = sparse
        self._budget = (budget or Budget()).within(dense.max_tokens)
        self._keeps_cut = (old.model, old.chunking_version) == (new.model, new.chunking_version)

    def run(self, on_progress: Progress, before_switch: Callable[[], None] = lambda: None) -> RebuildReport:
        """Build, follow what changes meanwhile, and switch.

        Args:
            on_progress: Told of the first comparison, which embeds.
            before_switch: Called right before, and again where a switch was called off by others.

        Raises:
            StoreUnavailable, EmbeddingError: the old collection answers as before; run again to go on.
        """
        self._site.switchboard.withdraw()  # that of a run which was killed
        report = self._follow(on_progress)
        for _ in range(_MOST_FOLLOWED):
            report += (latest := self._follow())
            if latest.embedded <= _FEW:
                break
        while (last := self._switched(before_switch)) is None:
            pass
        return report + last

    def _switched(self, before_switch: Callable[[], None]) -> RebuildReport | None:
        """What the last comparison found; None where others took the announcement back and it must be done again."""
        switchboard = self._site.switchboard
        before_switch()
        try:
            switchboard.announce(self._target)
            report = self._follow()
            self._site.seal()
            return report if switchboard.complete() else None
        except BaseException:  # whatever it is goes on; writers must not wait for it
            switchboard.withdraw()
            raise

    def _follow(self, on_progress: Progress = lambda _done, _total: None) -> RebuildReport:
        """Walk once through both collections, and make the new one what the old one is."""
        report, pending, total = RebuildReport(), _Pending(), self._site.old.count()
        done = 0
        for before, after in self._side_by_side():
            done += before is not None
            self._compare(before, after, pending)
            if len(pending) >= _BATCH:
                report += self._written(pending)
            if done % _BATCH == 0:
                on_progress(done, max(done, total))
                self._site.give_way()
        report += self._written(pending)
        on_progress(done, done)
        return replace(report, passages=done)

    def _side_by_side(self) -> Iterator[tuple[Passage | None, Passage | None]]:
        """Each passage as the old collection holds it and as the new one does; None where one has no such."""
        old = ((passage, True) for passage in _walk(lambda: self._site.old))
        new = ((passage, False) for passage in _walk(lambda: self._site.new))
        merged = heapq.merge(old, new, key=lambda pair: pair[0].id)
        for _, same in groupby(merged, key=lambda pair: pair[0].id):
            found = {is_old: passage for passage, is_old in same}
            yield found.get(True), found.get(False)

    def _compare(self, before: Passage | None, after: Passage | None, pending: _Pending) -> None:
        if before is None:
            pending.gone += [after.id] if after else []
            return
        wanted = self._carried(before)
        if after is None:
            pending.new.append(wanted)
        elif wanted != after:
            pending.changed.append(wanted)

    def _carried(self, passage: Passage) -> Passage:
        if self._keeps_cut or passage.fingerprint.startswith(CARRIED):
            return passage
        return replace(passage, fingerprint=CARRIED + passage.fingerprint)

    def _written(self, pending: _Pending) -> RebuildReport:
        """Places narrow and passages go before anything is embedded, which takes the time."""
        report = RebuildReport(0, len(pending.new), len(pending.changed), len(pending.gone))
        if pending.gone:
            self._site.new.delete(pending.gone)
        if pending.changed:
            self._site.new.describe(pending.changed)
        if pending.new:
            self._site.new.upsert(self._embedded(pending.new))
        pending.gone.clear()
        pending.changed.clear()
        pending.new.clear()
        return report

    def _embedded(self, passages: Sequence[Passage]) -> list[EmbeddedPassage]:
        texts = [texts_that_fit(passage, self._budget, self._dense.count_tokens) for passage in passages]
        vectors = self._dense.embed_passages([text for of_one in texts for text in of_one])
        dense = np.split(vectors, np.cumsum([len(of_one) for of_one in texts])[:-1])
        sparse = self._sparse.embed_passages([text_to_embed(passage) for passage in passages])
        return [EmbeddedPassage(*parts) for parts in zip(passages, dense, sparse, strict=True)]


def _walk(store: Callable[[], PassageStore]) -> Iterable[Passage]:
    """All passages in order of id, as the store holds them at the moment when each page is read."""
    after = ""
    while page := store().page(after, _PAGE):
        yield from page
        after = page[-1].id
