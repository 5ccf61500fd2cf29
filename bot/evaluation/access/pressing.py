"""Presses whatever buttons Footnote shows, as whoever sees them, and types its command anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import cast

from bot.evaluation.access.words import question
from sandbox.state import Workspace
from sandbox.still import StillSandbox
from sandbox.types import Json

COMMAND = "/footnote"


@dataclass(frozen=True, slots=True)
class Shown:
    """A button where somebody sees it."""

    person: str
    room: str
    ts: str
    """Of the message that it stands on."""
    below: str
    """Of the message that opens the thread; empty outside of one."""
    action: str
    value: str


def shown_buttons(workspace: Workspace) -> list[Shown]:
    """Every button of every post, as each person sees it who is in the room, and those that one person sees alone."""
    app = workspace.app.user_id
    shown: list[Shown] = []
    for room in workspace.channels.values():
        people = [member for member in room.members if not workspace.people[member].is_bot]
        for message in (message for message in room.messages.values() if message.user == app):
            for action, value in _buttons(message.blocks):
                shown += [Shown(who, room.id, message.ts, message.thread_ts, action, value) for who in people]
    for said in workspace.ephemerals:
        found = [(action, value) for action, value in _buttons(said.blocks) if said.channel in workspace.channels]
        shown += [Shown(said.user, said.channel, said.ts, said.thread_ts, action, value) for action, value in found]
    return shown


def _buttons(blocks: Sequence[Json]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        elements = [*cast("list[object]", block.get("elements") or []), block.get("accessory")]
        for element in elements:
            if isinstance(element, Mapping) and element.get("type") == "button":
                yield str(element["action_id"]), str(element.get("value", ""))


def press(still: StillSandbox, button: Shown) -> bool:
    """Press it; whether Slack let them."""
    where = {"channel": button.room, "ts": button.ts}
    answer = still.call("sandbox.pressButton", button.person, **where, action_id=button.action, value=button.value)
    return bool(answer.get("ok"))


def type_command(still: StillSandbox, random: Random, person: str, topic: str) -> str:
    """Ask behind the command in any room that somebody sees; its id, or empty where there is none."""
    rooms = still.call("conversations.list", person, types="public_channel,private_channel,mpim,im").get("channels")
    seen = [str(cast("Json", room)["id"]) for room in cast("list[object]", rooms or [])]
    if not seen:
        return ""
    room = random.choice(seen)
    typed = still.call("sandbox.slashCommand", person, channel=room, command=COMMAND, text=question(topic))
    return room if typed.get("ok") else ""
