"""Answers one Web API call: token, faults, arguments, scopes, then the method."""

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.access import Caller, TokenKind
from sandbox.arguments import Arguments
from sandbox.calls import Call, Method
from sandbox.delivery import Delivery
from sandbox.events import EventFeed
from sandbox.faults import CallLog, Faults, LoggedCall
from sandbox.manifest import Manifest
from sandbox.methods import METHODS
from sandbox.methods.responding import respond
from sandbox.socket_mode import SocketMode
from sandbox.state import PersonKind, Workspace
from sandbox.types import Json, Refused


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back over HTTP."""

    body: Json
    status: int = 200
    scopes: str = ""
    retry_after_s: int = 0


def bot_token(workspace: Workspace) -> str:
    """The bot's token."""
    return f"xoxb-{workspace.team.id}-{workspace.app.user_id}"


def app_token(workspace: Workspace) -> str:
    """The app-level token."""
    return f"xapp-1-{workspace.app.id}"


def person_token(user_id: str) -> str:
    """A person's token."""
    return f"xoxp-{user_id}"


class Api:
    """The whole Web API of one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        manifest: Manifest,
        feed: EventFeed,
        delivery: Delivery,
        socket_mode: SocketMode,
        faults: Faults,
        log: CallLog,
    ) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._feed = feed
        self._delivery = delivery
        self._socket_mode = socket_mode
        self._faults = faults
        self._log = log

    def answer(self, method: str, given: Mapping[str, object], token: str) -> Answer:
        """Slack's answer to a call, whatever it asks for."""
        caller: Caller | None = None
        try:
            entry = self._method(method)
            caller = self.caller(token)
            body, status, retry_after_s = self._run(method, entry, caller, Arguments(given)), 200, 0
        except Refused as refusal:
            body, status, retry_after_s = refusal.body(), refusal.status, refusal.retry_after_s
        self._note(method, given, caller, body)
        scopes = ",".join(sorted(caller.scopes)) if caller else ""
        return Answer(body, status, scopes, retry_after_s)

    def _method(self, method: str) -> Method:
        if method not in METHODS:
            raise Refused("unknown_method", {"req_method": method})
        return METHODS[method]

    def caller(self, token: str) -> Caller:
        """Whoever holds a token; refused when nobody does."""
        workspace = self._workspace
        if not token:
            raise Refused("not_authed")
        bot = workspace.people[workspace.app.user_id]
        if token == bot_token(workspace):
            if not workspace.installed:
                raise Refused("account_inactive")
            return Caller(TokenKind.BOT, bot, self._manifest.scopes)
        if token == app_token(workspace):
            return Caller(TokenKind.APP, bot, frozenset({"connections:write"}))
        person = workspace.people.get(token.removeprefix("xoxp-")) if token.startswith("xoxp-") else None
        if person is None:
            raise Refused("invalid_auth")
        if person.kind is PersonKind.DEACTIVATED:
            raise Refused("account_inactive")
        return Caller(TokenKind.PERSON, person, _EVERY_SCOPE)

    def _run(self, name: str, method: Method, caller: Caller, args: Arguments) -> Json:
        if caller.kind not in method.tokens:
            raise Refused("not_allowed_token_type")
        self._faults.strike_call(name)
        if method.scopes:
            caller.need(*method.scopes)
        args.require(method.required)
        call = self._call(caller, args)
        if method.waits:
            return method.run(call)
        with self._workspace.lock:
            return method.run(call)

    def _call(self, caller: Caller, args: Arguments) -> Call:
        return Call(
            self._workspace,
            caller,
            args,
            self._feed,
            self._delivery,
            self._socket_mode,
            self._faults,
            self._log,
            self._manifest,
        )

    def respond(self, response_token: str, given: Mapping[str, object]) -> Answer:
        """What the app sends to the response address of an interaction."""
        call = self._call(self.caller(bot_token(self._workspace)), Arguments(given))
        try:
            with self._workspace.lock:
                return Answer(respond(call, response_token))
        except Refused as refusal:
            return Answer(refusal.body(), refusal.status)

    def _note(self, method: str, given: Mapping[str, object], caller: Caller | None, body: Json) -> None:
        kind = str(caller.kind) if caller else "none"
        user = caller.person.id if caller and caller.kind is not TokenKind.APP else ""
        arguments = Arguments(given).all()
        self._log.add(LoggedCall(method, kind, user, arguments, str(body.get("error", ""))))


_EVERY_SCOPE = frozenset(scope for method in METHODS.values() for scope in method.scopes)
