"""Names people and channels that messages mention by id, asking Slack as rarely as it can."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from bot.errors import SlackDenied, SlackError
from bot.slack.workspace import Workspace

FRESH_S = 600.0
"""A new name may take so long to show; names decide nothing."""
RETRY_S = 30.0
"""After a refusal, so that a list that can't be read isn't asked for at every message."""


class Directory:
    """The `Names` of one workspace.

    A name that can't be read is empty; where the directory `insists`, as for what is kept, it raises `SlackError`.
    """

    def __init__(
        self, workspace: Workspace, clock: Callable[[], float] = time.monotonic, *, insists: bool = False
    ) -> None:
        self._people = _Book(lambda: _people(workspace), clock, insists)
        self._strangers = _Book(dict, clock, insists)
        self._channels = _Book(lambda: _channels(workspace), clock, insists)
        self._workspace = workspace
        self._insists = insists

    def person(self, user_id: str) -> str:
        """Somebody's name, of this workspace or another one."""
        return self._people.names().get(user_id) or self._stranger(user_id)

    def channel(self, channel_id: str) -> str:
        """A public channel's name; empty for every other, whose name not everybody may know."""
        return self._channels.names().get(channel_id, "")

    def group(self, _group_id: str) -> str:
        """Nothing: reading user groups is a scope that nothing else needs, and Slack writes their handles beside."""
        return ""

    def _stranger(self, user_id: str) -> str:
        known = self._strangers.names()
        if user_id not in known:
            try:
                known[user_id] = self._workspace.person(user_id).name
            except SlackError as error:
                if self._insists and not isinstance(error, SlackDenied):
                    raise
                known[user_id] = ""
        return known[user_id]


class _Book:
    """Names by id, read anew when they are old; the old ones stay where they can't be."""

    def __init__(self, read: Callable[[], Mapping[str, str]], clock: Callable[[], float], insists: bool) -> None:
        self._read = read
        self._clock = clock
        self._insists = insists
        self._names: dict[str, str] = {}
        self._stale_at = float("-inf")

    def names(self) -> dict[str, str]:
        if self._clock() >= self._stale_at:
            try:
                self._names = dict(self._read())
                self._stale_at = self._clock() + FRESH_S
            except SlackError:
                if self._insists and not self._names:
                    raise
                self._stale_at = self._clock() + RETRY_S
        return self._names


def _people(workspace: Workspace) -> Mapping[str, str]:
    return {person.id: person.name for person in workspace.people()}


def _channels(workspace: Workspace) -> Mapping[str, str]:
    return {channel.id: channel.name for channel in workspace.public_channels()}
