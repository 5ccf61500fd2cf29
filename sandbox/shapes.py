"""Writes what the workspace holds as Slack's JSON."""

from datetime import datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from sandbox.access import Caller
from sandbox.clock import micros_of
from sandbox.state import Channel, ChannelKind, File, Message, Person, PersonKind, Workspace
from sandbox.types import Json

KEY_REVOKED: Json = {
    "subtype": "ekm_access_denied",
    "user": "UREVOKEDU",
    "text": "Your admins have suspended everyone's access to this content.",
}
"""What stands in place of every message of a channel whose key was taken back."""
_SNIPPET = 2000  # characters of a text file that Slack shows as its preview


def user_json(workspace: Workspace, person: Person, *, locale: bool = False) -> Json:
    """A person as `users.info` gives them."""
    offset = datetime.fromtimestamp(workspace.clock.now(), ZoneInfo(person.tz)).utcoffset()
    shape: Json = {
        "id": person.id,
        "team_id": person.team,
        "name": person.name,
        "deleted": person.kind is PersonKind.DEACTIVATED,
        "real_name": person.real_name,
        "tz": person.tz,
        "tz_label": person.tz,
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": _profile(person),
        "is_bot": person.is_bot,
        "is_app_user": False,
        "updated": person.updated,
        "is_email_confirmed": not person.is_bot,
    }
    if person.kind is PersonKind.OUTSIDER:
        shape["is_stranger"] = not _shares_a_channel(workspace, person)
    if person.kind is not PersonKind.DEACTIVATED:
        shape |= {
            "is_admin": person.admin,
            "is_owner": person.admin,
            "is_primary_owner": False,
            "is_restricted": person.is_guest,
            "is_ultra_restricted": person.kind is PersonKind.SINGLE_CHANNEL_GUEST,
        }
    return shape | ({"locale": "en-US"} if locale else {})


def _shares_a_channel(workspace: Workspace, person: Person) -> bool:
    return any(person.id in channel.members for channel in workspace.channels.values())


def _profile(person: Person) -> Json:
    first, _, last = person.real_name.partition(" ")
    profile: Json = {
        "title": person.title,
        "real_name": person.real_name,
        "real_name_normalized": person.real_name,
        "display_name": person.display_name,
        "display_name_normalized": person.display_name,
        "status_text": "",
        "status_emoji": "",
        "first_name": first,
        "last_name": last,
        "team": person.team,
    }
    return profile | ({"bot_id": person.bot_id, "api_app_id": person.app_id} if person.is_bot else {})


def channel_json(workspace: Workspace, channel: Channel, caller: Caller, *, members: bool = False) -> Json:
    """A conversation as this caller gets it in a list."""
    if channel.kind is ChannelKind.DM:
        return _dm_json(workspace, channel, caller)
    member = caller.person.id in channel.members
    named = {"creator": channel.creator, "last_set": channel.created}
    shape: Json = {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind is ChannelKind.PUBLIC or channel.id.startswith("C"),
        "is_group": channel.kind is ChannelKind.PRIVATE and channel.id.startswith("G"),
        "is_im": False,
        "is_mpim": channel.kind is ChannelKind.GROUP_DM,
        "is_private": channel.is_private,
        "created": channel.created,
        "creator": channel.creator,
        "is_archived": channel.archived,
        "is_general": channel.name == "general",
        "unlinked": 0,
        "is_member": member,
        "topic": {"value": channel.topic, **named},
        "purpose": {"value": channel.purpose, **named},
        "previous_names": list(channel.previous_names),
        "updated": channel.created * 1000,
        **_sharing(workspace, channel),
    }
    return shape | ({"num_members": len(channel.members)} if members else {})


def full_channel_json(workspace: Workspace, channel: Channel, caller: Caller, *, members: bool = False) -> Json:
    """A conversation as `conversations.info` gives it: lists leave out whom it is shared with."""
    connected = {"connected_team_ids": list(channel.connected_teams)} if channel.ext_shared else {}
    return channel_json(workspace, channel, caller, members=members) | connected


def _sharing(workspace: Workspace, channel: Channel) -> Json:
    home = workspace.team.id
    teams = [home, *channel.connected_teams] if channel.is_shared else [home]
    pending = list(channel.connected_teams) if channel.pending_ext_shared else []
    return {
        "is_shared": channel.is_shared,
        "is_ext_shared": channel.ext_shared,
        "is_org_shared": channel.org_shared,
        "is_pending_ext_shared": channel.pending_ext_shared,
        "pending_shared": pending,
        "pending_connected_team_ids": pending,
        "shared_team_ids": teams,
        "internal_team_ids": [],
        "conversation_host_id": channel.team,
        "context_team_id": home,
    }


