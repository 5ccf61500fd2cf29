"""views.*: the App Home and modals."""

import json

from sandbox.access import TokenKind
from sandbox.arguments import Arguments
from sandbox.blocks import check_blocks
from sandbox.calls import Call, Method, Methods
from sandbox.types import Json, Refused

_MOST_BLOCKS = 100  # Source: Slack's limit for views
_HOME_BYTES = 250_000  # Source: Slack's limit for a home view
_TRIGGER_S = 3.0  # Source: how long a trigger lasts


def _view(call: Call, kind: str) -> Json:
    view = call.args.mapping("view", "invalid_arguments")
    if view.get("type") != kind or not isinstance(view.get("blocks"), list):
        raise Refused("invalid_arguments")
    blocks = Arguments(view).objects("blocks", "invalid_arguments")
    check_blocks(blocks, most=_MOST_BLOCKS)
    if len(json.dumps(view)) > _HOME_BYTES:
        raise Refused("view_too_large")
    workspace = call.workspace
    made: Json = {"id": workspace.new_id("V"), "team_id": workspace.team.id, "app_id": workspace.app.id}
    made |= {"bot_id": workspace.app.bot_id, "state": {"values": {}}, "hash": made["id"]}
    return view | made


def _publish(call: Call) -> Json:
    person = call.workspace.person(call.args.text("user_id"))
    view = _view(call, "home")
    call.workspace.homes[person.id] = view
    return {"ok": True, "view": view}


def _open(call: Call) -> Json:
    user = _triggered_by(call)
    view = _view(call, "modal")
    call.workspace.modals[str(view["id"])] = (user, view)
    return {"ok": True, "view": view}


def _triggered_by(call: Call) -> str:
    user, made_at = call.workspace.triggers.pop(call.args.text("trigger_id"), ("", 0.0))
    if not user:
        raise Refused("invalid_trigger_id")
    if call.workspace.clock.now() - made_at > _TRIGGER_S:
        raise Refused("expired_trigger_id")
    return user


def _update(call: Call) -> Json:
    user, old = call.workspace.modals.get(call.args.text("view_id"), ("", {}))
    if not user:
        raise Refused("not_found")
    view = _view(call, "modal") | {"id": old["id"]}
    call.workspace.modals[str(old["id"])] = (user, view)
    return {"ok": True, "view": view}


_BOT = frozenset({TokenKind.BOT})

METHODS: Methods = {
    "views.publish": Method(_publish, required=("user_id", "view"), tokens=_BOT),
    "views.open": Method(_open, required=("trigger_id", "view"), tokens=_BOT),
    "views.update": Method(_update, required=("view_id", "view"), tokens=_BOT),
}
