"""Keeps the index true to Slack by its events: what one touches is read again, whatever the event itself says."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from bot.errors import SlackDenied, SlackError
from bot.slack.events import (
    Event,
    changes_history,
    channel_of,
    moved_channel,
    renamed_channel,
    revoked_channel,
    tells_of_lost_events,
)
from bot.slack.messages import carried_files, parse, readable
from bot.slack.payloads import Payload, child, string
from bot.slack.workspace import Identity
from bot.state.progress import Progress, ReadingState
from bot.sync.files import SharedFiles
from bot.sync.leaving import OUT, Leaving, closed_by
from bot.sync.reading import ChannelReader
from bot.sync.selection import is_ours
from bot.sync.welcome import Welcome
from bot.types import Conversation, ConversationKind
from retrieval.types import Place

log = logging.getLogger(__name__)


class Conversations(Protocol):
    """The part of a workspace that knows channels."""

    def identity(self) -> Identity: ...

    def conversation(self, channel_id: str) -> Conversation: ...


@dataclass(frozen=True, slots=True)
class Touched:
    """A message that was written, edited or deleted: where, and the root of its thread."""

    channel_id: str
    root_ts: str


@dataclass(frozen=True, slots=True)
class Sync:
    """Handles Slack's events, in any order and as often as they come."""

    workspace: Conversations
    reader: ChannelReader
    progress: Progress
    place_of: Callable[[str], Place]
    """Our id of a channel that Slack may no longer tell us of."""
    read_later: Callable[[Conversation], None]
    """Has a channel's whole history read, without waiting for it."""
    files: SharedFiles
    leaving: Leaving
    welcome: Welcome
    reconcile_soon: Callable[[], None] = lambda: None
    """Has everything compared with Slack, without waiting for it."""
    clock: Callable[[], float] = time.time

    def handle(self, event: Event) -> None:
        """Bring the index up to date with an event.

        Raises:
            SlackError, RetrievalError, StateError: it could not be; handle the event again.
        """
        self.welcome.heed(event)
        if self.welcome.is_suspended():
            return  # what is missed now is found when Footnote is let in again
        if tells_of_lost_events(event):
            self.reconcile_soon()
        elif channel_id := revoked_channel(event):
            self.leaving.drop(self.place_of(channel_id))
        elif closed := closed_by(event.payload, self.workspace.identity()):
            self.leaving.settle(closed, is_told=True)
        else:
            self._bring_up_to_date(event)

    def _bring_up_to_date(self, event: Event) -> None:
        us = self.workspace.identity()
        if touched := touched_by(event.payload, us):
            self._refresh(touched)
        elif opened := opened_by(event.payload, us):
            self._if_in(opened, self._enter)
        elif changes_history(event):
            self._read_anew(channel_of(event))
        elif moved := moved_channel(event):
            self._move(moved[1])
        elif renamed := renamed_channel(event):
            self._if_in(renamed, self._rename)
        elif file_id := file_of(event.payload):
            self._follow(event.payload, file_id)

    def give_up(self, event: Event, incident: str) -> None:
        """Note that the index lacks something of the channel, and have it read again as a whole, at the latest when
        Footnote starts again; and have compared what the event said of channels."""
        self.reconcile_soon()
        if file_id := file_of(event.payload):
            self.files.check(file_id)
        touched = touched_by(event.payload, self.workspace.identity())
        before = self.progress.of(self.place_of(touched.channel_id)) if touched else None
        if touched and before:
            error = f"An event could not be dealt with (incident {incident})."
            self.progress.write(replace(before, state=ReadingState.FAILED, error=error))
            with suppress(SlackError):  # as long as it can't be asked, the next start will do
                self.read_later(self.workspace.conversation(touched.channel_id))

    def _refresh(self, touched: Touched) -> None:
        self._if_in(touched.channel_id, lambda conversation: self.reader.refresh(conversation, touched.root_ts))

    def _if_in(self, channel_id: str, act: Callable[[Conversation], None]) -> None:
        """Do something with a channel that Footnote is in; one that it turns out not to be in, it leaves."""
        try:
            conversation = self.workspace.conversation(channel_id)
            if conversation.is_joined and conversation.kind is not ConversationKind.DM:
                act(conversation)
            is_out = not conversation.is_joined
        except SlackDenied as denied:
            log.info("channel %s can't be read: %s", channel_id, denied.code)
            is_out = denied.code in OUT
        if is_out:
            self.leaving.settle(channel_id)

    def _enter(self, conversation: Conversation) -> None:
        self.leaving.enter([conversation])
        self.read_later(conversation)

    def _read_anew(self, channel_id: str) -> None:
        """A channel's history was changed as a whole; Slack's own example of that doesn't say which channel's."""
        if channel_id:
            self.progress.renew(self.place_of(channel_id), self.clock())
            self._if_in(channel_id, self.read_later)
        else:
            self.progress.read_anew()
            self.reconcile_soon()

    def _rename(self, conversation: Conversation) -> None:
        self.reader.retitle(conversation)
        self.read_later(conversation)  # what is being read now still has the old name

    def _move(self, new: str) -> None:
        """A channel has another id, which was written down when the event came; its links are made anew."""
        self.leaving.drop_doubles()
        self._if_in(new, self.read_later)

    def _follow(self, event: Payload, file_id: str) -> None:
        """What an event says of a file; it is asked for anew, but what takes something away counts at once.

        The messages that carry it are read again too: they say its name, or that it was there.
        """
        kind, channel_id = string(event, "type"), string(event, "channel_id")
        if kind == "file_deleted":
            self.files.withdraw(file_id)
            self._refresh_carrying(file_id)
            self.files.delete(file_id)
            return
        if kind == "file_unshared":
            self.files.unshare(file_id, channel_id)
        elif kind == "file_change":
            self.files.change(file_id)
        elif kind == "file_shared":
            for share in self.files.shares_in(file_id, channel_id):
                self._refresh(Touched(share.channel_id, share.root_ts))
        if kind in ("file_unshared", "file_change"):
            self._refresh_carrying(file_id)
        self.files.check(file_id)

    def _refresh_carrying(self, file_id: str) -> None:
        for place, root_ts in {(place, post.root_ts) for place, post in self.files.posts_of(file_id)}:
            if known := self.progress.of(place):
                self._refresh(Touched(known.channel_id, root_ts))


