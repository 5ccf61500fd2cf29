"""The rule of who may read what, without any reading."""

from __future__ import annotations

from dataclasses import dataclass

from bot.types import Conversation, ConversationKind, PersonKind
from retrieval.types import WORKSPACE, Place, Scope


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads a reply."""

    kind: PersonKind
    places: frozenset[Place]
    """The conversations that they are in, their DMs left out."""


@dataclass(frozen=True, slots=True)
class OpenPlaces:
    """What is known of the workspace's conversations beside who is in them."""

    public: frozenset[Place]
    """The public channels that are shared with nobody."""
    shared: frozenset[Place] = frozenset()
    """The conversations that are shared with another organisation."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who reads a reply, as soon as it is posted or ever after."""

    team: str
    posted_in: Conversation | None
    """The channel or group DM in which it stands, in a thread or not; None where only its asker ever sees it: in a DM
    with Footnote, as a message that is theirs alone, or as the reply to a command."""
    readers: frozenset[Reader]
    """Where only the asker sees it, the asker. In a channel everybody there who is no full member; those come and go,
    and for them stands one who is in that channel and in no other."""
    open_places: OpenPlaces
    is_approved: bool = False
    """Whether a full member has allowed answers in a channel that is shared with another organisation."""


def scope_for(audience: Audience) -> Scope:
    """What a reply may use: what each of its readers may open."""
    may_open = {readable(reader, audience.open_places) for reader in audience.readers}
    if audience.posted_in is not None:
        may_open.add(_readable_by_whoever_joins(audience.posted_in, audience))
    return Scope(audience.team, frozenset(may_open))


def readable(reader: Reader, places: OpenPlaces) -> frozenset[Place]:
    """What somebody may open; nothing for whoever isn't known."""
    match reader.kind:
        case PersonKind.MEMBER:
            return places.public | {WORKSPACE} | reader.places
        case PersonKind.GUEST:
            return reader.places
        case PersonKind.OUTSIDER:
            return reader.places & places.shared
        case _:
            return frozenset()


def _readable_by_whoever_joins(here: Conversation, audience: Audience) -> frozenset[Place]:
    """What somebody may open of whom no more is known than that they are, or will be, in this conversation.

    In a shared one that can be anybody. Nobody joins a DM: whoever takes one for a channel gets nothing.
    """
    if here.kind is ConversationKind.DM or (here.is_shared and not audience.is_approved):
        return frozenset()
    return frozenset({here.place}) if here.is_shared else audience.open_places.public | {WORKSPACE, here.place}
