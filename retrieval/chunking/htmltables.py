"""Turns an HTML table into a Markdown one, so that its rows can be cut, quoted and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

_WIDEST = 100
"""Columns: a colspan beyond this is a mistake or an attack."""
_FEWEST_NAMES = 3
_LONGEST_NAME = 6
"""Words of a column's name."""
_OPENS_LINE = frozenset({"br", "p", "div", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(slots=True)
class _Cell:
    is_header: bool
    columns: int
    rows: int
    pieces: list[str] = field(default_factory=list)
    is_bold: bool = False

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split()).replace("|", "\\|")


class _Reader(HTMLParser):
    """Collects the cells of a table; a table within a cell becomes its words."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.rows: list[list[_Cell]] = []
        self.loose: list[str] = []
        self._cell: _Cell | None = None
        self._depth = 0
        self._targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._depth += tag == "table"
        if tag == "tr" and self._depth == 1:
            self.rows.append([])
            self._cell = None
        elif tag in ("td", "th") and self._depth == 1:
            self._open_cell(tag, found)
        elif tag == "li":
            self._add(" • ")
        elif tag in _OPENS_LINE:
            self._add(" ")
        elif tag == "a":
            self._targets.append(found.get("href") or "")
            self._add("[" if self._targets[-1] else "")
        elif tag in ("strong", "b") and self._cell is not None:
            self._cell.is_bold = True

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "table"
        if tag in ("td", "th", "tr") and self._depth == 1:
            self._cell = None
        elif tag == "a" and self._targets:
            target = self._targets.pop()
            self._add(f"]({target})" if target else "")
        elif tag in _OPENS_LINE:
            self._add(" ")

    def handle_data(self, data: str) -> None:
        self._add(data)

    def handle_entityref(self, name: str) -> None:
        self._add(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add(f"&#{name};")

    def _open_cell(self, tag: str, attrs: dict[str, str | None]) -> None:
        self._cell = _Cell(tag == "th", _span(attrs.get("colspan")), _span(attrs.get("rowspan")))
        if not self.rows:
            self.rows.append([])
        self.rows[-1].append(self._cell)

    def _add(self, text: str) -> None:
        (self._cell.pieces if self._cell is not None else self.loose).append(text)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _WIDEST) if value and value.isascii() and value.isdigit() else 1


def table_to_markdown(html: str) -> str:
    """The table below its captions; the first row is its header where it is one, else the header is empty."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    rows = [row for row in reader.rows if any(cell.text for cell in row)]
    captions = [" ".join("".join(reader.loose).split())]
    while rows and sum(1 for cell in rows[0] if cell.text) == 1 and len(rows) > 1:
        captions += [cell.text for cell in rows.pop(0) if cell.text]
    lines = _lines(rows) if rows else []
    return "\n\n".join([*(caption for caption in captions if caption), "\n".join(lines)]).strip("\n")


def _lines(rows: Sequence[Sequence[_Cell]]) -> list[str]:
    filled = _filled(rows)
    width = max(len(row) for row in filled)
    header, body = (filled[0], filled[1:]) if _is_header(rows[0]) else ([""] * width, filled)
    return [_line(header, width), _line(["---"] * width, width), *(_line(row, width) for row in body)]


def _is_header(row: Sequence[_Cell]) -> bool:
    """Marked as one, bold, or at least three short cells: two may well be a name and its value."""
    if all(cell.is_header or cell.is_bold or not cell.text for cell in row):
        return True
    return len(row) >= _FEWEST_NAMES and all(len(cell.text.split()) <= _LONGEST_NAME for cell in row)


def _line(cells: Sequence[str], width: int) -> str:
    return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"


def _filled(rows: Sequence[Sequence[_Cell]]) -> list[list[str]]:
    """Texts in columns: a cell over several rows stands in each, one over several columns in the first."""
    filled: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for row in rows:
        texts: list[str] = []
        cells = iter(row)
        cell = next(cells, None)
        while cell is not None or len(texts) in below:
            rows_left, text = below.pop(len(texts), (0, ""))
            if rows_left:
                if rows_left > 1:
                    below[len(texts)] = (rows_left - 1, text)
                texts.append(text)
                continue
            if cell is None:
                break
            if cell.rows > 1:
                below[len(texts)] = (cell.rows - 1, cell.text)
            texts += [cell.text, *[""] * (cell.columns - 1)]
            cell = next(cells, None)
        filled.append(texts)
    return filled
