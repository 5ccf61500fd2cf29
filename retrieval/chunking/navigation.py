"""Takes out of a page what only leads elsewhere in it or to its neighbours: tables of contents, menus, link lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from retrieval.chunking.blocks import Block, BlockKind, parse, tokens_of
from retrieval.chunking.splitting import leads_in

_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
"""Starts an address outside the page's own site."""
_FEWEST_WORDS = 4
"""Words that make a lead-in say what the links below it are; "See also:" has fewer."""


def without_navigation(text: str) -> str:
    """The text of a section without blocks that hold only links to its own site.

    A list that a sentence leads into stays: it is what the sentence says.
    """
    if "](" not in text and "][" not in text:
        return text
    kept = "".join(_kept(text, parse(text)))
    return kept.strip("\n")


def _kept(text: str, blocks: Sequence[Block]) -> Iterator[str]:
    position = 0
    for index, block in enumerate(blocks):
        before = blocks[index - 1] if index else None
        start = _noise_start(text, block, before)
        if start is not None:
            yield text[position : max(start, position)]
            position = block.end
    yield text[position:]


def _noise_start(text: str, block: Block, before: Block | None) -> int | None:
    """Where the noise starts whose last block this is: at the block, or at the words that lead into it."""
    words = block.text_in(text)
    if block.kind not in (BlockKind.LIST, BlockKind.PARAGRAPH) or "](" not in words:
        return None
    links = _own_links(words)
    if links is None or (block.kind is BlockKind.PARAGRAPH and len(links) < 2):
        return None
    if block.kind is BlockKind.PARAGRAPH or before is None or not leads_in(before.text_in(text)):
        return block.start
    is_told = len(before.text_in(text).split()) >= _FEWEST_WORDS
    if is_told and not all(link.startswith("#") for link in links):
        return None
    return before.start


def _own_links(text: str) -> list[str] | None:
    """Where the links lead, if they are all that the text holds and all lead to its own site."""
    links: list[str] = []
    for token in tokens_of(text):
        if token.type != "inline" or not token.children:
            continue
        if not _holds_only_links(token.children):
            return None
        links += [str(child.attrs.get("href", "")) for child in token.children if child.type == "link_open"]
    if not links or any(_ELSEWHERE.match(link) for link in links):
        return None
    return links


def _holds_only_links(tokens: Sequence[Token]) -> bool:
    depth = links = 0
    for token in tokens:
        links += token.type == "link_open"
        depth += (token.type == "link_open") - (token.type == "link_close")
        if not depth and any(letter.isalnum() for letter in token.content):
            return False
    return links > 0
