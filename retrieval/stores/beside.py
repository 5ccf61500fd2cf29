"""Puts a new collection beside the one that answers in a data folder, and deletes what answers no more."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Collection as Several
from contextlib import suppress
from pathlib import Path

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, team_folder
from retrieval.stores.edge import EdgeStore
from retrieval.stores.ownership import Ownership, owner_of
from retrieval.stores.protocol import PassageStore
from retrieval.stores.shared import SharedStore
from retrieval.stores.switchboard import FolderSwitchboard

_GONE = "gone-"
"""Before the name of a folder that is being deleted: whatever is left of it is opened by nobody."""


class FolderSite:
    """Where a rebuild takes place in a data folder.

    The old collection is asked like any other command asks it; the new one is this process's alone.
    """

    def __init__(self, data: Path, old: Collection, new: Collection, command: str) -> None:
        """Open both.

        Raises:
            StoreUnavailable: another process builds the new one, or the old one can't be opened.
        """
        self.switchboard = FolderSwitchboard(data, old.team)
        self._folder = new.folder(data)
        self._collection = new
        self._ownership = _taken(self._folder, command)
        self._new: EdgeStore | None = None
        try:
            self._old = SharedStore(data, old, command)
        except BaseException:  # whatever it is goes on; the new one's folder must not stay locked
            self._ownership.release()
            raise

    @property
    def old(self) -> PassageStore:
        return self._old

    @property
    def new(self) -> PassageStore:
        if self._new is None:
            self._new = EdgeStore(self._folder, self._collection)
        return self._new

    def give_way(self) -> None:
        self._old.give_way()

    def seal(self) -> None:
        """The engine syncs to the disk when it is closed."""
        if self._new is not None:
            self._new.close()
            self._new = None

    def close(self) -> None:
        """Let go of both."""
        self._old.close()
        self.seal()
        self._ownership.release()


def discard_others(data: Path, team: str, keep: Several[Collection]) -> tuple[str, ...]:
    """Delete what stands in a team's folder beside the collections to keep; says who has open what could not be."""
    held = []
    kept = {collection.folder(data) for collection in keep}
    for folder in sorted(team_folder(data, team).iterdir()):
        if folder.name.startswith(_GONE):
            _delete(folder)
        elif folder not in kept and _is_collection(folder) and not discard(folder):
            held.append(str(owner_of(folder) or "another process"))
    return tuple(held)


def discard(folder: Path) -> bool:
    """Delete the folder of a collection, unless somebody has it open; whether it is gone."""
    if not folder.exists():
        return True
    ownership = Ownership.try_taking(folder)
    if ownership is None:
        return False
    gone = folder.with_name(f"{_GONE}{secrets.token_hex(4)}")
    folder.rename(gone)  # in one step: what is left if this is killed is no collection
    ownership.release()
    _delete(gone)
    return True


def _delete(folder: Path) -> None:
    """Two processes may be at it; what is left, the next rebuild deletes."""
    with suppress(OSError):
        shutil.rmtree(folder)


def _is_collection(folder: Path) -> bool:
    return (folder / "manifest.json").exists() or (folder / "shard").exists()


def _taken(folder: Path, command: str) -> Ownership:
    ownership = Ownership.try_taking(folder)
    if ownership is None:
        holder = owner_of(folder) or "another process"
        raise StoreUnavailable(f"The new index is being built by {holder} already; wait for it.")
    ownership.announce(command)
    return ownership
