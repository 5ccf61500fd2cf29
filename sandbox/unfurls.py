"""The preview that Slack puts under a message which links to another message."""

import re

from sandbox.access import may_see
from sandbox.mrkdwn import SpanKind, parts
from sandbox.state import Channel, Message, Person, Workspace
from sandbox.types import Json

_PERMALINK = re.compile(r"archives/([A-Z0-9]+)/p(\d{10})(\d{6})")


def previews(workspace: Workspace, person: Person, message: Message) -> list[Json]:
    """Attachments with the words of the messages that a text links to and its author may see."""
    links = [
        span.target
        for part in parts(message.text)
        for line in part.lines
        for span in line
        if span.kind is SpanKind.LINK and span.target.startswith(workspace.url)
    ]
    found = (_preview(workspace, person, link) for link in dict.fromkeys(links))
    return [{"id": number, **preview} for number, preview in enumerate(filter(None, found), start=1)]


def _preview(workspace: Workspace, person: Person, link: str) -> Json | None:
    address = _PERMALINK.match(link.removeprefix(workspace.url))
    channel = workspace.channels.get(address[1]) if address else None
    if not address or channel is None or not may_see(person, channel, workspace.team.id):
        return None
    linked = channel.messages.get(f"{address[2]}.{address[3]}")
    return _attachment(workspace, channel, linked, link) if linked and linked.subtype != "tombstone" else None


def _attachment(workspace: Workspace, channel: Channel, message: Message, link: str) -> Json:
    author = workspace.people.get(message.user)
    name = author.real_name if author else message.username
    return {
        "from_url": link,
        "original_url": link,
        "ts": message.ts,
        "author_id": message.user,
        "author_name": name,
        "channel_id": channel.id,
        "channel_team": channel.team,
        "is_msg_unfurl": True,
        "text": message.text,
        "fallback": f"{name}: {message.text}",
        "mrkdwn_in": ["text"],
        "color": "D0D0D0",
    }
