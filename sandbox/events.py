"""Turns what happens in the workspace into the events that Slack would send to the app."""

from collections.abc import Callable
from uuid import uuid4

from sandbox.manifest import Manifest
from sandbox.mrkdwn import mentions
from sandbox.shapes import message_json
from sandbox.state import Channel, ChannelKind, Message, Person, Workspace
from sandbox.types import Json

_MESSAGE_KIND = {
    ChannelKind.PUBLIC: ("channel", "message.channels", "channels:history"),
    ChannelKind.PRIVATE: ("group", "message.groups", "groups:history"),
    ChannelKind.GROUP_DM: ("mpim", "message.mpim", "mpim:history"),
    ChannelKind.DM: ("im", "message.im", "im:history"),
}
_SCOPES = {
    "app_mention": ("app_mentions:read",),
    "member_joined_channel": ("channels:read", "groups:read"),
    "member_left_channel": ("channels:read", "groups:read"),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "channel_id_changed": ("channels:read", "groups:read"),
    "channel_shared": ("channels:read", "groups:read"),
    "channel_unshared": ("channels:read", "groups:read"),
    "channel_history_changed": ("channels:history",),
    "group_history_changed": ("groups:history",),
    "user_change": ("users:read",),
    "user_profile_changed": ("users:read",),
    "team_join": ("users:read",),
    "file_shared": ("files:read",),
    "file_change": ("files:read",),
    "file_deleted": ("files:read",),
    "file_created": ("files:read",),
    "file_unshared": ("files:read",),
    "file_public": ("files:read",),
}


def _scopes_for(name: str) -> tuple[str, ...]:
    if name in _SCOPES:
        return _SCOPES[name]
    if name.startswith("channel_"):
        return ("channels:read",)
    return ("groups:read",) if name.startswith("group_") else ()


