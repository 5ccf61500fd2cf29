"""The inbox's handler for invitations, for channels that change, and for people who open the Home tab."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

from bot.access.deciding import channel_to_decide_about
from bot.errors import SlackDenied
from bot.slack.consent import Consent
from bot.slack.decisions import standing_of
from bot.slack.events import Event, access_change, channel_of
from bot.slack.payloads import Payload, string
from bot.slack.workspace import Identity
from bot.types import Conversation
from retrieval.types import Place

FOUND = "found_in"
"""The type of an event of our own: Footnote finds itself in a channel in which it hasn't said what it reads."""
_LEFT = frozenset({"channel_left", "group_left", "channel_deleted", "group_deleted"})

log = logging.getLogger(__name__)


class Self(Protocol):
    """The part of a workspace that knows who Footnote is."""

    def identity(self) -> Identity: ...


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Says what Footnote reads where it is invited, and shows people what they can decide."""

    workspace: Self
    consent: Consent
    place_of: Callable[[str], Place]

    def handle(self, event: Event) -> None:
        """Say what an event calls for.

        Raises:
            SlackError, StateError: it could not be said; handle the event again.
        """
        us = self.workspace.identity()
        if event.team != us.team:
            return
        channel_id, user = channel_of(event), string(event.payload, "user")
        if event.type == FOUND or (event.type == "member_joined_channel" and user == us.user_id):
            self._arrive(channel_id, event)
        elif event.type in _LEFT or (event.type == "member_left_channel" and user == us.user_id):
            self.consent.board.kept.forget(self.place_of(channel_id))
        elif event.type == "app_home_opened" and string(event.payload, "tab") == "home":
            self.consent.show_home(user)
        elif (change := access_change(event)) and change.is_of_channel:
            self._renew(channel_id)

    def give_up(self, event: Event, incident: str) -> None:
        """Nobody waits for it: what was not said in a channel is said at the next start, and a Home tab opens again."""

    def untold(self, joined: tuple[Conversation, ...]) -> Iterator[Payload]:
        """Bodies of events, to be kept in the inbox: the channels in which it was never said, or not what holds now."""
        us, board = self.workspace.identity(), self.consent.board
        for conversation in joined:
            if not conversation.is_archived and not board.is_current(conversation):
                event = {"type": FOUND, "channel": conversation.id}
                common = {"type": "event_callback", "api_app_id": us.app_id, "team_id": us.team}
                yield {**common, "event_id": f"{FOUND}:{uuid4().hex}", "event": event}

    def _arrive(self, channel_id: str, event: Event) -> None:
        conversation = self._joined(channel_id)
        if conversation is None:
            return
        board = self.consent.board
        if not standing_of(conversation, self.consent.choices, event.team).is_silent:
            if event.type == FOUND and board.has_told(conversation):
                board.renew(conversation)
            else:
                board.tell(conversation, event.id)
        elif (inviter := string(event.payload, "inviter")) and conversation.shared_with:
            self._ask(conversation, inviter)

    def _ask(self, conversation: Conversation, inviter: str) -> None:
        """Ask whoever invited Footnote to a shared channel, if they may decide, whether it may speak there."""
        if channel_to_decide_about(conversation.id, inviter, self.consent.slack):
            for post in self.consent.offer(conversation):
                self.consent.telling.tell_alone(conversation.id, inviter, post)

    def _renew(self, channel_id: str) -> None:
        conversation = self._joined(channel_id)
        if conversation and not standing_of(conversation, self.consent.choices, self.consent.team).is_silent:
            self.consent.board.renew(conversation)

    def _joined(self, channel_id: str) -> Conversation | None:
        """The channel, unless Footnote is no longer in it."""
        try:
            conversation = self.consent.slack.conversation(channel_id)
        except SlackDenied as denied:
            log.info("channel %s can't be read: %s", channel_id, denied.code)
            return None
        return conversation if conversation.is_joined else None
