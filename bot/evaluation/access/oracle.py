"""The rule of who may read what, written once more from its description: it shares no line with `bot/access`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

WORKSPACE = "the workspace"
"""Where a document stands that every full member may read."""


class Kind(Enum):
    """What somebody is."""

    MEMBER = "member"
    GUEST = "guest"
    OUTSIDER = "outsider"
    NOBODY = "nobody"
    """A bot, or somebody who was deactivated: reads nothing, and so learns nothing."""


@dataclass(frozen=True, slots=True)
class Room:
    """A channel, group DM or DM as it is."""

    is_public: bool
    is_shared: bool
    """With another organisation or workspace, or about to be."""
    is_dm: bool
    members: frozenset[str]
    has_footnote: bool
    is_archived: bool


@dataclass(frozen=True, slots=True)
class Truth:
    """What is so at one moment, whatever anybody knows of it."""

    people: Mapping[str, Kind]
    rooms: Mapping[str, Room]
    stands: Mapping[str, frozenset[str]]
    """By canary: the rooms, or the workspace, in which somebody can open it."""

    def opens(self, person: str, room_id: str) -> bool:
        """Whether Slack shows somebody what is posted in a room."""
        room, kind = self.rooms.get(room_id), self.people[person]
        if room is None or kind is Kind.NOBODY:
            return False
        return person in room.members or (room.is_public and kind is Kind.MEMBER)

    def may_read(self, person: str, canary: str) -> bool:
        """Whether somebody may open a place where it stands."""
        return any(self._may_open(person, place) for place in self.stands.get(canary, ()))

    def may_see(self, person: str, canary: str, room_id: str) -> bool:
        """Whether somebody may be shown it in a room: what stands there itself, they open by opening the room.

        It makes a difference in a public channel that is shared, which every full member can open, and of which
        nothing is to be used elsewhere for those who aren't in it.
        """
        stands_there = room_id in self.stands.get(canary, ()) and self.opens(person, room_id)
        return stands_there or self.may_read(person, canary)

    def may_all_read(self, room_id: str, canary: str) -> bool:
        """Whether everybody who reads a reply in a room may, and everybody who joins the room later."""
        room = self.rooms[room_id]
        readers = [person for person in room.members if self.people[person] is not Kind.NOBODY]
        return all(self.may_read(person, canary) for person in readers) and (
            room.is_dm or self._may_whoever_joins(room_id, canary)
        )

    def _may_open(self, person: str, place: str) -> bool:
        kind, room = self.people[person], self.rooms.get(place)
        if place == WORKSPACE:
            return kind is Kind.MEMBER
        if room is None:  # it was deleted
            return False
        match kind:
            case Kind.MEMBER:
                return person in room.members or (room.is_public and not room.is_shared)
            case Kind.GUEST:
                return person in room.members
            case Kind.OUTSIDER:
                return person in room.members and room.is_shared
            case _:
                return False

    def _may_whoever_joins(self, room_id: str, canary: str) -> bool:
        """Whether a full member could who is in this room and in no other; in a shared room, an outsider."""
        room = self.rooms[room_id]
        kind = Kind.OUTSIDER if room.is_shared else Kind.MEMBER
        joined = replace(room, members=room.members | {"whoever joins"})
        later = replace(self, people={**self.people, "whoever joins": kind}, rooms={**self.rooms, room_id: joined})
        return later.may_read("whoever joins", canary)
