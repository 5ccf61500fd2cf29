"""auth.*, apps.*, team.* and bots.*: who the caller is and where."""

from sandbox.access import TokenKind
from sandbox.calls import Call, Method, Methods
from sandbox.types import Json, Refused


def _auth_test(call: Call) -> Json:
    person = call.caller.person
    team = call.workspace.teams[person.team]
    shape: Json = {
        "ok": True,
        "url": call.workspace.url,
        "team": team.name,
        "user": person.name,
        "team_id": team.id,
        "user_id": person.id,
        "is_enterprise_install": False,
    }
    return shape | ({"bot_id": person.bot_id} if person.is_bot else {})


def _open_connection(call: Call) -> Json:
    ticket = call.socket_mode.new_ticket()
    address = call.workspace.url.replace("http://", "ws://", 1)
    return {"ok": True, "url": f"{address}link/?ticket={ticket}&app_id={call.workspace.app.id}"}


def _team_info(call: Call) -> Json:
    team = call.workspace.teams.get(call.args.text("team") or call.caller.person.team)
    if team is None:
        raise Refused("team_not_found")
    shape: Json = {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": "", "icon": {}}
    if team.id == call.workspace.team.id:
        shape["url"] = call.workspace.url
    return {"ok": True, "team": shape}


def _bot_info(call: Call) -> Json:
    person = call.workspace.person_by_bot(call.args.text("bot") or call.workspace.app.bot_id)
    if person is None:
        raise Refused("bot_not_found")
    shape: Json = {"id": person.bot_id, "deleted": False, "name": person.real_name, "updated": person.updated}
    return {"ok": True, "bot": shape | {"app_id": person.app_id, "user_id": person.id, "icons": {}}}


METHODS: Methods = {
    "auth.test": Method(_auth_test),
    "apps.connections.open": Method(_open_connection, tokens=frozenset({TokenKind.APP})),
    "team.info": Method(_team_info, scopes=("team:read",)),
    "bots.info": Method(_bot_info, scopes=("users:read",)),
}
