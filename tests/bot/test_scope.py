"""The rule of who may read what, case by case; test_scope_oracle holds it against an oracle."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.access.scope import Audience, OpenPlaces, Reader, scope_for
from bot.types import Conversation, ConversationKind, PersonKind
from retrieval.types import WORKSPACE, Place, Scope

TEAM = "T1"
HERE, PUBLIC, PRIVATE, SHARED = (Place(name) for name in ("here", "public", "private", "shared"))
OPEN = OpenPlaces(frozenset({PUBLIC}), frozenset({SHARED}))
EVERYWHERE = (WORKSPACE, HERE, PUBLIC, PRIVATE, SHARED)
KINDS = (ConversationKind.PUBLIC, ConversationKind.PRIVATE, ConversationKind.GROUP_DM)


def here(kind: ConversationKind, is_shared: bool = False) -> Conversation:
    """The conversation in which the question is asked."""
    return Conversation("C1", HERE, "here", kind, is_shared)


def alone(kind: PersonKind, *places: Place) -> Audience:
    """Somebody who alone sees the reply."""
    return Audience(TEAM, None, frozenset({Reader(kind, frozenset(places))}), OPEN)


def in_channel(conversation: Conversation, *others: Reader) -> Audience:
    """Everybody in a channel, of whom these are no full members."""
    return Audience(TEAM, conversation, frozenset(others), OPEN)


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
    assert admitted(scope_for(alone(kind, PRIVATE, SHARED))) == expected


def test_a_reply_that_nobody_reads_uses_nothing() -> None:
    """Where the reader is not known there is none who may open anything."""
    assert scope_for(replace(alone(PersonKind.MEMBER), readers=frozenset())).is_empty


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_fact_stays_out_of_every_other_conversation(kind: ConversationKind) -> None:
    """Whoever asks, a channel's reply uses the channel itself and what every full member may open, and no more."""
    assert admitted(scope_for(in_channel(here(kind)))) == {WORKSPACE, HERE, PUBLIC}


@pytest.mark.parametrize("kind", KINDS)
def test_a_guest_narrows_a_channel(kind: ConversationKind) -> None:
    """With a guest there, a reply uses what the guest may open of it: never the workspace's documents."""
    guest = Reader(PersonKind.GUEST, frozenset({HERE, PRIVATE}))
    assert admitted(scope_for(in_channel(here(kind), guest))) == {HERE}


def test_two_guests_narrow_a_channel_to_what_both_may_open() -> None:
    """What one of them may not open is not used, though the other may."""
    one, other = (Reader(PersonKind.GUEST, frozenset({HERE, *also})) for also in ((PUBLIC,), ()))
    both = scope_for(in_channel(here(ConversationKind.PUBLIC), one, other))
    assert (admitted(scope_for(in_channel(here(ConversationKind.PUBLIC), one))), admitted(both)) == (
        {HERE, PUBLIC},
        {HERE},
    )


@pytest.mark.parametrize("stranger", [PersonKind.NOBODY, PersonKind.OUTSIDER])
def test_a_stranger_empties_a_channel(stranger: PersonKind) -> None:
    """Where somebody reads of whom nothing is known, or whom nobody has told of, nothing may be used."""
    reader = Reader(stranger, frozenset({HERE}))
    assert admitted(scope_for(in_channel(here(ConversationKind.PUBLIC), reader))) == set()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("is_approved", "expected"), [(False, set()), (True, {HERE})])
def test_a_shared_channel_uses_itself_alone_and_only_when_that_is_allowed(
    kind: ConversationKind, is_approved: bool, expected: set[Place]
) -> None:
    """Whoever joins it can be of another organisation, and may open this channel and nothing else."""
    audience = replace(in_channel(here(kind, is_shared=True)), is_approved=is_approved)
    assert admitted(scope_for(audience)) == expected


def test_an_approval_widens_nothing_that_is_not_shared() -> None:
    """It is about shared channels; everywhere else it says nothing."""
    audience = in_channel(here(ConversationKind.PRIVATE))
    assert scope_for(replace(audience, is_approved=True)) == scope_for(audience)


def test_a_dm_is_no_channel() -> None:
    """A DM that is taken for a channel uses nothing: its rule is its asker's."""
    assert scope_for(in_channel(here(ConversationKind.DM))).is_empty
