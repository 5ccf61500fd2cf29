"""conversations.*: what there is, who is in it, and opening, making and changing it."""

import re

from sandbox.access import described, joined, may_see, scope_for
from sandbox.calls import Call, Method, Methods
from sandbox.methods.notices import post_notice
from sandbox.paging import limit_of, page
from sandbox.shapes import channel_json, full_channel_json
from sandbox.state import Channel, ChannelKind, Person, PersonKind
from sandbox.types import Json, Refused

_MOST = 1000  # Source: Slack's limit of a page
_USUAL = 100
_LONGEST_NAME = 80  # Source: Slack's limit, in characters
_LONGEST_TOPIC = 250  # Source: Slack's limit, in characters
_MOST_IN_A_GROUP_DM = 8  # Source: Slack's limit of people besides the caller
_KINDS = {
    "public_channel": ChannelKind.PUBLIC,
    "private_channel": ChannelKind.PRIVATE,
    "mpim": ChannelKind.GROUP_DM,
    "im": ChannelKind.DM,
}


def asked_kinds(call: Call) -> frozenset[ChannelKind]:
    """The kinds that `types` asks for, public channels when it asks for none."""
    asked = call.args.names("types") or ["public_channel"]
    if not set(asked) <= _KINDS.keys():
        raise Refused("invalid_types")
    return frozenset(_KINDS[name] for name in asked)


def _listed(call: Call) -> Json:
    kinds = asked_kinds(call)
    for kind in kinds:
        call.caller.need(scope_for(kind, "read"))
    skip_archived = call.args.flag("exclude_archived")

    def shown(channel: Channel) -> bool:
        kept = channel.kind in kinds and not (skip_archived and channel.archived)
        return kept and may_see(call.caller.person, channel, call.workspace.team.id)

    channels = sorted(filter(shown, call.workspace.channels.values()), key=lambda channel: channel.id)
    limit = limit_of(call.args, default=_USUAL, most=_MOST)
    found, metadata = page(channels, lambda channel: channel.id, call.args, "channel", limit)
    shapes = [channel_json(call.workspace, channel, call.caller, members=True) for channel in found]
    return {"ok": True, "channels": shapes, "response_metadata": metadata}


def _info(call: Call) -> Json:
    channel = described(call.workspace, call.caller, call.args.text("channel"))
    members = call.args.flag("include_num_members")
    return {"ok": True, "channel": full_channel_json(call.workspace, channel, call.caller, members=members)}


def _members(call: Call) -> Json:
    channel = described(call.workspace, call.caller, call.args.text("channel"))
    limit = limit_of(call.args, default=_USUAL, most=_MOST)
    found, metadata = page(sorted(channel.members), str, call.args, "user", limit)
    return {"ok": True, "members": list(found), "response_metadata": metadata}


def _opened(call: Call) -> Json:
    """A DM or group DM, by its people or by its id."""
    call.caller.need("im:write", "mpim:write")
    channel_id, users = call.args.text("channel"), call.args.names("users")
    if channel_id:
        channel = described(call.workspace, call.caller, channel_id)
        return {"ok": True, "channel": {"id": channel.id}}
    if not users:
        raise Refused("users_list_not_supplied")
    people = [_openable(call, user) for user in users]
    everybody = list(dict.fromkeys([call.caller.person.id, *(person.id for person in people)]))
    if len(everybody) > _MOST_IN_A_GROUP_DM + 1:
        raise Refused("too_many_users")
    call.caller.need("im:write" if len(everybody) <= len("ab") else "mpim:write")
    known = call.workspace.direct(frozenset(everybody)) is not None
    channel = call.workspace.open_direct(everybody)
    again: Json = {"no_op": True, "already_open": True} if known else {}
    full = call.args.flag("return_im")
    shape = channel_json(call.workspace, channel, call.caller) if full else {"id": channel.id}
    return {"ok": True, "channel": shape, **again}


def _openable(call: Call, user_id: str) -> Person:
    person = call.workspace.person(user_id)
    if person.kind is PersonKind.DEACTIVATED:
        raise Refused("user_disabled")
    if call.caller.is_bot and person.is_bot:
        raise Refused("cannot_dm_bot")
    return person


