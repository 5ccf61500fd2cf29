"""Messages of a conversation and of a thread as HTML."""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime
from zlib import crc32
from zoneinfo import ZoneInfo

from markupsafe import Markup

from sandbox.clock import micros_of
from sandbox.shapes import file_permalink, permalink
from sandbox.state import Channel, Ephemeral, File, Message
from sandbox.types import Json
from sandbox.web.blocks import blocks_html, objects
from sandbox.web.emoji import picture
from sandbox.web.text import mrkdwn_html
from sandbox.web.viewer import Viewer

_WINDOW = 80  # messages shown at once
_COLOURS = ("#4a7c8c", "#8c5b4a", "#5f7d3f", "#7a4f86", "#b0763a", "#3f6f9e", "#a14d63", "#4d8570")
_NOTICES = frozenset({"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"})
_NOTHING = Markup("")

Shown = Message | Ephemeral


@dataclass(frozen=True, slots=True)
class Sight:
    """What of a conversation a page shows: a thread beside it, and one message to point at."""

    channel: Channel
    thread_ts: str = ""
    highlight: str = ""


def timeline_html(sight: Sight, viewer: Viewer) -> Markup:
    """The conversation outside threads: the latest messages, or those around the one to point at."""
    channel = sight.channel
    shown: list[Shown] = [channel.messages[ts] for ts in _window(channel, sight.highlight)]
    shown += _ephemerals(sight, viewer, thread_ts="")
    return _dated(sorted(shown, key=lambda message: message.ts), sight, viewer, in_thread=False)


def _window(channel: Channel, around: str) -> list[str]:
    end = len(channel.timeline)
    if around in channel.messages:
        root = channel.messages[around].thread_ts or around
        end = min(end, bisect_left(channel.timeline, root) + _WINDOW // 2)
    return channel.timeline[max(0, end - _WINDOW) : end]


def thread_html(sight: Sight, viewer: Viewer) -> Markup:
    """One thread: its root and its replies."""
    channel = sight.channel
    root = channel.messages.get(sight.thread_ts)
    if root is None:
        return _NOTHING
    shown: list[Shown] = [root, *(channel.messages[ts] for ts in channel.threads.get(root.ts, []))]
    shown += _ephemerals(sight, viewer, thread_ts=root.ts)
    return _dated(sorted(shown, key=lambda message: message.ts), sight, viewer, in_thread=True) + _status(sight, viewer)


def _status(sight: Sight, viewer: Viewer) -> Markup:
    text = viewer.workspace.statuses.get((sight.channel.id, sight.thread_ts), {}).get("text")
    name = viewer.name_of(viewer.workspace.app.user_id)
    return Markup('<p class="status">{} {}</p>').format(name, text) if text else _NOTHING


def _ephemerals(sight: Sight, viewer: Viewer, thread_ts: str) -> list[Shown]:
    mine = (sight.channel.id, viewer.person.id, thread_ts)
    return [each for each in viewer.workspace.ephemerals if (each.channel, each.user, each.thread_ts) == mine]


def _dated(shown: list[Shown], sight: Sight, viewer: Viewer, *, in_thread: bool) -> Markup:
    lines, day = [], ""
    for message in shown:
        today = _when(message.ts, viewer).strftime("%A, %-d %B %Y")
        if today != day and not in_thread:
            lines.append(Markup('<div class="day"><span>{}</span></div>').format(today))
        day = today
        lines.append(_message(message, sight, viewer, in_thread=in_thread))
    return _NOTHING.join(lines)


def _when(ts: str, viewer: Viewer) -> datetime:
    return datetime.fromtimestamp(micros_of(ts) / 1_000_000, ZoneInfo(viewer.person.tz))


def _message(message: Shown, sight: Sight, viewer: Viewer, *, in_thread: bool) -> Markup:
    if isinstance(message, Message) and message.subtype in _NOTICES:
        return Markup('<div class="notice" id="m{}">{}</div>').format(message.ts, mrkdwn_html(message.text, viewer))
    classes = "message"
    classes += " ephemeral" if isinstance(message, Ephemeral) else ""
    classes += " highlight" if message.ts == sight.highlight else ""
    classes += " opened" if message.ts == sight.thread_ts and not in_thread else ""
    author = _author(message, viewer)
    frame = Markup(
        '<article class="{}" id="{}m{}" data-ts="{}">'
        '<div class="avatar" style="background:{}">{}</div><div class="body">'
        '<div class="head"><b>{}</b>{}{}</div>{}{}{}</div></article>'
    )
    return frame.format(
        classes,
        "t" if in_thread else "",
        message.ts,
        message.ts,
        _COLOURS[crc32(author.encode()) % len(_COLOURS)],
        _initials(author),
        author,
        _badges(message),
        _time(message, sight, viewer),
        _only_you(message),
        content_html(message, viewer),
        _below(message, sight, viewer, in_thread=in_thread),
    )


def _author(message: Shown, viewer: Viewer) -> str:
    if isinstance(message, Ephemeral):
        return viewer.name_of(viewer.workspace.app.user_id)
    if message.subtype == "tombstone":
        return "Deleted"
    return message.username or viewer.name_of(message.user)


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split()[:2]).upper()


