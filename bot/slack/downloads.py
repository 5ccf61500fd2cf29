"""Fetches files from Slack's own hosts alone, within limits of size and time, and shows the token to no other host."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from bot.errors import SlackError
from retrieval.errors import UnreadableSource

TIME_LIMIT_S = 60.0
"""For one file, redirects included: the largest that is taken, over a line of 7 Mbit/s."""
STALL_S = 15.0
"""Without a byte: Slack begins to send within a second."""
PATIENCE_S = 65.0
"""For waits that Slack asks for; its windows are a minute long."""
MOST_REDIRECTS = 3
"""Slack's own lead from one host to another; more is a circle."""
HEAD_BYTES = 512
"""Enough to tell a page from a file."""

_SLACKS = ("slack.com", "slack-files.com", "slack-gov.com")
"""The domains on which Slack keeps files."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 1 << 16
_METHOD = "the download of a file"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one address."""

    media_type: str
    size: int
    """Bytes."""
    head: bytes
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost."""

    time_s: float = TIME_LIMIT_S
    stall_s: float = STALL_S
    patience_s: float = PATIENCE_S


class Downloader:
    """Fetches with one token."""

    def __init__(
        self,
        token: str,
        api_url: str,
        proxy: str = "",
        limits: Limits | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._token = token
        self._api = urlsplit(api_url)
        self._proxy = urlsplit(proxy)
        self._limits = limits or Limits()
        self._sleep = sleep

    def fetch(self, url: str, into: Path, most_bytes: int) -> Fetched:
        """Write what stands at an address into a file.

        Raises:
            UnreadableSource: it is too large, or the address or what it redirects to is not Slack's.
            SlackError: it could not be fetched now.
        """
        patience_s = self._limits.patience_s
        while True:
            try:
                return self._within_time(url, into, most_bytes)
            except _Wait as wait:
                patience_s -= wait.seconds
                if patience_s < 0:
                    raise SlackError(_METHOD, "ratelimited") from wait
                self._sleep(wait.seconds)

    def is_slacks(self, url: str) -> bool:
        """Whether an address is on one of Slack's own hosts; beside a Slack on loopback, that one alone."""
        try:
            parts = urlsplit(url)
            if parts.username is not None or parts.password is not None:
                return False
            if self._api.hostname in _LOOPBACK:
                return _origin(parts) == _origin(self._api)
            host = parts.hostname or ""
            is_usual = parts.scheme == "https" and parts.port in (None, 443)
        except ValueError:  # a port that is none
            return False
        return is_usual and any(host == domain or host.endswith(f".{domain}") for domain in _SLACKS)

    def _within_time(self, url: str, into: Path, most_bytes: int) -> Fetched:
        with _Deadline(self._limits.time_s) as deadline:
            try:
                return self._followed(url, into, most_bytes, deadline)
            except (OSError, HTTPException, ValueError) as error:  # ValueError: a redirect to what is no address
                raise SlackError(_METHOD, "timeout" if deadline.is_over else "unreachable") from error

    def _followed(self, url: str, into: Path, most_bytes: int, deadline: _Deadline) -> Fetched:
        """What an address leads to. The token goes to the address itself, and never to another host after it."""
        token = self._token
        for _ in range(MOST_REDIRECTS + 1):
            if not self.is_slacks(url):
                raise UnreadableSource("It is kept outside of Slack: share the file itself.")
            with (
                closing(self._connection(urlsplit(url))) as connection,
                _asked(connection, url, token, deadline) as response,
            ):
                if response.status not in _REDIRECTS:
                    return _kept(response, into, most_bytes, deadline)
                target = urljoin(url, response.headers.get("Location", ""))
            if _origin(urlsplit(target)) != _origin(urlsplit(url)):
                token = ""
            url = target
        raise SlackError(_METHOD, "too_many_redirects")

    def _connection(self, parts: SplitResult) -> HTTPConnection:
        host, stall_s = parts.hostname or "", self._limits.stall_s
        if parts.scheme == "http":  # loopback alone
            return HTTPConnection(host, parts.port, timeout=stall_s)
        context = ssl.create_default_context()
        if not self._proxy.hostname:
            return HTTPSConnection(host, parts.port, timeout=stall_s, context=context)
        connection = HTTPSConnection(self._proxy.hostname, self._proxy.port, timeout=stall_s, context=context)
        connection.set_tunnel(host, parts.port or 443, _proxy_headers(self._proxy))
        return connection


class _Wait(Exception):
    """Slack answered 429."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class _Deadline:
    """Ends a connection when the time is over, whatever it is doing: a drip of bytes never runs into a timeout."""

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def watch(self, connected: socket.socket) -> None:
        self._socket = connected
        if self.is_over:
            self._end()

    def _end(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):  # it may have ended by itself
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # below TLS, which another thread is reading


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    credentials = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(credentials.encode()).decode()}"}


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    usual = {"https": 443, "http": 80}
    return (parts.scheme, parts.hostname, parts.port or usual.get(parts.scheme))


def _asked(connection: HTTPConnection, url: str, token: str, deadline: _Deadline) -> HTTPResponse:
    parts = urlsplit(url)
    connection.connect()
    deadline.watch(connection.sock)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target, headers={"Authorization": f"Bearer {token}"} if token else {})
    return connection.getresponse()


def _kept(response: HTTPResponse, into: Path, most_bytes: int, deadline: _Deadline) -> Fetched:
    """The body in a file, as long as it is whole and no larger than it may be."""
    if response.status == 429:
        after = response.headers.get("Retry-After", "")
        raise _Wait(float(after) if after.isdecimal() else 1.0)
    if response.status != 200:
        raise SlackError(_METHOD, f"http_{response.status}")
    promised, size, head = response.headers.get("Content-Length"), 0, b""
    with into.open("wb") as file:
        while chunk := response.read1(_CHUNK):
            size += len(chunk)
            if size > most_bytes:
                raise UnreadableSource(too_large(most_bytes))
            head += chunk[: max(HEAD_BYTES - len(head), 0)]
            file.write(chunk)
    if deadline.is_over or (promised is not None and promised != str(size)):
        raise SlackError(_METHOD, "timeout" if deadline.is_over else "unreachable")
    return Fetched(response.headers.get_content_type(), size, head)


def too_large(most_bytes: int) -> str:
    """Why a file of more bytes is not taken."""
    return f"It is larger than {most_bytes // 1_000_000} MB: split it."
