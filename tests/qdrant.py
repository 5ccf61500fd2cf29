"""A Qdrant server of few words: it answers over HTTP, on loopback, what a test has written down."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, slots=True)
class Said:
    """What the server does with one request."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs_up: bool = False
    """It resets the connection, and says nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as it came."""

    method: str
    path: str
    params: Mapping[str, str]
    key: str
    body: object = field(default=None, repr=False)


def ok(result: object) -> Said:
    """Success, in the server's envelope."""
    return Said(body={"result": result, "status": "ok", "time": 0.0})


def version(number: str) -> Said:
    """What a server of this version says at its root."""
    return Said(body={"title": "qdrant - vector search engine", "version": number})


def failed(status: int, **headers: str) -> Said:
    """A failure, in words that must not be repeated: a server's can hold parts of a passage."""
    return Said(status, {"status": {"error": "secret words"}, "time": 0.0}, headers)


@contextmanager
def answering(*script: Said) -> Iterator[tuple[str, list[Asked]]]:
    """The server's address and what it was asked; it does one thing after the other, the last for ever."""
    asked: list[Asked] = []

    class Answer(BaseHTTPRequestHandler):
        def answer(self) -> None:
            said = script[min(len(asked), len(script) - 1)]
            parts, size = urlsplit(self.path), int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(size)) if size else None
            params = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            asked.append(Asked(self.command, parts.path, params, self.headers.get("api-key", ""), body))
            if said.hangs_up:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset at close
                self.connection.close()
                return
            self.send_response(said.status)
            for name, value in {"Content-Type": "application/json", **said.headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(json.dumps(said.body).encode())

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def finish(self) -> None:
            if not self.wfile.closed and self.connection.fileno() != -1:
                super().finish()

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
