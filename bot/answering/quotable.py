"""Lays out what the evidence holds that could be quoted, each piece with what is needed to understand it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.types import UnitKind
from retrieval.chunking.units import Unit, units
from retrieval.types import Hit

_LEANS = re.compile(
    r"""^\W*(?:it|its|this|that|these|those|they|their|them|he|she|his|her|there|such|both|otherwise|instead|however|but|
    so|then|also|therefore|thus|hence|in\s+(?:that|this|which)\s+case|if\s+(?:so|not)|for\s+(?:this|that)|after\s+that|
    and|or|nor|yet|still|same|no|yes|yep|yeah|exactly|correct|right|only|neither|either|the\s+(?:former|latter|other))\b
    (?!\s+(?:the\s+case\s+of|order\s+to))""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_JOIN = 400
"""Characters of a sentence with the one that it leans on; a longer pair stays apart."""

_SHORT_MESSAGE = 280
"""Characters; a message no longer than this is quoted whole, since its sentences mean little apart."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A piece of a passage that could be quoted."""

    text: str
    """What would be shown."""
    own: str
    """Its own words: a table row without its header, a list with its lead-in."""
    context: str
    """What it is read under: title, headings, a table's header, in talk the question before it."""
    kind: UnitKind
    hit: Hit
    start: int
    """Offset into the passage's text."""
    end: int
    answers: str = ""
    """In talk, the question that was put just before it."""

    @property
    def is_question(self) -> bool:
        """Whether it asks and so answers nothing."""
        return self.kind is UnitKind.SENTENCE and self.own.rstrip(" *_)\"'").endswith(("?", "？"))


def quotables(hits: tuple[Hit, ...]) -> list[Quotable]:
    """Everything in the hits that could be quoted, in their order and each in reading order."""
    return [piece for hit in hits for piece in _of(hit)]


def _of(hit: Hit) -> Iterator[Quotable]:
    passage = hit.passage
    headings = " ".join((passage.title, *passage.heading_path))
    is_talk = bool(passage.anchors[0].author)
    asked = ""
    for unit in _joined(passage.text, units(passage.text), is_talk=is_talk):
        own = passage.text[unit.start : unit.end]
        header = unit.text[: unit.text.rfind("\n")] if unit.kind.value == "table_row" else ""
        context = " ".join(part for part in (headings, header, asked) if part)
        piece = Quotable(
            unit.text, own, context, UnitKind(unit.kind.value), hit, unit.start, unit.end, asked if is_talk else ""
        )
        if is_talk and piece.is_question:
            asked = own
        yield piece


def _joined(text: str, found: tuple[Unit, ...], *, is_talk: bool) -> list[Unit]:
    """The units, with each sentence that leans on the one before it joined to it."""
    joined: list[Unit] = []
    for unit in found:
        if joined and _belongs_to(joined[-1], unit, text, is_talk=is_talk):
            before = joined.pop()
            joined.append(Unit(unit.kind, before.start, unit.end, text[before.start : unit.end]))
        else:
            joined.append(unit)
    return joined


def _belongs_to(before: Unit, unit: Unit, text: str, *, is_talk: bool) -> bool:
    """Whether two units are one to whoever reads them."""
    gap = text[before.end : unit.start]
    if {before.kind.value, unit.kind.value} != {"sentence"} or gap.strip() or "\n\n" in gap:
        return False
    size = unit.end - before.start
    asks = text[before.start : before.end].rstrip().endswith("?") or unit.text.rstrip().endswith("?")
    if is_talk and size <= _SHORT_MESSAGE and not asks:
        return True
    return bool(_LEANS.match(unit.text)) and size <= _LONGEST_JOIN and not asks
