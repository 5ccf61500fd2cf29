"""The rules of who may read what, against an oracle that asks of each reader and each place: may they open it?"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.scope import OpenPlaces, Reader, scope_in_conversation, scope_in_dm
from bot.types import Conversation, ConversationKind, PersonKind
from retrieval.types import WORKSPACE, Place, Scope

TEAM = "T1"
KINDS = (ConversationKind.PUBLIC, ConversationKind.PRIVATE, ConversationKind.GROUP_DM)


@dataclass(frozen=True)
class World:
    """Conversations with who is in each, and what everybody is."""

    conversations: tuple[Conversation, ...]
    kinds: tuple[PersonKind, ...]
    members: tuple[frozenset[int], ...]

    def may_open(self, person: int, place: Place) -> bool:
        """What Slack lets somebody open, put as plainly as it can be."""
        return self.kind_may_open(self.kinds[person], self.places_of(person), place)

    def kind_may_open(self, kind: PersonKind, is_in: frozenset[Place], place: Place) -> bool:
        if kind is PersonKind.NOBODY:
            return False
        if place == WORKSPACE:
            return kind is PersonKind.MEMBER
        conversation = next(c for c in self.conversations if c.place == place)
        if kind is PersonKind.OUTSIDER:
            return conversation.is_shared and place in is_in
        if kind is PersonKind.GUEST:
            return place in is_in
        is_open = conversation.kind is ConversationKind.PUBLIC and not conversation.is_shared
        return is_open or place in is_in

    def places_of(self, person: int) -> frozenset[Place]:
        return frozenset(
            c.place for c, inside in zip(self.conversations, self.members, strict=True) if person in inside
        )

    def reader(self, person: int) -> Reader:
        return Reader(self.kinds[person], self.places_of(person))

    @property
    def open_places(self) -> OpenPlaces:
        public = (c for c in self.conversations if c.kind is ConversationKind.PUBLIC and not c.is_shared)
        return OpenPlaces(
            frozenset(c.place for c in public), frozenset(c.place for c in self.conversations if c.is_shared)
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Small workspaces of every make."""
    people = draw(st.integers(1, 5))
    count = draw(st.integers(1, 5))
    conversations = tuple(
        Conversation(f"C{at}", Place(f"p{at}"), f"c{at}", draw(st.sampled_from(KINDS)), is_shared=draw(st.booleans()))
        for at in range(count)
    )
    kinds = tuple(draw(st.sampled_from(PersonKind)) for _ in range(people))
    members = tuple(frozenset(draw(st.sets(st.integers(0, people - 1)))) for _ in range(count))
    return World(conversations, kinds, members)


def passages(world: World) -> list[frozenset[Place]]:
    """Where a passage can stand: in each place alone, and in each two (a file that was shared twice)."""
    places = [WORKSPACE, *(c.place for c in world.conversations)]
    return [frozenset({one, other}) for one in places for other in places]


@given(worlds(), st.data())
def test_a_dm_uses_what_its_asker_may_open(world: World, data: st.DataObject) -> None:
    """Nothing that the asker could not open comes into a DM, and nothing that they could is kept from it."""
    asker = data.draw(st.integers(0, len(world.kinds) - 1))
    scope = scope_in_dm(TEAM, world.reader(asker), world.open_places)
    for places in passages(world):
        assert scope.admits(places) == any(world.may_open(asker, place) for place in places)


@given(worlds(), st.data())
def test_a_channel_uses_what_everybody_there_now_or_later_may_open(world: World, data: st.DataObject) -> None:
    """A reply uses just what each reader may open, and a full member who joins tomorrow and is in nothing else."""
    at = data.draw(st.integers(0, len(world.conversations) - 1))
    conversation, inside = world.conversations[at], world.members[at]
    others = [world.reader(person) for person in inside if world.kinds[person] is not PersonKind.MEMBER]
    scope = scope_in_conversation(TEAM, conversation, others, world.open_places)
    newcomer = frozenset({conversation.place})
    for places in passages(world):
        by_everybody = all(any(world.may_open(person, place) for place in places) for person in inside)
        by_newcomer = any(world.kind_may_open(PersonKind.MEMBER, newcomer, place) for place in places)
        expected = by_everybody and by_newcomer and not conversation.is_shared
        assert scope.admits(places) == expected


HERE, PUBLIC, PRIVATE, SHARED = (Place(name) for name in ("here", "public", "private", "shared"))
OPEN = OpenPlaces(frozenset({PUBLIC}), frozenset({SHARED}))
EVERYWHERE = (WORKSPACE, HERE, PUBLIC, PRIVATE, SHARED)


def here(kind: ConversationKind, is_shared: bool = False) -> Conversation:
    """The conversation in which the question is asked."""
    return Conversation("C1", HERE, "here", kind, is_shared)


def admitted(scope: Scope) -> set[Place]:
    """All that a reply may use."""
    return {place for place in EVERYWHERE if scope.admits([place])}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (PersonKind.MEMBER, {WORKSPACE, PUBLIC, PRIVATE, SHARED}),
        (PersonKind.GUEST, {PRIVATE, SHARED}),
        (PersonKind.OUTSIDER, {SHARED}),
        (PersonKind.NOBODY, set()),
    ],
)
def test_a_dm_by_kind_of_asker(kind: PersonKind, expected: set[Place]) -> None:
    """Each kind of person, in a private and in a shared channel, gets what the design says."""
    assert admitted(scope_in_dm(TEAM, Reader(kind, frozenset({PRIVATE, SHARED})), OPEN)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_fact_stays_out_of_every_other_conversation(kind: ConversationKind) -> None:
    """Whoever asks, a channel's reply uses the channel itself and what every full member may open, and no more."""
    assert admitted(scope_in_conversation(TEAM, here(kind), [], OPEN)) == {WORKSPACE, HERE, PUBLIC}


@pytest.mark.parametrize("kind", KINDS)
def test_a_guest_narrows_a_channel(kind: ConversationKind) -> None:
    """With a guest there, a reply uses what the guest may open of it: never the workspace's documents."""
    guest = Reader(PersonKind.GUEST, frozenset({HERE, PRIVATE}))
    assert admitted(scope_in_conversation(TEAM, here(kind), [guest], OPEN)) == {HERE}


@pytest.mark.parametrize("stranger", [PersonKind.NOBODY, PersonKind.OUTSIDER])
def test_a_stranger_empties_a_channel(stranger: PersonKind) -> None:
    """Where somebody reads of whom nothing is known, or whom nobody has told of, nothing may be used."""
    others = [Reader(stranger, frozenset({HERE}))]
    scope = scope_in_conversation(TEAM, here(ConversationKind.PUBLIC), others, OPEN)
    assert admitted(scope) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_shared_channel_uses_nothing(kind: ConversationKind) -> None:
    """In a channel that is shared with another organisation nothing is answered, since nobody has approved it."""
    assert scope_in_conversation(TEAM, here(kind, is_shared=True), [], OPEN).is_empty


def test_a_dm_is_no_channel() -> None:
    """A DM that is taken for a channel uses nothing: its rule is its asker's."""
    assert scope_in_conversation(TEAM, here(ConversationKind.DM), [], OPEN).is_empty
