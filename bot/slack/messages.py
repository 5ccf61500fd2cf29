"""What one Slack message is, and the text that a person would read in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Payload = Mapping[str, object]
"""A JSON object as Slack sent it; any field can be absent or of another type."""


class Names(Protocol):
    """The names of those whom messages mention by id; empty where nobody knows, or not everybody may."""

    def person(self, user_id: str) -> str: ...

    def channel(self, channel_id: str) -> str:
        """Without `#`; empty for a channel that not everybody in the workspace may know of."""
        ...

    def group(self, group_id: str) -> str:
        """A user group's handle, without `@`."""
        ...


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
    edited_ts: str | None = None
    reply_count: int = 0
    latest_reply: str | None = None
    username: str = ""
    """The name under which a bot posted."""

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
        """Seconds since the epoch."""
        return float(self.ts or 0)


def parse(payload: Payload, channel: str) -> Message:
    """A message of `channel` as the Web API, an event or an export gives it, whatever is missing."""
    return Message(
        channel,
        _string(payload, "ts"),
        _string(payload, "thread_ts") or None,
        user=_string(payload, "user"),
        bot_id=_string(payload, "bot_id"),
        app_id=_string(payload, "app_id"),
        subtype=_string(payload, "subtype"),
        text=_string(payload, "text"),
    )


def readable(message: Message, names: Names) -> str:
    """The message as Markdown with names in place of ids, each thing once; without what stands elsewhere (unfurls)."""
    return message.text


def is_noise(message: Message) -> bool:
    """Whether it says nothing that anybody wrote: joins, topics, tombstones and the like."""
    return message.subtype.endswith(("_join", "_leave", "_topic"))


def _string(payload: Payload, field: str) -> str:
    value = payload.get(field)
    return value if isinstance(value, str) else ""
