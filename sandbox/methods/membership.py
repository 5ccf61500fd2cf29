"""conversations.invite, join, leave and kick: who comes and goes."""

from sandbox.access import joined, visible
from sandbox.calls import Call, Method, Methods
from sandbox.methods.notices import post_notice
from sandbox.shapes import channel_json
from sandbox.state import Channel, ChannelKind, Person, PersonKind
from sandbox.types import Json, Refused

_DIRECT = (ChannelKind.DM, ChannelKind.GROUP_DM)


def _invite(call: Call) -> Json:
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    call.caller.need("channels:manage", "groups:write", "channels:write.invites", "groups:write.invites")
    _check_open(call, channel)
    people = [_invitable(call, channel, user) for user in call.args.names("users")]
    for person in people:
        enter(call, channel, person, inviter=call.caller.person.id)
    return {"ok": True, "channel": channel_json(call.workspace, channel, call.caller)}


def _check_open(call: Call, channel: Channel) -> None:
    if channel.kind in _DIRECT:
        raise Refused("method_not_supported_for_channel_type")
    if channel.archived:
        raise Refused("is_archived")
    if call.caller.person.kind not in (PersonKind.MEMBER, PersonKind.BOT):
        raise Refused("restricted_action" if call.caller.person.kind is PersonKind.OUTSIDER else "user_is_restricted")


def _invitable(call: Call, channel: Channel, user_id: str) -> Person:
    person = call.workspace.person(user_id)
    if person.id == call.caller.person.id:
        raise Refused("cant_invite_self")
    if person.id in channel.members:
        raise Refused("already_in_channel")
    if person.kind is PersonKind.DEACTIVATED:
        raise Refused("cant_invite")
    if person.kind is PersonKind.OUTSIDER and person.team not in channel.connected_teams:
        raise Refused("org_user_not_in_team")
    if person.kind is PersonKind.SINGLE_CHANNEL_GUEST and _has_a_channel(call, person):
        raise Refused("ura_max_channels")
    return person


def _has_a_channel(call: Call, person: Person) -> bool:
    return any(person.id in c.members for c in call.workspace.channels.values() if c.kind not in _DIRECT)


def enter(call: Call, channel: Channel, person: Person, inviter: str = "") -> None:
    """Make somebody a member and tell the app."""
    channel.members.append(person.id)
    extra: Json = {"inviter": inviter} if inviter else {}
    post_notice(call, channel, person, "channel_join", "has joined the channel", extra)
    call.feed.member("member_joined_channel", channel, person, inviter)


def _join(call: Call) -> Json:
    channel = visible(call.workspace, call.caller, call.args.text("channel"))
    call.caller.need("channels:join")
    if channel.kind is not ChannelKind.PUBLIC:
        raise Refused("method_not_supported_for_channel_type")
    if channel.archived:
        raise Refused("is_archived")
    shape: Json = {"ok": True}
    if call.caller.person.id in channel.members:
        shape["warning"] = "already_in_channel"
    else:
        enter(call, channel, call.caller.person)
    return shape | {"channel": channel_json(call.workspace, channel, call.caller)}


def _leave(call: Call) -> Json:
    channel = visible(call.workspace, call.caller, call.args.text("channel"))
    call.caller.need("channels:manage", "groups:write", "im:write", "mpim:write")
    if call.caller.person.id not in channel.members:
        return {"ok": False, "not_in_channel": True, "error": "not_in_channel"}
    if channel.kind is ChannelKind.DM:
        raise Refused("method_not_supported_for_channel_type")
    if channel.name == "general":
        raise Refused("cant_leave_general")
    depart(call, channel, call.caller.person)
    return {"ok": True}


def _kick(call: Call) -> Json:
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    call.caller.need("channels:manage", "groups:write")
    _check_open(call, channel)
    person = call.workspace.person(call.args.text("user"))
    if person.id == call.caller.person.id:
        raise Refused("cant_kick_self")
    if channel.name == "general":
        raise Refused("cant_kick_from_general")
    if person.id not in channel.members:
        raise Refused("not_in_channel")
    depart(call, channel, person)
    return {"ok": True, "errors": {}}


def depart(call: Call, channel: Channel, person: Person) -> None:
    """End somebody's membership and tell the app; of its own leaving it hears only `channel_left` or `group_left`."""
    if person.id != call.workspace.app.user_id:
        post_notice(call, channel, person, "channel_leave", "has left the channel")
        call.feed.member("member_left_channel", channel, person)
        channel.members.remove(person.id)
        return
    channel.members.remove(person.id)
    post_notice(call, channel, person, "channel_leave", "has left the channel")
    call.feed.app_left(channel, call.caller.person.id)


METHODS: Methods = {
    "conversations.invite": Method(_invite, required=("channel", "users")),
    "conversations.join": Method(_join, required=("channel",)),
    "conversations.leave": Method(_leave, required=("channel",)),
    "conversations.kick": Method(_kick, required=("channel", "user")),
}
