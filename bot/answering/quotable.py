"""Lays out what the evidence holds that could be quoted, each piece with what is needed to understand it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.answering.orders import is_order_to_machine
from retrieval.chunking.blocks import BlockKind, parse
from retrieval.chunking.splitting import leads_in
from retrieval.chunking.units import LABEL, Unit, units
from retrieval.types import Hit, Passage, UnitKind

_LEANS = re.compile(
    r"""^\W*(?:it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|otherwise|instead|however|but|so|
    then|also|therefore|thus|hence|more|in\s+(?:that|this|which)\s+case|if\s+(?:so|not)|for\s+(?:this|that|both)|
    after\s+that|and|or|nor|yet|still|no|yes|yep|yeah|exactly|correct|right|neither|either|the\s+(?:former|latter|other))
    \b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a sentence begins that means little without the one before it."""

_CORRECTS = re.compile(
    r"\W*(?:sorry|correction|corrected|edit|update|my mistake|i was wrong|scratch that|no longer|not any ?more)\b",
    re.IGNORECASE,
)

_LONGEST_JOIN = 400
"""Characters of a sentence with the one that it leans on; a longer pair stays apart."""

_SHORT_MESSAGE = 280
"""Characters; a message no longer than this is quoted whole, since its sentences mean little apart."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A piece of a passage that could be quoted."""

    kind: UnitKind
    text: str
    """What would be shown."""
    own: str
    """Its own words: a table row without its header, a list or code with its lead-in."""
    header: str
    """Of a table row, its table's header and lead-in; else empty."""
    headings: tuple[str, ...]
    """The headings above it, outermost first, the source's title left out."""
    asked: str
    """In talk, the question that was put before it; else empty."""
    hit: Hit
    start: int
    """Offset into the passage's text, of a table row's own words."""
    end: int

    @property
    def is_by_asker(self) -> bool:
        """Whether who asked also said this, in answer to the others."""
        passage = self.hit.passage
        return bool(self.asked) and passage.anchor_at(self.start).author == passage.anchors[0].author

    @property
    def is_correction(self) -> bool:
        """Whether it takes back what was said before it."""
        return bool(_CORRECTS.match(self.own))

    @property
    def context(self) -> str:
        """What it is read under."""
        title = "" if self.asked else self.hit.passage.title
        return " ".join(part for part in (title, *self.headings, self.header, self.asked) if part)


def leans(text: str) -> bool:
    """Whether a sentence means little without the one before it, as its first words tell."""
    return bool(_LEANS.match(text))


def quotables(hits: Sequence[Hit]) -> list[Quotable]:
    """Everything in the hits that could be quoted, in their order and each in reading order; questions are left out."""
    return [piece for hit in hits for piece in _of(hit)]


def _of(hit: Hit) -> Iterator[Quotable]:
    passage = hit.passage
    is_talk = bool(passage.anchors[0].author)
    headings = _headings(passage)
    opening_ends = _end_of_opening_question(passage.text) if is_talk else 0
    asked = passage.text[:opening_ends]
    lead_in = ""
    for unit in _joined(passage.text, units(passage.text), is_talk=is_talk):
        own = passage.text[unit.start : unit.end]
        kind = unit.kind
        if kind is UnitKind.SENTENCE and own.rstrip(" *_)\"'").endswith(("?", "？")):
            asked = own if is_talk else ""
        elif kind is UnitKind.SENTENCE and leads_in(own):
            lead_in = own
        elif unit.start >= opening_ends and not is_order_to_machine(own):
            header = f"{lead_in}\n{unit.text[: -len(own)]}".strip() if kind is UnitKind.TABLE_ROW else ""
            above = passage.heading_path if not headings else _above(headings, unit.start, passage)
            yield Quotable(kind, unit.text, own, header, above, asked, hit, unit.start, unit.end)


def _end_of_opening_question(text: str) -> int:
    """Where the first message ends when it asks something; what else it says belongs to the asking."""
    labels = list(LABEL.finditer(text))
    end = labels[1].start() if len(labels) > 1 else len(text)
    opening = text[labels[0].end() if labels else 0 : end]  # a speaker's name asks nothing
    return end if "?" in opening and (end < len(text) or len(opening) <= _SHORT_MESSAGE) else 0


def _headings(passage: Passage) -> list[tuple[int, int, str]]:
    """Offset, level and words of the headings inside a passage's text."""
    return [
        (block.start, block.level, block.text_in(passage.text).strip("#=- \n"))
        for block in parse(passage.text)
        if block.kind is BlockKind.HEADING
    ]


def _above(headings: list[tuple[int, int, str]], offset: int, passage: Passage) -> tuple[str, ...]:
    """The headings over an offset: the passage's own path, then those inside it, each closing those of its level."""
    path: list[tuple[int, str]] = []
    for start, level, words in headings:
        if start < offset:
            path = [*((at, text) for at, text in path if at < level), (level, words)]
    inner = [words for _, words in path if words not in passage.heading_path and words != passage.title]
    return (*passage.heading_path, *inner)


def _joined(text: str, found: tuple[Unit, ...], *, is_talk: bool) -> list[Unit]:
    """The units, each sentence with what leans on it and each piece of code with what leads into it."""
    joined: list[Unit] = []
    for unit in found:
        if joined and _belongs_to(joined[-1], unit, text, is_talk=is_talk):
            before = joined.pop()
            kind = before.kind if unit.kind.value == "sentence" else unit.kind
            joined.append(Unit(kind, before.start, unit.end, text[before.start : unit.end]))
        else:
            joined.append(unit)
    return joined


def _belongs_to(before: Unit, unit: Unit, text: str, *, is_talk: bool) -> bool:
    """Whether two neighbours are one to whoever reads them."""
    gap = text[before.end : unit.start]
    kinds = (before.kind.value, unit.kind.value)
    if gap.strip() or "table_row" in kinds:
        return False
    size = unit.end - before.start
    if is_talk and size <= _SHORT_MESSAGE and "?" not in before.text + unit.text:
        return True
    if kinds == ("sentence", "code"):
        return leads_in(before.text)
    is_one_paragraph = kinds == ("sentence", "sentence") and "\n\n" not in gap
    asks = before.text.rstrip().endswith("?") or unit.text.rstrip().endswith("?")
    return is_one_paragraph and leans(unit.text) and size <= _LONGEST_JOIN and not asks
