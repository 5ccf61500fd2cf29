"""Reads workbooks and separated values: each sheet as tables whose rows keep their header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path

import openpyxl
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet.worksheet import Worksheet

from retrieval.errors import UnreadableSource
from retrieval.reading.limits import MOST_CELLS
from retrieval.reading.packed import check_archive
from retrieval.reading.reading import Reading
from retrieval.reading.text import decoded
from retrieval.reading.writing import document, heading, paragraph, tables
from retrieval.types import Markup

_SNIFFED = 20_000
"""Characters from which the separator is told."""


def read_workbook(path: Path) -> Reading:
    """The sheets that are shown, with the values that were last calculated.

    Raises:
        UnreadableSource: it is no workbook, or too large a one.
    """
    check_archive(path, "xl/workbook.xml")
    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    cells_left = MOST_CELLS
    blocks: list[str] = []
    for sheet in shown:
        rows = list(_values(sheet, cells_left))
        cells_left -= sum(max(len(row), 1) for row in rows)
        found = list(_blocks(rows))
        blocks += [heading(sheet.title, 2), *found] if found else []
    title = " ".join((book.properties.title or "").split())
    return Reading(Markup(document(blocks), opens_sections=False), title)


def read_separated(path: Path) -> Reading:
    """Rows of comma- or tab-separated values.

    Raises:
        UnreadableSource: it is no such file, or too large a one.
    """
    text = decoded(path.read_bytes())
    dialect: type[csv.Dialect] = csv.excel_tab if path.suffix.lower() == ".tsv" else csv.excel
    if path.suffix.lower() == ".csv":
        try:
            dialect = csv.Sniffer().sniff(text[:_SNIFFED].rpartition("\n")[0] or text[:_SNIFFED], ",;\t|")
        except csv.Error:
            dialect = csv.excel
    try:
        rows = list(_bounded(csv.reader(io.StringIO(text, newline=""), dialect), MOST_CELLS))
    except csv.Error as error:
        raise UnreadableSource(f"It can't be read as separated values ({error}).") from error
    return Reading(Markup(document(_blocks(rows)), opens_sections=False))


def _values(sheet: Worksheet, most_cells: int) -> Iterator[list[str]]:
    if isinstance(sheet, ReadOnlyWorksheet):
        sheet.reset_dimensions()  # what a sheet says of its own size is often wrong
    return _bounded(([_value(cell) for cell in row] for row in sheet.iter_rows()), most_cells)


def _bounded(rows: Iterable[list[str]], most_cells: int) -> Iterator[list[str]]:
    for row in rows:
        most_cells -= max(len(row), 1)
        if most_cells < 0:
            raise UnreadableSource(f"It has more than {MOST_CELLS:,} cells: it is a database rather than a document.")
        yield row


def _value(cell: Cell | MergedCell | ReadOnlyCell | EmptyCell) -> str:
    """As a reader sees it, as far as a format is simple."""
    value = cell.value
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case date() | time():
            return value.isoformat()
        case int() | float():
            is_share = "%" in str(cell.number_format)
            return f"{value * 100:.10g}%" if is_share else f"{value:.15g}"
        case _:
            return str(value)


def _blocks(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Tables apart where empty rows part them; a lone cell above a table is its caption."""
    run: list[Sequence[str]] = []
    for row in [*rows, []]:
        if any(cell.strip() for cell in row):
            run.append(row)
        elif run:
            yield from _table(run)
            run = []


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    first = min(at for row in rows for at, cell in enumerate(row) if cell.strip())
    last = max(at for row in rows for at, cell in enumerate(row) if cell.strip())
    trimmed = [list(row[first : last + 1]) for row in rows]
    while trimmed and last > first and sum(1 for cell in trimmed[0] if cell.strip()) == 1:
        yield paragraph(" ".join(trimmed.pop(0)))
    if first == last:
        yield from (paragraph(row[0]) for row in trimmed)
    else:
        yield from tables(trimmed)
