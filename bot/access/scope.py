"""The rules of who may read what, without any reading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.types import Conversation, ConversationKind, PersonKind
from retrieval.types import WORKSPACE, Place, Scope


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who will read a reply."""

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


def scope_in_dm(team: str, asker: Reader, places: OpenPlaces) -> Scope:
    """What a reply may use that its asker alone reads."""
    return Scope(team, frozenset({readable(asker, places)}))


def scope_in_conversation(team: str, conversation: Conversation, others: Iterable[Reader], places: OpenPlaces) -> Scope:
    """What a reply may use that everybody in a channel or group DM reads, and everybody who joins it later.

    Nothing in a shared one, nor in a DM, where others than Footnote's asker may read.

    Args:
        others: everybody in it who isn't a full member. For those, who come and go, stands one reader who may open
            the conversation itself and what is open to every full member.
    """
    if conversation.is_shared or conversation.kind is ConversationKind.DM:
        return Scope(team, frozenset())
    any_member = places.public | {WORKSPACE, conversation.place}
    return Scope(team, frozenset({any_member, *(readable(reader, places) for reader in others)}))
