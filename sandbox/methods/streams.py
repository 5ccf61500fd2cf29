"""chat.startStream, appendStream and stopStream: messages that grow while they are read."""

from typing import cast

from sandbox.access import joined, writable
from sandbox.blocks import check_blocks
from sandbox.calls import Call, Method, Methods
from sandbox.methods.agents import session_began, session_set
from sandbox.methods.chat import publish
from sandbox.methods.posting import LONGEST_MARKDOWN, LONGEST_TEXT, thread_of
from sandbox.shapes import message_json
from sandbox.state import Channel, ChannelKind, Message
from sandbox.types import Json, Refused

_LIFETIME_S = 300.0  # Source: seen of Slack by many; its documents don't say
_TASK_FIELDS = ("title", "status", "details", "output", "sources")


def _start(call: Call) -> Json:
    channel = writable(call.workspace, call.caller, call.args.text("channel"))
    if not call.caller.is_bot:
        raise Refused("not_allowed_token_type")
    _check_recipient(call, channel)
    person = call.caller.person
    message = Message(call.workspace.clock.next_ts(), person.id, "", thread_ts=thread_of(call, channel))
    message.bot_id, message.app_id = person.bot_id, person.app_id
    message.streaming_since = call.workspace.clock.now()
    message.extra["streaming_state"] = "in_progress"
    _grow(call, message)
    publish(call, channel, message)
    session_began(call.workspace, channel.id, message.thread_ts)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def _check_recipient(call: Call, channel: Channel) -> None:
    if channel.kind is ChannelKind.DM:
        return
    if not call.args.text("recipient_user_id"):
        raise Refused("missing_recipient_user_id")
    if not call.args.text("recipient_team_id"):
        raise Refused("missing_recipient_team_id")
    person = call.workspace.person(call.args.text("recipient_user_id"))
    if person.team != call.args.text("recipient_team_id"):
        raise Refused("user_not_found")


def _open_stream(call: Call) -> tuple[Channel, Message]:
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    message = channel.messages.get(call.args.text("ts"))
    if message is None:
        raise Refused("message_not_found")
    if message.bot_id != call.caller.person.bot_id:
        raise Refused("message_not_owned_by_app")
    if message.extra.get("streaming_state") == "stopped":
        raise Refused("stopped_by_user")
    age_s = call.workspace.clock.now() - message.streaming_since
    if not message.streaming_since or age_s > _LIFETIME_S:
        raise Refused("message_not_in_streaming_state")
    return channel, message


def _append(call: Call) -> Json:
    channel, message = _open_stream(call)
    if not (call.args.text("markdown_text") or call.args.has("chunks")):
        raise Refused("no_text")
    before = message_json(call.workspace, channel, message, in_thread=True)
    _grow(call, message)
    call.feed.message_changed(channel, message, before)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def _stop(call: Call) -> Json:
    channel, message = _open_stream(call)
    before = message_json(call.workspace, channel, message, in_thread=True)
    blocks = call.args.objects("blocks", "invalid_blocks_format")
    check_blocks(blocks)
    _grow(call, message)
    message.blocks = [*message.blocks, *blocks]
    message.streaming_since = 0.0
    message.extra["streaming_state"] = "completed"
    call.feed.message_changed(channel, message, before)
    session_set(call.workspace, channel.id, message.thread_ts, call.args.text("session_status", "active"))
    shape = message_json(call.workspace, channel, message)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "message": shape}


def _expire(call: Call) -> Json:
    """As if the stream's time were over: what is open too long takes nothing more."""
    channel = call.workspace.channels.get(call.args.text("channel"))
    message = channel.messages.get(call.args.text("ts")) if channel else None
    if message is None or not message.streaming_since:
        raise Refused("message_not_found")
    message.streaming_since = call.workspace.clock.now() - _LIFETIME_S - 1
    return {"ok": True}


def _stop_by_person(call: Call) -> Json:
    """Somebody presses Stop: further appends are refused, and the app is told."""
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    thread_ts = call.args.text("thread_ts")
    found = [channel.messages[ts] for ts in channel.threads.get(thread_ts, [])]
    streaming = [message for message in found if message.streaming_since]
    for message in streaming:
        message.extra["streaming_state"] = "stopped"
    where: Json = {"channel": channel.id, "thread_ts": thread_ts, "user": call.caller.person.id}
    call.feed.about("agent_session_stopped", where | {"streaming_message_ts": [m.ts for m in streaming]}, channel)
    return {"ok": True}


def _grow(call: Call, message: Message) -> None:
    """Add this call's text and chunks to the message."""
    markdown = call.args.text("markdown_text")
    chunks = call.args.objects("chunks", "invalid_chunks")
    if markdown and chunks:
        raise Refused("markdown_text_conflict")
    if len(markdown) > LONGEST_MARKDOWN:
        raise Refused("msg_too_long")
    for chunk in chunks or ([{"type": "markdown_text", "text": markdown}] if markdown else []):
        _add_chunk(message, chunk)
    if len(message.text) > LONGEST_TEXT:
        raise Refused("msg_too_long")


def _add_chunk(message: Message, chunk: Json) -> None:
    kind = chunk.get("type")
    if kind == "markdown_text":
        _add_text(message, str(chunk.get("text", "")))
    elif kind == "task_update":
        _set_task(message, chunk)
    elif kind == "plan_update":
        message.blocks = [*message.blocks, {"type": "plan", "title": str(chunk.get("title", "")), "tasks": []}]
    elif kind == "blocks" and isinstance(chunk.get("blocks"), list):
        added = cast("list[Json]", chunk["blocks"])
        check_blocks(added)
        message.blocks = [*message.blocks, *added]
    else:
        raise Refused("invalid_chunks")


def _add_text(message: Message, text: str) -> None:
    message.text += text
    last = message.blocks[-1] if message.blocks else {}
    if last.get("type") == "markdown":
        message.blocks = [*message.blocks[:-1], {**last, "text": str(last["text"]) + text}]
    else:
        message.blocks = [*message.blocks, {"type": "markdown", "text": text}]


def _set_task(message: Message, chunk: Json) -> None:
    card: Json = {"type": "task_card", "task_id": str(chunk.get("id", ""))}
    card |= {name: chunk[name] for name in _TASK_FIELDS if name in chunk}
    kept = [block for block in message.blocks if block.get("task_id") != card["task_id"]]
    message.blocks = [*kept, card]


_WRITE = ("chat:write",)

METHODS: Methods = {
    "chat.startStream": Method(_start, required=("channel", "thread_ts"), scopes=_WRITE),
    "chat.appendStream": Method(_append, required=("channel", "ts"), scopes=_WRITE),
    "chat.stopStream": Method(_stop, required=("channel", "ts"), scopes=_WRITE),
    "sandbox.expireStream": Method(_expire, required=("channel", "ts")),
    "sandbox.stopSession": Method(_stop_by_person, required=("channel", "thread_ts")),
}
