"""agents.sessions.* and assistant.threads.*: status lines, titles and suggested prompts."""

from sandbox.access import joined
from sandbox.calls import Call, Method, Methods
from sandbox.state import Channel, Workspace
from sandbox.types import Json, Refused

_STATUSES = frozenset({"active", "processing", "suspended", "closed"})
_LONGEST_TITLE = 200  # characters; Source: agents.sessions.rename
_MOST_PROMPTS = 4  # Source: assistant.threads.setSuggestedPrompts
_MOST_LOADING, _LONGEST_LOADING = 10, 50  # messages and their characters; Source: assistant.threads.setStatus


def session_began(workspace: Workspace, channel_id: str, thread_ts: str) -> None:
    """A stream makes a session that is being worked on."""
    session_set(workspace, channel_id, thread_ts, "processing")


def session_set(workspace: Workspace, channel_id: str, thread_ts: str, status: str) -> None:
    """Give a thread's session a status."""
    if status not in _STATUSES:
        raise Refused("invalid_status")
    workspace.statuses.setdefault((channel_id, thread_ts), {})["session"] = status
    if status != "processing":
        workspace.statuses[channel_id, thread_ts].pop("text", None)


def _thread(call: Call) -> tuple[Channel, str]:
    channel = joined(call.workspace, call.caller, call.args.text("channel_id"))
    thread_ts = call.args.text("thread_ts")
    if thread_ts and thread_ts not in channel.messages:
        raise Refused("thread_not_found")
    return channel, thread_ts


def _set_session_status(call: Call) -> Json:
    channel, thread_ts = _thread(call)
    session_set(call.workspace, channel.id, thread_ts, call.args.text("status"))
    if call.args.text("title"):
        _set_title(call, channel, thread_ts)
    return {"ok": True}


def _rename(call: Call) -> Json:
    channel, thread_ts = _thread(call)
    _set_title(call, channel, thread_ts)
    return {"ok": True}


def _set_title(call: Call, channel: Channel, thread_ts: str) -> None:
    title = call.args.text("title")
    if not 0 < len(title) <= _LONGEST_TITLE:
        raise Refused("invalid_title")
    call.workspace.statuses.setdefault((channel.id, thread_ts), {})["title"] = title


def _set_status(call: Call) -> Json:
    channel, thread_ts = _thread(call)
    loading = call.args.names("loading_messages")
    if len(loading) > _MOST_LOADING or any(len(line) > _LONGEST_LOADING for line in loading):
        raise Refused("invalid_arguments")
    call.workspace.statuses.setdefault((channel.id, thread_ts), {})["text"] = call.args.text("status")
    return {"ok": True}


def _set_prompts(call: Call) -> Json:
    channel, thread_ts = _thread(call)
    prompts = call.args.objects("prompts", "invalid_arguments")
    if not 0 < len(prompts) <= _MOST_PROMPTS:
        raise Refused("invalid_arguments")
    if any(not prompt.get("title") or not prompt.get("message") for prompt in prompts):
        raise Refused("invalid_arguments")
    call.workspace.prompts[channel.id, thread_ts] = {"title": call.args.text("title"), "prompts": prompts}
    return {"ok": True}


_WRITE = ("chat:write",)
_THREAD = ("channel_id", "thread_ts")

METHODS: Methods = {
    "agents.sessions.setStatus": Method(_set_session_status, required=(*_THREAD, "status"), scopes=_WRITE),
    "agents.sessions.rename": Method(_rename, required=(*_THREAD, "title"), scopes=_WRITE),
    "assistant.threads.setStatus": Method(_set_status, required=_THREAD, scopes=_WRITE),
    "assistant.threads.setTitle": Method(_rename, required=(*_THREAD, "title"), scopes=("assistant:write",)),
    "assistant.threads.setSuggestedPrompts": Method(
        _set_prompts, required=("channel_id", "prompts"), scopes=("assistant:write",)
    ),
}
