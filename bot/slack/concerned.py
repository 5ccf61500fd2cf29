"""Finds the answers that an event may have made untrue, and what is to be looked at in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from bot.errors import SlackDenied
from bot.slack.events import Event, access_change, revoked_channel, tells_of_lost_events
from bot.slack.grounds import Grounds, Scopes
from bot.slack.messages import carried_files, parse
from bot.slack.payloads import Payload, child, string
from bot.state.answers import Answers
from bot.state.posted import PostedAnswer
from bot.types import AccessChange, Person, PersonKind
from retrieval.types import Place

LOST_S = 24 * 3600.0
"""Where Slack says that events were lost, the answers of the last day are looked at, as after a start."""

Look = Callable[[PostedAnswer], frozenset[int]]
"""The markers of an answer that may no longer stand."""


class People(Protocol):
    """What is read of a workspace to find the answers that somebody reads."""

    def person(self, user_id: str) -> Person: ...

    def conversations_of(self, user_id: str) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Concerned:
    """Knows whom an event concerns. What it says is a reason to look, and nothing else is made of it."""

    answers: Answers
    grounds: Grounds
    people: People
    place_of: Callable[[str], Place]
    source_of_file: Callable[[str], str]
    """The id of the source that a shared file is."""
    clock: Callable[[], float]

    def by(self, event: Event) -> Iterator[tuple[PostedAnswer, Look]]:
        """The answers that an event concerns, each with how to look at it.

        Raises:
            SlackError: that can't be known now.
        """
        scopes = self.grounds.scopes()
        in_full = partial(self.grounds.fallen, scopes=scopes)
        yield from ((answer, in_full) for answer in self._as_a_whole(event))
        if changed := changed_message(event.payload):
            yield from self._by_message(string(event.payload, "channel"), changed)
        for file_id in files_of(event.payload):
            look = partial(self.grounds.by_file, file_id=file_id, scopes=scopes)
            yield from ((answer, look) for answer in self.answers.resting_on_source(self.source_of_file(file_id)))
        if change := access_change(event):
            yield from self._by_access(change, scopes)

    def _as_a_whole(self, event: Event) -> tuple[PostedAnswer, ...]:
        """Those of which an event says no more than that much has changed, or was lost."""
        if tells_of_lost_events(event):
            return self.answers.since(self.clock() - LOST_S)
        channel = revoked_channel(event) or changed_history(event.payload)
        return self.answers.concerning(self.place_of(channel)) if channel else ()

    def _by_message(self, channel: str, ts: str) -> Iterator[tuple[PostedAnswer, Look]]:
        ref = (self.place_of(channel), ts)
        answers = self.answers.resting_on_message(*ref)
        cited = (message for answer in answers for one in answer.cited for message in one.messages)
        same = [message for message in cited if (message.place, message.ts) == ref]
        look = partial(self.grounds.by_messages, found=self.grounds.now(same[:1]))
        yield from ((answer, look) for answer in answers)

    def _by_access(self, change: AccessChange, scopes: Scopes) -> Iterator[tuple[PostedAnswer, Look]]:
        look = partial(self.grounds.by_readers, scopes=scopes)
        found = self._read_by(change) if change.user else self.answers.concerning(self.place_of(change.channel))
        yield from ((answer, look) for answer in found)

    def _read_by(self, change: AccessChange) -> Iterator[PostedAnswer]:
        """What somebody reads of whom something has changed."""
        place = self.place_of(change.channel) if change.channel else None
        if self._kind(change.user) is PersonKind.MEMBER:  # who comes and goes, and is no other than everybody else
            alone = self.answers.read_by(change.user, ()) if place else ()
            yield from (answer for answer in alone if any(place in one.places for one in answer.cited))
            return
        if place:
            yield from self.answers.concerning(place)
        channels = () if place else self._channels_of(change.user)
        yield from self.answers.read_by(change.user, [self.place_of(channel) for channel in channels])

    def _kind(self, user_id: str) -> PersonKind:
        try:
            return self.people.person(user_id).kind
        except SlackDenied:
            return PersonKind.NOBODY

    def _channels_of(self, user_id: str) -> frozenset[str]:
        try:
            return self.people.conversations_of(user_id)
        except SlackDenied:
            return frozenset()


def changed_message(event: Payload) -> str:
    """The `ts` of the message that was changed or deleted; empty where an event says nothing of the kind."""
    if string(event, "type") != "message":
        return ""
    is_deletion = string(event, "subtype") == "message_deleted"
    changed = string(child(event, "message"), "ts") if string(event, "subtype") == "message_changed" else ""
    return string(event, "deleted_ts") if is_deletion else changed


def changed_history(event: Payload) -> str:
    """The channel of which Slack says that many messages were changed at once; empty where it says nothing of one."""
    is_one = string(event, "type") in ("channel_history_changed", "group_history_changed")
    return string(event, "channel") if is_one else ""


def files_of(event: Payload) -> frozenset[str]:
    """The files that may have been taken away: those of an event about a file, and those of a message that changed."""
    if string(event, "type") in ("file_deleted", "file_unshared", "file_change", "file_public"):
        return frozenset({string(event, "file_id") or string(child(event, "file"), "id")} - {""})
    return frozenset(carried_files(parse(child(event, "previous_message"), "")))