def touched_by(event: Payload, us: Identity) -> Touched | None:
    """The message whose words an event says have changed; None where it says nothing of the kind."""
    if string(event, "type") != "message" or string(event, "channel_type") == "im":
        return None
    subtype = string(event, "subtype")
    message = child(event, "message") if subtype in _NESTED else event
    if subtype == "message_deleted":
        message = child(event, "previous_message") or {"ts": string(event, "deleted_ts")}
    if subtype == "message_changed" and _says_the_same(message, child(event, "previous_message"), us):
        return None
    root_ts = string(message, "thread_ts") or string(message, "ts") or string(event, "deleted_ts")
    channel_id = string(event, "channel")
    return Touched(channel_id, root_ts) if channel_id and root_ts else None


def opened_by(event: Payload, us: Identity) -> str:
    """The channel that Footnote joined."""
    joined = string(event, "type") == "member_joined_channel" and string(event, "user") == us.user_id
    return string(event, "channel") if joined else ""


def file_of(event: Payload) -> str:
    """The file that an event is about; it says no more than its id."""
    is_of_file = string(event, "type") in _OF_FILES
    return (string(event, "file_id") or string(child(event, "file"), "id")) if is_of_file else ""


_OF_FILES = frozenset({"file_change", "file_deleted", "file_public", "file_shared", "file_unshared"})
_NESTED = frozenset({"message_changed", "message_replied"})


class _Ids:
    """Ids as names, where two texts are only compared."""

    def person(self, user_id: str) -> str:
        return user_id

    def channel(self, channel_id: str) -> str:
        return channel_id

    def group(self, group_id: str) -> str:
        return group_id


def _says_the_same(after: Payload, before: Payload, us: Identity) -> bool:
    """Whether an edit left words and files as they were (an unfurl, a reply's count), or is one of our own post."""
    if is_ours(parse(after, ""), us):
        return True
    old, new = parse(before, ""), parse(after, "")
    same = readable(old, _Ids()) == readable(new, _Ids()) and carried_files(old) == carried_files(new)
    return bool(before) and same and (old.subtype, old.edited_ts) == (new.subtype, new.edited_ts)