def _dm_json(workspace: Workspace, channel: Channel, caller: Caller) -> Json:
    others = [member for member in channel.members if member != caller.person.id]
    other = others[0] if others else caller.person.id
    return {
        "id": channel.id,
        "created": channel.created,
        "is_im": True,
        "is_archived": channel.archived,
        "is_org_shared": False,
        "context_team_id": workspace.team.id,
        "user": other,
        "updated": channel.created * 1000,
    }


def message_json(workspace: Workspace, channel: Channel, message: Message, *, in_thread: bool = False) -> Json:
    """A message as history gives it; in `replies` each reply also names its root's author."""
    shape = _body(workspace, channel, message)
    if message.ts in channel.threads:
        shape |= _thread_json(channel, message)
    elif message.is_reply:
        shape["thread_ts"] = message.thread_ts
        root = channel.messages[message.thread_ts]
        shape |= {"parent_user_id": root.user} if in_thread else {}
        if message.subtype == "thread_broadcast":
            shape["root"] = message_json(workspace, channel, root)
    if message.reactions:
        shape["reactions"] = [{"name": e, "users": list(u), "count": len(u)} for e, u in message.reactions.items()]
    return shape


def _body(workspace: Workspace, channel: Channel, message: Message) -> Json:
    if channel.key_revoked:
        return {"type": "message", "ts": message.ts, **KEY_REVOKED}
    return _tombstone(message) if message.subtype == "tombstone" else _plain_message(workspace, message)


def _tombstone(message: Message) -> Json:
    text = "This message was deleted."
    return {
        "type": "message",
        "subtype": "tombstone",
        "text": text,
        "user": "USLACKBOT",
        "hidden": True,
        "ts": message.ts,
    }


def _plain_message(workspace: Workspace, message: Message) -> Json:
    shape: Json = {"type": "message"}
    if message.subtype:
        shape["subtype"] = message.subtype
    if message.user and message.subtype != "bot_message":
        shape |= {"user": message.user, "team": workspace.person(message.user).team}
    shape |= {"text": message.text, "ts": message.ts}
    if message.bot_id:
        shape |= _bot_json(workspace, message)
    for name, value in (
        ("client_msg_id", message.client_msg_id),
        ("blocks", message.blocks),
        ("attachments", message.attachments),
        ("files", [file_json(workspace, workspace.files[file]) for file in message.files]),
    ):
        shape |= {name: value} if value else {}
    if message.edited_ts:
        shape["edited"] = {"user": message.edited_by, "ts": message.edited_ts}
    return shape | message.extra


def _bot_json(workspace: Workspace, message: Message) -> Json:
    person = workspace.person_by_bot(message.bot_id)
    name = person.real_name if person else message.username
    profile = {"id": message.bot_id, "app_id": message.app_id, "name": name, "deleted": False, "icons": {}}
    profile |= {"updated": 0, "team_id": workspace.team.id}
    shape: Json = {"bot_id": message.bot_id, "app_id": message.app_id, "bot_profile": profile}
    return shape | ({"username": message.username} if message.subtype == "bot_message" else {})


def _thread_json(channel: Channel, root: Message) -> Json:
    replies = channel.threads[root.ts]
    users = list(dict.fromkeys(channel.messages[ts].user or channel.messages[ts].bot_id for ts in replies))
    return {
        "thread_ts": root.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1],
        "reply_users": users[:5],
        "is_locked": False,
        "subscribed": False,
    }


def file_json(workspace: Workspace, file: File) -> Json:
    """A file as a message carries it."""
    if file.deleted:
        return {"id": file.id, "mode": "tombstone"}
    kind = file.filetype or file.name.rpartition(".")[2]
    private = f"{workspace.url}files-pri/{workspace.team.id}-{file.id}"
    if file.mode == "external":
        private = file.content.decode()  # what it holds is where it is kept
    shape: Json = {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": kind,
        "pretty_type": kind.upper(),
        "user": file.user,
        "user_team": workspace.person(file.user).team,
        "mode": file.mode,
        "size": len(file.content),
        "is_external": file.mode == "external",
        "is_public": any(workspace.channels[c].kind is ChannelKind.PUBLIC for c in file.channels),
        "url_private": private if file.mode == "external" else f"{private}/{quote(file.name)}",
        "permalink": file_permalink(workspace, file),
    }
    if file.mode != "external":
        shape["url_private_download"] = f"{private}/download/{quote(file.name)}"
    if file.mimetype.startswith("text/"):
        shape["preview"] = file.content.decode(errors="replace")[:_SNIPPET]
    if file.mode == "email":
        shape["plain_text"] = file.content.decode()
    return shape | ({"updated": file.updated} if file.updated else {})


def file_permalink(workspace: Workspace, file: File) -> str:
    """The address of a file as Slack builds it."""
    return f"{workspace.url}files/{file.user}/{file.id}/{quote(file.name.lower())}"


def permalink(workspace: Workspace, channel: Channel, message: Message) -> str:
    """The address of a message as Slack builds it."""
    place = f"{workspace.url}archives/{channel.id}/p{micros_of(message.ts)}"
    return place + (f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.is_reply else "")
