"""How people, channels and groups that a message mentions by id are named in its text."""

from __future__ import annotations

from typing import Protocol


class Names(Protocol):
    """The names of those whom messages mention by id; empty where nobody knows, or not everybody may."""

    def person(self, user_id: str) -> str: ...

    def channel(self, channel_id: str) -> str:
        """Without `#`; empty for a channel that not everybody in the workspace may know of."""
        ...

    def group(self, group_id: str) -> str:
        """A user group's handle, without `@`."""
        ...


class _Ids:
    """Ids as names."""

    def person(self, user_id: str) -> str:
        return user_id

    def channel(self, channel_id: str) -> str:
        return channel_id

    def group(self, group_id: str) -> str:
        return group_id


BY_ID: Names = _Ids()
"""For texts that are only compared, whatever people and channels are called by then."""


def person(user_id: str, names: Names, label: str = "") -> str:
    """A mention of a person; `label` is what Slack wrote beside the id."""
    return "@" + (names.person(user_id) or label or "someone").lstrip("@")


def channel(channel_id: str, names: Names) -> str:
    """A mention of a channel; Slack's own label is not taken, for the channel may have become private since."""
    name = names.channel(channel_id)
    return f"#{name}" if name else "a private channel"


def group(group_id: str, names: Names, label: str = "") -> str:
    """A mention of a user group."""
    return "@" + (names.group(group_id) or label or "group").lstrip("@")
