"""What Footnote reads of a Slack workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slack_sdk import WebClient

from bot.slack.messages import Message
from bot.state.places import Places
from bot.types import Conversation, Person


@dataclass(frozen=True, slots=True)
class Identity:
    """Who Footnote is in this workspace."""

    team: str
    url: str
    """The workspace's address, with a slash at its end."""
    user_id: str
    bot_id: str
    app_id: str


class Workspace:
    """One workspace through Slack's Web API, read as Footnote's bot.

    Every method raises `SlackDenied` where Slack says that Footnote may not read this, and `SlackError` where Slack
    refused otherwise or can't be reached.
    """

    def __init__(self, client: WebClient, places: Places) -> None:
        self._client = client
        self._places = places

    def identity(self) -> Identity:
        """Who Footnote is here, asked once."""
        raise NotImplementedError

    def person(self, user_id: str) -> Person:
        """Somebody, of this workspace or met in a shared channel."""
        raise NotImplementedError

    def people(self) -> tuple[Person, ...]:
        """Everybody of this workspace."""
        raise NotImplementedError

    def conversation(self, channel_id: str) -> Conversation:
        """A channel, group DM or DM."""
        raise NotImplementedError

    def joined(self) -> tuple[Conversation, ...]:
        """The channels and group DMs that Footnote is in, archived ones too."""
        raise NotImplementedError

    def public_channels(self) -> tuple[Conversation, ...]:
        """Every public channel, whether Footnote is in it or not, archived ones too."""
        raise NotImplementedError

    def conversations_of(self, user_id: str) -> frozenset[str]:
        """Ids of the public channels that somebody is in, and of the other conversations (no DMs) shared with us."""
        raise NotImplementedError

    def members(self, channel_id: str) -> frozenset[str]:
        """User ids of everybody in a conversation, bots too."""
        raise NotImplementedError

    def history(self, channel_id: str, oldest: str = "0") -> Iterator[Message]:
        """The messages of a conversation newer than `oldest`, newest first, thread replies left out."""
        raise NotImplementedError

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]:
        """A whole thread, root first."""
        raise NotImplementedError

    def permalink(self, channel_id: str, ts: str, thread_ts: str | None = None) -> str:
        """Where a message opens, written as Slack writes it."""
        raise NotImplementedError
