"""files.*: uploading, looking up and deleting; and what people do with files in Slack's own windows."""

import mimetypes

from sandbox.access import may_see, writable
from sandbox.calls import Call, Method, Methods
from sandbox.methods.chat import publish
from sandbox.methods.posting import Content, new_message
from sandbox.shapes import file_json
from sandbox.state import Channel, File, Message, Person, Workspace
from sandbox.types import Json, Refused


def may_open(workspace: Workspace, person: Person, file: File) -> bool:
    """Whether somebody may have a file: their own, or one that is shared where they can read."""
    if file.user == person.id:
        return True
    places = [workspace.channels[channel_id] for channel_id in file.channels]
    if person.is_bot:
        return any(person.id in place.members for place in places)
    return any(may_see(person, place, workspace.team.id) for place in places)


def _found(call: Call) -> File:
    file = call.workspace.files.get(call.args.text("file"))
    if file is None or not may_open(call.workspace, call.caller.person, file):
        raise Refused("file_not_found")
    if file.deleted:
        raise Refused("file_deleted")
    return file


def _info(call: Call) -> Json:
    file = _found(call)
    shape = file_json(call.workspace, file)
    places = [call.workspace.channels[channel_id] for channel_id in file.channels]
    seen = [place for place in places if may_see(call.caller.person, place, call.workspace.team.id)]
    shape["channels"] = [place.id for place in seen if not place.is_private]
    shape["groups"] = [place.id for place in seen if place.is_private]
    shape["shares"] = {
        "public": {place.id: _shares(place, file) for place in seen if not place.is_private},
        "private": {place.id: _shares(place, file) for place in seen if place.is_private},
    }
    return {"ok": True, "file": shape, "comments": [], "response_metadata": {"next_cursor": ""}}


def _shares(place: Channel, file: File) -> list[Json]:
    carrying = [message for message in place.messages.values() if file.id in message.files]
    return [_share_json(place, message) for message in carrying]


def _share_json(place: Channel, message: Message) -> Json:
    shape: Json = {"ts": message.ts, "channel_name": place.name, "team_id": place.team}
    return shape | ({"thread_ts": message.thread_ts} if message.thread_ts else {})


def _upload_address(call: Call) -> Json:
    name, length = call.args.text("filename"), call.args.integer("length", 0)
    if length <= 0:
        raise Refused("invalid_arguments")
    file = File(
        id=call.workspace.new_id("F"),
        name=name,
        title=name,
        mimetype=mimetypes.guess_type(name)[0] or "application/octet-stream",
        user=call.caller.person.id,
        created=int(call.workspace.clock.now()),
        content=b"",
        mode="snippet" if call.args.text("snippet_type") else "hosted",
        filetype=call.args.text("snippet_type"),
    )
    call.workspace.files[file.id] = file
    return {"ok": True, "upload_url": f"{call.workspace.url}upload/{file.id}", "file_id": file.id}


def _complete(call: Call) -> Json:
    given = call.args.objects("files", "invalid_arguments")
    files = [call.workspace.files.get(str(entry.get("id"))) for entry in given]
    found = [file for file in files if file is not None and file.user == call.caller.person.id]
    if not given or len(found) != len(given):
        raise Refused("file_not_found")
    for file, entry in zip(found, given, strict=True):
        file.title = str(entry.get("title") or file.name)
    if call.args.text("channel_id"):
        _share(call, writable(call.workspace, call.caller, call.args.text("channel_id")), found)
    return {"ok": True, "files": [file_json(call.workspace, file) for file in found]}


def _share(call: Call, channel: Channel, files: list[File]) -> None:
    comment = call.args.text("initial_comment")
    message = new_message(call, channel, Content(comment, [], [], truncated=False))
    message.subtype, message.files = "file_share", [file.id for file in files]
    for file in files:
        file.channels = list(dict.fromkeys([*file.channels, channel.id]))
    publish(call, channel, message)
    for file in files:
        about: Json = {"file_id": file.id, "user_id": file.user, "file": {"id": file.id}, "channel_id": channel.id}
        _tell(call, "file_shared", file, about)


def _tell(call: Call, name: str, file: File, fields: Json) -> None:
    """Tell the app of a file that is in a conversation of its own."""
    places = [call.workspace.channels[channel_id] for channel_id in file.channels]
    mine = [place for place in places if call.workspace.app.user_id in place.members]
    if mine:
        call.feed.about(name, fields, mine[0])


def _delete(call: Call) -> Json:
    file = _found(call)
    if file.user != call.caller.person.id and not call.caller.person.admin:
        raise Refused("cant_delete_file")
    file.deleted, file.content = True, b""
    _tell(call, "file_deleted", file, {"file_id": file.id, "channel_ids": list(file.channels)})
    return {"ok": True}


def _share_again(call: Call) -> Json:
    """Post a file that is there already in another conversation."""
    _share(call, writable(call.workspace, call.caller, call.args.text("channel")), [_found(call)])
    return {"ok": True}


def _unshare(call: Call) -> Json:
    """Take a file out of a conversation; its message stays."""
    file, channel = _found(call), call.workspace.channels.get(call.args.text("channel"))
    if channel is None or channel.id not in file.channels:
        raise Refused("channel_not_found")
    about: Json = {"file_id": file.id, "user_id": file.user, "file": {"id": file.id}, "channel_id": channel.id}
    _tell(call, "file_unshared", file, about)
    for message in [message for message in channel.messages.values() if file.id in message.files]:
        message.files = [other for other in message.files if other != file.id]
    file.channels.remove(channel.id)
    return {"ok": True}


def _change(call: Call) -> Json:
    """Another content, as after an edit of a snippet or a canvas."""
    file = _found(call)
    file.content, file.updated = call.args.text("content").encode(), int(call.workspace.clock.now())
    _tell(call, "file_change", file, {"file_id": file.id, "file": {"id": file.id}})
    return {"ok": True}


METHODS: Methods = {
    "files.info": Method(_info, required=("file",), scopes=("files:read",)),
    "files.getUploadURLExternal": Method(_upload_address, required=("filename", "length"), scopes=("files:write",)),
    "files.completeUploadExternal": Method(_complete, required=("files",), scopes=("files:write",)),
    "files.delete": Method(_delete, required=("file",), scopes=("files:write",)),
    "sandbox.shareFile": Method(_share_again, required=("file", "channel")),
    "sandbox.unshareFile": Method(_unshare, required=("file", "channel")),
    "sandbox.changeFile": Method(_change, required=("file", "content")),
}
