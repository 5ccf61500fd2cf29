"""Says who may decide about a channel, by what Slack says at that moment and by nothing that is remembered."""

from __future__ import annotations

from typing import Protocol

from bot.errors import SlackDenied
from bot.types import Conversation, ConversationKind, Person, PersonKind


class Live(Protocol):
    """The part of a workspace that says who somebody is and who is in a channel; each asks Slack."""

    def person(self, user_id: str) -> Person: ...

    def conversation(self, channel_id: str) -> Conversation: ...

    def members(self, channel_id: str) -> frozenset[str]: ...


def channel_to_decide_about(channel_id: str, user_id: str, slack: Live) -> Conversation | None:
    """The channel, where somebody may decide about it: a full member who is in it, as Footnote is.

    None for everybody else, and where Slack doesn't let us know.

    Raises:
        SlackError: Slack can't be asked now.
    """
    try:
        conversation = slack.conversation(channel_id)
        is_ours = conversation.is_joined and conversation.kind is not ConversationKind.DM
        is_member = slack.person(user_id).kind is PersonKind.MEMBER
        return conversation if is_ours and is_member and user_id in slack.members(channel_id) else None
    except SlackDenied:
        return None
