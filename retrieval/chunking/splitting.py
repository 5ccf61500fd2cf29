"""Splits Markdown that is too long where its structure allows it: blocks, items, rows, lines of code, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.chunking.blocks import Block, BlockKind, parse
from retrieval.chunking.packing import bins
from retrieval.chunking.room import Room
from retrieval.chunking.sentences import sentences
from retrieval.chunking.slicing import slices
from retrieval.chunking.tables import split_table

_BETWEEN_BLOCKS = "\n\n"
_HELD = (BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE, BlockKind.QUOTE)
_BOLD_LINE = re.compile(r"(\*\*|__)[^\n]+\1[:：]?")
_LONGEST_LEAD = 30
"""Words of a paragraph that leads into a list without a colon."""
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{0,4}")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}> ?", re.MULTILINE)
_FENCE_MARK = re.compile(r"[ \t]*(`{3,}|~{3,})")


def split(text: str, room: Room) -> list[str]:
    """Pieces of the text that fit, in order, each of them Markdown that stands alone."""
    return packed([piece for group in _groups(text) for piece in _split_group(text, group, room)], room)


def packed(pieces: Sequence[str], room: Room, between: str = _BETWEEN_BLOCKS) -> list[str]:
    """Neighbours joined as long as they stay within the target."""
    filled = bins([room.size(piece) for piece in pieces], room.target, room.least)
    return [between.join(pieces[start:end]) for start, end in filled]


def leads_in(text: str) -> bool:
    """Whether what follows these words belongs to them."""
    return text.rstrip(" *_\n").endswith((":", "："))


def _groups(text: str) -> Iterator[list[Block]]:
    """Blocks, those that lead into the next one together with it."""
    group: list[Block] = []
    for block in parse(text):
        if block.kind is BlockKind.RULE:
            continue
        if group and not _holds(text, group[-1], block):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _holds(text: str, block: Block, following: Block) -> bool:
    """Whether a block says what the following one is about."""
    if block.kind is not BlockKind.PARAGRAPH:
        return False
    words = block.text_in(text)
    if following.kind is BlockKind.PARAGRAPH:
        return bool(_BOLD_LINE.fullmatch(words)) and not _BOLD_LINE.fullmatch(following.text_in(text))
    if following.kind not in _HELD:
        return False
    is_unfinished = not words.endswith((".", "!", "?")) and len(words.split()) <= _LONGEST_LEAD
    return leads_in(words) or (is_unfinished and following.kind is not BlockKind.QUOTE)


def _split_group(text: str, group: Sequence[Block], room: Room) -> list[str]:
    whole = text[group[0].start : group[-1].end]
    is_prose = group[-1].kind in (BlockKind.PARAGRAPH, BlockKind.HTML, BlockKind.HEADING)
    if room.size(whole) <= (room.target if is_prose else room.limit):
        return [whole]
    before, lead = _lead(text[group[0].start : group[-2].end]) if len(group) > 1 else ("", "")
    if room.size(lead) * 3 > room.target:
        before, lead = text[group[0].start : group[-2].end], ""
    head = _prose(before, room) if before else []
    return head + split_block(group[-1].text_in(text), group[-1].kind, lead, room)


def _lead(paragraph: str) -> tuple[str, str]:
    """What stands before the last sentence of a paragraph, and that sentence."""
    start = sentences(paragraph)[-1][0]
    return paragraph[:start].rstrip(), paragraph[start:]


def split_block(text: str, kind: BlockKind, lead: str, room: Room) -> list[str]:
    """Pieces of one block that is too long, each under its lead-in."""
    opening = f"{lead}{_BETWEEN_BLOCKS}" if lead else ""
    inner = room.less(room.size(lead)) if lead else room
    match kind:
        case BlockKind.LIST:
            pieces = _items(text, inner)
        case BlockKind.TABLE:
            pieces = split_table(text, inner)
        case BlockKind.CODE:
            pieces = _code(text, inner)
        case BlockKind.QUOTE:
            pieces = _quote(text, inner)
        case _:
            pieces = _prose(text, inner)
    return [opening + piece for piece in pieces]


def _items(text: str, room: Room) -> list[str]:
    block = parse(text)[0]
    items = [item.text_in(text) for item in block.inner(text)]
    pieces: list[str] = []
    for item in items:
        pieces += [item] if room.size(item) <= room.limit else _long_item(item, room)
    return packed(pieces, room, "\n")


def _long_item(text: str, room: Room) -> list[str]:
    """An item's own blocks: the first keeps the mark, the others move to the margin."""
    match = _ITEM_MARK.match(text)
    mark = match.group() if match else ""
    first, *rest = text[len(mark) :].split("\n")
    body = "\n".join([first, *(_outdented(line, len(mark)) for line in rest)])
    if not mark or not body.strip():
        return _prose(text, room)
    pieces = split(body, room.less(room.count(mark)))
    return [mark + pieces[0].replace("\n", "\n" + " " * len(mark)), *pieces[1:]]


def _outdented(line: str, columns: int) -> str:
    return line[min(columns, len(line) - len(line.lstrip())) :]


def _code(text: str, room: Room) -> list[str]:
    lines = text.split("\n")
    opening, closing = "", ""
    if fence := _FENCE_MARK.match(lines[0]):
        opening, closing = f"{lines.pop(0)}\n", f"\n{fence.group(1)}"
        if lines and lines[-1].strip().startswith(fence.group(1)):
            lines.pop()
    inner = room.less(room.count(opening))
    cut = [part for line in lines for part in ([line] if inner.count(line) <= inner.limit else slices(line, inner))]
    filled = bins([inner.count(line) for line in cut], inner.limit, inner.least)
    pieces = ["\n".join(cut[start:end]) for start, end in filled]
    return [f"{opening}{piece}{closing}" for piece in pieces if piece.strip()]


def _quote(text: str, room: Room) -> list[str]:
    pieces = split(_QUOTE_MARK.sub("", text), room)
    return ["\n".join(f"> {line}".rstrip() for line in piece.split("\n")) for piece in pieces]


def _prose(text: str, room: Room) -> list[str]:
    """Whole sentences packed up to the target; one that is too long alone is split within."""
    spans = sentences(text)
    sizes = [room.size(text[start:end]) for start, end in spans]
    pieces: list[str] = []
    for first, behind in bins(sizes, room.target, room.least):
        piece = text[spans[first][0] : spans[behind - 1][1]]
        pieces += slices(piece, room) if room.size(piece) > room.limit else [piece]
    return pieces


def head_of(text: str, room: Room) -> str:
    """As many whole sentences from the start of a text as fit."""
    return _prose(text, room)[0]
