"""The paragraphs, items, headings and tables that a PDF's lines make."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from retrieval.reading.pdf_lines import Line, Sheet
from retrieval.reading.pdf_tables import table_at

_PARAGRAPH_GAP = 1.3
"""Times the usual distance of lines, from which a paragraph begins."""
_LINE_OF_HEADING = 1.5
"""Times its size, from which what is set large is another heading rather than its next line."""
_LARGER = 1.12
"""Times the size of the body, from which a line is a heading by its size alone."""
_LONGEST_HEADING = 16
"""Words."""
_SHORT = 0.75
"""Of the widest line of a page: a line that ends a sentence before it ends a paragraph."""
_BULLET = re.compile(r"([•▪■◦‣●○⁃\uf0b7\uf0a7·∙►➢✓✔o–-])\s+(?=\S)")
_ORDINAL = re.compile(r"(?:\d{1,2}|[a-zA-Z])[.)]\s+(?=\S)")
_ENDS_SENTENCE = (".", "!", "?", ":", "。", "”", '."')


class Shape(Enum):
    """What a block is."""

    HEADING = "heading"
    LABEL = "label"
    """A line that looks like the body and stands above a paragraph as a heading does."""
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Printing:
    """A block of one page."""

    shape: Shape
    page: int
    text: str
    """Of paragraphs and headings, their lines; of items, with their mark."""
    size: float
    is_bold: bool
    is_single: bool
    """Whether it is one line."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table."""


def blocks_of(sheet: Sheet, body: float) -> Iterator[Printing]:
    """A page's blocks in the order in which they are drawn."""
    pitch = _pitch(sheet.lines, body)
    widest = max((line.right for line in sheet.lines), default=0.0)
    run: list[Line] = []
    at = 0
    while at < len(sheet.lines):
        line = sheet.lines[at]
        rows, behind = (line.rows, at + 1) if line.rows else table_at(sheet.lines, at, pitch)
        if run and (rows or _begins(run, line, pitch, widest, body)):
            yield _block(run, sheet.number, body)
            run = []
        if rows:
            yield Printing(Shape.TABLE, sheet.number, "", line.size, line.is_bold, False, rows)
            at = behind
        else:
            run.append(line)
            at += 1
    if run:
        yield _block(run, sheet.number, body)


def _pitch(lines: Sequence[Line], body: float) -> float:
    """The usual distance from line to line."""
    pairs = itertools.pairwise(lines)
    found = [a.bottom - b.bottom for a, b in pairs if abs(a.size - b.size) < 1 and 0 < a.bottom - b.bottom < 2 * body]
    return median(found) if found else body * 1.3


def _begins(run: Sequence[Line], line: Line, pitch: float, widest: float, body: float) -> bool:
    """Whether a line begins a block rather than goes on with the one before it."""
    before = run[-1]
    distance = before.bottom - line.bottom
    is_large = before.size >= body * _LARGER
    if distance < 0 or distance > (before.size * _LINE_OF_HEADING if is_large else pitch * _PARAGRAPH_GAP):
        return True
    if abs(line.size - before.size) > 0.05 * body or (line.is_bold != before.is_bold and _is_heading(run, body)):
        return True
    if _mark(line.text):
        return True
    is_short = before.right - run[0].left < (widest - run[0].left) * _SHORT
    return is_short and before.text.endswith(_ENDS_SENTENCE)


def _is_heading(run: Sequence[Line], body: float) -> bool:
    text = " ".join(line.text for line in run)
    words = text.split()
    if len(words) > _LONGEST_HEADING or not any(letter.isalpha() for letter in text):
        return False
    is_large = all(line.size >= body * _LARGER for line in run)
    is_bold = all(line.is_bold for line in run) and not text.endswith((".", ",", ";", ":"))
    return is_large or is_bold


def _block(run: Sequence[Line], page: int, body: float) -> Printing:
    text = "\n".join(line.text for line in run)
    shape = Shape.ITEM if _mark(text) else Shape.PARAGRAPH
    if _is_heading(run, body) and not _BULLET.match(text):
        shape = Shape.HEADING
    return Printing(shape, page, text, run[0].size, run[0].is_bold, len(run) == 1)


def _mark(text: str) -> bool:
    return bool(_BULLET.match(text) or _ORDINAL.match(text))


def item_text(text: str) -> str:
    """An item as Markdown has it."""
    return _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else re.sub(r"^([a-zA-Z])([.)])", r"- \1\2", text)
