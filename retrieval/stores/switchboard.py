"""Says which collection of a team answers and whether another is about to, and keeps writes from falling in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.stores.collections import Collection, read_manifest, team_folder, write_manifest
from retrieval.stores.ownership import Ownership

_PATIENCE_S = 300.0
"""How long a write waits for a switch that is announced: it compares both collections once, some 2 minutes at a million
passages. Who announced it is taken for dead then; were they not, they would find their announcement gone."""
_PAUSE_S = 0.05
_LOOKED_AT_S = 1.0
"""The lock of a switch is held for moments by those who look whether it is."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a switchboard says at one moment."""

    active: str
    """The name of the collection that answers; empty before the first."""
    is_announced: bool
    """Whether another is about to take its place."""


class Switchboard(Protocol):
    """One team's, seen by every process alike.

    Whoever switches announces it, compares both collections, and completes it. Whoever writes looks here *behind* each
    write: where nothing is announced then, the write is in what is compared; else it waits for the outcome. To complete
    is to make the announcement itself the active one, in one step that fails where it was withdrawn meanwhile.
    """

    def read(self) -> Standing:
        """How it stands now."""
        ...

    def announce(self, collection: Collection) -> None:
        """Say that this collection is about to answer."""
        ...

    def withdraw(self) -> None:
        """Take an announcement back, whoever made it; nothing where there is none."""
        ...

    def complete(self) -> bool:
        """Let the announced collection answer from now on; False where the announcement has been withdrawn."""
        ...


class FolderSwitchboard:
    """A `Switchboard` of two files in a team's folder: `active.json`, and `next.json` as long as one is announced.

    Whoever announces holds a lock; when they die, the kernel gives it back and the announcement counts no more.
    """

    def __init__(self, data: Path, team: str) -> None:
        self._folder = team_folder(data, team)
        self._active = self._folder / "active.json"
        self._next = self._folder / "next.json"
        self._held: Ownership | None = None

    def read(self) -> Standing:
        is_announced = self._next.exists() and not self._is_withdrawn_for_the_dead()
        active = read_manifest(self._active)  # after the other: a switch in between shows here
        return Standing(active.name if active else "", is_announced)

    def announce(self, collection: Collection) -> None:
        deadline = time.monotonic() + _LOOKED_AT_S
        while self._held is None and time.monotonic() < deadline:
            self._held = Ownership.try_taking(self._switching)
        if self._held is None:
            raise StoreUnavailable("Another process is switching the index over; wait for it, and try again.")
        write_manifest(self._next, collection)

    def withdraw(self) -> None:
        try:
            self._next.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"{self._next} can't be deleted: {error}.") from error
        finally:
            self._release()

    def complete(self) -> bool:
        try:
            self._next.replace(self._active)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnavailable(f"{self._active} can't be written: {error}.") from error
        finally:
            self._release()
        return True

    @property
    def _switching(self) -> Path:
        return self._folder / "switching"

    def _is_withdrawn_for_the_dead(self) -> bool:
        if self._held is not None:
            return False
        lock = Ownership.try_taking(self._switching)
        if lock is None:
            return False
        self._next.unlink(missing_ok=True)
        lock.release()
        return True

    def _release(self) -> None:
        if self._held is not None:
            self._held.release()
            self._held = None


def require_unswitched(
    switchboard: Switchboard,
    name: str,
    patience_s: float = _PATIENCE_S,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Return when what was just written to a collection is in whatever answers from now on.

    Args:
        switchboard: The team's.
        name: The collection's.
        patience_s: How long to wait for a switch that is announced.
        sleep: Waits.

    Raises:
        CollectionMismatch: another collection answers now, and may lack it.
    """
    deadline = time.monotonic() + patience_s
    while (standing := switchboard.read()).is_announced:
        if time.monotonic() > deadline:
            switchboard.withdraw()
        else:
            sleep(_PAUSE_S)
    require_active(standing, name)


def require_active(standing: Standing, name: str) -> None:
    """Refuse to go on with a collection in whose place another answers.

    Raises:
        CollectionMismatch: it is so.
    """
    if standing.active != name:
        raise CollectionMismatch(
            "The index was rebuilt meanwhile with another model, language or way of cutting: set EMBEDDING_MODEL and "
            "LANGUAGE as they were for `footnote reindex`, and run this again."
        )
