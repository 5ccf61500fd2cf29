"""chat.*: posting, editing, deleting, and the address of a message."""

from sandbox.access import joined, visible, writable
from sandbox.calls import Call, Method, Methods
from sandbox.methods.posting import content_of, new_message, thread_of
from sandbox.mrkdwn import mentions
from sandbox.richtext import rich_text_blocks
from sandbox.shapes import message_json, permalink
from sandbox.state import Channel, Ephemeral, Message, PersonKind
from sandbox.types import Json, Refused
from sandbox.unfurls import previews

_LONGEST_UPDATE = 4_000  # characters; Source: chat.update
_TRUNCATED: Json = {"warning": "message_truncated", "response_metadata": {"warnings": ["message_truncated"]}}


def _post_message(call: Call) -> Json:
    channel = _destination(call)
    content = content_of(call)
    message = new_message(call, channel, content)
    if message.is_reply and call.args.flag("reply_broadcast"):
        message.subtype = "thread_broadcast"
    publish(call, channel, message)
    shape = message_json(call.workspace, channel, message)
    _unfurl(call, channel, message)
    answer: Json = {"ok": True, "channel": channel.id, "ts": message.ts, "message": shape}
    return answer | (_TRUNCATED if content.truncated else {})


def _unfurl(call: Call, channel: Channel, message: Message) -> None:
    """A moment after the post, Slack adds its previews, unless the post said not to."""
    found = previews(call.workspace, call.caller.person, message)
    if found and call.args.flag("unfurl_links", default=True):
        before = message_json(call.workspace, channel, message, in_thread=True)
        message.attachments = [*message.attachments, *found]
        call.feed.message_changed(channel, message, before)


def publish(call: Call, channel: Channel, message: Message) -> None:
    """Put a message into its conversation and tell the app, of its thread's root too."""
    root = channel.messages[message.thread_ts] if message.is_reply else None
    before = message_json(call.workspace, channel, root) if root else {}
    channel.add(message)
    if message.bot_id == call.workspace.app.bot_id:
        call.workspace.statuses.get((channel.id, message.thread_ts), {}).pop("text", None)  # a reply ends the waiting
    call.feed.message_posted(channel, message)
    if root:
        call.feed.message_changed(channel, root, before)


def _destination(call: Call) -> Channel:
    """A conversation by its id or a public channel's name, or the DM with a person by the person's id."""
    named = call.args.text("channel")
    person = call.workspace.people.get(named)
    if person is not None:
        if person.kind is PersonKind.DEACTIVATED or (person.is_bot and call.caller.is_bot):
            raise Refused("channel_not_found" if person.kind is PersonKind.DEACTIVATED else "cannot_dm_bot")
        return call.workspace.open_direct([call.caller.person.id, person.id])
    by_name = call.workspace.channel_by_name(named.removeprefix("#"))
    return writable(call.workspace, call.caller, by_name.id if by_name else named)


def _post_ephemeral(call: Call) -> Json:
    channel = writable(call.workspace, call.caller, call.args.text("channel"))
    content = content_of(call)
    person = call.workspace.person(call.args.text("user"))
    if person.id not in channel.members:
        raise Refused("user_not_in_channel")
    ephemeral = Ephemeral(
        ts=call.workspace.clock.next_ts(),
        channel=channel.id,
        user=person.id,
        text=content.text,
        blocks=tuple(content.blocks),
        attachments=tuple(content.attachments),
        thread_ts=thread_of(call, channel),
        bot_id=call.caller.person.bot_id,
    )
    call.workspace.ephemerals.append(ephemeral)
    return {"ok": True, "message_ts": ephemeral.ts}


def own_message(call: Call, channel: Channel, error: str) -> Message:
    """The caller's own message at `ts`."""
    message = channel.messages.get(call.args.text("ts"))
    if message is None or message.subtype == "tombstone":
        raise Refused("message_not_found")
    if message.user != call.caller.person.id:
        raise Refused(error)
    return message


def _update(call: Call) -> Json:
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    message = own_message(call, channel, "cant_update_message")
    if message.streaming_since:
        raise Refused("streaming_state_conflict")
    if len(call.args.text("text")) > _LONGEST_UPDATE:
        raise Refused("msg_too_long")
    content = content_of(call)
    before = message_json(call.workspace, channel, message, in_thread=True)
    mentioned = mentions(message.text, call.workspace.app.user_id)
    message.text, message.attachments = content.text, content.attachments
    message.blocks = content.blocks or rich_text_blocks(content.text)
    message.edited_by, message.edited_ts = call.caller.person.id, call.workspace.clock.next_ts()
    call.feed.message_changed(channel, message, before)
    if not mentioned:
        call.feed.edited_to_mention(channel, message)
    shape = message_json(call.workspace, channel, message)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


def _delete(call: Call) -> Json:
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    message = channel.messages.get(call.args.text("ts"))
    if not call.caller.person.admin or message is None:
        message = own_message(call, channel, "cant_delete_message")
    remove(call, channel, message)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def remove(call: Call, channel: Channel, message: Message) -> None:
    """Delete a message; a root with replies stays as a tombstone, and the app hears of a change."""
    before = message_json(call.workspace, channel, message, in_thread=True)
    for file in [call.workspace.files[file_id] for file_id in message.files]:
        others = (other for other in channel.messages.values() if other is not message)
        if not any(file.id in other.files for other in others):
            file.channels = [place for place in file.channels if place != channel.id]
    if message.ts in channel.threads:
        message.subtype, message.text, message.user = "tombstone", "", "USLACKBOT"
        message.blocks, message.attachments, message.files, message.reactions = [], [], [], {}
        call.feed.message_changed(channel, message, before)
        return
    root = channel.messages[message.thread_ts] if message.is_reply else None
    root_before = message_json(call.workspace, channel, root) if root else {}
    channel.remove(message)
    call.feed.message_deleted(channel, message, before)
    if root and root.ts in channel.messages:
        call.feed.message_changed(channel, root, root_before)


def _get_permalink(call: Call) -> Json:
    channel = visible(call.workspace, call.caller, call.args.text("channel"))
    message = channel.messages.get(call.args.text("message_ts"))
    if message is None:
        raise Refused("message_not_found")
    return {"ok": True, "channel": channel.id, "permalink": permalink(call.workspace, channel, message)}


_WRITE = ("chat:write",)

METHODS: Methods = {
    "chat.postMessage": Method(_post_message, required=("channel",), scopes=_WRITE),
    "chat.postEphemeral": Method(_post_ephemeral, required=("channel", "user"), scopes=_WRITE),
    "chat.update": Method(_update, required=("channel", "ts"), scopes=_WRITE),
    "chat.delete": Method(_delete, required=("channel", "ts"), scopes=_WRITE),
    "chat.getPermalink": Method(_get_permalink, required=("channel", "message_ts")),
}
