"""users.*: people, and the conversations that they are in."""

from sandbox.access import may_see, scope_for
from sandbox.calls import Call, Method, Methods
from sandbox.methods.conversations import asked_kinds
from sandbox.paging import limit_of, page
from sandbox.shapes import channel_json, user_json
from sandbox.state import Channel, Person
from sandbox.types import Json, Refused

_MOST = 1000  # Source: Slack's limit of a page
_USUAL = 100


def _info(call: Call) -> Json:
    person = _findable(call, call.args.text("user"))
    locale = call.args.flag("include_locale")
    return {"ok": True, "user": user_json(call.workspace, person, locale=locale)}


def _findable(call: Call, user_id: str) -> Person:
    """Somebody of the home team, or an outsider whom a channel of the home team holds."""
    person = call.workspace.person(user_id)
    if not call.workspace.is_home(call.caller.person) and not _meets(call, person):
        raise Refused("user_not_visible")
    return person


def _meets(call: Call, person: Person) -> bool:
    me = call.caller.person.id
    return any(me in c.members and person.id in c.members for c in call.workspace.channels.values())


def _listed(call: Call) -> Json:
    people = sorted((p for p in call.workspace.people.values() if call.workspace.is_home(p)), key=_id)
    limit = limit_of(call.args, default=len(people), most=max(_MOST, len(people)))
    found, metadata = page(people, _id, call.args, "user", limit)
    locale = call.args.flag("include_locale")
    members = [user_json(call.workspace, person, locale=locale) for person in found]
    return {"ok": True, "members": members, "cache_ts": int(call.workspace.clock.now()), "response_metadata": metadata}


def _id(person: Person) -> str:
    return person.id


def _conversations(call: Call) -> Json:
    """Those that a person is in; of the ones that aren't public, only what the caller is in too."""
    user = call.args.text("user") or call.caller.person.id
    person = call.workspace.person(user)
    kinds = asked_kinds(call)
    for kind in kinds:
        call.caller.need(scope_for(kind, "read"))

    def shown(channel: Channel) -> bool:
        kept = channel.kind in kinds and not (call.args.flag("exclude_archived") and channel.archived)
        visible = may_see(call.caller.person, channel, call.workspace.team.id)
        return kept and visible and person.id in channel.members

    channels = sorted(filter(shown, call.workspace.channels.values()), key=lambda channel: channel.id)
    limit = limit_of(call.args, default=_USUAL, most=_MOST)
    found, metadata = page(channels, lambda channel: channel.id, call.args, "channel", limit)
    shapes = [_without_membership(channel_json(call.workspace, channel, call.caller)) for channel in found]
    return {"ok": True, "channels": shapes, "response_metadata": metadata}


def _without_membership(shape: Json) -> Json:
    """This list says nothing of whether the caller is in a conversation too."""
    return {name: value for name, value in shape.items() if name != "is_member"}


METHODS: Methods = {
    "users.info": Method(_info, required=("user",), scopes=("users:read",)),
    "users.list": Method(_listed, scopes=("users:read",)),
    "users.conversations": Method(_conversations),
}
