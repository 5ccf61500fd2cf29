"""Reads every byte that somebody can read, by Slack's own methods and with their own token."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from bot.evaluation.access.words import canaries_in
from sandbox.still import StillSandbox
from sandbox.types import Json

_KINDS = "public_channel,private_channel,mpim,im"
_PAGE = 999


def canaries_shown_to(still: StillSandbox, person: str) -> frozenset[str]:
    """The canaries in anything of Footnote's that somebody can open."""
    app = still.workspace.app.user_id
    shown = [post for post in _posts(still, person) if post.get("user") == app]
    return canaries_in(json.dumps([shown, *_beside(still, person)]))


def _posts(still: StillSandbox, person: str) -> Iterator[Json]:
    """Every message of every conversation, with all threads."""
    for room in _rooms(still, person):
        for post in _all(still, person, "conversations.history", "messages", channel=room):
            yield post
            if post.get("reply_count"):
                yield from _all(still, person, "conversations.replies", "messages", channel=room, ts=post["ts"])


def _beside(still: StillSandbox, person: str) -> Iterator[Json]:
    """What stands nowhere in a conversation: words to them alone, their Home tab, and the signs on threads."""
    yield still.call("sandbox.ephemerals", person)
    yield still.call("sandbox.home", person)
    for room, thread in [*still.workspace.statuses, *still.workspace.prompts]:
        yield still.call("sandbox.session", person, channel=room, thread_ts=thread)
    for whose, view in still.workspace.modals.values():
        if whose == person:
            yield view


def _rooms(still: StillSandbox, person: str) -> list[str]:
    return [str(room["id"]) for room in _all(still, person, "conversations.list", "channels", types=_KINDS)]


def _all(still: StillSandbox, person: str, method: str, field: str, **arguments: object) -> Iterator[Json]:
    """Every page of a list; nothing where Slack doesn't let them."""
    cursor = ""
    while True:
        page = still.call(method, person, limit=_PAGE, cursor=cursor, **arguments)
        yield from cast("list[Json]", page.get(field) or [])
        cursor = str(cast("Mapping[str, object]", page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return
