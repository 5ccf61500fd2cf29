"""The blocks of a Markdown text (paragraphs, lists, tables, code…) with where each stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from markdown_it import MarkdownIt
from markdown_it.token import Token


class BlockKind(Enum):
    """What a block is, which decides where it may be cut."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    """One item of a list, what is nested in it included."""
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"


_KINDS = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "list_item_open": BlockKind.ITEM,
    "table_open": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "blockquote_open": BlockKind.QUOTE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
}

_LINE_END = re.compile(r"\r\n|\r|\n")
"""As the parser counts lines."""

_PARSER = MarkdownIt("commonmark").enable("table")
_BLOCK_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
"""Leaves what stands within paragraphs alone, in a third of the time."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a text that belong together."""

    kind: BlockKind
    start: int
    """Offset of its first line."""
    end: int
    """Offset behind its last character, the line end left out."""
    level: int = 0
    """Of a heading: 1 to 6."""
    tokens: tuple[Token, ...] = ()
    """The parser's, from its opening to its closing."""

    def text_in(self, text: str) -> str:
        """Its own lines, verbatim."""
        return text[self.start : self.end]

    def inner(self, text: str) -> tuple[Block, ...]:
        """The blocks directly within it; `text` is the one that it was parsed from."""
        return blocks_within(self.tokens[1:-1], line_starts(text), text)


def tokens_of(text: str) -> tuple[Token, ...]:
    """All tokens of the parser, in order, with those within paragraphs."""
    return tuple(_PARSER.parse(text))


def parse(text: str) -> tuple[Block, ...]:
    """The outermost blocks, in order. Definitions of links and blank lines belong to none. Never raises."""
    return blocks_within(_BLOCK_PARSER.parse(text), line_starts(text), text)


def blocks_within(tokens: Sequence[Token], starts: Sequence[int], text: str) -> tuple[Block, ...]:
    """The outermost blocks among a parser's tokens."""
    return tuple(_block(group, starts, text) for group in _groups(tokens) if group[0].type in _KINDS)


def line_starts(text: str) -> list[int]:
    """The offset of each line, and of the text's end."""
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return [0, *ends, len(text) + 1]


def _groups(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    opened, depth = 0, 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tuple(tokens[opened : index + 1])
            opened = index + 1


def _block(tokens: tuple[Token, ...], starts: Sequence[int], text: str) -> Block:
    token = tokens[0]
    first, behind = token.map or [0, 0]
    start, end = starts[first], min(starts[behind], len(text))
    kept = len(text[start:end].rstrip())
    level = int(token.tag[1]) if token.type == "heading_open" else 0
    return Block(_KINDS[token.type], start, start + kept, level, tokens)
