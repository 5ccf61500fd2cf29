"""Takes back from posted answers what may no longer stand, as soon as an event says that something may have changed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from bot.errors import SlackDenied, SlackError
from bot.slack.events import Event, access_change, revoked_channel, tells_of_lost_events
from bot.slack.grounds import Grounds, Scopes
from bot.slack.messages import Message, carried_files, parse
from bot.slack.payloads import Payload, child, string
from bot.slack.posting import Poster
from bot.slack.redacting import redactions
from bot.slack.threads import THREAD_IS_GONE
from bot.state.answers import KEEP_S, Answers
from bot.state.posted import PostedAnswer
from bot.types import AccessChange, Person, PersonKind
from retrieval.errors import RetrievalError
from retrieval.types import Place

LOST_S = 24 * 3600.0
"""Where Slack says that events were lost, the answers of the last day are looked at, as after a start."""

log = logging.getLogger(__name__)

Look = Callable[[PostedAnswer], frozenset[int]]
"""The markers of an answer that may no longer stand."""


class Workspace(Protocol):
    """What is read of a workspace to find the answers that an event concerns, and to see what they show."""

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]: ...

    def person(self, user_id: str) -> Person: ...

    def conversations_of(self, user_id: str) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Withdrawing:
    """The inbox's handler for what makes answers untrue; also looks at answers that no event has spoken of.

    What an event says is only a reason to look: whether something may stand is always read anew, so that events may
    come in any order and as often as they like.
    """

    answers: Answers
    grounds: Grounds
    workspace: Workspace
    poster: Poster
    place_of: Callable[[str], Place]
    source_of_file: Callable[[str], str]
    """The id of the source that a shared file is."""
    clock: Callable[[], float]
    _editing: threading.RLock = field(default_factory=threading.RLock)
    """A message is read, changed and written back: two at once would bring back what the other one took."""

    def handle(self, event: Event) -> None:
        """Take back what an event has made untrue.

        Raises:
            SlackError, RetrievalError, StateError: something could not be looked at or taken back; handle it again.
        """
        self._each(self._concerned(event))

    def give_up(self, event: Event, incident: str) -> None:
        """Nobody waits for it, so it is tried on; what never works is found by the next round of looks."""
        log.error("incident %s: what answers show is not checked yet", incident)
        self.handle(event)

    def recheck(self, answer_id: str) -> None:
        """Look at an answer of which something may have changed while it was being posted."""
        if answer := self.answers.get(answer_id):
            self._each([(answer, partial(self.grounds.fallen, scopes=self.grounds.scopes()))])

    def recheck_place(self, place: Place) -> None:
        """Look at all answers of a channel, and at those that cite it: its people have decided something about it.

        Raises:
            SlackError, RetrievalError, StateError: not everything could be looked at or taken back.
        """
        look = partial(self.grounds.by_readers, scopes=self.grounds.scopes())
        self._each((answer, look) for answer in self.answers.concerning(place))

    def look_round(self, window_s: float, most: int | None = None) -> None:
        """Look at the answers of so many last seconds, in case an event was lost; at the longest unseen first.

        Raises:
            SlackError, RetrievalError, StateError: not everything could be looked at or taken back.
        """
        now, scopes = self.clock(), self.grounds.scopes()
        self.answers.forget(now - KEEP_S)

        def look(answer: PostedAnswer) -> frozenset[int]:
            fallen = self.grounds.fallen(answer, scopes)
            self.answers.note_look(answer.id, now)
            return fallen

        recent = (*self.answers.unsettled(most), *self.answers.since(now - window_s, most))
        self._each((answer, look) for answer in recent)

    def _each(self, concerned: Iterable[tuple[PostedAnswer, Look]]) -> None:
        """Look at each, whatever becomes of the others."""
        failure: SlackError | RetrievalError | None = None
        for answer, look in concerned:
            try:
                self._look_at(answer, look)
            except (SlackError, RetrievalError) as error:
                failure = failure or error
        if failure:
            raise failure

    def _look_at(self, answer: PostedAnswer, look: Look) -> None:
        if answer.is_posting:
            self.answers.touch(answer.id)  # before the look, or what is posted meanwhile would be missed
        fallen = look(answer)
        if fallen:
            self.answers.fall(answer.id, fallen)  # before it is taken away, so that no crash can come between
        if fallen or not answer.is_settled:
            self._settle(answer.id)

    def _settle(self, answer_id: str) -> None:
        """Have the messages show nothing that has fallen."""
        with self._editing:
            while (answer := self.answers.get(answer_id)) and self._take_back(answer):
                if self.answers.settle(answer.id, answer.fallen):
                    return

    def _take_back(self, answer: PostedAnswer) -> bool:
        """Whether nothing that has fallen is shown any more, as far as Footnote can say."""
        try:
            changes = redactions(self._messages(answer), answer.fallen)
            for change in changes:
                if change.post:
                    self.poster.replace(answer.channel, change.ts, change.post)
                else:
                    self.poster.delete(answer.channel, change.ts)
        except SlackDenied as denied:
            log.warning(
                "answer %s in %s can't be reached to take something back: %s", answer.id, answer.channel, denied
            )
            return False
        log.info("answer %s in %s: %d messages changed", answer.id, answer.channel, len(changes))
        return True

    def _messages(self, answer: PostedAnswer) -> tuple[Message, ...]:
        try:
            thread = self.workspace.replies(answer.channel, answer.root_ts)
        except SlackError as error:
            if error.code != THREAD_IS_GONE:
                raise
            return ()
        return tuple(message for message in thread if message.ts in answer.posts)

    def _concerned(self, event: Event) -> Iterator[tuple[PostedAnswer, Look]]:
        """The answers that an event may have made untrue, and how to look at each."""
        scopes = self.grounds.scopes()
        if changed := changed_message(event.payload):
            yield from self._by_message(string(event.payload, "channel"), changed)
        for file_id in files_of(event.payload):
            look = partial(self.grounds.by_file, file_id=file_id, scopes=scopes)
            yield from ((answer, look) for answer in self.answers.resting_on_source(self.source_of_file(file_id)))
        if tells_of_lost_events(event):
            look = partial(self.grounds.fallen, scopes=scopes)
            yield from ((answer, look) for answer in self.answers.since(self.clock() - LOST_S))
        elif channel := revoked_channel(event) or changed_history(event.payload):
            look = partial(self.grounds.fallen, scopes=scopes)
            yield from ((answer, look) for answer in self.answers.concerning(self.place_of(channel)))
        elif change := access_change(event):
            yield from self._by_access(change, scopes)

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
            return self.workspace.person(user_id).kind
        except SlackDenied:
            return PersonKind.NOBODY

    def _channels_of(self, user_id: str) -> frozenset[str]:
        try:
            return self.workspace.conversations_of(user_id)
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
