"""What Footnote reads of a Slack workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from slack_sdk import WebClient

from bot.errors import SlackDenied, SlackError
from bot.slack.api import SlackApi
from bot.slack.messages import Message, parse
from bot.slack.payloads import Payload, child, flag, string, strings
from bot.state.places import Places
from bot.types import Conversation, ConversationKind, Person, PersonKind
from retrieval.types import Place

PAGE = 200
"""Items asked for at once; Slack recommends no more than 200."""
_KINDS = ("public_channel", "private_channel", "mpim")
_SHARED_FLAGS = ("is_shared", "is_ext_shared", "is_org_shared", "is_pending_ext_shared")
_SHARED_WITH = (
    "connected_team_ids",
    "pending_connected_team_ids",
    "pending_shared",
    "shared_team_ids",
    "internal_team_ids",
)
_KINDS_WITH_MEMBERS = (ConversationKind.PUBLIC, ConversationKind.PRIVATE, ConversationKind.GROUP_DM)
_BOT_FLAGS = ("is_bot", "is_workflow_bot", "is_connector_bot")
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who Footnote is in this workspace."""

    team: str
    url: str
    """The workspace's address, with a slash at its end."""
    user_id: str
    bot_id: str
    app_id: str

    def wrote(self, message: Message) -> bool:
        """Whether a message is Footnote's own."""
        return message.user == self.user_id or bool(message.bot_id and message.bot_id == self.bot_id)


class Workspace:
    """One workspace through Slack's Web API, read as Footnote's bot.

    Every method raises `SlackDenied` where Slack says that Footnote may not read this, and `SlackError` where Slack
    refused otherwise or can't be reached.
    """

    def __init__(self, client: WebClient, places: Places) -> None:
        self._api = SlackApi(client)
        self._places = places

    def identity(self) -> Identity:
        """Who Footnote is here, asked once."""
        return self._identity

    def is_itself(self) -> bool:
        """Whether Slack knows Footnote now as it did when it was first asked."""
        me = self._api.read("auth.test")
        return (string(me, "team_id"), string(me, "user_id")) == (self._identity.team, self._identity.user_id)

    @cached_property
    def _identity(self) -> Identity:
        me = self._api.read("auth.test")
        bot_id = string(me, "bot_id")
        bot = child(self._api.read("bots.info", bot=bot_id), "bot")
        url = string(me, "url").rstrip("/") + "/"
        return Identity(string(me, "team_id"), url, string(me, "user_id"), bot_id, string(bot, "app_id"))

    def person(self, user_id: str) -> Person:
        """Somebody, of this workspace or met in a shared channel."""
        return _person(child(self._api.read("users.info", user=user_id), "user"), self._identity.team)

    def people(self) -> tuple[Person, ...]:
        """Everybody of this workspace."""
        listed = self._api.pages("users.list", "members", limit=PAGE)
        return tuple(_person(user, self._identity.team) for user in listed)

    def conversation(self, channel_id: str) -> Conversation:
        """A channel, group DM or DM."""
        channel = child(self._api.read("conversations.info", channel=channel_id), "channel")
        kind = _kind(channel)
        if kind is None:
            raise SlackError("conversations.info", "unreadable_answer")
        return _conversation(channel, kind, self._places.place_of(self._identity.team, channel_id), self._identity.team)

    def joined(self) -> tuple[Conversation, ...]:
        """The channels and group DMs that Footnote is in, archived ones too."""
        return self._placed(self._listed("users.conversations"), are_joined=True)

    def public_channels(self) -> tuple[Conversation, ...]:
        """Every public channel, whether Footnote is in it or not, archived ones too."""
        listed = self._api.pages("conversations.list", "channels", types="public_channel", limit=PAGE)
        public = self._placed(listed)
        return tuple(conversation for conversation in public if conversation.kind is ConversationKind.PUBLIC)

    def conversations_of(self, user_id: str) -> frozenset[str]:
        """Ids of the public channels that somebody is in, and of the other conversations (no DMs) shared with us."""
        listed = self._listed("users.conversations", user=user_id)
        return frozenset(string(channel, "id") for channel in listed if _kind(channel) in _KINDS_WITH_MEMBERS)

    def members(self, channel_id: str) -> frozenset[str]:
        """User ids of everybody in a conversation, bots too."""
        return frozenset(self._api.id_pages("conversations.members", "members", channel=channel_id, limit=PAGE))

    def history(self, channel_id: str, oldest: str = "0", latest: str = "") -> Iterator[Message]:
        """The messages newer than `oldest`, or from it up to `latest`, newest first, thread replies left out."""
        span: dict[str, object] = {"latest": latest, "inclusive": True} if latest else {}
        found = self._api.pages(
            "conversations.history", "messages", channel=channel_id, oldest=oldest, limit=PAGE, **span
        )
        return (parse(message, channel_id) for message in found)

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]:
        """A whole thread, root first."""
        found = self._api.pages("conversations.replies", "messages", channel=channel_id, ts=thread_ts, limit=PAGE)
        # Every page begins with the root.
        thread = {string(message, "ts"): parse(message, channel_id) for message in found}
        return tuple(thread[ts] for ts in sorted(thread))

    def permalink(self, channel_id: str, ts: str, thread_ts: str | None = None) -> str:
        """Where a message opens, written as Slack writes it."""
        link = f"{self._identity.url}archives/{channel_id}/p{ts.replace('.', '')}"
        return link if thread_ts in (None, ts) else f"{link}?thread_ts={thread_ts}&cid={channel_id}"

    def _listed(self, method: str, **arguments: object) -> tuple[Payload, ...]:
        """Conversations of every kind that the app's scopes reach; private kinds are optional."""
        try:
            return self._of_kinds(method, ",".join(_KINDS), arguments)
        except SlackDenied as denied:
            if denied.code != "missing_scope":
                raise
        return tuple(channel for kind in _KINDS for channel in self._of_granted_kind(method, kind, arguments))

    def _of_granted_kind(self, method: str, kind: str, arguments: Mapping[str, object]) -> tuple[Payload, ...]:
        try:
            return self._of_kinds(method, kind, arguments)
        except SlackDenied as denied:
            if denied.code != "missing_scope":
                raise
            return ()

    def _of_kinds(self, method: str, kinds: str, arguments: Mapping[str, object]) -> tuple[Payload, ...]:
        return tuple(self._api.pages(method, "channels", types=kinds, limit=PAGE, **arguments))

    def _placed(self, listed: Iterable[Payload], are_joined: bool = False) -> tuple[Conversation, ...]:
        channels = {string(channel, "id"): channel for channel in listed}
        kinds = {id_: kind for id_, channel in channels.items() if (kind := _kind(channel))}
        team = self._identity.team
        places = self._places.places_of(team, tuple(kinds))
        return tuple(_conversation(channels[id_], kind, places[id_], team, are_joined) for id_, kind in kinds.items())


