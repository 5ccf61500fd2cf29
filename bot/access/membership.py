"""Finds out who will read a reply and what they may open, from facts that are at most a minute old."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from bot.access.facts import Facts
from bot.access.scope import OpenPlaces, Reader, scope_in_conversation, scope_in_dm
from bot.errors import SlackError
from bot.types import AccessChange, Admission, Conversation, Person, PersonKind, Question, Surface
from retrieval.types import Passage, Place, Scope

FRESH_S = 60.0
"""No fact older than this decides anything."""
CONFIRMED_S = 5.0
"""How old the facts about the asker and the place of a reply may be when it is posted."""
_ADMISSIONS = {PersonKind.MEMBER: Admission.ADMITTED, PersonKind.GUEST: Admission.TOLD_NO}
_ALL = ""

log = logging.getLogger(__name__)


class People(Protocol):
    """What Slack is asked about people and conversations; each can raise `SlackError`."""

    def person(self, user_id: str) -> Person: ...
    def people(self) -> tuple[Person, ...]: ...
    def conversation(self, channel_id: str) -> Conversation: ...
    def public_channels(self) -> tuple[Conversation, ...]: ...
    def conversations_of(self, user_id: str) -> frozenset[str]: ...
    def members(self, channel_id: str) -> frozenset[str]: ...


class Membership:
    """Access by the memberships of one workspace. What can't be read is no access."""

    def __init__(
        self,
        workspace: People,
        places_of: Callable[[str, Collection[str]], Mapping[str, Place]],
        clock: Callable[[], float] = time.monotonic,
        left_out: Callable[[], frozenset[Place]] = frozenset,
    ) -> None:
        self._places_of = places_of
        self._left_out = left_out
        self._person = Facts(workspace.person, clock)
        self._people: Facts[str, dict[str, Person]] = Facts(
            lambda _: {person.id: person for person in workspace.people()}, clock
        )
        self._conversation = Facts(workspace.conversation, clock)
        self._public: Facts[str, tuple[Conversation, ...]] = Facts(lambda _: workspace.public_channels(), clock)
        self._conversations_of = Facts(workspace.conversations_of, clock)
        self._members = Facts(workspace.members, clock)
        self._changed: set[str] = set()
        """Whom the list of all may know as they were; in a busy workspace somebody changes every minute."""

    def may_ask(self, question: Question) -> Admission:
        """Whether the asker is answered where they ask.

        Raises:
            SlackError: that can't be known now.
        """
        if question.surface is Surface.CHANNEL and self._conversation.get(question.channel, FRESH_S).is_shared:
            return Admission.SILENCE
        kind = self._person.get(question.asker, FRESH_S).kind
        return _ADMISSIONS.get(kind, Admission.SILENCE)

    def forget(self, change: AccessChange | None) -> None:
        """Rely no more on what was known of a channel or a person before it changed; None is no change."""
        if change is None:
            return
        if change.user:
            self._person.forget(change.user)
            self._conversations_of.forget(change.user)
            self._changed.add(change.user)
        if change.channel:
            self._members.forget(change.channel)
        if change.is_of_channel:
            self._conversation.forget(change.channel)
            self._public.forget(_ALL)
            self._conversations_of.forget_all()  # with another id, or gone, it stands in everybody's list

    def scope_of(self, question: Question) -> Scope:
        """What every reader of the reply, present or later, may read; empty where that can't be known."""
        return self._scope(question, FRESH_S)

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool:
        """Whether each of the passages may be shown in the reply, by what Slack says now."""
        scope = self._scope(question, CONFIRMED_S)
        return all(scope.admits(passage.places) for passage in passages)

    def _scope(self, question: Question, max_age_s: float) -> Scope:
        """What they may read of what may be used: nothing of channels whose people don't want to be read."""
        scope, left_out = self._readable(question, max_age_s), self._left_out()
        return Scope(scope.team, frozenset(may_open - left_out for may_open in scope.readers))

    def _readable(self, question: Question, max_age_s: float) -> Scope:
        try:
            if question.surface is Surface.DM:
                asker = self._person.get(question.asker, max_age_s)
                return scope_in_dm(question.team, self._reader(question.team, asker, max_age_s), self._open_places())
            return self._scope_in_channel(question, max_age_s)
        except SlackError as error:
            log.warning("no scope for question %s %s: %s", question.channel, question.ts, error)
            return Scope(question.team, frozenset())

    def _scope_in_channel(self, question: Question, max_age_s: float) -> Scope:
        conversation = self._conversation.get(question.channel, max_age_s)
        people = [self._known(user_id) for user_id in self._members.get(question.channel, max_age_s)]
        others = [person for person in people if person.is_reader and person.kind is not PersonKind.MEMBER]
        readers = [self._reader(question.team, person, max_age_s) for person in others]
        return scope_in_conversation(question.team, conversation, readers, self._open_places())

    def _reader(self, team: str, person: Person, max_age_s: float) -> Reader:
        """Somebody with what they are in; with nothing where that can't be read."""
        if person.kind is PersonKind.NOBODY:
            return Reader(person.kind, frozenset())
        try:
            channels = self._conversations_of.get(person.id, max_age_s)
        except SlackError as error:
            log.warning("no conversations of %s: %s", person.id, error)
            channels = frozenset()
        return Reader(person.kind, frozenset(self._places_of(team, channels).values()))

    def _known(self, user_id: str) -> Person:
        """Somebody of the workspace by the list of all, which is one call for many; anybody else alone."""
        listed = {} if user_id in self._changed else self._people.get(_ALL, FRESH_S)
        return listed.get(user_id) or self._person.get(user_id, FRESH_S)

    def _open_places(self) -> OpenPlaces:
        """The public channels; none where they can't be read."""
        try:
            channels = self._public.get(_ALL, FRESH_S)
        except SlackError as error:
            log.warning("no public channels: %s", error)
            channels = ()
        return OpenPlaces(
            public=frozenset(channel.place for channel in channels if not channel.is_shared),
            shared=frozenset(channel.place for channel in channels if channel.is_shared),
        )
