"""What people do with the app besides writing: pressing buttons and typing commands, and the addresses for replies."""

from secrets import token_hex
from typing import cast

from sandbox.shapes import message_json
from sandbox.state import Channel, Ephemeral, Message, Person, ResponseAddress, Workspace
from sandbox.types import Json, Refused


def new_trigger(workspace: Workspace, person: Person) -> str:
    """A trigger that opens one modal for this person."""
    trigger = f"{token_hex(6)}.{token_hex(16)}"
    workspace.triggers[trigger] = (person.id, workspace.clock.now())
    return trigger


def response_address(workspace: Workspace, person: Person, channel: Channel, message_ts: str, thread_ts: str) -> str:
    """An address that takes replies to this interaction."""
    token = token_hex(12)
    made_at = workspace.clock.now()
    workspace.responses[token] = ResponseAddress(channel.id, person.id, message_ts, thread_ts, made_at)
    return f"{workspace.url}response/{token}"


def press(workspace: Workspace, person: Person, channel: Channel, ts: str, action_id: str, value: str) -> Json:
    """The `block_actions` payload of a button that this person sees on a message."""
    seen = _seen(workspace, person, channel, ts)
    block_id, element = _element(list(seen.blocks), action_id, value)
    is_ephemeral = isinstance(seen, Ephemeral)
    container: Json = {"type": "message", "message_ts": ts, "channel_id": channel.id, "is_ephemeral": is_ephemeral}
    if seen.thread_ts:
        container["thread_ts"] = seen.thread_ts
    payload: Json = {
        "type": "block_actions",
        **_who_and_where(workspace, person, channel),
        "container": container,
        "state": {"values": {}},
        "response_url": response_address(workspace, person, channel, ts, seen.thread_ts),
        "actions": [{**element, "block_id": block_id, "action_ts": workspace.clock.next_ts()}],
    }
    if isinstance(seen, Message):
        payload["message"] = message_json(workspace, channel, seen, in_thread=True)
    return payload


def press_home(workspace: Workspace, person: Person, action_id: str, value: str) -> Json:
    """The `block_actions` payload of a button that this person sees in the app's home."""
    view = workspace.homes.get(person.id)
    if view is None:
        raise Refused("view_not_found")
    block_id, element = _element(cast("list[Json]", view["blocks"]), action_id, value)
    return {
        "type": "block_actions",
        **_who(workspace, person),
        "container": {"type": "view", "view_id": view["id"]},
        "view": view,
        "actions": [{**element, "block_id": block_id, "action_ts": workspace.clock.next_ts()}],
    }


def command(workspace: Workspace, person: Person, channel: Channel, name: str, text: str) -> Json:
    """The payload of a slash command."""
    return {
        "token": "verification-token",
        "team_id": workspace.team.id,
        "team_domain": workspace.team.domain,
        "channel_id": channel.id,
        "channel_name": channel.name or "directmessage",
        "user_id": person.id,
        "user_name": person.name,
        "command": name,
        "text": text,
        "api_app_id": workspace.app.id,
        "is_enterprise_install": "false",
        "response_url": response_address(workspace, person, channel, "", ""),
        "trigger_id": new_trigger(workspace, person),
    }


def _who_and_where(workspace: Workspace, person: Person, channel: Channel) -> Json:
    return _who(workspace, person) | {"channel": {"id": channel.id, "name": channel.name or "directmessage"}}


def _who(workspace: Workspace, person: Person) -> Json:
    return {
        "user": {"id": person.id, "username": person.name, "name": person.name, "team_id": person.team},
        "api_app_id": workspace.app.id,
        "token": "verification-token",
        "trigger_id": new_trigger(workspace, person),
        "team": {"id": workspace.team.id, "domain": workspace.team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _seen(workspace: Workspace, person: Person, channel: Channel, ts: str) -> Message | Ephemeral:
    for ephemeral in workspace.ephemerals:
        if (ephemeral.channel, ephemeral.ts, ephemeral.user) == (channel.id, ts, person.id):
            return ephemeral
    if ts not in channel.messages:
        raise Refused("message_not_found")
    return channel.messages[ts]


def _element(blocks: list[Json], action_id: str, value: str) -> tuple[str, Json]:
    """The block's id and the action of the element with this action_id, chosen by its value where it has several."""
    for block in blocks:
        elements = cast("list[Json]", [*_listed(block.get("elements")), *_listed([block.get("accessory")])])
        for element in elements:
            if isinstance(element, dict) and element.get("action_id") == action_id and _is_meant(element, value):
                return str(block.get("block_id", "")), _action(element, value)
    raise Refused("action_not_found")


def _is_meant(element: Json, value: str) -> bool:
    return not value or element.get("value", value) == value


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _action(element: Json, value: str) -> Json:
    kind, action_id = element["type"], element["action_id"]
    if kind == "feedback_buttons":
        choices = [cast("Json", element[name]) for name in ("positive_button", "negative_button")]
        chosen = next((choice for choice in choices if choice.get("value") == value), None)
        if chosen is None:
            raise Refused("action_not_found")
        return {"type": kind, "action_id": action_id, "value": value, "text": chosen["text"]}
    action: Json = {"type": kind, "action_id": action_id}
    return action | {name: element[name] for name in ("text", "value", "style") if name in element}
