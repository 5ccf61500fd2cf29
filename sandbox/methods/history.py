"""conversations.history and conversations.replies: messages, page by page."""

from bisect import bisect_left, bisect_right

from sandbox.access import readable
from sandbox.calls import Call, Method, Methods
from sandbox.clock import ts_of
from sandbox.paging import cursor_for, limit_of, read_cursor
from sandbox.shapes import message_json
from sandbox.state import Channel
from sandbox.types import Json, Refused

_MOST_HISTORY = 999  # Source: Slack's limit of a page
_MOST_REPLIES = 1000  # Source: Slack's limit of a page
_USUAL_HISTORY = 100
_AFTER_ALL = 10**17  # microseconds, past every message


def _history(call: Call) -> Json:
    """What shows in the conversation outside threads, newest first."""
    channel = readable(call.workspace, call.caller, call.args.text("channel"))
    limit = limit_of(call.args, default=_USUAL_HISTORY, most=_MOST_REPLIES)
    wanted = _between(call, channel.timeline)
    cursor = call.args.text("cursor")
    if cursor:
        wanted = wanted[: bisect_right(wanted, read_cursor(cursor, "next_ts"))]
    newest_first = wanted[::-1]
    shown, more = newest_first[: min(limit, _MOST_HISTORY)], newest_first[min(limit, _MOST_HISTORY) :]
    messages = [message_json(call.workspace, channel, channel.messages[ts]) for ts in shown]
    shape: Json = {"ok": True, "messages": messages, "has_more": bool(more), "pin_count": len(channel.pins)}
    shape |= {"channel_actions_ts": None, "channel_actions_count": 0}
    return shape | ({"response_metadata": {"next_cursor": cursor_for("next_ts", more[0])}} if more else {})


def _between(call: Call, timestamps: list[str]) -> list[str]:
    """Those from `oldest` to `latest`, which count themselves only when `inclusive` says so."""
    oldest = call.args.moment("oldest", "invalid_ts_oldest")
    latest = call.args.moment("latest", "invalid_ts_latest")
    inside = int(not call.args.flag("inclusive"))
    low = ts_of(oldest + inside) if oldest else ""
    high = ts_of((latest or _AFTER_ALL) + 1 - inside)
    return timestamps[bisect_left(timestamps, low) : bisect_left(timestamps, high)]


def _replies(call: Call) -> Json:
    """A thread: its root on every page, then its replies, oldest first."""
    channel = readable(call.workspace, call.caller, call.args.text("channel"))
    root = channel.messages.get(call.args.text("ts"))
    if root is None:
        raise Refused("thread_not_found")
    wanted = _between(call, channel.threads.get(root.ts, []))
    limit = limit_of(call.args, default=_MOST_REPLIES, most=_MOST_REPLIES)
    cursor = call.args.text("cursor")
    if cursor:
        wanted = wanted[bisect_left(wanted, read_cursor(cursor, "next_ts")) :]
    room = limit if cursor else limit - 1
    return _thread_page(call, channel, root.ts, wanted[:room], wanted[room:])


def _thread_page(call: Call, channel: Channel, root: str, shown: list[str], more: list[str]) -> Json:
    wanted = [channel.messages[ts] for ts in [root, *shown]]
    messages = [message_json(call.workspace, channel, message, in_thread=True) for message in wanted]
    shape: Json = {"ok": True, "messages": messages, "has_more": bool(more)}
    return shape | ({"response_metadata": {"next_cursor": cursor_for("next_ts", more[0])}} if more else {})


METHODS: Methods = {
    "conversations.history": Method(_history, required=("channel",)),
    "conversations.replies": Method(_replies, required=("channel", "ts")),
}
