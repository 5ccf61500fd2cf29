"""sandbox.changePerson, addPerson, convertChannel and their like: what admins do in Slack's own pages."""

from sandbox.calls import Call, Method, Methods
from sandbox.loading import id_from
from sandbox.methods.notices import post_notice
from sandbox.shapes import KEY_REVOKED, user_json
from sandbox.state import Channel, ChannelKind, Message, Person, PersonKind, Team
from sandbox.types import Json, Refused

_LONG_S = 30 * 86_400.0  # an import is of another age


def _kind(call: Call) -> PersonKind:
    try:
        return PersonKind(call.args.text("kind", "member"))
    except ValueError:
        raise Refused("invalid_arguments") from None


def _change_person(call: Call) -> Json:
    """Another kind (deactivated, guest…), admin or not, another title."""
    person = call.workspace.person(call.args.text("user"))
    if call.args.has("kind"):
        person.kind = _kind(call)
        if person.kind is PersonKind.DEACTIVATED:
            _take_out(call, person)
    person.admin = call.args.flag("admin", person.admin)
    person.title = call.args.text("title", person.title)
    person.updated = int(call.workspace.clock.now())
    shape = user_json(call.workspace, person)
    for name in ("user_change", "user_profile_changed"):
        call.feed.about(name, {"user": shape, "cache_ts": person.updated})
    return {"ok": True, "user": shape}


def _take_out(call: Call, person: Person) -> None:
    """Who is deactivated is in no channel any more; Slack sends no event of leaving for it."""
    for channel in call.workspace.channels.values():
        if channel.kind is not ChannelKind.DM and person.id in channel.members:
            channel.members.remove(person.id)


def _add_person(call: Call) -> Json:
    name = call.args.text("name")
    person = Person(id_from("U", name), name, call.args.text("real_name", name), _kind(call), call.workspace.team.id)
    if person.id in call.workspace.people:
        raise Refused("name_taken")
    if person.kind is PersonKind.OUTSIDER:
        person.team = call.args.text("team") or "T0ELSEWHERE"
        call.workspace.teams.setdefault(person.team, Team(person.team, person.team, person.team.lower()))
    call.workspace.people[person.id] = person
    shape = user_json(call.workspace, person)
    if call.workspace.is_home(person):
        call.feed.about("team_join", {"user": shape})
    return {"ok": True, "user": shape}


def _channel(call: Call) -> Channel:
    channel = call.workspace.channels.get(call.args.text("channel"))
    if channel is None:
        raise Refused("channel_not_found")
    return channel


def _convert_channel(call: Call) -> Json:
    """To `private` or `public`; the notice comes from the caller."""
    channel = _channel(call)
    kinds = {"private": ChannelKind.PRIVATE, "public": ChannelKind.PUBLIC}
    to = call.args.text("to")
    if to not in kinds or channel.kind in (ChannelKind.DM, ChannelKind.GROUP_DM):
        raise Refused("invalid_arguments")
    channel.kind = kinds[to]
    post_notice(call, channel, call.caller.person, f"channel_convert_to_{to}", f"made this channel *{to}*.")
    return {"ok": True}


def _share_channel(call: Call) -> Json:
    """Share with another team: at once, `pending` or, with `off`, no more."""
    channel, team = _channel(call), call.args.text("team")
    channel.pending_ext_shared = call.args.flag("pending")
    channel.ext_shared = not channel.pending_ext_shared and not call.args.flag("off")
    channel.connected_teams = [] if call.args.flag("off") else sorted({*channel.connected_teams, team})
    if not channel.pending_ext_shared:
        call.feed.sharing(channel, team)
    return {"ok": True}


def _delete_channel(call: Call) -> Json:
    channel = _channel(call)
    del call.workspace.channels[channel.id]
    for file in call.workspace.files.values():
        file.channels = [place for place in file.channels if place != channel.id]
    call.feed.channel("deleted", channel, {"channel": channel.id, "actor_id": call.caller.person.id})
    return {"ok": True}


def _change_channel_id(call: Call) -> Json:
    """As when sharing with another organisation begins: the same conversation under a new id."""
    channel = _channel(call)
    old = channel.id
    channel.id = call.workspace.new_id("C")
    del call.workspace.channels[old]
    call.workspace.channels[channel.id] = channel
    for file in call.workspace.files.values():
        file.channels = [channel.id if place == old else place for place in file.channels]
    call.feed.id_changed(old, channel)
    return {"ok": True, "channel": channel.id}


def _revoke_key(call: Call) -> Json:
    """Enterprise Key Management: nobody reads what stands in a channel, until with `off` the key is there again."""
    channel = _channel(call)
    channel.key_revoked = not call.args.flag("off")
    if channel.key_revoked:
        ts = call.workspace.clock.next_ts()
        call.feed.message(channel, {"type": "message", "ts": ts, "hidden": False, **KEY_REVOKED})
    return {"ok": True}


def _import_messages(call: Call) -> Json:
    """As an admin's import does: messages from long before all others, told of as one change of the history."""
    channel, texts = _channel(call), call.args.names("texts")
    oldest = float(min(channel.messages, default=str(channel.created)))
    for number, text in enumerate(reversed(texts), start=1):
        channel.add(Message(f"{oldest - _LONG_S - 60 * number:.6f}", call.caller.person.id, text))
    call.feed.history_changed(channel, latest=f"{oldest:.6f}")
    return {"ok": True}


def _uninstall_app(call: Call) -> Json:
    """The bot is out of every conversation, its token is dead, and the app is told."""
    app = call.workspace.app
    for channel in call.workspace.channels.values():
        channel.members = [member for member in channel.members if member != app.user_id]
    call.workspace.installed = False
    call.feed.about("tokens_revoked", {"tokens": {"oauth": [], "bot": [app.user_id]}})
    call.feed.about("app_uninstalled", {})
    return {"ok": True}


METHODS: Methods = {
    "sandbox.changePerson": Method(_change_person, required=("user",)),
    "sandbox.addPerson": Method(_add_person, required=("name",)),
    "sandbox.convertChannel": Method(_convert_channel, required=("channel", "to")),
    "sandbox.shareChannel": Method(_share_channel, required=("channel", "team")),
    "sandbox.deleteChannel": Method(_delete_channel, required=("channel",)),
    "sandbox.changeChannelId": Method(_change_channel_id, required=("channel",)),
    "sandbox.revokeKey": Method(_revoke_key, required=("channel",)),
    "sandbox.importMessages": Method(_import_messages, required=("channel", "texts")),
    "sandbox.uninstallApp": Method(_uninstall_app),
}
