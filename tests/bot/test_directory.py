"""Ids in a text become names that everybody who reads it may know."""

from __future__ import annotations

import pytest

from bot.errors import SlackDenied, SlackError
from bot.slack.directory import KEPT_S, Directory
from bot.types import Conversation, ConversationKind, Person, PersonKind
from retrieval.types import Place


class Lookups:
    """Knows one person and two channels, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.name = "ann"

    def person(self, user_id: str) -> Person:
        self.asked.append(user_id)
        if user_id == "U0":
            raise SlackError("users.info", "ratelimited")
        if user_id != "U1":
            raise SlackDenied("users.info", "user_not_found")
        return Person(user_id, self.name, PersonKind.MEMBER)

    def conversation(self, channel_id: str) -> Conversation:
        self.asked.append(channel_id)
        kind = ConversationKind.PUBLIC if channel_id == "C1" else ConversationKind.PRIVATE
        return Conversation(channel_id, Place(channel_id), "layoffs", kind)


def test_a_private_channel_is_not_named() -> None:
    """Its very name may be a secret to those who read a message that mentions it."""
    names = Directory(Lookups())
    assert (names.channel("C1"), names.channel("C2"), names.person("U1"), names.person("U9")) == (
        "layoffs",
        "",
        "ann",
        "",
    )


def test_a_name_is_asked_for_once_in_a_while() -> None:
    """Reading a history asks for each person once; a new name shows within ten minutes."""
    lookups, now = Lookups(), [0.0]
    names = Directory(lookups, lambda: now[0])
    assert [names.person("U1") for _ in range(3)] == ["ann"] * 3
    assert lookups.asked == ["U1"]
    lookups.name, now[0] = "anna", KEPT_S + 1
    assert names.person("U1") == "anna"


def test_what_slack_cannot_tell_now_is_no_name() -> None:
    """A text is not written down without its names because Slack was busy."""
    names = Directory(Lookups())
    with pytest.raises(SlackError):
        names.person("U0")
