"""Lets people decide what Footnote reads, uses and says: by buttons, each checked for whoever presses it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.access.deciding import Live, channel_to_decide_about
from bot.errors import SlackDenied
from bot.slack.asking import usual_notices
from bot.slack.decisions import (
    LEAVE_MINE_OUT_ACTION,
    USE_MINE_ACTION,
    Decision,
    button,
    channel_of,
    has_seen,
    own_button,
    standing_of,
)
from bot.slack.interactions import Press
from bot.slack.notices import NoticeBoard
from bot.slack.pressing import Act
from bot.slack.replies import Button, Post, note
from bot.slack.telling import Telling
from bot.state.choices import Choice, Choices, Chosen
from bot.texts import (
    MINE_LEFT_OUT,
    MINE_USED,
    NOT_YOURS_TO_DECIDE,
    SHARED_OFFER,
    SHARED_SINCE,
    STAYS_SILENT,
)
from bot.types import Admission, Conversation, PersonKind, Question
from retrieval.types import Place

log = logging.getLogger(__name__)


class Memberships(Live, Protocol):
    """The part of a workspace that says who somebody is, and who and what is in channels."""

    def joined(self) -> tuple[Conversation, ...]: ...

    def conversations_of(self, user_id: str) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Consent:
    """Does what the buttons about channels and about one's own messages are for."""

    team: str
    slack: Memberships
    choices: Choices
    board: NoticeBoard
    telling: Telling
    drop: Callable[[Conversation], object]
    """Takes a channel out of the index."""
    read_later: Callable[[Conversation], None]
    """Has a channel's history read, without waiting for it."""
    recheck: Callable[[Place], None]
    """Takes back from the answers that stand what may no longer stand because of a channel."""
    show_home: Callable[[str], None]
    """Shows somebody their Home tab as it is now."""
    clock: Callable[[], float] = time.time

    @property
    def acts(self) -> Mapping[str, Act]:
        """What each button does, by its `action_id`."""
        own: Mapping[str, Act] = {LEAVE_MINE_OUT_ACTION: self.decide_own, USE_MINE_ACTION: self.decide_own}
        return {**own, **{decision.value: self.decide for decision in Decision}}

    def decide(self, press: Press) -> None:
        """Have a channel be as somebody wants who may decide that; tell anybody else that they may not."""
        decision = Decision(press.action)
        conversation = channel_to_decide_about(channel_of(press), press.user, self.slack)
        if conversation is None:
            self._tell(press, NOT_YOURS_TO_DECIDE if self._may_be_told(press) else "")
        elif decision is Decision.ALLOW and not (conversation.shared_with and has_seen(press, conversation)):
            self._tell(press, SHARED_SINCE)
        else:
            teams = conversation.shared_with if decision is Decision.ALLOW else frozenset[str]()
            place = conversation.place
            chosen = Chosen(self.team, decision.choice, place, decision.holds, press.user, self._at(press), teams)
            if self.choices.make(chosen):
                log.info("channel %s: %s by %s", conversation.id, decision.value, press.user)
            self._follow(decision, conversation, press)
            self._tell(press, STAYS_SILENT if decision is Decision.CLOSE else "")

    def decide_own(self, press: Press) -> None:
        """Use somebody's own messages or not, from now on, and read again where they may stand."""
        holds = press.action == LEAVE_MINE_OUT_ACTION
        theirs = self._channels_of(press.user)
        channels = sorted(self.slack.joined(), key=lambda channel: channel.id not in theirs)
        chosen = Chosen(self.team, Choice.UNUSED, press.user, holds, press.user, self._at(press))
        if self.choices.make(chosen, [channel.place for channel in channels]):
            log.info("messages of %s: %s", press.user, press.action)
        for channel in channels:
            self.read_later(channel)
        text = MINE_LEFT_OUT if holds else MINE_USED
        self._tell(press, text if self._may_be_told(press) else "", (own_button(is_unused=holds),))

    def offer(self, conversation: Conversation) -> tuple[Post, ...]:
        """What is said, alone, to a member who wants answers in a shared channel in which none may be given."""
        decided = self.choices.last(self.team, Choice.APPROVED, conversation.place)
        if decided and not decided.holds:
            return note(STAYS_SILENT)
        asked = (button(Decision.ALLOW, conversation), button(Decision.CLOSE, conversation))
        return note(f"{SHARED_SINCE} {SHARED_OFFER}" if decided else SHARED_OFFER, asked)

    def notices(self, question: Question, admission: Admission) -> tuple[Post, ...]:
        """What whoever isn't answered is told, alone."""
        if admission is not Admission.NEEDS_APPROVAL:
            return usual_notices(question, admission)
        conversation = channel_to_decide_about(question.channel, question.asker, self.slack)
        return self.offer(conversation) if conversation and conversation.shared_with else ()

    def _follow(self, decision: Decision, conversation: Conversation, press: Press) -> None:
        """Bring about what holds now, which may be what somebody else has decided since this was pressed."""
        standing = standing_of(conversation, self.choices, self.team)
        if decision.choice is Choice.LEFT_OUT:
            follow = self.drop if standing.is_left_out else self.read_later
            follow(conversation)
            self.recheck(conversation.place)
        if decision is Decision.ALLOW and not standing.is_silent and not self.board.has_told(conversation):
            self.board.tell(conversation, press.id)
        self.board.renew(conversation)

    def _channels_of(self, user: str) -> frozenset[str]:
        """Those that somebody is in; none of whom Slack doesn't say it."""
        try:
            return self.slack.conversations_of(user)
        except SlackDenied:
            return frozenset()

    def _may_be_told(self, press: Press) -> bool:
        """Whether somebody hears anything where they pressed: of those who aren't ours, nobody where we are silent."""
        if not press.channel:
            return True
        try:
            if self.slack.person(press.user).kind in (PersonKind.MEMBER, PersonKind.GUEST):
                return True
            return not standing_of(self.slack.conversation(press.channel), self.choices, self.team).is_silent
        except SlackDenied:
            return False

    def _at(self, press: Press) -> float:
        return press.at or self.clock()

    def _tell(self, press: Press, text: str, buttons: tuple[Button, ...] = ()) -> None:
        """Say it to whoever pressed, alone; in the Home tab it is seen there."""
        if not press.channel:
            self.show_home(press.user)
        elif text:
            self.telling.whisper(press, text, buttons)
