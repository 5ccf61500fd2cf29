"""Which page stands at which address."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from hashlib import sha1
from pathlib import Path
from urllib.parse import urlencode

from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from sandbox.api import Api, person_token
from sandbox.clock import ts_of
from sandbox.methods.files import may_open
from sandbox.state import Channel, Workspace
from sandbox.types import Json
from sandbox.web.composing import as_sent
from sandbox.web.files import file_response
from sandbox.web.handbook import Handbook
from sandbox.web.home import home_html, home_page
from sandbox.web.layout import choice_page, choosers, note_page, workspace_page
from sandbox.web.messages import Sight, thread_html, timeline_html
from sandbox.web.viewer import Viewer

_JSON = "application/json"
_ASSETS = {"style.css": "text/css", "app.js": "text/javascript"}
_HERE = Path(__file__).parent
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'"
_NOT_FOUND = "There is nothing at this address, or nothing that you may see."


class Pages:
    """Answers browsers."""

    def __init__(self, workspace: Workspace, api: Api, handbook: Path | None) -> None:
        self._workspace = workspace
        self._api = api
        self._handbook = Handbook(handbook) if handbook else None

    def __call__(self, request: Request) -> Response:
        with nullcontext() if request.method == "POST" else self._workspace.lock:  # a pressed button waits for the app
            response = self._respond(request)
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    def _respond(self, request: Request) -> Response:
        room, _, rest = request.path.lstrip("/").partition("/")
        if room == "static":
            return _asset(rest)
        if room == "handbook":
            return self._book_page(rest)
        viewer = self._viewer(request)
        if viewer is None:
            onward = request.full_path.rstrip("?") if room in ("client", "archives", "dm", "files", "home") else "/"
            return _html(choice_page(self._workspace, onward, self._handbook is not None))
        response = self._for_viewer(request, viewer, room, rest.split("/"))
        response.set_cookie("as", viewer.person.id, samesite="Lax")
        return response

    def _for_viewer(self, request: Request, viewer: Viewer, room: str, rest: list[str]) -> Response:
        match room, rest:
            case "", _:
                return self._start(viewer)
            case "be", [channel_id]:
                channel = self._channel(viewer, channel_id)
                return redirect(viewer.place(channel)) if channel else self._start(viewer)
            case "client", [channel_id]:
                return self._client(request.args, viewer, channel_id)
            case "client", [channel_id, "live"]:
                return self._live(request.args, viewer, channel_id)
            case "client", [channel_id, ("post" | "press") as act] if request.method == "POST":
                return self._post(request, viewer, channel_id) if act == "post" else self._press(request, channel_id)
            case "home", [act]:
                return self._home(request, viewer, act)
            case "archives", [channel_id, *message]:
                return self._archives(request.args, viewer, channel_id, "".join(message))
            case "files", [_, file_id, *_]:
                file = self._workspace.files.get(file_id)
                is_open = file is not None and not file.deleted and may_open(self._workspace, viewer.person, file)
                return file_response(file) if file and is_open else _missing()
            case "dm", [user_id] if user_id in self._workspace.people:
                return redirect(viewer.place(self._workspace.open_direct([viewer.person.id, user_id])))
        return _missing()

    def _viewer(self, request: Request) -> Viewer | None:
        """Whom the address or the form names, else whom the browser was before."""
        named = request.form.get("as") or request.args.get("as") or request.cookies.get("as", "")
        person = self._workspace.people.get(named)
        return Viewer(self._workspace, person) if person in choosers(self._workspace) and person else None

    def _start(self, viewer: Viewer) -> Response:
        channels = [c for c in self._workspace.channels.values() if viewer.person.id in c.members and c.name]
        if not channels:
            return redirect(f"/dm/{self._workspace.app.user_id}?as={viewer.person.id}")
        first = next((c for c in channels if c.name == "general"), channels[0])
        return redirect(viewer.place(first))

    def _channel(self, viewer: Viewer, channel_id: str) -> Channel | None:
        channel = self._workspace.channels.get(channel_id)
        return channel if channel and viewer.sees(channel) else None

    def _client(self, args: Mapping[str, str], viewer: Viewer, channel_id: str) -> Response:
        channel = self._channel(viewer, channel_id)
        if channel is None:
            return _missing()
        sight = Sight(channel, args.get("thread", ""), args.get("highlight", ""))
        return _html(workspace_page(sight, viewer, self._handbook is not None))

    def _live(self, args: Mapping[str, str], viewer: Viewer, channel_id: str) -> Response:
        """The messages again if they differ from what the browser has, whose mark is `seen`."""
        channel = self._channel(viewer, channel_id)
        if channel is None:
            return _missing()
        sight = Sight(channel, args.get("thread", ""), args.get("highlight", ""))
        fresh = {"timeline": str(timeline_html(sight, viewer)), "thread": str(thread_html(sight, viewer))}
        return _fresh(fresh, args.get("seen", ""))

    def _post(self, request: Request, viewer: Viewer, channel_id: str) -> Response:
        typed, thread = request.form.get("text", "").strip(), request.form.get("thread", "")
        answer = self._sent(typed, viewer, {"channel": channel_id, "thread_ts": thread})
        if not answer["ok"]:
            return _html(note_page("Not sent", f"Slack says {answer['error']}."), 400)
        return redirect(f"/client/{channel_id}?{urlencode({'as': viewer.person.id, 'thread': thread})}", 303)

    def _sent(self, typed: str, viewer: Viewer, where: Json) -> Json:
        """Slack's answer to a message, or to a command, which begins with a slash."""
        text, token = as_sent(typed, self._workspace), person_token(viewer.person.id)
        if not typed.startswith("/"):
            return self._api.answer("chat.postMessage", {**where, "text": text}, token).body
        command, _, words = text.partition(" ")
        answer = self._api.answer("sandbox.slashCommand", {**where, "command": command, "text": words}, token).body
        failed: Json = {"ok": False, "error": "dispatch_failed"}
        return answer if not answer["ok"] or answer["acked"] else failed

    def _press(self, request: Request, channel_id: str) -> Response:
        names = ("ts", "action_id", "value")
        given = {"channel": channel_id, **{name: request.form.get(name, "") for name in names}}
        answer = self._api.answer("sandbox.pressButton", given, person_token(request.form.get("as", "")))
        return Response(json.dumps(answer.body), mimetype=_JSON)

    def _home(self, request: Request, viewer: Viewer, act: str) -> Response:
        """The app's Home tab: opened, as it is now, or with a button pressed in it."""
        token = person_token(viewer.person.id)
        if act == "press" and request.method == "POST":
            given = {name: request.form.get(name, "") for name in ("action_id", "value")}
            return Response(json.dumps(self._api.answer("sandbox.pressHome", given, token).body), mimetype=_JSON)
        if act == "live":
            return _fresh({"timeline": str(home_html(viewer)), "thread": ""}, request.args.get("seen", ""))
        self._api.answer("sandbox.openHome", {}, token)
        app_dm = self._workspace.open_direct([viewer.person.id, self._workspace.app.user_id])
        return _html(home_page(app_dm, viewer, self._handbook is not None))

    def _archives(self, args: Mapping[str, str], viewer: Viewer, channel_id: str, message: str) -> Response:
        """A permalink: the conversation, and the thread, with the message pointed at."""
        channel = self._channel(viewer, channel_id)
        if channel is None:
            return _missing()
        if not message:
            return redirect(viewer.place(channel))
        digits = message.removeprefix("p")
        found = channel.messages.get(ts_of(int(digits))) if digits.isdecimal() else None
        if found is None:
            return _missing()
        thread = args.get("thread_ts") or (found.thread_ts if found.is_reply else "")
        return _html(workspace_page(Sight(channel, thread, found.ts), viewer, self._handbook is not None))

    def _book_page(self, address: str) -> Response:
        shown = self._handbook.page(address) if self._handbook else None
        return _html(shown) if shown else _missing()


def _fresh(parts: Mapping[str, str], seen: str) -> Response:
    """Parts of a page, unless the browser has seen them, whose mark is `seen`."""
    mark = sha1(repr(parts).encode(), usedforsecurity=False).hexdigest()
    if seen == mark:
        return Response(status=204)
    return Response(json.dumps({**parts, "mark": mark}), mimetype=_JSON)


def _asset(name: str) -> Response:
    if name not in _ASSETS:
        return _missing()
    return Response((_HERE / name).read_text(encoding="utf-8"), mimetype=_ASSETS[name])


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status=status, mimetype="text/html")


def _missing() -> Response:
    return _html(note_page("Not found", _NOT_FOUND), 404)
