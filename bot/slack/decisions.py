"""What can be decided about a channel, as buttons, and what has been decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

from bot.slack.interactions import Press
from bot.slack.replies import Button
from bot.state.choices import Choice, Choices
from bot.texts import ALLOW, CLOSE, GIVE_TO_MODEL, KEEP_FROM_MODEL, LEAVE_MINE_OUT, LEAVE_OUT, READ_AGAIN, USE_MINE
from bot.types import Conversation


class Decision(Enum):
    """A button about a channel, by its `action_id`."""

    LEAVE_OUT = "consent:leave_out"
    READ_AGAIN = "consent:read_again"
    KEEP_FROM_MODEL = "consent:keep_from_model"
    GIVE_TO_MODEL = "consent:give_to_model"
    ALLOW = "consent:allow"
    CLOSE = "consent:close"

    @property
    def choice(self) -> Choice:
        """What it decides."""
        return _CHOICES[self][0]

    @property
    def holds(self) -> bool:
        """Whether it makes the choice, or takes it back."""
        return _CHOICES[self][1]


_CHOICES = {
    Decision.LEAVE_OUT: (Choice.LEFT_OUT, True),
    Decision.READ_AGAIN: (Choice.LEFT_OUT, False),
    Decision.KEEP_FROM_MODEL: (Choice.NEVER_TO_MODEL, True),
    Decision.GIVE_TO_MODEL: (Choice.NEVER_TO_MODEL, False),
    Decision.ALLOW: (Choice.APPROVED, True),
    Decision.CLOSE: (Choice.APPROVED, False),
}
_LABELS = {
    Decision.LEAVE_OUT: LEAVE_OUT,
    Decision.READ_AGAIN: READ_AGAIN,
    Decision.KEEP_FROM_MODEL: KEEP_FROM_MODEL,
    Decision.GIVE_TO_MODEL: GIVE_TO_MODEL,
    Decision.ALLOW: ALLOW,
    Decision.CLOSE: CLOSE,
}


LEAVE_MINE_OUT_ACTION = "consent:leave_mine_out"
USE_MINE_ACTION = "consent:use_mine"


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for a channel now."""

    is_left_out: bool
    is_withheld: bool
    """From language models."""
    is_shared: bool
    is_approved: bool
    can_be_approved: bool
    """Whether Slack says with whom it is shared: nobody approves the unknown."""

    @property
    def is_silent(self) -> bool:
        """Whether nothing may be said there."""
        return self.is_shared and not self.is_approved

    def open_to(self, has_model: bool) -> list[Decision]:
        """What can be decided as it stands, where there is a language model or none."""
        if self.is_left_out:
            return [Decision.READ_AGAIN]
        about_models = [Decision.GIVE_TO_MODEL if self.is_withheld else Decision.KEEP_FROM_MODEL]
        about_sharing = [Decision.CLOSE if self.is_approved else Decision.ALLOW]
        decisions = [Decision.LEAVE_OUT, *(about_models if has_model else ())]
        return [*decisions, *(about_sharing if self.can_be_approved else ())]


def standing_of(conversation: Conversation, choices: Choices, team: str) -> Standing:
    """What has been decided about a channel."""
    return Standing(
        conversation.place in choices.left_out_places(team),
        conversation.place in choices.places_never_to_model(team),
        conversation.is_shared,
        _is_approved(conversation, choices.approved_places(team).get(conversation.place, frozenset())),
        conversation.is_shared and bool(conversation.shared_with),
    )


def _is_approved(conversation: Conversation, approved_for: frozenset[str]) -> bool:
    """Whether a shared channel may be answered in: it is shared with nobody who was not there when that was decided."""
    return bool(conversation.shared_with) and conversation.shared_with <= approved_for


def button(decision: Decision, conversation: Conversation) -> Button:
    """The button of a decision; its value says about which channel, and with whom it was shared when it was shown."""
    return Button(decision.value, f"{conversation.id} {_seen(conversation)}", _LABELS[decision])


def own_button(*, is_unused: bool) -> Button:
    """What can be decided about one's own messages, used or not."""
    return Button(USE_MINE_ACTION, "-", USE_MINE) if is_unused else Button(LEAVE_MINE_OUT_ACTION, "-", LEAVE_MINE_OUT)


def channel_of(press: Press) -> str:
    """The channel that a button is about: where it stands, or in the Home tab, where it stands nowhere, its value's."""
    return press.channel or press.value.partition(" ")[0]


def has_seen(press: Press, conversation: Conversation) -> bool:
    """Whether the channel is shared with the same as when the button was shown."""
    return press.value.partition(" ")[2] == _seen(conversation)


def _seen(conversation: Conversation) -> str:
    return sha256(" ".join(sorted(conversation.shared_with)).encode()).hexdigest()[:16]
