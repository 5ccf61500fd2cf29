"""Who is calling, and which conversations Slack lets them see, read and write."""

from dataclasses import dataclass
from enum import StrEnum

from sandbox.state import Channel, ChannelKind, Person, PersonKind, Workspace
from sandbox.types import Refused


class TokenKind(StrEnum):
    """Whose token it is."""

    BOT = "bot"
    PERSON = "person"
    APP = "app"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever holds the token; the app's own token acts as nobody."""

    kind: TokenKind
    person: Person
    scopes: frozenset[str]

    @property
    def is_bot(self) -> bool:
        return self.kind is TokenKind.BOT

    def need(self, *scopes: str) -> None:
        """Refuse unless one of these scopes was granted; a person's token has them all."""
        if self.kind is TokenKind.BOT and not self.scopes.intersection(scopes):
            raise Refused("missing_scope", {"needed": ",".join(scopes), "provided": ",".join(sorted(self.scopes))})


_SCOPE_PREFIX = {
    ChannelKind.PUBLIC: "channels",
    ChannelKind.PRIVATE: "groups",
    ChannelKind.GROUP_DM: "mpim",
    ChannelKind.DM: "im",
}


def scope_for(kind: ChannelKind, verb: str) -> str:
    """The scope for this kind of conversation: `groups:history` for a private one and "history"."""
    return f"{_SCOPE_PREFIX[kind]}:{verb}"


def may_see(person: Person, channel: Channel, home_team: str) -> bool:
    """Whether the conversation exists at all for somebody."""
    if person.id in channel.members:
        return True
    full = person.kind in (PersonKind.MEMBER, PersonKind.BOT) and person.team == home_team
    return channel.kind is ChannelKind.PUBLIC and full


def visible(workspace: Workspace, caller: Caller, channel_id: str) -> Channel:
    """The conversation, or Slack's answer to somebody who may not know of it."""
    channel = workspace.channels.get(channel_id)
    if channel is None or not may_see(caller.person, channel, workspace.team.id):
        raise Refused("channel_not_found")
    return channel


def described(workspace: Workspace, caller: Caller, channel_id: str) -> Channel:
    """A conversation whose description and members the caller may have."""
    channel = visible(workspace, caller, channel_id)
    caller.need(scope_for(channel.kind, "read"))
    return channel


def readable(workspace: Workspace, caller: Caller, channel_id: str) -> Channel:
    """A conversation whose messages the caller may have; a bot must be in it."""
    channel = visible(workspace, caller, channel_id)
    caller.need(scope_for(channel.kind, "history"))
    if caller.is_bot and caller.person.id not in channel.members:
        raise Refused("not_in_channel")
    return channel


def joined(workspace: Workspace, caller: Caller, channel_id: str) -> Channel:
    """A conversation that the caller is in."""
    channel = visible(workspace, caller, channel_id)
    if caller.person.id not in channel.members:
        raise Refused("not_in_channel")
    return channel


def writable(workspace: Workspace, caller: Caller, channel_id: str) -> Channel:
    """A conversation where the caller may post now."""
    channel = visible(workspace, caller, channel_id)
    if caller.person.id not in channel.members and not _may_post_outside(caller, channel):
        raise Refused("not_in_channel")
    if channel.archived:
        raise Refused("is_archived")
    return channel


def _may_post_outside(caller: Caller, channel: Channel) -> bool:
    return caller.is_bot and channel.kind is ChannelKind.PUBLIC and "chat:write.public" in caller.scopes
