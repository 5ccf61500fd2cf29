"""Markdown as its readers see it: its words, without marks, targets of links and rules of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markdown_it.token import Token

from retrieval.chunking.blocks import tokens_of
from retrieval.chunking.noise import is_tag

_ENDS_LINE = frozenset({"paragraph_close", "heading_close", "tr_close", "fence", "code_block", "html_block"})

_ALERT = re.compile(r"^\[!\w+\]\s*")
"""What makes a block quote a note or a warning."""


@lru_cache(maxsize=2_048)  # cutting asks for the same paragraph up to four times; at 2 kB each this holds 4 MB
def words(text: str) -> str:
    """The words of a Markdown text, a line for each paragraph, item, row and line of code."""
    return "".join(_pieces(tokens_of(text))).strip()


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    is_first_cell = True
    for token in tokens:
        if token.type == "inline":
            yield _ALERT.sub("", "".join(_inline(token.children or ()))).strip()
        elif token.type in ("th_open", "td_open"):
            yield "" if is_first_cell else ", "
        elif token.type == "list_item_open" and token.info:
            yield f"{token.info}{token.markup} "
        elif token.type in ("fence", "code_block", "html_block"):
            yield token.content.rstrip("\n")
        if token.type in _ENDS_LINE:
            yield "\n"
        is_first_cell = token.type == "tr_open" or (is_first_cell and token.type not in ("th_open", "td_open"))


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "html_inline":
            yield "" if is_tag(token.content) else token.content
        else:
            yield token.content
