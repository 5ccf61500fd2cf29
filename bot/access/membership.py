"""Finds out who will read a reply and what they may open, from facts that are at most a minute old."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from bot.access.facts import Facts
from bot.access.scope import Audience, OpenPlaces, Reader, scope_for
from bot.errors import NOT_THERE, SlackDenied, SlackError
from bot.types import (
    AccessChange,
    Admission,
    Conversation,
    ConversationKind,
    Guests,
    Person,
    PersonKind,
    Question,
    Surface,
)
from retrieval.types import Passage, Place, Scope

FRESH_S = 60.0
"""No fact older than this decides anything."""
CONFIRMED_S = 5.0
"""How old the facts about the asker, the place of a reply and the places of its evidence may be when it is posted."""
_ALL = ""
_NOWHERE = frozenset[Place]()

log = logging.getLogger(__name__)


class People(Protocol):
    """What Slack is asked about people and conversations; each can raise `SlackError`."""

    def person(self, user_id: str) -> Person: ...
    def people(self) -> tuple[Person, ...]: ...
    def conversation(self, channel_id: str) -> Conversation: ...
    def public_channels(self) -> tuple[Conversation, ...]: ...
    def conversations_of(self, user_id: str) -> frozenset[str]: ...
    def members(self, channel_id: str) -> frozenset[str]: ...


def nobody_approved(_conversation: Conversation) -> bool:
    """For workspaces in which nobody can allow answers in shared channels."""
    return False


class Membership:
    """Access by the memberships of one workspace. What can't be read is no access."""

    def __init__(
        self,
        workspace: People,
        places_of: Callable[[str, Collection[str]], Mapping[str, Place]],
        clock: Callable[[], float] = time.monotonic,
        left_out: Callable[[], frozenset[Place]] = frozenset,
        approved: Callable[[Conversation], bool] = nobody_approved,
        guests: Guests = Guests.REFUSE,
    ) -> None:
        """Ask a workspace; nothing is asked of it yet.

        Args:
            workspace: Says who somebody is, and who is in what.
            places_of: Our own ids of conversations, by the team's id and Slack's ids.
            clock: Tells how old facts are, in seconds.
            left_out: The channels of which nothing may be used, as of now.
            approved: Whether somebody has allowed answers in a shared channel, as long as it is shared with nobody
                else.
            guests: Whether they are answered.
        """
        self._places_of = places_of
        self._left_out = left_out
        self._approved = approved
        guests_hear = Admission.ADMITTED if guests is Guests.ANSWER else Admission.TOLD_NO
        self._admissions = {PersonKind.MEMBER: Admission.ADMITTED, PersonKind.GUEST: guests_hear}
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
        """Whether the asker is answered where they ask; not where Slack knows no such place or person.

        Raises:
            SlackError: that can't be known now.
        """
        try:
            kind = self._person.get(question.asker, FRESH_S).kind
            is_alone = question.surface is Surface.DM
            here = None if is_alone else self._conversation.get(question.channel, FRESH_S)
        except SlackDenied as denied:
            if denied.code not in NOT_THERE:
                raise
            return Admission.SILENCE
        if here is not None and here.is_shared:
            return self._admission_in_shared(here, kind)
        return self._admissions.get(kind, Admission.SILENCE)

    def _admission_in_shared(self, here: Conversation, kind: PersonKind) -> Admission:
        if self._is_approved(here):
            return {**self._admissions, PersonKind.OUTSIDER: Admission.OUTSIDER_TOLD_NO}.get(kind, Admission.SILENCE)
        can_be_approved = bool(here.shared_with) and kind is PersonKind.MEMBER
        return Admission.NEEDS_APPROVAL if can_be_approved else Admission.SILENCE

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
        evidence = _NOWHERE.union(*(passage.places for passage in passages))
        scope = self._scope(question, CONFIRMED_S, evidence)
        return all(scope.admits(passage.places) for passage in passages)

    def _scope(self, question: Question, max_age_s: float, evidence: frozenset[Place] = _NOWHERE) -> Scope:
        """What they may read of what may be used: nothing of channels whose people don't want to be read."""
        try:
            scope, left_out = scope_for(self._audience(question, max_age_s, evidence)), self._left_out()
        except SlackError as error:
            log.warning("no scope for question %s %s: %s", question.channel, question.ts, error)
            return Scope(question.team, frozenset())
        return Scope(scope.team, frozenset(may_open - left_out for may_open in scope.readers))

    def _audience(self, question: Question, max_age_s: float, evidence: frozenset[Place]) -> Audience:
        here = None
        if question.surface is Surface.DM:
            readers = [self._alone(question, max_age_s)]
        else:
            here = self._conversation.get(question.channel, max_age_s)
            readers = self._readers_in(here, question.team, max_age_s)
        places, is_approved = self._open_places(evidence), here is not None and self._is_approved(here)
        return Audience(question.team, here, frozenset(readers), places, is_approved)

    def _alone(self, question: Question, max_age_s: float) -> Reader:
        asker = self._person.get(question.asker, max_age_s)
        return Reader(asker.kind, self._places_with(asker, question.team, max_age_s))

    def _readers_in(self, here: Conversation, team: str, max_age_s: float) -> list[Reader]:
        """Everybody in a channel who is no full member; that they are in this one is known by its own list.

        Nobody has to be known where it is shared: of all that could be used there, whoever is in it may open it, and
        hundreds of people of other organisations would have to be asked for one by one.
        """
        if here.is_shared:
            return []
        people = [self._known(user_id) for user_id in self._members.get(here.id, max_age_s)]
        others = [person for person in people if person.is_reader and person.kind is not PersonKind.MEMBER]
        is_here = frozenset({here.place})
        return [Reader(person.kind, is_here | self._places_with(person, team, FRESH_S)) for person in others]

    def _places_with(self, person: Person, team: str, max_age_s: float) -> frozenset[Place]:
        """Where somebody is; nowhere where that can't be read."""
        try:
            channels = self._conversations_of.get(person.id, max_age_s) if person.kind is not PersonKind.NOBODY else ()
        except SlackError as error:
            log.warning("no conversations of %s: %s", person.id, error)
            channels = ()
        return frozenset(self._places_of(team, channels).values())

    def _known(self, user_id: str) -> Person:
        """Somebody of the workspace by the list of all, which is one call for many; anybody else alone."""
        listed = {} if user_id in self._changed else self._people.get(_ALL, FRESH_S)
        return listed.get(user_id) or self._person.get(user_id, FRESH_S)

    def _is_approved(self, here: Conversation) -> bool:
        """Where Slack does not name with whom it is shared, nobody can have known whom they let read along."""
        return here.is_shared and bool(here.shared_with) and self._approved(here)

    def _open_places(self, evidence: frozenset[Place]) -> OpenPlaces:
        """The public channels, those that give evidence only if Slack says now that they are."""
        listed = self._listed_as_public()
        are_open = (one for one in listed if _is_open(one) and (one.place not in evidence or self._is_still_open(one)))
        shared = frozenset(channel.place for channel in listed if channel.is_shared)
        return OpenPlaces(frozenset(channel.place for channel in are_open), shared)

    def _listed_as_public(self) -> tuple[Conversation, ...]:
        """None where they can't be read."""
        try:
            return self._public.get(_ALL, FRESH_S)
        except SlackError as error:
            log.warning("no public channels: %s", error)
            return ()

    def _is_still_open(self, channel: Conversation) -> bool:
        try:
            return _is_open(self._conversation.get(channel.id, CONFIRMED_S))
        except SlackError as error:
            log.warning("no evidence of %s: %s", channel.id, error)
            return False


def _is_open(channel: Conversation) -> bool:
    """Whether every full member may open it."""
    return channel.kind is ConversationKind.PUBLIC and not channel.is_shared
