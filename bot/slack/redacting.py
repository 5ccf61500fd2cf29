"""Takes out of posted answers what rests on fallen markers, by what the ids of their blocks say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.messages import Message
from bot.slack.payloads import child, children, string
from bot.slack.posting import own_id, signature_of, signed
from bot.slack.replies import MARKS_ID, REMARK_ID, REMOVED_ID, SOURCES_ID, TEXT_LIMIT, Block, Post, section
from bot.texts import PART_REMOVED, REMOVED, SOURCES

_MARKER_LINK = re.compile(r"<[^<>|]*\|(\[\d+\])>")
_LINK = re.compile(r"<[^<>|]*\|([^<>]*)>")
_SOURCE = re.compile(r"\[(\d+)\] ")
_HEADING = f"*{SOURCES}*"


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is to become of one posted message."""

    ts: str
    post: Post | None
    """What it says from now on; None where it is to be deleted."""


def redactions(messages: Sequence[Message], fallen: frozenset[int]) -> tuple[Redaction, ...]:
    """What becomes of the messages of one reply; those left out that show nothing that has fallen.

    Of a reply of which nothing is left, the first message says so.
    """
    stands = frozenset[int]().union(*(_marks(block) for message in messages for block in _claims(message, fallen)))
    changed = [(message, _left(message, fallen, stands)) for message in messages]
    return tuple(
        Redaction(message.ts, _post(message, left) if left else _gone(message) if message is messages[0] else None)
        for message, left in changed
        if left is not None
    )


def _claims(message: Message, fallen: frozenset[int]) -> list[Block]:
    """The sections that claim something and may stand."""
    return [block for block in message.blocks if _marks(block) and not _marks(block) & fallen]


def _marks(block: Block) -> frozenset[int]:
    """The markers that a section rests on; none where it does not say."""
    known = own_id(block).partition(":")[2] if own_id(block).startswith(MARKS_ID) else ""
    return frozenset(map(int, known.split("."))) if known else frozenset()


def _left(message: Message, fallen: frozenset[int], stands: frozenset[int]) -> list[Block] | None:
    """The blocks of a message that may stand, none where no words of the answer may; None where all do."""
    claims = _claims(message, fallen)
    sources = [line for block in message.blocks if (line := _sources(block, stands))]
    others = [block for block in message.blocks if own_id(block) in (REMARK_ID, REMOVED_ID) or _is_header(block)]
    if _texts(message.blocks) == _texts([*claims, *sources, *others]):
        return None
    if not claims and not sources:
        return []
    head = [block for block in others if _is_header(block)]
    tail = [block for block in others if own_id(block) == REMARK_ID]
    return [*head, *claims, section(f"_{PART_REMOVED}_", REMOVED_ID), *tail, *sources]


def _texts(blocks: Sequence[Block]) -> list[str]:
    """All that is said in sections, in no order of theirs."""
    return sorted(string(child(block, "text"), "text") for block in blocks if string(block, "type") == "section")


def _is_header(block: Block) -> bool:
    """Whether it says who shared the answer."""
    return string(block, "type") == "context"


def _sources(block: Block, stands: frozenset[int]) -> Block | None:
    """A list of sources without those of which nothing stands any more; None where it is another block, or empty."""
    if not own_id(block).startswith(SOURCES_ID):
        return None
    lines = string(child(block, "text"), "text").split("\n")
    kept = [line for line in lines if not (found := _SOURCE.match(line)) or int(found[1]) in stands]
    return section("\n".join(kept), own_id(block)) if any(_SOURCE.match(line) for line in kept) else None


def _gone(message: Message) -> Post:
    return _post(message, [section(REMOVED, REMOVED_ID)])


def _post(message: Message, blocks: Sequence[Block]) -> Post:
    parts = [part for block in blocks if (part := _read(block))]
    while len("\n\n".join(parts)) > TEXT_LIMIT:  # by the sentence that is new in it
        parts.pop()
    return Post("\n\n".join(parts), tuple(signed(blocks, signature_of(message.blocks[0]))))


def _read(block: Block) -> str:
    """What is read out in place of a block."""
    if _is_header(block):
        return " ".join(string(element, "text") for element in children(block, "elements"))
    text = string(child(block, "text"), "text")
    if own_id(block).startswith(SOURCES_ID):
        return _LINK.sub(r"\1", text.replace(_HEADING, SOURCES))
    return _MARKER_LINK.sub(r"\1", text)
