"""Slack in one thread: no server and no socket, and a clock that stands until it is pushed."""

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import Message
from io import BytesIO
from pathlib import Path
from typing import IO, cast
from urllib.parse import urlsplit
from urllib.response import addinfourl

from werkzeug.test import run_wsgi_app

from sandbox.api import app_token, bot_token, person_token
from sandbox.joining import join
from sandbox.manifest import Manifest
from sandbox.seed import Seed
from sandbox.state import Workspace
from sandbox.types import Json
from sandbox.wsgi import SandboxApp

_URL = "http://127.0.0.1:9/"  # nothing listens at the discard port; `reachable` answers in its place

Take = Callable[[Json], bool]


class StillSandbox:
    """A workspace in which everything happens in the call that causes it, so that a run can be made again exactly."""

    def __init__(self, seed: Seed, manifest: Manifest | Path | None = None) -> None:
        self._carrier = _Carrier()
        parts = join(replace(seed, clock_stands=True), manifest, transport=self._carrier)
        self._carrier.acked = parts.delivery.acked
        self._api, self._delivery = parts.api, parts.delivery
        self._site = parts.site()
        self.faults = parts.faults
        self.before_call: Callable[[str], None] = lambda _method: None
        """Is told of each call of the app's, by its path, before it is answered."""
        self.workspace: Workspace = parts.workspace
        self.workspace.url = _URL

    @property
    def api_url(self) -> str:
        """The address for `WebClient(base_url=…)`, which answers while the sandbox is `reachable`."""
        return f"{_URL}api/"

    @property
    def bot_token(self) -> str:
        return bot_token(self.workspace)

    @property
    def app_token(self) -> str:
        return app_token(self.workspace)

    @property
    def bot_user(self) -> str:
        """The app's own user id."""
        return self.workspace.app.user_id

    def user_id(self, name: str) -> str:
        """Somebody's id by their handle."""
        return next(person.id for person in self.workspace.people.values() if person.name == name)

    def channel_id(self, name: str) -> str:
        """A channel's id by its name."""
        return next(channel.id for channel in self.workspace.channels.values() if channel.name == name)

    def token(self, name: str) -> str:
        """The token with which a client acts as somebody, by their handle."""
        return person_token(self.user_id(name))

    @contextmanager
    def reachable(self) -> Iterator[None]:
        """Have urllib, by which stock clients call Slack, call this sandbox until the block ends."""
        before = urllib.request._opener  # type: ignore[attr-defined]  # what `install_opener` sets has no other name
        urllib.request.install_opener(
            urllib.request.build_opener(_Door(self._site, lambda path: self.before_call(path)))
        )
        try:
            yield
        finally:
            urllib.request.install_opener(before)

    def connect(self, take: Take) -> None:
        """Give what happens to the app from now on: a call that returns True has acknowledged it."""
        self._carrier.take = take

    def call(self, method: str, user_id: str, /, **arguments: object) -> Json:
        """Slack's answer to a call in somebody's name."""
        return self._api.answer(method, arguments, person_token(user_id)).body

    def deliver(self) -> bool:
        """Give the app all that is due by now; whether there was any."""
        return self._delivery.work_off()

    def sent(self) -> tuple[Json, ...]:
        """The events so far, those too that are late or were dropped."""
        return self._delivery.sent()

    def repeat(self, event_id: str) -> None:
        """Have an event come once more."""
        self._delivery.repeat(event_id, 1)

    def advance(self, seconds: float) -> None:
        """Push the clock."""
        self.workspace.clock.advance(seconds)


class _Carrier:
    """Carries envelopes by a call."""

    def __init__(self) -> None:
        self.take: Take = lambda _payload: False
        self.acked: Callable[[str, Json], None] = lambda _id, _response: None

    def send(self, envelope: Json) -> bool:
        if self.take(cast("Json", envelope["payload"])):
            self.acked(str(envelope["envelope_id"]), {})
        return True


class _Door(urllib.request.BaseHandler):
    """Answers requests to the sandbox's address, and leaves all others to those who come after it."""

    handler_order = 100  # before urllib's own

    def __init__(self, site: SandboxApp, before: Callable[[str], None]) -> None:
        self._site = site
        self._before = before

    def http_open(self, request: urllib.request.Request) -> addinfourl | None:
        if urlsplit(request.full_url).netloc != urlsplit(_URL).netloc:
            return None
        self._before(urlsplit(request.full_url).path)
        chunks, status, headers = run_wsgi_app(self._site, _environ(request), buffered=True)
        told = Message()
        for name, value in headers.items():
            told[name] = value
        code, _, reason = status.partition(" ")
        answer = addinfourl(cast("IO[bytes]", BytesIO(b"".join(chunks))), told, request.full_url, int(code))
        answer.msg = reason  # type: ignore[attr-defined]  # urllib reads it of every answer
        return answer


def _environ(request: urllib.request.Request) -> dict[str, object]:
    """What a WSGI server would make of a request."""
    parts = urlsplit(request.full_url)
    body = request.data if isinstance(request.data, bytes) else b""
    return {
        "REQUEST_METHOD": request.get_method(),
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "SERVER_NAME": parts.hostname or "",
        "SERVER_PORT": str(parts.port),
        "CONTENT_TYPE": request.get_header("Content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_AUTHORIZATION": request.get_header("Authorization", ""),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body),
    }
