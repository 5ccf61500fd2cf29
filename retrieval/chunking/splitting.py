"""Splits Markdown that is too long where its structure allows it: blocks, items, rows, lines of code, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from retrieval.chunking.blocks import Block, BlockKind, parse
from retrieval.chunking.sentences import sentences
from retrieval.chunking.words import words

_BETWEEN_BLOCKS = "\n\n"
_CLAUSE_END = re.compile(r"[;:,—–)\]]\s")
_LONGEST_TOKEN = 16
"""Characters: no window of a sentence that has to be split is looked at that holds more than this for each token."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much fits, in tokens."""

    target: int
    """Running text is packed up to this."""
    limit: int
    """What should stay whole may have up to this; nothing has more."""
    count: Callable[[str], int]

    def size(self, text: str) -> int:
        """How many tokens the words of a Markdown text have."""
        return self.count(words(text))

    def less(self, taken: int) -> Room:
        """What is left beside something of so many tokens."""
        return Room(max(self.target - taken, 1), max(self.limit - taken, 1), self.count)


def split(text: str, room: Room) -> list[str]:
    """Pieces of the text that fit, in order, each of them Markdown that stands alone."""
    return packed((piece for group in _groups(text) for piece in _split_group(text, group, room)), room)


def packed(pieces: Iterable[str], room: Room, between: str = _BETWEEN_BLOCKS) -> list[str]:
    """Neighbours joined as long as they stay within the target."""
    joined: list[str] = []
    size = 0
    for piece in pieces:
        added = room.size(piece)
        if joined and size + added <= room.target:
            joined[-1] += between + piece
            size += added
        else:
            joined.append(piece)
            size = added
    return joined


def _groups(text: str) -> Iterator[list[Block]]:
    """Blocks, each list, table and block of code with the paragraph that leads into it."""
    blocks = [block for block in parse(text) if block.kind is not BlockKind.RULE]
    group: list[Block] = []
    for block in blocks:
        belongs = block.kind in (BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE, BlockKind.QUOTE)
        if group and belongs and group[-1].kind is BlockKind.PARAGRAPH and leads_in(group[-1].text_in(text)):
            yield [*group, block]
            group = []
            continue
        if group:
            yield group
        group = [block]
    if group:
        yield group


def leads_in(text: str) -> bool:
    """Whether what follows these words belongs to them."""
    return text.rstrip(" *_\n").endswith((":", "："))


def _split_group(text: str, group: list[Block], room: Room) -> list[str]:
    whole = text[group[0].start : group[-1].end]
    is_prose = len(group) == 1 and group[0].kind in (BlockKind.PARAGRAPH, BlockKind.HTML)
    if room.size(whole) <= (room.target if is_prose else room.limit):
        return [whole]
    if len(group) == 1:
        return split_block(group[0].text_in(text), group[0].kind, "", room)
    before, lead = _lead(group[0].text_in(text))
    if room.size(lead) * 3 > room.target:
        before, lead = group[0].text_in(text), ""
    head = split_block(before, BlockKind.PARAGRAPH, "", room) if before else []
    return head + split_block(group[1].text_in(text), group[1].kind, lead, room)


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
            pieces = _rows(text, inner)
        case BlockKind.CODE:
            pieces = _code(text, inner)
        case BlockKind.QUOTE:
            pieces = _quote(text, inner)
        case _:
            pieces = prose(text, inner)
    return [opening + piece for piece in pieces]


def _items(text: str, room: Room) -> list[str]:
    block = parse(text)[0]
    if block.kind is not BlockKind.LIST or not block.inner(text):
        return prose(text, room)
    pieces: list[str] = []
    for item in block.inner(text):
        whole = item.text_in(text)
        pieces += [whole] if room.size(whole) <= room.limit else _long_item(whole, room)
    return packed(pieces, room, "\n")


