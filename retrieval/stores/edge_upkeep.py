"""Makes a shard anew beside the old one, without what was deleted, while the old one is read and written."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Event

import qdrant_edge as engine

from retrieval.errors import StoreUnavailable
from retrieval.stores.edge_shard import guarded, open_shard, pages, to_edge_payload, to_passage

_log = logging.getLogger(__name__)

_PAGE = 100
"""Points copied at once: each page holds up the other threads for some milliseconds."""
_PAGES_UNTIL_FLUSH = 20
"""Pages after which the copy is written to disk: the engine holds up all threads for as long as that takes."""
_FEW = 50
"""Points that are copied while writers wait."""
_LEAST_DELETED = 5_000
"""Below this nothing is gained: the engine's files have 190 MB from the start."""
_COPYING = "Copying the store"


@dataclass(frozen=True, slots=True)
class Current:
    """Which shard answers; the others beside it are what a stop left, and are removed."""

    folder: str
    deleted: int = 0
    """Points that were deleted from it, whose room the engine never gives back by itself."""

    def is_due(self, count_live: Callable[[], int]) -> bool:
        """Whether it should be made anew: at worst it takes half as much room again as it needs."""
        return self.deleted >= _LEAST_DELETED and self.deleted >= count_live() // 2

    def following(self) -> Current:
        """The one that takes its place."""
        number = int(self.folder.rpartition("-")[2]) + 1
        return Current(f"shard-{number}")


def read_current(folder: Path) -> Current:
    """What was written there; the first where nothing was.

    Raises:
        StoreUnavailable: something else stands there.
    """
    path = folder / "shard.json"
    try:
        return Current(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Current("shard-1")
    except (OSError, TypeError, ValueError) as error:
        raise StoreUnavailable(f"{path} can't be read ({error}); restore it, or delete its folder.") from error


def write_current(folder: Path, current: Current) -> None:
    """In one step: from then on this shard answers, also after a power cut.

    Raises:
        StoreUnavailable: the disk is full, or the folder can't be written.
    """
    beside = folder / "shard.json.new"
    try:
        with beside.open("w", encoding="utf-8") as file:
            json.dump(asdict(current), file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / "shard.json")
    except OSError as error:
        raise StoreUnavailable(f"{folder / 'shard.json'} can't be written: {error}.") from error


def open_current(folder: Path, dimension: int) -> tuple[Current, engine.EdgeShard]:
    """The shard that answers, made if there is none; leftovers beside it are removed."""
    current = read_current(folder)
    if not (folder / "shard.json").exists():
        _clear(folder, keep="shard")
        if (folder / "shard").exists():
            _bring_over(folder / "shard", folder / current.folder, dimension)
    shard = guarded(lambda: open_shard(folder / current.folder, dimension), f"The store in {folder}")
    if not (folder / "shard.json").exists():
        write_current(folder, current)
    _clear(folder, keep=current.folder)
    return current, shard


def _bring_over(old: Path, new: Path, dimension: int) -> None:
    """Make a shard that an earlier Footnote wrote into one of today's, which has what today's filters go by."""
    _log.info("The store is brought to this version's form.")
    source = guarded(partial(engine.EdgeShard.load, str(old)), f"The store in {old.parent}")
    target = guarded(partial(open_shard, new, dimension), _COPYING)
    Copy(source, target).copy_all(Event())
    guarded(target.close, _COPYING)
    guarded(source.close, _COPYING)


def _clear(folder: Path, keep: str) -> None:
    for other in folder.glob("shard*/"):
        if other.name != keep:
            shutil.rmtree(other)


class Copy:
    """A shard that becomes equal to another one, which goes on being written meanwhile."""

    def __init__(self, source: engine.EdgeShard, target: engine.EdgeShard) -> None:
        self._source = source
        self.target = target
        self._changed: set[str] = set()

    def note(self, passage_ids: Sequence[str]) -> None:
        """These were written to or deleted from the source just now; its writers' lock is held."""
        self._changed.update(passage_ids)

    def copy_all(self, stop: Event) -> bool:
        """Copy what is there; whether it came to its end before it was told to stop."""
        for number, page in enumerate(pages(self._source, None, _PAGE, with_payload=False), start=1):
            if stop.is_set():
                return False
            self._put([str(record.id) for record in page])
            if number % _PAGES_UNTIL_FLUSH == 0:
                self.flush()
        return True

    def catch_up(self, writing: AbstractContextManager[object], stop: Event) -> bool:
        """Copy what changed meanwhile, until it is so little that writers can wait for it."""
        while len(self._changed) > _FEW and not stop.is_set():
            with writing:
                changed, self._changed = self._changed, set()
            self._repeat(sorted(changed))
        return not stop.is_set()

    def flush(self) -> None:
        """Write what is copied to disk."""
        guarded(self.target.flush, _COPYING)

    def finish(self) -> None:
        """Copy the last few; the writers' lock is held."""
        self._repeat(sorted(self._changed))
        self._changed.clear()

    def _repeat(self, passage_ids: list[str]) -> None:
        for start in range(0, len(passage_ids), _PAGE):
            some = passage_ids[start : start + _PAGE]
            gone = set(some) - self._put(some)
            if gone:
                self._update(engine.UpdateOperation.delete_points(sorted(gone)))

    def _put(self, passage_ids: list[str]) -> set[str]:
        """Copy those of these that exist, and say which do."""
        records = guarded(lambda: self._source.retrieve([*passage_ids], True, True), _COPYING)
        points = [
            engine.Point(str(record.id), record.vector or {}, to_edge_payload(to_passage(record))) for record in records
        ]
        if points:
            self._update(engine.UpdateOperation.upsert_points(points))
        return {str(record.id) for record in records}

    def _update(self, operation: engine.UpdateOperation) -> None:
        guarded(lambda: self.target.update(operation), _COPYING)
