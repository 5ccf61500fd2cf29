"""The names of a workspace's people and channels, looked up in Slack and remembered for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from bot.errors import SlackDenied
from bot.types import Conversation, ConversationKind, Person

KEPT_S = 600.0
"""A new name shows after ten minutes at most; a channel that became private is named no longer than that."""


class Lookups(Protocol):
    """The part of a workspace that knows names."""

    def person(self, user_id: str) -> Person: ...

    def conversation(self, channel_id: str) -> Conversation: ...


class Directory:
    """Names by id; empty for what Slack doesn't know, and for channels that not everybody may know of.

    Raises `SlackError` where Slack can't be asked: a text without its names is not written down.
    """

    def __init__(self, lookups: Lookups, clock: Callable[[], float] = time.monotonic) -> None:
        self._lookups = lookups
        self._clock = clock
        self._known: dict[str, tuple[float, str]] = {}

    def person(self, user_id: str) -> str:
        return self._remembered(user_id, lambda: self._lookups.person(user_id).name)

    def channel(self, channel_id: str) -> str:
        return self._remembered(channel_id, lambda: _public_name(self._lookups.conversation(channel_id)))

    def group(self, group_id: str) -> str:  # noqa: ARG002  # the protocol asks for it
        """Nobody's scopes tell; Slack writes the handle beside the id."""
        return ""

    def _remembered(self, id_: str, look_up: Callable[[], str]) -> str:
        expiry, name = self._known.get(id_, (-1.0, ""))
        if self._clock() >= expiry:
            name = _known_name(look_up)
            self._known[id_] = (self._clock() + KEPT_S, name)
        return name


def _known_name(look_up: Callable[[], str]) -> str:
    try:
        return look_up()
    except SlackDenied:
        return ""


def _public_name(conversation: Conversation) -> str:
    return conversation.name if conversation.kind is ConversationKind.PUBLIC else ""
