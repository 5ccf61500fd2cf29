"""Splits a Markdown table between its rows, and a wide row between its cells; every piece has its header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.chunking.packing import bins
from retrieval.chunking.room import Room
from retrieval.chunking.sentences import sentences
from retrieval.chunking.slicing import slices

_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def split_table(text: str, room: Room) -> list[str]:
    """Smaller tables, in order of rows."""
    header, rule, *rows = text.split("\n")
    inner = room.less(room.size(header))
    pieces: list[str] = []
    for is_wide, run in _runs(rows, inner):
        if is_wide:
            pieces += [piece for row in run for piece in _narrow(header, row, room)]
        else:
            filled = bins([inner.size(row) for row in run], inner.target, inner.least)
            pieces += ["\n".join((header, rule, *run[start:end])) for start, end in filled]
    return pieces


def _runs(rows: Sequence[str], room: Room) -> Iterator[tuple[bool, list[str]]]:
    """Neighbouring rows that fit beside the header, and such that don't."""
    run: list[str] = []
    was_wide = False
    for row in rows:
        is_wide = room.size(row) > room.limit
        if run and is_wide != was_wide:
            yield was_wide, run
            run = []
        run.append(row)
        was_wide = is_wide
    if run:
        yield was_wide, run


def _narrow(header: str, row: str, room: Room) -> Iterator[str]:
    """Tables of the row's first column and some of its others."""
    names, texts = _cells(header), _cells(row)
    names += [""] * (len(texts) - len(names))
    columns = [(name, text) for name, text in zip(names, texts, strict=False) if text]
    key = columns[:1] if columns and _column_size(columns[0], room) * 3 <= room.limit else []
    inner = room.less(sum(_column_size(column, room) for column in key))
    parts = [part for column in columns[len(key) :] for part in _parts(column, inner)]
    filled = bins([_column_size(part, inner) for part in parts], inner.limit, inner.least)
    yield from (_table([*key, *parts[start:end]]) for start, end in filled)
    if key and not parts:
        yield _table(key)


def _parts(column: tuple[str, str], room: Room) -> list[tuple[str, str]]:
    """A column's cell, cut between sentences where it is too long for a piece."""
    name, text = column
    if _column_size(column, room) <= room.limit:
        return [column]
    if room.size(name) * 2 > room.limit:
        return [("", part) for whole in (name, text) for part in slices(whole, room)]
    inner = room.less(room.size(name))
    spans = sentences(text)
    filled = bins([inner.size(text[start:end]) for start, end in spans], inner.target, inner.least)
    wholes = [text[spans[first][0] : spans[behind - 1][1]] for first, behind in filled]
    return [(name, part) for whole in wholes for part in slices(whole, inner)]


def _table(columns: Sequence[tuple[str, str]]) -> str:
    lines = ([name for name, _ in columns], ["---"] * len(columns), [text for _, text in columns])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(row: str) -> list[str]:
    line = row.strip()
    line = line[1:] if line.startswith("|") else line
    cells = [cell.strip() for cell in _BETWEEN_CELLS.split(line)]
    return cells[:-1] if cells[-1] == "" and len(cells) > 1 else cells


def _column_size(column: tuple[str, str], room: Room) -> int:
    return room.size(column[0]) + room.size(column[1]) + 2