def _long_item(text: str, room: Room) -> list[str]:
    """An item's own blocks: the first keeps the mark, the rest move to the margin."""
    match = re.match(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{0,4}", text)
    mark = match.group() if match else ""
    lines = text[len(mark) :].split("\n")
    body = "\n".join([lines[0], *(_outdented(line, len(mark)) for line in lines[1:])])
    return [piece for piece in split(body, room) if piece.strip()]


def _outdented(line: str, columns: int) -> str:
    return line[min(columns, len(line) - len(line.lstrip())) :]


def _rows(text: str, room: Room) -> list[str]:
    lines = text.split("\n")
    header, rows = "\n".join(lines[:2]), lines[2:]
    taken = room.size(header)
    if taken * 2 > room.limit:
        return prose(text, room)
    inner = room.less(taken)
    cut: list[str] = []
    for row in rows:
        cut += [row] if inner.count(row) <= inner.limit else prose(row, inner)
    return [f"{header}\n{piece}" for piece in packed(cut, inner, "\n")]


def _code(text: str, room: Room) -> list[str]:
    lines = text.split("\n")
    fence = re.match(r"[ \t]*(`{3,}|~{3,})", lines[0])
    opening, closing, body = "", "", lines
    if fence:
        opening, closing = lines[0] + "\n", "\n" + fence.group(1)
        is_closed = len(lines) > 1 and re.fullmatch(rf"[ \t]*{fence.group(1)[0]}{{3,}}[ \t]*", lines[-1])
        body = lines[1:-1] if is_closed else lines[1:]
    inner = room.less(room.count(opening))
    cut: list[str] = []
    for line in body:
        cut += [line] if inner.count(line) <= inner.limit else _slices(line, inner)
    return [f"{opening}{piece}{closing}" for piece in _packed_lines(cut, inner)]


def _packed_lines(lines: Iterable[str], room: Room) -> list[str]:
    joined: list[str] = []
    size = 0
    for line in lines:
        added = room.count(line)
        if joined and size + added <= room.limit:
            joined[-1] += "\n" + line
            size += added
        else:
            joined.append(line)
            size = added
    return [piece for piece in joined if piece.strip()]


def _quote(text: str, room: Room) -> list[str]:
    body = "\n".join(re.sub(r"^[ \t]{0,3}> ?", "", line) for line in text.split("\n"))
    pieces = split(body, room)
    return ["\n".join(f"> {line}".rstrip() for line in piece.split("\n")) for piece in pieces]


def prose(text: str, room: Room) -> list[str]:
    """Whole sentences packed up to the target; one that is too long alone is split within."""
    spans: list[tuple[int, int]] = []
    size = 0
    for start, end in sentences(text):
        added = room.size(text[start:end])
        if spans and size + added <= room.target:
            spans[-1] = (spans[-1][0], end)
            size += added
        else:
            spans.append((start, end))
            size = added
    pieces = [text[start:end] for start, end in spans]
    return [part for piece in pieces for part in (_slices(piece, room) if room.size(piece) > room.limit else [piece])]


def _slices(text: str, room: Room) -> list[str]:
    """Pieces of a text without sentences: up to the end of a clause, else of a word, else anywhere."""
    pieces: list[str] = []
    rest = text.strip()
    while rest and room.count(rest[: room.limit * _LONGEST_TOKEN]) > room.limit:
        at = _cut_at(rest, _fitting(rest, room))
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [piece for piece in (*pieces, rest) if piece]


def _fitting(text: str, room: Room) -> int:
    """How many characters fit, found by halving; at least one."""
    fits, breaks = 1, min(len(text), room.limit * _LONGEST_TOKEN) + 1
    while breaks - fits > 1:
        middle = (fits + breaks) // 2
        if room.count(text[:middle]) <= room.limit:
            fits = middle
        else:
            breaks = middle
    return fits


def _cut_at(text: str, fits: int) -> int:
    """The best place up to `fits` characters."""
    clauses = [match.end() for match in _CLAUSE_END.finditer(text, fits // 2, fits)]
    if clauses:
        return clauses[-1]
    space = max(text.rfind(" ", 1, fits + 1), text.rfind("\n", 1, fits + 1))
    return space if space > 0 else fits
