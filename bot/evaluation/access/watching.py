"""Sees the sandbox as it is: who is where and what stands there, and everything that Footnote has put anywhere."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.evaluation.access.oracle import Kind, Room, Truth
from bot.evaluation.access.words import canaries_in
from sandbox.state import Channel, ChannelKind, Message, Person, PersonKind, Workspace

_KINDS = {
    PersonKind.MEMBER: Kind.MEMBER,
    PersonKind.GUEST: Kind.GUEST,
    PersonKind.SINGLE_CHANNEL_GUEST: Kind.GUEST,
    PersonKind.OUTSIDER: Kind.OUTSIDER,
}


@dataclass(frozen=True, slots=True)
class Item:
    """Something that Footnote has put where somebody sees it."""

    id: str
    room: str
    at: float
    """When it got these words."""
    canaries: frozenset[str]
    only_for: str = ""
    """A user id; empty where everybody sees it who opens the room."""
    can_go: bool = True
    """Whether Slack lets it be taken back."""

    def is_seen_by(self, person: str, truth: Truth) -> bool:
        """Whether Slack shows it to somebody."""
        if self.only_for:
            return person == self.only_for and truth.people[person] is not Kind.NOBODY
        return truth.opens(person, self.room)


def truth_of(workspace: Workspace, documents: Mapping[str, str]) -> Truth:
    """The workspace as it is; `documents` gives the channel of each canary that stands in one, or `WORKSPACE`."""
    stands: defaultdict[str, set[str]] = defaultdict(set)
    for canary, place in documents.items():
        stands[canary].add(place)
    for channel in workspace.channels.values():
        for canary in _said_in(channel, workspace):
            stands[canary].add(channel.id)
    for file in workspace.files.values():
        for canary in canaries_in(file.content.decode()):
            stands[canary].update(file.channels)
    return Truth(
        {person.id: _kind(person, workspace) for person in workspace.people.values()},
        {channel.id: _room(channel, workspace) for channel in workspace.channels.values()},
        {canary: frozenset(places) for canary, places in stands.items()},
    )


def _said_in(channel: Channel, workspace: Workspace) -> Iterator[str]:
    for message in channel.messages.values():
        if not _is_footnotes(message, workspace):
            yield from canaries_in(message.text)


def _kind(person: Person, workspace: Workspace) -> Kind:
    kind = _KINDS.get(person.kind, Kind.NOBODY)
    return kind if workspace.is_home(person) or kind is Kind.OUTSIDER else Kind.NOBODY


def _room(channel: Channel, workspace: Workspace) -> Room:
    return Room(
        is_public=channel.kind is ChannelKind.PUBLIC,
        is_shared=channel.is_shared or channel.pending_ext_shared,
        is_dm=channel.kind is ChannelKind.DM,
        members=frozenset(channel.members) - {workspace.app.user_id},
        has_footnote=workspace.app.user_id in channel.members,
        is_archived=channel.archived,
    )


def put_by_footnote(workspace: Workspace) -> Iterator[Item]:
    """Everything of Footnote's that holds a canary: posts, words to one person, homes, modals, signs and prompts."""
    for channel in workspace.channels.values():
        for message in channel.messages.values():
            if _is_footnotes(message, workspace) and (canaries := canaries_in(_words(message))):
                at = float(message.edited_ts or message.ts)
                yield Item(f"post {channel.id} {message.ts} {message.edited_ts}", channel.id, at, canaries)
    for said in workspace.ephemerals:
        if canaries := canaries_in(json.dumps([said.text, said.blocks, said.attachments])):
            yield Item(f"whisper {said.ts}", said.channel, float(said.ts), canaries, said.user, can_go=False)
    yield from _beside(workspace)


def _beside(workspace: Workspace) -> Iterator[Item]:
    now = workspace.clock.now()
    views = [("home", user, view) for user, view in workspace.homes.items()]
    views += [("modal", user, view) for user, view in workspace.modals.values()]
    for name, user, view in views:
        if canaries := canaries_in(json.dumps(view)):
            yield Item(f"{name} {user} {sorted(canaries)}", "", now, canaries, user)
    for name, signs in (("sign", workspace.statuses), ("prompts", workspace.prompts)):
        for (room, thread), sign in signs.items():
            if canaries := canaries_in(json.dumps(sign)):
                yield Item(f"{name} {room} {thread} {sorted(canaries)}", room, now, canaries)


def _is_footnotes(message: Message, workspace: Workspace) -> bool:
    return message.user == workspace.app.user_id or message.bot_id == workspace.app.bot_id


def _words(message: Message) -> str:
    return json.dumps([message.text, message.blocks, message.attachments, message.extra])
