"""Opens a team's passages for several processes at once: one owns the folder, the others ask it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TypeVar

from retrieval.errors import RetrievalError, StoreUnavailable
from retrieval.stores.collections import ENGLISH, Collection, activate_first
from retrieval.stores.edge import EdgeStore
from retrieval.stores.ownership import Ownership, owner_of
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, LegScores, PassageStore, Vector
from retrieval.stores.remote import OwnerGone, RemoteStore, StoreServer
from retrieval.stores.switchboard import FolderSwitchboard, require_active, require_unswitched
from retrieval.types import Candidate, Passage, Scope, SparseVector

_T = TypeVar("_T")

_WAIT_S = 10.0
"""For an owner that is starting, closing, or (where the store must be owned) a short command."""
_PAUSE_S = 0.05
_WANTED = "wanted"
"""A file in the folder: somebody who must own it waits."""


def open_store(
    data_dir: Path,
    team: str,
    model: str,
    dimension: int,
    chunking_version: str,
    *,
    language: str = ENGLISH,
    command: str = "footnote",
    must_own: bool = False,
    wait_s: float = _WAIT_S,
) -> PassageStore:
    """Open a team's passages, whether or not another process has them open.

    Args:
        data_dir: The folder that all of Footnote's data stands in.
        team: Whose passages.
        model: The embedding model's name.
        dimension: How long its vectors are.
        chunking_version: How passages are cut.
        language: Of the sparse vectors.
        command: What others are told when they ask who has the store.
        must_own: For `serve`, which must not lean on a command that ends before it.
        wait_s: How long to wait for another process, in seconds.

    Raises:
        CollectionMismatch: the team's passages were built by another model, language or chunking version.
        StoreUnavailable: the store can't be opened; the message says who has it.
    """
    collection = Collection(team, model, dimension, chunking_version, language)
    activate_first(data_dir, collection)
    return SharedStore(data_dir, collection, command, must_own=must_own, wait_s=wait_s)


class SharedStore:
    """A `PassageStore` that this process owns and shares, or that another one owns; when that one goes, the next takes
    over. All calls can be repeated, so one that is cut off is made again."""

    def __init__(
        self, data: Path, collection: Collection, command: str, *, must_own: bool = False, wait_s: float = _WAIT_S
    ) -> None:
        self._folder = collection.folder(data)
        self._switchboard = FolderSwitchboard(data, collection.team)
        self._collection = collection
        self._command = command
        self._must_own = must_own
        self._wait_s = wait_s
        self._opening = Lock()
        self._is_closed = False
        self._store: _Owned | RemoteStore | None = self._opened()

    @property
    def is_owned(self) -> bool:
        """Whether this process has the folder open itself."""
        return isinstance(self._store, _Owned)

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        self._write(lambda store: store.upsert(passages))

    def describe(self, passages: Sequence[Passage]) -> None:
        self._write(lambda store: store.describe(passages))

    def delete(self, passage_ids: Sequence[str]) -> None:
        self._write(lambda store: store.delete(passage_ids))

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        return self._call(lambda store: store.passages_of(source_id))

    def sources_of(self, origin: str) -> frozenset[str]:
        return self._call(lambda store: store.sources_of(origin))

    def page(self, after: str, limit: int) -> tuple[Passage, ...]:
        return self._call(lambda store: store.page(after, limit))

    def count(self) -> int:
        return self._call(lambda store: store.count())

    def search_dense(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._call(lambda store: store.search_dense(vector, scope, limit))

    def search_sparse(self, vector: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._call(lambda store: store.search_sparse(vector, scope, limit))

    def search_both(self, dense: Vector, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        return self._call(lambda store: store.search_both(dense, sparse, scope, limit))

    def score(
        self, passage_ids: Sequence[str], dense: Vector, sparse: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        return self._call(lambda store: store.score(passage_ids, dense, sparse, scope))

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        return self._call(lambda store: store.read(passage_ids, scope))

    def close(self) -> None:
        with self._opening:
            self._is_closed = True
            if self._store is not None:
                self._store.close()
                self._store = None

    def give_way(self) -> None:
        """Let a process have the store that must own it and waits for it; the next call goes through that one."""
        wanted = self._folder / _WANTED
        if self.is_owned and wanted.exists():
            self._forget(self._current())
            deadline = time.monotonic() + self._wait_s
            while wanted.exists() and time.monotonic() < deadline:
                time.sleep(_PAUSE_S)
            wanted.unlink(missing_ok=True)  # whoever wanted it may have died waiting

    def _write(self, write: Callable[[PassageStore], None]) -> None:
        self._call(write)
        require_unswitched(self._switchboard, self._collection.name)

    def _call(self, call: Callable[[PassageStore], _T]) -> _T:
        deadline = time.monotonic() + self._wait_s
        while True:
            store = self._current()
            try:
                return call(store.store if isinstance(store, _Owned) else store)
            except OwnerGone:
                if time.monotonic() > deadline:
                    raise
                self._forget(store)

    def _current(self) -> _Owned | RemoteStore:
        with self._opening:
            if self._is_closed:
                raise StoreUnavailable("The store was closed; open it again.")
            if self._store is None:
                self._store = self._opened()
            return self._store

    def _forget(self, store: _Owned | RemoteStore) -> None:
        """Look for the store anew at the next call, unless another thread has done so."""
        with self._opening:
            if self._store is store:
                store.close()
                self._store = None

    def _opened(self) -> _Owned | RemoteStore:
        deadline = time.monotonic() + self._wait_s
        try:
            while True:
                if opened := self._try_opening():
                    return opened
                if time.monotonic() > deadline:
                    holder = owner_of(self._folder) or "another process"
                    raise StoreUnavailable(f"The index in {self._folder} is held by {holder}; stop it, or wait for it.")
                time.sleep(_PAUSE_S)
        finally:
            if self._must_own:
                (self._folder / _WANTED).unlink(missing_ok=True)

    def _try_opening(self) -> _Owned | RemoteStore | None:
        try:
            self._require_active()
            if ownership := Ownership.try_taking(self._folder):
                return self._owned(ownership)
            if self._must_own:
                (self._folder / _WANTED).touch()
            owner = None if self._must_own else owner_of(self._folder)
            return RemoteStore(owner) if owner else None
        except OwnerGone:
            return None
        except OSError as error:
            raise StoreUnavailable(f"The index in {self._folder} can't be opened: {error}.") from error

    def _owned(self, ownership: Ownership) -> _Owned:
        try:
            self._require_active()  # again: it may have been switched, and deleted, while the lock was waited for
        except RetrievalError:
            ownership.release()
            raise
        return _Owned(ownership, self._folder, self._collection, self._command)

    def _require_active(self) -> None:
        require_active(self._switchboard.read(), self._collection.name)


class _Owned:
    """The store open in this process, with the server that shares it."""

    def __init__(self, ownership: Ownership, folder: Path, collection: Collection, command: str) -> None:
        with ExitStack() as undo:
            undo.callback(ownership.release)
            self.store = EdgeStore(folder, collection)
            undo.callback(self.store.close)
            server = StoreServer(self.store, ownership.announce(command))
            undo.callback(server.close)
            self._closing = undo.pop_all()

    def close(self) -> None:
        self._closing.close()
