"""The sandbox over HTTP: the Web API, the websocket, and the pages for people."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

from werkzeug.wrappers import Request, Response

from sandbox.api import Answer, Api
from sandbox.delivery import Delivery
from sandbox.socket_mode import SocketMode
from sandbox.transfers import Transfers

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse  # exists for type checkers only

Environ = dict[str, object]
Pages = Callable[[Request], Response]


class SandboxApp:
    """A WSGI application."""

    def __init__(
        self, api: Api, transfers: Transfers, socket_mode: SocketMode, delivery: Delivery, pages: Pages
    ) -> None:
        self._api = api
        self._transfers = transfers
        self._socket_mode = socket_mode
        self._delivery = delivery
        self._pages = pages

    def __call__(self, environ: Environ, start_response: "StartResponse") -> Iterable[bytes]:
        request = Request(environ)
        if request.path == "/link/":
            return self._link(request, environ, start_response)
        response = self._respond(request)
        return response(environ, start_response)

    def _respond(self, request: Request) -> Response:
        room, _, rest = request.path.lstrip("/").partition("/")
        match room:
            case "api":
                return self._call(request, rest.strip("/"))
            case "response":
                return _json(self._api.respond(rest, _given(request) or {}))
            case "upload":
                return self._transfers.upload(request, rest)
            case "files-pri":
                return self._transfers.download(request, rest)
        return self._pages(request)

    def _call(self, request: Request, method: str) -> Response:
        given = _given(request)
        if given is None:
            return _json(Answer({"ok": False, "error": "invalid_json"}))
        header = request.headers.get("Authorization", "")
        token = header.removeprefix("Bearer ").strip() if header.startswith("Bearer ") else str(given.get("token", ""))
        return _json(self._api.answer(method, given, token))

    def _link(self, request: Request, environ: Environ, start_response: "StartResponse") -> Iterable[bytes]:
        if self._socket_mode.serve(environ, request.args.get("ticket", ""), self._delivery.acked):
            # The socket is closed and used up; the server drops such a connection without a word.
            raise ConnectionResetError
        return Response("This ticket is no good.", status=403)(environ, start_response)


def _given(request: Request) -> dict[str, object] | None:
    """The arguments, wherever they stand; None when a JSON body is none."""
    given: dict[str, object] = dict(request.args.items())
    if request.mimetype == "application/json":
        try:
            body: object = json.loads(request.get_data() or b"{}")
        except ValueError:
            return None
        return given | cast("dict[str, object]", body) if isinstance(body, dict) else None
    return given | dict(request.form.items())


def _json(answer: Answer) -> Response:
    response = Response(json.dumps(answer.body), status=answer.status, mimetype="application/json")
    if answer.scopes:
        response.headers["x-oauth-scopes"] = answer.scopes
    if answer.retry_after_s:
        response.headers["Retry-After"] = str(answer.retry_after_s)
    return response
