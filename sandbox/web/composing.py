"""What somebody types at the browser as Slack's client would send it."""

import re

from sandbox.state import Workspace

_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_HANDLE = re.compile(r"(?<![\w<@])@([a-z0-9][a-z0-9._-]*)")
_CHANNEL = re.compile(r"(?<![\w<&#])#([a-z0-9][a-z0-9_-]*)")
_URL = re.compile(r"(?<![<\w])(https?://[^\s<>|]+)")


def as_sent(typed: str, workspace: Workspace) -> str:
    """The text with names as ids, addresses marked, and the rest escaped; code stays as it is."""
    pieces = _CODE.split(typed.replace("\r\n", "\n"))
    return "".join(
        _escaped(piece) if number % 2 else _marked(_escaped(piece), workspace) for number, piece in enumerate(pieces)
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _marked(text: str, workspace: Workspace) -> str:
    people = {person.name: person.id for person in workspace.people.values()}
    channels = {channel.name: channel.id for channel in workspace.channels.values() if not channel.is_private}

    def person(found: re.Match[str]) -> str:
        name = found[1].rstrip(".-")
        rest = found[1][len(name) :]
        return f"<@{people[name]}>{rest}" if name in people else found[0]

    def channel(found: re.Match[str]) -> str:
        return f"<#{channels[found[1]]}|{found[1]}>" if found[1] in channels else found[0]

    return _HANDLE.sub(person, _CHANNEL.sub(channel, _URL.sub(r"<\1>", text)))