class EventFeed:
    """Says what happened; what the app did not subscribe to, or may not see, is not sent."""

    def __init__(self, workspace: Workspace, manifest: Manifest, send: Callable[[Json], None]) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._send = send

    def message_posted(self, channel: Channel, message: Message) -> None:
        event = message_json(self._workspace, channel, message, in_thread=True) | self._foreign_author(message)
        self.message(channel, event)
        if self._mentions_app(channel, message):
            self._app_mention(channel, event)

    def _foreign_author(self, message: Message) -> Json:
        """What the event adds about somebody of another organisation."""
        person = self._workspace.people.get(message.user)
        if person is None or self._workspace.is_home(person):
            return {}
        profile = {"name": person.name, "real_name": person.real_name, "display_name": person.display_name}
        shown = profile | {"team": person.team, "is_restricted": False, "is_ultra_restricted": False}
        return {"user_team": person.team, "source_team": person.team, "user_profile": shown}

    def message_changed(self, channel: Channel, message: Message, previous: Json) -> None:
        """After an edit, a reply, or a stream's growth: `previous` is how the message looked before."""
        now = message_json(self._workspace, channel, message, in_thread=True)
        self.message(channel, self._hidden("message_changed") | {"message": now, "previous_message": previous})

    def message_deleted(self, channel: Channel, message: Message, previous: Json) -> None:
        gone: Json = {"deleted_ts": message.ts, "previous_message": previous}
        self.message(channel, self._hidden("message_deleted") | gone)

    def edited_to_mention(self, channel: Channel, message: Message) -> None:
        """An edit that mentions the app for the first time is a mention too."""
        if self._mentions_app(channel, message):
            self._app_mention(channel, message_json(self._workspace, channel, message, in_thread=True))

    def message(self, channel: Channel, event: Json) -> None:
        """A `message` event of any subtype, to the app if it is in the conversation."""
        kind, subscription, scope = _MESSAGE_KIND[channel.kind]
        if self._app_is_in(channel):
            whole = {"event_ts": event["ts"], **event, "channel": channel.id, "channel_type": kind}
            self._deliver(subscription, (scope,), whole, channel)

    def about(self, name: str, fields: Json, channel: Channel | None = None) -> None:
        """An event that is no message; `channel` says where it happened."""
        event: Json = {"type": name, **fields, "event_ts": self._workspace.clock.next_ts()}
        self._deliver(name, _scopes_for(name), event, channel)

    def member(self, name: str, channel: Channel, person: Person, inviter: str = "") -> None:
        """`member_joined_channel` or `member_left_channel`."""
        if not self._app_is_in(channel) or channel.kind is ChannelKind.DM:
            return
        letter = "C" if channel.kind is ChannelKind.PUBLIC else "G"
        fields: Json = {"user": person.id, "channel": channel.id, "channel_type": letter, "team": person.team}
        self.about(name, fields | ({"inviter": inviter} if inviter else {}), channel)

    def channel(self, what: str, channel: Channel, fields: Json) -> None:
        """`channel_…` of any public channel, `group_…` of a private one that the app is in."""
        if self._concerns_app(channel):
            prefix = "channel" if channel.kind is ChannelKind.PUBLIC else "group"
            self.about(f"{prefix}_{what}", fields, channel)

    def sharing(self, channel: Channel, team: str) -> None:
        """That a channel is shared with another organisation now, or no more; private ones have no event of their own.

        Source: Slack's events reference, which has no `group_shared`.
        """
        if not self._concerns_app(channel):
            return
        if channel.ext_shared:
            self.about("channel_shared", {"connected_team_id": team, "channel": channel.id}, channel)
        else:
            fields: Json = {"previously_connected_team_id": team, "channel": channel.id, "is_ext_shared": False}
            self.about("channel_unshared", fields, channel)

    def id_changed(self, old: str, channel: Channel) -> None:
        """That a conversation has another id."""
        if self._concerns_app(channel):
            self.about("channel_id_changed", {"old_channel_id": old, "new_channel_id": channel.id}, channel)

    def history_changed(self, channel: Channel, latest: str) -> None:
        """That much of a channel's history was changed at once; as in Slack's own example, not which channel's."""
        if self._app_is_in(channel):
            name = "channel_history_changed" if channel.kind is ChannelKind.PUBLIC else "group_history_changed"
            self.about(name, {"latest": latest, "ts": self._workspace.clock.next_ts()}, channel)

    def app_left(self, channel: Channel, actor: str) -> None:
        """The app's bot is out of the conversation."""
        name = "channel_left" if channel.kind is ChannelKind.PUBLIC else "group_left"
        self.about(name, {"channel": channel.id, "actor_id": actor}, channel)

    def _hidden(self, subtype: str) -> Json:
        ts = self._workspace.clock.next_ts()
        return {"type": "message", "subtype": subtype, "hidden": True, "ts": ts, "event_ts": ts}

    def _app_is_in(self, channel: Channel) -> bool:
        return self._workspace.app.user_id in channel.members

    def _concerns_app(self, channel: Channel) -> bool:
        return channel.kind is ChannelKind.PUBLIC or self._app_is_in(channel)

    def _mentions_app(self, channel: Channel, message: Message) -> bool:
        app = self._workspace.app
        by_itself = message.bot_id == app.bot_id
        return channel.kind is not ChannelKind.DM and not by_itself and mentions(message.text, app.user_id)

    def _app_mention(self, channel: Channel, message: Json) -> None:
        if self._app_is_in(channel):
            event = {**message, "type": "app_mention", "channel": channel.id, "event_ts": message["ts"]}
            self._deliver("app_mention", _scopes_for("app_mention"), event, channel)

    def _deliver(self, subscription: str, scopes: tuple[str, ...], event: Json, channel: Channel | None) -> None:
        granted = not scopes or self._manifest.scopes.intersection(scopes)
        if subscription in self._manifest.events and granted:
            self._send(self._envelope(event, channel))

    def _envelope(self, event: Json, channel: Channel | None) -> Json:
        workspace = self._workspace
        home = workspace.team.id
        installed = {"enterprise_id": None, "team_id": home, "user_id": workspace.app.user_id, "is_bot": True}
        return {
            "token": "verification-token",
            "team_id": home,
            "context_team_id": home,
            "context_enterprise_id": None,
            "api_app_id": workspace.app.id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev0{uuid4().hex[:10].upper()}",
            "event_time": int(workspace.clock.now()),
            "authorizations": [installed | {"is_enterprise_install": False}],
            "is_ext_shared_channel": bool(channel and channel.ext_shared),
            "event_context": f"4-{uuid4().hex}",
        }
