"""What the app sends to the response address of an interaction."""

from sandbox.calls import Call
from sandbox.methods.chat import publish, remove
from sandbox.methods.posting import content_of, new_message
from sandbox.shapes import message_json
from sandbox.state import Channel, Ephemeral, ResponseAddress
from sandbox.types import Json, Refused

_LIFETIME_S = 1800.0  # Source: Slack's limit of a response_url


def respond(call: Call, token: str) -> Json:
    """Post, replace or delete as the app asks; refused when the address is unknown, old or used up."""
    address = call.workspace.responses.get(token)
    if address is None:
        raise Refused("invalid_url", status=404)
    if not address.uses_left:
        raise Refused("used_url", status=404)
    if call.workspace.clock.now() - address.made_at > _LIFETIME_S:
        raise Refused("expired_url", status=404)
    address.uses_left -= 1
    channel = call.workspace.channels[address.channel]
    if call.args.flag("delete_original"):
        _delete(call, channel, address)
    elif call.args.flag("replace_original") and address.message_ts:
        _replace(call, channel, address)
    else:
        _post(call, channel, address)
    return {"ok": True}


def _delete(call: Call, channel: Channel, address: ResponseAddress) -> None:
    ephemerals = call.workspace.ephemerals
    ephemerals[:] = [each for each in ephemerals if each.ts != address.message_ts]
    if address.message_ts in channel.messages:
        remove(call, channel, channel.messages[address.message_ts])


def _replace(call: Call, channel: Channel, address: ResponseAddress) -> None:
    content = content_of(call)
    message = channel.messages.get(address.message_ts)
    if message is None:
        _delete(call, channel, address)
        _add_ephemeral(call, channel, address, address.message_ts)
        return
    before = message_json(call.workspace, channel, message, in_thread=True)
    message.text, message.blocks, message.attachments = content.text, content.blocks, content.attachments
    message.edited_by, message.edited_ts = call.caller.person.id, call.workspace.clock.next_ts()
    call.feed.message_changed(channel, message, before)


def _post(call: Call, channel: Channel, address: ResponseAddress) -> None:
    if call.args.text("response_type") == "in_channel":
        publish(call, channel, new_message(call, channel, content_of(call)))
    else:
        _add_ephemeral(call, channel, address, call.workspace.clock.next_ts())


def _add_ephemeral(call: Call, channel: Channel, address: ResponseAddress, ts: str) -> None:
    content = content_of(call)
    ephemeral = Ephemeral(
        ts=ts,
        channel=channel.id,
        user=address.user,
        text=content.text,
        blocks=tuple(content.blocks),
        attachments=tuple(content.attachments),
        thread_ts=call.args.text("thread_ts") or address.thread_ts,
        bot_id=call.workspace.app.bot_id,
    )
    call.workspace.ephemerals.append(ephemeral)
