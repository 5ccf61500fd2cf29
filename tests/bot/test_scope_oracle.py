"""The rule, and the facts it is fed, against an oracle: nothing leaks, and nothing is withheld without need."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.access.scope import Audience, OpenPlaces, Reader, scope_for
from bot.types import Conversation, ConversationKind, PersonKind
from retrieval.types import WORKSPACE, Place, Scope
from tests.oracle import DOCUMENTS, ENTROPY, STANDING_PLACES, Office, Room, RoomKind, Standing, State, office

WORKSPACES = st.binary(min_size=ENTROPY, max_size=ENTROPY).map(office)
KINDS = {
    Standing.FULL: PersonKind.MEMBER,
    Standing.ADMIN: PersonKind.MEMBER,
    Standing.MULTI_CHANNEL_GUEST: PersonKind.GUEST,
    Standing.SINGLE_CHANNEL_GUEST: PersonKind.GUEST,
    Standing.OUTSIDER: PersonKind.OUTSIDER,
}
ROOM_KINDS = {
    RoomKind.PUBLIC: ConversationKind.PUBLIC,
    RoomKind.PRIVATE: ConversationKind.PRIVATE,
    RoomKind.GROUP_DM: ConversationKind.GROUP_DM,
}


def place(number: int) -> Place:
    """Where something stands."""
    return WORKSPACE if number == DOCUMENTS else Place(f"room {number}")


def audience_of(world: Office) -> Audience | None:
    """Who reads the reply, as the rule is told; None where Slack knows no such place."""
    there = {number: room for number, room in enumerate(world.rooms) if room.state is not State.DELETED}
    public = frozenset(place(n) for n, room in there.items() if room.kind is RoomKind.PUBLIC and not room.is_shared)
    open_places = OpenPlaces(public, frozenset(place(number) for number, room in there.items() if room.is_shared))

    def reader(person: int) -> Reader:
        inside = frozenset(place(number) for number, room in there.items() if person in room.members)
        return Reader(KINDS.get(world.people[person], PersonKind.NOBODY), inside)

    if world.asked_in is None:
        return Audience("T1", None, frozenset({reader(world.asker)}), open_places)
    if world.asked_in not in there:
        return None
    room = there[world.asked_in]
    unread = {Standing.FULL, Standing.ADMIN, Standing.BOT, Standing.DEACTIVATED}
    others = frozenset(reader(person) for person in room.members if world.people[person] not in unread)
    return Audience("T1", conversation(world.asked_in, room), others, open_places, room.is_approved)


def conversation(number: int, room: Room) -> Conversation:
    """A room, as the rule is told of it."""
    is_archived = room.state is State.ARCHIVED
    return Conversation(f"C{number}", place(number), f"c{number}", ROOM_KINDS[room.kind], room.is_shared, is_archived)


def differences(world: Office, scope: Scope) -> list[tuple[str, tuple[int, ...]]]:
    """Where the scope and the oracle are not of one mind."""
    return [
        ("leaks" if scope.admits(map(place, stands_in)) else "is withheld", stands_in)
        for stands_in in STANDING_PLACES
        if scope.admits(map(place, stands_in)) != world.may_use(stands_in)
    ]


@settings(max_examples=10_000, derandomize=True, database=None)
@given(WORKSPACES)
def test_a_reply_may_use_what_each_of_its_readers_may_open_and_nothing_else(world: Office) -> None:
    """In every workspace, for everything that can stand anywhere, whoever asks and wherever."""
    audience = audience_of(world)
    scope = scope_for(audience) if audience else Scope("T1", frozenset())
    assert differences(world, scope) == []
