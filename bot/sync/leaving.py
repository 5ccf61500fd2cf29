"""Drops what was read of channels that Footnote is out of: unused at once, deleted when Slack says so twice."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from bot.errors import SlackDenied
from bot.slack.events import Event, revoked_channel
from bot.slack.payloads import Payload, string
from bot.slack.workspace import Identity
from bot.state.departures import Departures
from bot.state.progress import Progress
from bot.types import Conversation
from retrieval.types import Place

OUT = frozenset({"channel_not_found", "not_in_channel"})
"""What Slack answers of a channel that a bot isn't in. Every other refusal is about the app, or about this moment."""

log = logging.getLogger(__name__)


class Conversations(Protocol):
    """The part of a workspace that says whether Footnote is in a channel."""

    def conversation(self, channel_id: str) -> Conversation: ...

    def is_itself(self) -> bool: ...


class Places(Protocol):
    """Our own ids of conversations."""

    def find(self, team: str, channel_id: str) -> Place | None: ...

    def place_of(self, team: str, channel_id: str) -> Place: ...

    def channel_of(self, place: Place) -> str: ...


class Dropping(Protocol):
    """The part of what reads channels that drops one."""

    def purge(self, place: Place) -> None: ...


@dataclass(frozen=True, slots=True)
class Leaving:
    """The end of a channel in the index, however Footnote learns of it.

    An event can be late, and an answer of Slack's can be wrong for a while: what took hours to read is deleted only
    where `auth.test` still knows Footnote and `conversations.info` says that it isn't in the channel. Until then
    nothing of it is used.
    """

    workspace: Conversations
    reader: Dropping
    progress: Progress
    departures: Departures
    places: Places
    us: Identity
    _deciding: threading.RLock = field(default_factory=threading.RLock)
    """Held from Slack's answer to what follows from it, or an invitation in between would be overruled."""

    def hear(self, event: Event) -> None:
        """Use nothing any more of a channel that an event says Footnote is out of, before anything else is done."""
        if channel_id := closed_by(event.payload, self.us) or revoked_channel(event):
            self.departures.suspect(self.places.place_of(self.us.team, channel_id), event.id)

    def settle(self, channel_id: str, *, is_told: bool = False) -> bool:
        """Find out whether Footnote is out of a channel, and drop it if so; whether there is none any more.

        Args:
            channel_id: one under which nothing is known, perhaps because it has another by now, has nothing to drop.
            is_told: whether Slack said by an event that Footnote left. Otherwise an archived channel, of which it may
                say that nobody is in it, counts as one that Footnote is in.

        Raises:
            SlackError: Slack doesn't say; nothing of it is used until it does.
        """
        place = self.places.find(self.us.team, channel_id)
        if place is None:
            return True
        with self._deciding:
            self.departures.suspect(place)
            is_out = self._is_out(channel_id, is_told)
            if is_out:
                self.drop(place)
            elif is_out is False:
                self.departures.withdraw(place)
            return bool(is_out)

    def drop(self, place: Place) -> None:
        """Delete what was read of a channel; what is on its way is dropped when it comes."""
        self.departures.make_sure(place)
        self.reader.purge(place)
        self.progress.forget(place)
        log.info("place %s: what was read of it is deleted", place)

    def drop_doubles(self) -> None:
        """Delete what was read under an id of ours that a conversation no longer has, since it had an older one."""
        for place in self.departures.sure():
            if not self.places.channel_of(place):
                self.drop(place)

    def suspected(self) -> tuple[str, ...]:
        """Slack's ids of the channels of which it is not known yet whether Footnote is out of them."""
        unsure = self.departures.places() - self.departures.sure()
        return tuple(sorted(filter(None, map(self.places.channel_of, unsure))))

    def enter(self, conversations: Iterable[Conversation]) -> None:
        """Footnote is in these, whatever was said before."""
        with self._deciding:
            for place in {conversation.place for conversation in conversations} & self.departures.places():
                self.departures.withdraw(place)

    def _is_out(self, channel_id: str, is_told: bool) -> bool | None:
        """None where Slack neither says that it is nor that it isn't."""
        try:
            conversation = self.workspace.conversation(channel_id)
        except SlackDenied as denied:
            return (self.workspace.is_itself() or None) if denied.code in OUT else None
        if conversation.is_joined or (conversation.is_archived and not is_told):
            return False
        return self.workspace.is_itself() or None


def closed_by(event: Payload, us: Identity) -> str:
    """The channel that Footnote is no longer in."""
    kind = string(event, "type")
    left = kind == "member_left_channel" and string(event, "user") == us.user_id
    return string(event, "channel") if left or kind in _CLOSED else ""


_CLOSED = frozenset({"channel_left", "group_left", "channel_deleted", "group_deleted"})
