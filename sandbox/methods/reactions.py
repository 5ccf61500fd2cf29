"""reactions.* and pins.*: small marks on messages."""

from sandbox.access import readable
from sandbox.calls import Call, Method, Methods
from sandbox.shapes import message_json, permalink
from sandbox.state import Channel, Message
from sandbox.types import Json, Refused


def _marked(call: Call) -> tuple[Channel, Message]:
    channel = readable(call.workspace, call.caller, call.args.text("channel"))
    message = channel.messages.get(call.args.text("timestamp"))
    if message is None or message.subtype == "tombstone":
        raise Refused("message_not_found")
    return channel, message


def _tell(call: Call, what: str, channel: Channel, message: Message, emoji: str) -> None:
    if call.workspace.app.user_id not in channel.members:
        return
    item: Json = {"type": "message", "channel": channel.id, "ts": message.ts}
    fields: Json = {"user": call.caller.person.id, "reaction": emoji, "item": item, "item_user": message.user}
    call.feed.about(what, fields, channel)


def _add(call: Call) -> Json:
    channel, message = _marked(call)
    emoji, user = call.args.text("name").strip(":"), call.caller.person.id
    if channel.archived:
        raise Refused("is_archived")
    if user in message.reactions.get(emoji, []):
        raise Refused("already_reacted")
    message.reactions.setdefault(emoji, []).append(user)
    _tell(call, "reaction_added", channel, message, emoji)
    return {"ok": True}


def _remove(call: Call) -> Json:
    channel, message = _marked(call)
    emoji, user = call.args.text("name").strip(":"), call.caller.person.id
    if user not in message.reactions.get(emoji, []):
        raise Refused("no_reaction")
    message.reactions[emoji].remove(user)
    if not message.reactions[emoji]:
        del message.reactions[emoji]
    _tell(call, "reaction_removed", channel, message, emoji)
    return {"ok": True}


def _get(call: Call) -> Json:
    channel, message = _marked(call)
    shape = message_json(call.workspace, channel, message)
    shape["permalink"] = permalink(call.workspace, channel, message)
    return {"ok": True, "type": "message", "channel": channel.id, "message": shape}


def _pin(call: Call) -> Json:
    channel, message = _marked(call)
    if message.ts in channel.pins:
        raise Refused("already_pinned")
    channel.pins.append(message.ts)
    return {"ok": True}


def _unpin(call: Call) -> Json:
    channel, message = _marked(call)
    if message.ts not in channel.pins:
        raise Refused("no_pin")
    channel.pins.remove(message.ts)
    return {"ok": True}


def _pinned(call: Call) -> Json:
    channel = readable(call.workspace, call.caller, call.args.text("channel"))
    found = [channel.messages[ts] for ts in channel.pins if ts in channel.messages]
    items = [
        {"type": "message", "channel": channel.id, "message": message_json(call.workspace, channel, message)}
        for message in found
    ]
    return {"ok": True, "items": items}


_ON_MESSAGE = ("channel", "timestamp")

METHODS: Methods = {
    "reactions.add": Method(_add, required=(*_ON_MESSAGE, "name"), scopes=("reactions:write",)),
    "reactions.remove": Method(_remove, required=(*_ON_MESSAGE, "name"), scopes=("reactions:write",)),
    "reactions.get": Method(_get, required=_ON_MESSAGE, scopes=("reactions:read",)),
    "pins.add": Method(_pin, required=_ON_MESSAGE, scopes=("pins:write",)),
    "pins.remove": Method(_unpin, required=_ON_MESSAGE, scopes=("pins:write",)),
    "pins.list": Method(_pinned, required=("channel",), scopes=("pins:read",)),
}
