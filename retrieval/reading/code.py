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


def code_blocks(text: str, language: str) -> str:
    """The code in fences that hold whole definitions, as far as blank lines and indentation tell."""
    lines = re.sub(r"\r\n?", "\n", text).strip("\n")
    paragraphs = [part for part in _BLANK_LINES.split(lines) if part.strip()]
    return "\n\n".join(fence("\n\n".join(part), language) for part in _parted(paragraphs, _DEEPEST))


def _parted(paragraphs: Sequence[str], levels: int) -> Iterator[Sequence[str]]:
    """Runs of paragraphs, each a definition with what is indented under it, or what stands before the first."""
    if len(paragraphs) < 2:
        yield from [paragraphs] if paragraphs else []
        return
    outermost = min(_indent(paragraph) for paragraph in paragraphs[1:])
    start = 0
    for at in range(1, len(paragraphs) + 1):
        if at == len(paragraphs) or (_indent(paragraphs[at]) == outermost and not _closes(paragraphs[at])):
            run = paragraphs[start:at]
            is_large = sum(map(len, run)) > _LARGE and start > 0
            yield from _parted(run, levels - 1) if is_large and levels else [run]
            start = at


def _indent(paragraph: str) -> int:
    line = paragraph.split("\n", 1)[0].expandtabs(4)
    return len(line) - len(line.lstrip())


def _closes(paragraph: str) -> bool:
    """Whether it ends something rather than opens something."""
    return paragraph.lstrip()[:1] in ("}", ")", "]")
