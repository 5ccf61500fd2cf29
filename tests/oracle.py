"""Random workspaces, and an oracle that asks of each person and each thing: may they open it? By no code of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations_with_replacement
from typing import TypeVar

T = TypeVar("T")

ENTROPY = 32
"""Bytes that a workspace is made of; those with many zeros are simple."""
ROOMS = 5
"""As many rooms as there can be; each has a place in which something can stand, whether or not there is such a room."""
DOCUMENTS = -1
"""Where a document stands that the whole workspace may read, beside the numbers of rooms."""


class Standing(Enum):
    """What somebody is."""

    FULL = "full member"
    ADMIN = "admin"
    MULTI_CHANNEL_GUEST = "multi-channel guest"
    SINGLE_CHANNEL_GUEST = "single-channel guest"
    OUTSIDER = "outsider"
    BOT = "bot"
    DEACTIVATED = "deactivated"
    STRANGER = "stranger"


class RoomKind(Enum):
    """How a room is found by those who are not in it."""

    PUBLIC = "public"
    PRIVATE = "private"
    GROUP_DM = "group DM"


class Sharing(Enum):
    """With whom a room is shared."""

    NOBODY = "nobody"
    ANOTHER_ORGANISATION = "another organisation"
    PENDING = "another organisation, soon"
    ANOTHER_WORKSPACE = "another workspace of the organisation"


class State(Enum):
    """Whether a room is in use."""

    LIVE = "live"
    ARCHIVED = "archived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Room:
    """A channel or group DM as it is now, whatever it was before."""

    kind: RoomKind
    sharing: Sharing
    state: State
    is_approved: bool
    """Whether a full member has allowed answers in it, with everybody in mind who shares it now."""
    members: frozenset[int]

    @property
    def is_shared(self) -> bool:
        return self.sharing is not Sharing.NOBODY


@dataclass(frozen=True, slots=True)
class Office:
    """A workspace, and a question that is put in it."""

    people: tuple[Standing, ...]
    rooms: tuple[Room, ...]
    asker: int
    asked_in: int | None
    """A room; None for a DM with Footnote, a command, or what only the asker sees."""

    def may_use(self, stands_in: Sequence[int]) -> bool:
        """Whether something may be shown in the reply that stands in these rooms, or (`DOCUMENTS`) is a document."""
        if self.asked_in is None:
            return self._may_open(self.people[self.asker], self._rooms_of(self.asker), stands_in)
        room = self.rooms[self.asked_in]
        if room.state is State.DELETED or (room.is_shared and not room.is_approved):
            return False
        return all(self._may_open(standing, rooms, stands_in) for standing, rooms in self._readers_in(self.asked_in))

    def _readers_in(self, number: int) -> Iterator[tuple[Standing, frozenset[int]]]:
        """Everybody who reads along, with the rooms that they are in: who is there, and whoever joins."""
        for person in self.rooms[number].members:
            if self.people[person] not in (Standing.BOT, Standing.DEACTIVATED):
                yield self.people[person], self._rooms_of(person)
        yield Standing.FULL, frozenset({number})
        if self.rooms[number].is_shared:
            yield Standing.OUTSIDER, frozenset({number})

    def _rooms_of(self, person: int) -> frozenset[int]:
        return frozenset(number for number, room in enumerate(self.rooms) if person in room.members)

    def _may_open(self, standing: Standing, rooms: frozenset[int], stands_in: Sequence[int]) -> bool:
        """Whether Slack shows somebody one of the places in which a thing stands."""
        return any(self._may_enter(standing, rooms, place) for place in stands_in)

    def _may_enter(self, standing: Standing, rooms: frozenset[int], place: int) -> bool:
        is_full = standing in (Standing.FULL, Standing.ADMIN)
        if place == DOCUMENTS:
            return is_full
        if place >= len(self.rooms) or self.rooms[place].state is State.DELETED:
            return False
        room = self.rooms[place]
        if is_full:
            return place in rooms or (room.kind is RoomKind.PUBLIC and not room.is_shared)
        if standing in (Standing.MULTI_CHANNEL_GUEST, Standing.SINGLE_CHANNEL_GUEST):
            return place in rooms
        return standing is Standing.OUTSIDER and room.is_shared and place in rooms


STANDING_PLACES = tuple(
    tuple(sorted(set(places))) for places in combinations_with_replacement((DOCUMENTS, *range(ROOMS)), 2)
)
"""Where a passage can stand: in each place alone, and in each two, as a file does that was shared twice."""


def office(entropy: bytes) -> Office:
    """The workspace that these bytes make: equal bytes make equal workspaces."""
    chance = _Chance(entropy)
    people = tuple(chance.one_of([Standing.FULL, *Standing]) for _ in range(2 + chance.below(5)))
    rooms = tuple(_room(chance, people) for _ in range(1 + chance.below(ROOMS)))
    rooms = _with_single_channel_guests_in_one(people, rooms)
    asked_in = chance.one_of([None, *range(len(rooms)), *range(len(rooms))])
    return Office(people, rooms, chance.below(len(people)), asked_in)


def _room(chance: _Chance, people: Sequence[Standing]) -> Room:
    kind, sharing = chance.one_of(list(RoomKind)), chance.one_of([*(3 * [Sharing.NOBODY]), *Sharing])
    state, is_approved, inside = chance.one_of([*(5 * [State.LIVE]), *State]), chance.below(3) > 0, chance.below(256)
    members = frozenset(number for number in range(len(people)) if inside >> number & 1)
    return Room(kind, sharing, state, is_approved, members)


def _with_single_channel_guests_in_one(people: Sequence[Standing], rooms: Sequence[Room]) -> tuple[Room, ...]:
    placed: set[int] = set()
    kept = []
    for room in rooms:
        members = frozenset(one for one in room.members if one not in placed)
        placed |= {one for one in members if people[one] is Standing.SINGLE_CHANNEL_GUEST}
        kept.append(Room(room.kind, room.sharing, room.state, room.is_approved, members))
    return tuple(kept)


class _Chance:
    """Decisions by bytes, one each; without any left, the first that there is."""

    def __init__(self, entropy: bytes) -> None:
        self._bytes = iter(entropy)

    def below(self, number: int) -> int:
        return next(self._bytes, 0) % number

    def one_of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]
