"""Cuts plain text on its blank lines and sentences."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

from retrieval.chunking.blocks import BlockKind
from retrieval.chunking.chunks import Chunk, Part
from retrieval.chunking.embedded import opening
from retrieval.chunking.sizes import Budget
from retrieval.chunking.splitting import packed, split_block
from retrieval.types import Anchor

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def cut_plain(text: str, title: str, url: str, budget: Budget, count: Callable[[str], int]) -> list[Chunk]:
    """The chunks of a text without markup, in order."""
    room = budget.room(count).less(count(opening(title, ())))
    paragraphs = [textwrap.dedent(part).strip() for part in _BLANK_LINES.split(text)]
    pieces = [piece for part in paragraphs if part for piece in split_block(part, BlockKind.PARAGRAPH, "", room)]
    return [Chunk((), (Part(piece, Anchor(0, url)),)) for piece in packed(pieces, room)]