def _conversation(
    channel: Payload, kind: ConversationKind, place: Place, team: str, is_joined: bool = False
) -> Conversation:
    shared_with = frozenset(id_ for name in _SHARED_WITH for id_ in strings(channel, name)) - {team}
    return Conversation(
        string(channel, "id"),
        place,
        string(channel, "name"),
        kind,
        is_shared=bool(shared_with) or _may_be_shared(channel, kind),
        is_archived=flag(channel, "is_archived"),
        is_joined=is_joined or flag(channel, "is_member") or kind is ConversationKind.DM,
        shared_with=shared_with,
    )


def _may_be_shared(channel: Payload, kind: ConversationKind) -> bool:
    """Whether Slack does not say in so many words that a conversation is shared with nobody; of DMs it says less."""
    if kind is ConversationKind.DM:
        return any(flag(channel, name) for name in _SHARED_FLAGS)
    return any(channel.get(name) is not False for name in _SHARED_FLAGS)


def _kind(channel: Payload) -> ConversationKind | None:
    """By its flags, public only where Slack says in so many words that it isn't private; None where they don't tell."""
    if flag(channel, "is_im"):
        return ConversationKind.DM
    if flag(channel, "is_mpim"):
        return ConversationKind.GROUP_DM
    if flag(channel, "is_private"):
        return ConversationKind.PRIVATE
    return ConversationKind.PUBLIC if channel.get("is_private") is False else None


def _person(user: Payload, team: str) -> Person:
    profile = child(user, "profile")
    names = (string(profile, "display_name"), string(profile, "real_name"), string(user, "real_name"))
    return Person(
        string(user, "id"),
        next((name for name in names if name), string(user, "name")),
        _person_kind(user, team),
        handle=string(user, "name"),
        tz=string(user, "tz") or "UTC",
        locale=string(user, "locale") or "en-US",
        is_reader=not (_is_bot(user) or flag(user, "deleted")),
    )


def _person_kind(user: Payload, team: str) -> PersonKind:
    """A full member only where Slack says in so many words that somebody is no guest."""
    if _is_bot(user) or flag(user, "deleted") or flag(user, "is_stranger") or not string(user, "team_id"):
        return PersonKind.NOBODY
    if string(user, "team_id") != team:
        return PersonKind.OUTSIDER
    if flag(user, "is_restricted") or flag(user, "is_ultra_restricted") or flag(user, "is_invited_user"):
        return PersonKind.GUEST
    is_full = user.get("is_restricted") is False and user.get("is_ultra_restricted") is False
    return PersonKind.MEMBER if is_full else PersonKind.NOBODY


def _is_bot(user: Payload) -> bool:
    return any(flag(user, name) for name in _BOT_FLAGS) or string(user, "id") == _SLACKBOT