def _badges(message: Shown) -> Markup:
    app = Markup('<span class="badge">APP</span>') if message.bot_id else _NOTHING
    is_edited = isinstance(message, Message) and message.edited_ts
    return app + (Markup('<span class="note edited">(edited)</span>') if is_edited else _NOTHING)


def _time(message: Shown, sight: Sight, viewer: Viewer) -> Markup:
    clock = _when(message.ts, viewer).strftime("%H:%M")
    if isinstance(message, Ephemeral):
        return Markup("<time>{}</time>").format(clock)
    address = viewer.own_address(permalink(viewer.workspace, sight.channel, message))
    return Markup('<a class="time" href="{}"><time>{}</time></a>').format(address, clock)


def _only_you(message: Shown) -> Markup:
    only = Markup('<div class="only">Only visible to you</div>')
    return only if isinstance(message, Ephemeral) else _NOTHING


def content_html(message: Shown, viewer: Viewer) -> Markup:
    """What a message says: its blocks, or its text where it has none, then attachments and files."""
    if isinstance(message, Message) and message.subtype == "tombstone":
        return Markup('<p class="note">This message was deleted.</p>')
    blocks = list(message.blocks)
    said = blocks_html(blocks, viewer) if blocks else mrkdwn_html(message.text, viewer)
    if isinstance(message, Message):
        said += _files(message, viewer)
    shown = [_attachment(attachment, viewer) for attachment in message.attachments]
    return Markup('<div class="content">{}{}</div>').format(said, _NOTHING.join(shown))


def _attachment(attachment: Json, viewer: Viewer) -> Markup:
    parts = [mrkdwn_html(str(attachment[name]), viewer) for name in ("pretext", "text") if attachment.get(name)]
    parts.append(blocks_html(objects(attachment.get("blocks")), viewer))
    if attachment.get("author_name"):
        parts.insert(0, Markup('<div class="note">{}</div>').format(str(attachment["author_name"])))
    title, url = str(attachment.get("title", "")), str(attachment.get("title_link", ""))
    heading = Markup("<b>{}</b>").format(viewer.link(url, title) if url else title) if title else _NOTHING
    for field in objects(attachment.get("fields")):
        value = mrkdwn_html(str(field.get("value", "")), viewer)
        parts.append(Markup("<div><b>{}</b> {}</div>").format(str(field.get("title", "")), value))
    said = _NOTHING.join(parts) or mrkdwn_html(str(attachment.get("fallback", "")), viewer)
    return Markup('<div class="attachment">{}{}</div>').format(heading, said)


def _files(message: Message, viewer: Viewer) -> Markup:
    return _NOTHING.join(_file(viewer.workspace.files[file], viewer) for file in message.files)


def _file(file: File, viewer: Viewer) -> Markup:
    address = viewer.own_address(file_permalink(viewer.workspace, file))
    shown = "deleted file" if file.deleted else Markup('<a href="{}">{}</a>').format(address, file.title)
    return Markup('<div class="file">▤ {}</div>').format(shown)


def _below(message: Shown, sight: Sight, viewer: Viewer, *, in_thread: bool) -> Markup:
    if isinstance(message, Ephemeral):
        return _NOTHING
    given = Markup('<span class="reaction">{} {}</span>')
    reactions = _NOTHING.join(given.format(picture(name), len(users)) for name, users in message.reactions.items())
    under = Markup('<div class="reactions">{}</div>').format(reactions) if reactions else _NOTHING
    return under if in_thread else under + _thread_line(message, sight, viewer)


def _thread_line(message: Message, sight: Sight, viewer: Viewer) -> Markup:
    if message.is_reply:
        address = viewer.place(sight.channel, message.thread_ts)
        return Markup('<a class="thread" href="{}">in a thread</a>').format(address)
    replies = sight.channel.threads.get(message.ts, [])
    words = f"{len(replies)} {'reply' if len(replies) == 1 else 'replies'}" if replies else "Reply in thread"
    line = Markup('<a class="thread{}" href="{}">{}</a>')
    return line.format("" if replies else " quiet", viewer.place(sight.channel, message.ts), words)
