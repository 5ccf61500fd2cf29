"""What one Slack message is, and the text that a person would read in it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.slack.blocks import from_attachments, from_blocks
from bot.slack.markup import from_mrkdwn, unescape
from bot.slack.names import Names
from bot.slack.payloads import Payload, child, children, flag, number, string

__all__ = ["Message", "Names", "Payload", "carried_files", "is_noise", "parse", "readable", "seconds"]

_WRITTEN = frozenset({"", "bot_message", "me_message", "file_share", "thread_broadcast", "reply_broadcast"})
"""The subtypes of messages that somebody wrote; every other one is Slack's own notice."""
_SLACKBOT = "USLACKBOT"
_GONE = frozenset({"tombstone", "hidden_by_limit"})


@dataclass(frozen=True, slots=True)
class Message:
    """One message, as Slack stores it."""

    channel: str
    ts: str
    thread_ts: str | None = None
    """The root's `ts`, on replies and on roots that have replies."""
    user: str = ""
    bot_id: str = ""
    app_id: str = ""
    subtype: str = ""
    text: str = ""
    blocks: tuple[Payload, ...] = ()
    attachments: tuple[Payload, ...] = ()
    files: tuple[Payload, ...] = ()
    """What it carries itself; files of a message that it quotes stand in an attachment."""
    edited_ts: str | None = None
    reply_count: int = 0
    latest_reply: str | None = None
    username: str = ""
    """The name under which a bot posted."""
    is_hidden: bool = False
    """Slack keeps it and shows nobody what it said."""

    @property
    def root_ts(self) -> str:
        """The message that opens the thread that this one belongs to; itself where there is none."""
        return self.thread_ts or self.ts

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread that another message opened."""
        return self.root_ts != self.ts

    @property
    def written_at(self) -> float:
        """Seconds since the epoch; 0 where Slack gave no time."""
        return seconds(self.ts)

    @property
    def changed_at(self) -> float:
        """When it was written or last edited, in seconds since the epoch."""
        return max(self.written_at, seconds(self.edited_ts or ""))


def parse(payload: Payload, channel: str) -> Message:
    """A message of `channel` as the Web API, an event or an export gives it, whatever is missing."""
    profile = child(payload, "bot_profile")
    return Message(
        channel,
        string(payload, "ts"),
        string(payload, "thread_ts") or None,
        user=string(payload, "user"),
        bot_id=string(payload, "bot_id"),
        app_id=string(payload, "app_id") or string(profile, "app_id"),
        subtype=string(payload, "subtype"),
        text=string(payload, "text"),
        blocks=children(payload, "blocks"),
        attachments=children(payload, "attachments"),
        files=children(payload, "files"),
        edited_ts=string(child(payload, "edited"), "ts") or None,
        reply_count=number(payload, "reply_count"),
        latest_reply=string(payload, "latest_reply") or None,
        username=string(payload, "username") or string(profile, "name"),
        is_hidden=flag(payload, "hidden"),
    )


def readable(message: Message, names: Names) -> str:
    """The message as Markdown with names in place of ids, each thing once; without what stands elsewhere (unfurls).

    Of its files the names alone: each is a source of its own.
    """
    body = from_blocks(message.blocks, names) or from_mrkdwn(message.text, names)
    attached = from_attachments(message.attachments, names)
    files = [_file_line(file) for file in message.files]
    return "\n\n".join(dict.fromkeys(part.strip() for part in (body, attached, *files) if part.strip()))


def carried_files(message: Message) -> tuple[str, ...]:
    """Ids of the files that stand in a message, those that were deleted or hidden left out."""
    return tuple(string(file, "id") for file in message.files if string(file, "id") and not _is_gone(file))


def is_noise(message: Message) -> bool:
    """Whether nobody wrote it to be read: joins, topics, tombstones, Slackbot's notices."""
    return message.subtype not in _WRITTEN or message.is_hidden or message.user == _SLACKBOT


def _file_line(file: Payload) -> str:
    name = " ".join((string(file, "title") or string(file, "name")).split())
    return f"File: {unescape(name)}" if name and not _is_gone(file) else ""


def _is_gone(file: Payload) -> bool:
    return string(file, "mode") in _GONE or string(file, "file_access") == "file_not_found"


def seconds(ts: str) -> float:
    """A `ts` as seconds since the epoch; 0 where it tells no time."""
    seconds, _, fraction = ts.partition(".")
    return float(f"{seconds}.{fraction or 0}") if seconds.isdecimal() and (fraction or "0").isdecimal() else 0.0
