"""Finds tables among the lines of a PDF's page, by the white space between their cells."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.reading.pdf_lines import Cell, Line

_FEWEST_ROWS = 2
_WRAPPED = 1.25
"""Times the usual distance of lines, up to which a line can go on with the cells above it."""

Rows = tuple[tuple[str, ...], ...]


def table_at(lines: Sequence[Line], start: int, pitch: float) -> tuple[Rows, int]:
    """The rows of the table that begins at a line, and the line behind it; no rows where none begins."""
    if len(lines[start].cells) < 2:
        return (), start
    behind = start + 1
    while behind < len(lines) and _goes_on(lines, start, behind, pitch):
        behind += 1
    table = lines[start:behind]
    if sum(1 for line in table if len(line.cells) > 1) < _FEWEST_ROWS:
        return (), start
    columns = _columns(table)
    if len(columns) < 2:
        return (), start
    return _rows(table, columns, pitch), behind


def _goes_on(lines: Sequence[Line], start: int, at: int, pitch: float) -> bool:
    line, before = lines[at], lines[at - 1]
    distance = before.bottom - line.bottom
    if line.rows or distance <= 0 or distance > 4 * pitch:
        return False
    if len(line.cells) > 1:
        return True
    is_inner = line.left > lines[start].cells[0].right
    return is_inner and distance <= pitch * _WRAPPED


def _columns(table: Sequence[Line]) -> list[tuple[float, float]]:
    """From where to where each column reaches: where no row with cells has words, one ends."""
    reaches = sorted((cell.left, cell.right) for line in table if len(line.cells) > 1 for cell in line.cells)
    columns: list[tuple[float, float]] = []
    for left, right in reaches:
        if columns and left <= columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _rows(table: Sequence[Line], columns: Sequence[tuple[float, float]], pitch: float) -> Rows:
    rows: list[list[str]] = []
    for at, line in enumerate(table):
        cells = [""] * len(columns)
        for cell in line.cells:
            column = _column_of(cell, columns)
            cells[column] = f"{cells[column]} {cell.text}".strip()
        is_wrapped = at > 0 and not cells[0] and table[at - 1].bottom - line.bottom <= pitch * _WRAPPED
        if is_wrapped and rows:
            rows[-1] = [f"{above} {below}".strip() for above, below in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return tuple(tuple(row) for row in rows)


def _column_of(cell: Cell, columns: Sequence[tuple[float, float]]) -> int:
    """The column that it overlaps most, else the nearest."""

    def overlap(column: tuple[float, float]) -> float:
        return min(cell.right, column[1]) - max(cell.left, column[0])

    return max(range(len(columns)), key=lambda at: overlap(columns[at]))