def _create(call: Call) -> Json:
    private = call.args.flag("is_private")
    call.caller.need("groups:write" if private else "channels:manage")
    if call.caller.person.kind not in (PersonKind.MEMBER, PersonKind.BOT):
        raise Refused("restricted_action")
    channel = Channel(
        id=call.workspace.new_id("C"),
        name=_free_name(call, call.args.text("name")),
        kind=ChannelKind.PRIVATE if private else ChannelKind.PUBLIC,
        created=int(call.workspace.clock.now()),
        creator=call.caller.person.id,
        team=call.workspace.team.id,
        members=[call.caller.person.id],
    )
    call.workspace.channels[channel.id] = channel
    if not private:
        made: Json = {"id": channel.id, "name": channel.name, "created": channel.created, "creator": channel.creator}
        call.feed.about("channel_created", {"channel": made}, channel)
    post_notice(call, channel, call.caller.person, "channel_join", "has joined the channel")
    return {"ok": True, "channel": channel_json(call.workspace, channel, call.caller)}


def _free_name(call: Call, name: str) -> str:
    if len(name) > _LONGEST_NAME:
        raise Refused("invalid_name_maxlength")
    if not re.fullmatch(r"[\w-]+", name) or name != name.lower():
        raise Refused("invalid_name_specials")
    if call.workspace.channel_by_name(name):
        raise Refused("name_taken")
    return name


def _changeable(call: Call) -> Channel:
    """A channel that the caller is in and may change."""
    channel = joined(call.workspace, call.caller, call.args.text("channel"))
    call.caller.need("channels:manage" if channel.kind is ChannelKind.PUBLIC else "groups:write")
    if channel.kind in (ChannelKind.DM, ChannelKind.GROUP_DM):
        raise Refused("method_not_supported_for_channel_type")
    if call.caller.person.kind not in (PersonKind.MEMBER, PersonKind.BOT):
        raise Refused("restricted_action")
    return channel


def _archive(call: Call) -> Json:
    channel = _changeable(call)
    if channel.archived:
        raise Refused("already_archived")
    if channel.name == "general":
        raise Refused("cant_archive_general")
    post_notice(call, channel, call.caller.person, "channel_archive", "archived the channel")
    channel.archived = True
    call.feed.channel("archive", channel, {"channel": channel.id, "user": call.caller.person.id})
    return {"ok": True}


def _unarchive(call: Call) -> Json:
    channel = _changeable(call)
    if not channel.archived:
        raise Refused("not_archived")
    channel.archived = False
    post_notice(call, channel, call.caller.person, "channel_unarchive", "un-archived the channel")
    call.feed.channel("unarchive", channel, {"channel": channel.id, "user": call.caller.person.id})
    return {"ok": True}


def _rename(call: Call) -> Json:
    channel = _changeable(call)
    name = _free_name(call, call.args.text("name"))
    old, channel.name = channel.name, name
    channel.previous_names.append(old)
    words = f'has renamed the channel from "{old}" to "{name}"'
    post_notice(call, channel, call.caller.person, "channel_name", words, {"old_name": old, "name": name})
    fields: Json = {"channel": {"id": channel.id, "name": name, "created": channel.created}}
    call.feed.channel("rename", channel, fields)
    return {"ok": True, "channel": channel_json(call.workspace, channel, call.caller)}


def _set_topic(call: Call) -> Json:
    channel, topic = _changeable(call), _short(call, "topic")
    channel.topic = topic
    words = f"set the channel topic: {topic}"
    post_notice(call, channel, call.caller.person, "channel_topic", words, {"topic": topic})
    return {"ok": True, "channel": channel_json(call.workspace, channel, call.caller)}


def _set_purpose(call: Call) -> Json:
    channel, purpose = _changeable(call), _short(call, "purpose")
    channel.purpose = purpose
    words = f"set the channel purpose: {purpose}"
    post_notice(call, channel, call.caller.person, "channel_purpose", words, {"purpose": purpose})
    return {"ok": True, "purpose": purpose}


def _short(call: Call, name: str) -> str:
    text = call.args.text(name)
    if len(text) > _LONGEST_TOPIC:
        raise Refused("too_long")
    return text


METHODS: Methods = {
    "conversations.list": Method(_listed),
    "conversations.info": Method(_info, required=("channel",)),
    "conversations.members": Method(_members, required=("channel",)),
    "conversations.open": Method(_opened),
    "conversations.create": Method(_create, required=("name",)),
    "conversations.archive": Method(_archive, required=("channel",)),
    "conversations.unarchive": Method(_unarchive, required=("channel",)),
    "conversations.rename": Method(_rename, required=("channel", "name")),
    "conversations.setTopic": Method(_set_topic, required=("channel",)),
    "conversations.setPurpose": Method(_set_purpose, required=("channel",)),
}
