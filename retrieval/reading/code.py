"""Source code as blocks that end between definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.reading.writing import fence

_LARGE = 900
"""Characters: about what a passage holds; a longer definition is parted between those within it."""
_DEEPEST = 8
"""Levels of definitions within each other that are parted."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def code_blocks(text: str, language: str, name: str) -> str:
    """The code in fences that hold whole definitions, as far as blank lines and indentation tell.

    What is parted within a long definition stands under that one's first line as a heading; what follows stands under
    `name` again.
    """
    lines = re.sub(r"\r\n?", "\n", text).strip("\n")
    paragraphs = [part for part in _BLANK_LINES.split(lines) if part.strip()]
    blocks: list[str] = []
    was_inner = False
    for run in _runs(paragraphs):
        parts = list(_parted(run, _DEEPEST)) if _is_large(run) else [run]
        if len(parts) > 1:
            blocks.append(_heading(run[0].split("\n", 1)[0], 2))
        elif was_inner:
            blocks.append(_heading(name, 1))
        was_inner = len(parts) > 1
        blocks += [fence("\n\n".join(part), language) for part in parts]
    return "\n\n".join(block for block in blocks if block)


def _heading(line: str, level: int) -> str:
    words = " ".join(line.rstrip(" {:").split()).replace("`", "")
    return f"{'#' * level} `{words}`" if words else ""


def _parted(paragraphs: Sequence[str], levels: int) -> Iterator[Sequence[str]]:
    """Definitions within a definition, as long as they are large."""
    for at, run in enumerate(_runs(paragraphs)):
        is_deeper = at > 0 and levels > 0 and _is_large(run)
        yield from _parted(run, levels - 1) if is_deeper else [run]


def _runs(paragraphs: Sequence[str]) -> list[Sequence[str]]:
    """Each definition with what is indented under it, and what stands before the first."""
    outermost = min((_indent(paragraph) for paragraph in paragraphs[1:]), default=0)
    opens = [
        at for at, paragraph in enumerate(paragraphs) if _indent(paragraph) == outermost and not _closes(paragraph)
    ]
    starts = sorted({0, *opens})
    return [paragraphs[start:end] for start, end in zip(starts, [*starts[1:], len(paragraphs)], strict=True)]


def _is_large(run: Sequence[str]) -> bool:
    return len(run) > 1 and sum(map(len, run)) > _LARGE


def _indent(paragraph: str) -> int:
    line = paragraph.split("\n", 1)[0].expandtabs(4)
    return len(line) - len(line.lstrip())


def _closes(paragraph: str) -> bool:
    """Whether it ends something rather than opens something."""
    return paragraph.lstrip()[:1] in ("}", ")", "]")
