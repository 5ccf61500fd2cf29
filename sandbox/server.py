"""Slack on loopback: runs a workspace on a port."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from sandbox.api import app_token, bot_token, person_token
from sandbox.delivery import Timing
from sandbox.joining import join
from sandbox.manifest import Manifest
from sandbox.seed import Seed, read_seed
from sandbox.types import SandboxError
from sandbox.wsgi import SandboxApp

_HOST = "127.0.0.1"
_POLL_S = 0.02  # how often the server looks whether it should stop


class _QuietHandler(WSGIRequestHandler):
    """Serves without a line for every request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


def _listen(port: int, app: SandboxApp) -> BaseWSGIServer:
    """A server on the port; whether it is free is asked first, since the package would end the process."""
    try:
        socket.create_server((_HOST, port)).close()
    except OSError as error:
        raise SandboxError(f"Port {port} can't be used ({os.strerror(error.errno or 0)}); choose another.") from error
    except OverflowError as error:
        raise SandboxError(f"{port} is no port; choose one from 0 to 65535.") from error
    return make_server(_HOST, port, app, threaded=True, request_handler=_QuietHandler)


class Sandbox:
    """A running workspace; `Sandbox.running(…)` makes one."""

    def __init__(
        self, seed: Seed, port: int, handbook: Path | None, manifest: Manifest | Path | None, timing: Timing
    ) -> None:
        parts = join(seed, manifest, timing)
        self._workspace, self._sockets, self._delivery = parts.workspace, parts.sockets, parts.delivery
        self._server = _listen(port, parts.site(handbook))
        self._workspace.url = f"http://{_HOST}:{self._server.server_port}/"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_S,), name="sandbox-http", daemon=True
        )

    @classmethod
    @contextmanager
    def running(
        cls,
        seed: Seed | Path,
        *,
        port: int = 0,
        handbook: Path | None = None,
        manifest: Manifest | Path | None = None,
        timing: Timing | None = None,
    ) -> Iterator["Sandbox"]:
        """A sandbox that serves until the block ends; port 0 takes a free one, no manifest means the checkout's."""
        read = read_seed(seed) if isinstance(seed, Path) else seed
        sandbox = cls(read, port, handbook, manifest, timing or Timing())
        sandbox._start()
        try:
            yield sandbox
        finally:
            sandbox._stop()

    def _start(self) -> None:
        self._delivery.start()
        self._thread.start()

    def _stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._sockets.close()
        self._server.server_close()
        self._delivery.stop()

    @property
    def url(self) -> str:
        """The address for people, with a slash at its end."""
        return self._workspace.url

    @property
    def api_url(self) -> str:
        """The address for `WebClient(base_url=…)`."""
        return f"{self.url}api/"

    @property
    def bot_token(self) -> str:
        return bot_token(self._workspace)

    @property
    def app_token(self) -> str:
        return app_token(self._workspace)

    @property
    def bot_user(self) -> str:
        """The bot's user id."""
        return self._workspace.app.user_id

    def user_id(self, name: str) -> str:
        """The id of a person by their handle."""
        return next(person.id for person in self._workspace.people.values() if person.name == name)

    def channel_id(self, name: str) -> str:
        """The id of a channel by its name."""
        return next(channel.id for channel in self._workspace.channels.values() if channel.name == name)

    def token(self, name: str) -> str:
        """The token of a person by their handle."""
        return person_token(self.user_id(name))
