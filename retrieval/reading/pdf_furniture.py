"""Takes out of a PDF's pages what says the same on each of them: running heads and feet, page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from retrieval.reading.pdf_lines import Line, Sheet

_MARGIN = 0.13
"""Of a page's height, at its top and at its bottom, in which such lines stand."""
_LEAST_SHARE = 0.3
"""Of pages on which a line has to recur: left and right pages may differ, and chapters have heads of their own."""
_FEWEST = 3
"""Pages on which it has to recur, or all of fewer."""
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"(?:page\s*)?[-–—|\s]*\d{1,5}[-–—|\s]*(?:(?:of|/)\s*\d{1,5})?", re.IGNORECASE)
_CONTENTS = re.compile(r".*?(?:\. ?){4,}\s*[\divxlc]+", re.IGNORECASE)
"""A line of a table of contents: it leads elsewhere and says nothing."""


def without_furniture(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The pages with the lines that are theirs alone."""
    standing: dict[str, set[int]] = defaultdict(set)
    for sheet in sheets:
        for line in sheet.lines:
            if _is_in_margin(line, sheet):
                standing[_likeness(line)].add(sheet.number)
    written = sum(1 for sheet in sheets if sheet.lines)
    least = max(min(_FEWEST, written), written * _LEAST_SHARE, 2)
    recurring = {likeness for likeness, pages in standing.items() if len(pages) >= least}
    return [
        replace(sheet, lines=tuple(line for line in sheet.lines if _is_own(line, sheet, recurring))) for sheet in sheets
    ]


def _is_own(line: Line, sheet: Sheet, recurring: set[str]) -> bool:
    if _CONTENTS.fullmatch(line.text):
        return False
    if not _is_in_margin(line, sheet):
        return True
    return _likeness(line) not in recurring and not _PAGE_NUMBER.fullmatch(line.text)


def _is_in_margin(line: Line, sheet: Sheet) -> bool:
    if line.rows:
        return False
    return line.bottom < sheet.height * _MARGIN or line.bottom > sheet.height * (1 - _MARGIN)


def _likeness(line: Line) -> str:
    """What recurs: the words without numbers, and about where they stand."""
    return f"{_NUMBER.sub('#', line.text.casefold())} {round(line.bottom / 6)} {round(line.size)}"


def body_size(sheets: Sequence[Sheet]) -> float:
    """The size in which most is set, in points."""
    sizes: Counter[float] = Counter()
    for sheet in sheets:
        for line in sheet.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0
