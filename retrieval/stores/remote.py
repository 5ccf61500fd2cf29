"""Carries a passage store's calls over a Unix socket, for the processes that can't open its folder."""

from __future__ import annotations

import logging
import os
import socketserver
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from pathlib import Path
from queue import Empty, LifoQueue
from socket import SHUT_RDWR, socket
from threading import Condition, Thread
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from retrieval.errors import RetrievalError, StoreUnavailable
from retrieval.stores.ownership import Owner
from retrieval.stores.protocol import BothLegs, EmbeddedPassage, LegScores, PassageStore, Vector
from retrieval.types import Candidate, Passage, Scope, SparseVector

_T = TypeVar("_T")
_P = ParamSpec("_P")
_log = logging.getLogger(__name__)

_METHODS = frozenset(
    method.__name__
    for method in (
        PassageStore.upsert,
        PassageStore.describe,
        PassageStore.delete,
        PassageStore.passages_of,
        PassageStore.sources_of,
        PassageStore.page,
        PassageStore.count,
        PassageStore.search_dense,
        PassageStore.search_sparse,
        PassageStore.search_both,
        PassageStore.score,
        PassageStore.read,
    )
)
_TIMEOUT_S = 120.0
"""For one call; the largest upsert takes seconds."""
_BROKEN = (EOFError, ConnectionError, BrokenPipeError, FileNotFoundError, AuthenticationError)
"""What a connection raises when its other side has gone, or another owner is in its place."""


class OwnerGone(StoreUnavailable):
    """The process that owns the store has gone; another may open it."""


class StoreServer:
    """Answers calls to a store until it is closed."""

    def __init__(self, store: PassageStore, owner: Owner) -> None:
        self._calls = Condition()
        self._running = 0
        self._is_closing = False
        self._store = store
        self._server = _Server(owner, self._answer)
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), name="store-server", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish the calls that run, take no more, and hang up."""
        with self._calls:
            self._is_closing = True
            self._calls.wait_for(lambda: self._running == 0)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, method: str, args: tuple[Any, ...]) -> object:
        """What the store says, or the error that it raised."""
        with self._calls:
            if self._is_closing:
                raise ConnectionAbortedError
            self._running += 1
        try:
            return getattr(self._store, method)(*args) if method in _METHODS else StoreUnavailable(f"No {method} here.")
        except RetrievalError as error:
            return error
        except Exception:  # noqa: BLE001 - the edge of this process: the caller is another one, and must hear of it
            _log.exception("A store call from another process failed.")
            return StoreUnavailable(f"The store failed at {method}; the log of the process that owns it says why.")
        finally:
            with self._calls:
                self._running -= 1
                self._calls.notify_all()


class RemoteStore:
    """A `PassageStore` that another process has open."""

    def __init__(self, owner: Owner) -> None:
        """Connect.

        Raises:
            OwnerGone: nobody answers there.
        """
        self._owner = owner
        self._idle: LifoQueue[Connection] = LifoQueue()
        self._idle.put(self._connected())

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        self._ask(PassageStore.upsert, passages)

    def describe(self, passages: Sequence[Passage]) -> None:
        self._ask(PassageStore.describe, passages)

    def delete(self, passage_ids: Sequence[str]) -> None:
        self._ask(PassageStore.delete, passage_ids)

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        return self._ask(PassageStore.passages_of, source_id)

    def sources_of(self, origin: str) -> frozenset[str]:
        return self._ask(PassageStore.sources_of, origin)

    def page(self, after: str, limit: int) -> tuple[Passage, ...]:
        return self._ask(PassageStore.page, after, limit)

    def count(self) -> int:
        return self._ask(PassageStore.count)

    def search_dense(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._ask(PassageStore.search_dense, vector, scope, limit)

    def search_sparse(self, vector: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        return self._ask(PassageStore.search_sparse, vector, scope, limit)

    def search_both(self, dense: Vector, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        return self._ask(PassageStore.search_both, dense, sparse, scope, limit)

    def score(
        self, passage_ids: Sequence[str], dense: Vector, sparse: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        return self._ask(PassageStore.score, passage_ids, dense, sparse, scope)

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        return self._ask(PassageStore.read, passage_ids, scope)

    def close(self) -> None:
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _ask(self, method: Callable[Concatenate[PassageStore, _P], _T], *args: _P.args, **_kwargs: _P.kwargs) -> _T:
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = self._connected()
        try:
            answer = self._exchanged(connection, (method.__name__, args))
        except BaseException:
            connection.close()  # an answer may still be on its way, and must not meet the next question
            raise
        self._idle.put(connection)
        if isinstance(answer, RetrievalError):
            raise answer
        return cast(_T, answer)  # the other side calls the same method

    def _exchanged(self, connection: Connection, call: object) -> object:
        try:
            connection.send(call)
            if not connection.poll(_TIMEOUT_S):
                raise StoreUnavailable(f"{self._owner} has the index and did not answer in {_TIMEOUT_S:.0f} s.")
            return connection.recv()
        except _BROKEN as error:
            raise OwnerGone(f"{self._owner} had the index and has gone; try again.") from error

    def _connected(self) -> Connection:
        try:
            return Client(self._owner.socket, "AF_UNIX", authkey=bytes.fromhex(self._owner.key))
        except _BROKEN as error:
            raise OwnerGone(f"{self._owner} has the index and does not answer; stop it, or wait for it.") from error


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False  # `StoreServer` has waited for the calls; what is left only waits for the next

    def __init__(self, owner: Owner, answer: Callable[[str, tuple[Any, ...]], object]) -> None:
        self.path = Path(owner.socket)
        self.key = bytes.fromhex(owner.key)
        self.answer = answer
        self.open: set[socket] = set()
        super().__init__(owner.socket, _Handler)
        self.path.chmod(0o600)  # its folder is the owner's alone, and the key is asked for

    def handle_error(self, request: object, client_address: object) -> None:
        """What a connection sends that is no call ends that connection alone."""
        del request, client_address
        _log.exception("A connection from another process failed.")

    def server_close(self) -> None:
        super().server_close()
        self.path.unlink(missing_ok=True)
        for connection in tuple(self.open):
            with suppress(OSError):  # the other side hung up first
                connection.shutdown(SHUT_RDWR)


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.open.add(self.request)
        try:
            with Connection(os.dup(self.request.fileno())) as connection:
                deliver_challenge(connection, self.server.key)
                answer_challenge(connection, self.server.key)
                while True:
                    connection.send(self.server.answer(*connection.recv()))
        except (*_BROKEN, OSError):
            return  # the other side hung up, or has no key, or this one is closing
        finally:
            self.server.open.discard(self.request)
