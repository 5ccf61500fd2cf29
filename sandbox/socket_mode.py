"""Socket Mode: hands out addresses, keeps the app's websockets, and carries envelopes over them."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex
from socket import SHUT_RDWR
from typing import cast

from simple_websocket import ConnectionClosed
from simple_websocket import Server as WebSocket

from sandbox.types import Json, Refused

_CONNECTIONS = 10  # Source: Slack's limit of connections per app
_HOUR_S = 3600

Acked = Callable[[str, Json], None]


class _Socket(WebSocket):
    """A websocket that several threads may write to."""

    def __init__(self, environ: dict[str, object]) -> None:
        self._writing = threading.Lock()
        super().__init__(environ)

    def send(self, data: bytes | str) -> None:
        with self._writing:
            super().send(data)

    def _handle_events(self) -> bool:
        with self._writing:
            return bool(super()._handle_events())  # type: ignore[misc]  # private, so its types leave it out

    def hang_up(self) -> None:
        """End the connection without a word."""
        with suppress(OSError):  # it may be gone already
            if self.sock:
                self.sock.shutdown(SHUT_RDWR)


class SocketMode:
    """The app's connections; an envelope goes to any one of them."""

    def __init__(self, app_id: str) -> None:
        self._app_id = app_id
        self._lock = threading.Lock()
        self._tickets: set[str] = set()
        self._sockets: list[_Socket] = []
        self._turn = 0
        self._closed = False

    def new_ticket(self) -> str:
        """A ticket that opens one connection."""
        with self._lock:
            if len(self._sockets) >= _CONNECTIONS:
                raise Refused("too_many_websockets")
            ticket = token_hex(16)
            self._tickets.add(ticket)
            return ticket

    def serve(self, environ: dict[str, object], ticket: str, acked: Acked) -> bool:
        """Keep a connection until it ends; False when the ticket is no good."""
        with self._lock:
            if ticket not in self._tickets:
                return False
            self._tickets.remove(ticket)
        socket = _Socket(environ)
        self._greet(socket)
        try:
            while True:
                _read_ack(cast("str", socket.receive()), acked)
        except (ConnectionClosed, OSError):
            return True
        finally:
            with self._lock:
                self._sockets.remove(socket)

    def _greet(self, socket: _Socket) -> None:
        with self._lock:
            self._sockets.append(socket)
            count = len(self._sockets)
            if self._closed:
                socket.hang_up()
        debug = {"host": "sandbox", "approximate_connection_time": _HOUR_S}
        hello = {"type": "hello", "num_connections": count, "debug_info": debug}
        _tell(socket, hello | {"connection_info": {"app_id": self._app_id}})

    def send(self, envelope: Json) -> bool:
        """Give an envelope to a connection that takes it."""
        return any(_tell(socket, envelope) for socket in self._in_turn())

    def _in_turn(self) -> list[_Socket]:
        with self._lock:
            self._turn += 1
            start = self._turn % len(self._sockets) if self._sockets else 0
            return self._sockets[start:] + self._sockets[:start]

    def count(self) -> int:
        with self._lock:
            return len(self._sockets)

    def ask_to_reconnect(self, reason: str) -> int:
        """Tell every connection to open another one, as Slack does every few hours."""
        sockets = self._in_turn()
        for socket in sockets:
            _tell(socket, {"type": "disconnect", "reason": reason, "debug_info": {"host": "sandbox"}})
        return len(sockets)

    def cut(self) -> int:
        """End every connection without a word."""
        sockets = self._in_turn()
        for socket in sockets:
            socket.hang_up()
        return len(sockets)

    def close(self) -> None:
        """End every connection, and those still being opened."""
        with self._lock:
            self._closed = True
        self.cut()


def _tell(socket: _Socket, message: Json) -> bool:
    try:
        socket.send(json.dumps(message))
    except (ConnectionClosed, OSError):
        return False
    return True


def _read_ack(text: str | None, acked: Acked) -> None:
    if not text:
        return
    try:
        message = json.loads(text)
    except json.JSONDecodeError:
        return  # Slack pays no heed to what isn't JSON
    if isinstance(message, dict) and "envelope_id" in message:
        payload = message.get("payload")
        acked(str(message["envelope_id"]), payload if isinstance(payload, dict) else {})
