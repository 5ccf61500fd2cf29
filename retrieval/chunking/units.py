"""The smallest pieces of a passage that can be quoted and understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.chunking.blocks import Block, BlockKind, parse
from retrieval.chunking.sentences import sentences
from retrieval.chunking.splitting import leads_in
from retrieval.types import UnitKind

LABEL = re.compile(r"^[^\n\u00a0]*\u00a0\(\d{1,2}\u00a0\w+\u00a0\d{4}\):(?:\u00a0|$)", re.MULTILINE)
"""Who speaks, before a message. Its no-break spaces occur nowhere else in a passage, so no message can forge one."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage's text, verbatim."""

    kind: UnitKind
    start: int
    """Offset into the passage's text; of a table row, its own, not its header's."""
    end: int
    text: str
    """What can be shown: a list with its lead-in, a table row under its header, a code block with its fences."""


def units(passage_text: str) -> tuple[Unit, ...]:
    """The units of a passage in order of offset; headings and speakers' labels are none."""
    found: list[Unit] = []
    for start, end in _stretches(passage_text):
        stretch = passage_text[start:end]
        found += [Unit(unit.kind, unit.start + start, unit.end + start, unit.text) for unit in _units(stretch)]
    return tuple(found)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """What stands between the labels of speakers; all of it where nobody speaks."""
    labels = list(LABEL.finditer(text))
    opens = [0, *(label.end() for label in labels)]
    closes = [*(label.start() for label in labels), len(text)]
    yield from zip(opens, closes, strict=True)


def _units(text: str) -> list[Unit]:
    found: list[Unit] = []
    for block in parse(text):
        match block.kind:
            case BlockKind.PARAGRAPH | BlockKind.HTML:
                found += _sentences(text, block.start, block.end)
            case BlockKind.LIST:
                found.append(_list(text, block, found))
            case BlockKind.TABLE:
                found += _rows(text, block)
            case BlockKind.CODE:
                found.append(Unit(UnitKind.CODE, block.start, block.end, block.text_in(text)))
            case BlockKind.QUOTE:
                found += _quoted(text, block)
            case _:
                pass
    return found


def _sentences(text: str, start: int, end: int) -> list[Unit]:
    spans = [(start + first, start + behind) for first, behind in sentences(text[start:end])]
    return [Unit(UnitKind.SENTENCE, first, behind, text[first:behind]) for first, behind in spans]


def _list(text: str, block: Block, before: list[Unit]) -> Unit:
    """The list, and the sentence before it when that leads in; it's taken from `before`."""
    start = block.start
    if before and before[-1].kind is UnitKind.SENTENCE and leads_in(before[-1].text):
        start = before.pop().start
    return Unit(UnitKind.LIST, start, block.end, text[start : block.end])


def _rows(text: str, block: Block) -> list[Unit]:
    lines = block.text_in(text).split("\n")
    header = "\n".join(lines[:2])
    found, offset = [], block.start + len(header) + 1
    for line in lines[2:]:
        found.append(Unit(UnitKind.TABLE_ROW, offset, offset + len(line), f"{header}\n{line}"))
        offset += len(line) + 1
    return found


def _quoted(text: str, block: Block) -> list[Unit]:
    """A block quote's sentences, their marks left in where they span lines."""
    found = _sentences(text, block.start, block.end)
    return [unit for unit in found if any(letter.isalnum() for letter in unit.text)]
