"""Writes Markdown out of plain words, so that nothing in them is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from retrieval.chunking.noise import is_tag
from retrieval.reading.limits import MOST_CHARACTERS

_LEADS_BLOCK = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+*>](?=\s|$)|>|~{3,}|`{3,}|=+\s*$|-+\s*$)", re.MULTILINE)
"""What would open a heading, an item, a quote or a fence."""
_TAG_OR_CODE = re.compile(r"`[^`\n]*`|<!--|<[A-Za-z/][^<>]*>")
_ITEM = re.compile(r"\s*(?:-|\d{1,9}[.)]) ")
_TICKS = re.compile(r"`{3,}")
_ROWS_A_TABLE = 60
"""Rows in one table: a larger one becomes several, each with its header, which are cheap to cut further."""


class TooLong(ValueError):
    """More words than one document has."""


def paragraph(text: str) -> str:
    """Words that open no block and hold no tag."""
    return _untagged(_LEADS_BLOCK.sub(r"\1\\\2", text.strip()))


def _untagged(text: str) -> str:
    """Words in which a tag of HTML is what was written, not markup; code stays as it is."""
    return _TAG_OR_CODE.sub(lambda found: f"&lt;{found[0][1:]}" if is_tag(found[0]) else found[0], text)


def heading(text: str, level: int) -> str:
    """A heading in one line; empty where it has no words."""
    words = " ".join(text.split())
    return f"{'#' * min(max(level, 1), 6)} {_untagged(words)}" if words else ""


def fence(code: str, language: str = "") -> str:
    """Code between fences that nothing in it closes; empty where there is none."""
    if not code.strip():
        return ""
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{code.strip(chr(10)).rstrip()}\n{mark}"


def tables(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as tables of one header, the first row; large ones in several."""
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return []
    width = max(len(row) for row in filled)
    header, body = filled[0], filled[1:]
    opening = [_row(header, width), _row(["---"] * width, width)]
    starts = range(0, len(body), _ROWS_A_TABLE) or [0]
    return ["\n".join([*opening, *(_row(row, width) for row in body[at : at + _ROWS_A_TABLE])]) for at in starts]


def _row(cells: Sequence[str], width: int) -> str:
    shown = [_untagged(" ".join(cell.split())).replace("|", "\\|") for cell in cells]
    return "| " + " | ".join([*shown, *[""] * (width - len(shown))]) + " |"


def document(blocks: Iterable[str]) -> str:
    """Blocks as one text, empty ones left out.

    Raises:
        TooLong: they hold more than one document does.
    """
    kept: list[str] = []
    length = 0
    for block in blocks:
        length += len(block)
        if length > MOST_CHARACTERS:
            raise TooLong
        if block.strip():
            kept.append(block)
    return "\n\n".join(kept)


def items_joined(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks, neighbouring items of a list as one."""
    run: list[str] = []
    for block in blocks:
        if _ITEM.match(block):
            run.append(_untagged(block))
        elif block.strip():
            if run:
                yield "\n".join(run)
            run = []
            yield block
    if run:
        yield "\n".join(run)
