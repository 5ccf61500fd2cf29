"""The lines of a PDF's pages, with where they stand and how they look, as PDFium finds them."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from retrieval.errors import UnreadableSource
from retrieval.reading.limits import MOST_CHARACTERS, MOST_PAGES
from retrieval.reading.pdf_rules import Grid, grids_of
from retrieval.reading.writing import TooLong

_LINE_ENDS = (10, 13)
_SOFT_HYPHENS = (0x02, 0xAD, 0xFFFE)
"""What PDFium gives for a hyphen at the end of a line."""
_BOLD = 600
"""Weight from which a reader sees bold type; regular is 400. Source: OpenType, usWeightClass."""
_CELL_GAP = 0.85
"""Heights of a line: white space that may part cells; between words there is a third of it."""
_WORD_GAP = 0.12
"""Heights of a line: white space that parts words; within them there is next to none."""
_ELSEWHERE = 0.7
"""Heights of a line by which the next one stands apart; a superscript has up to 0.5."""
_MARK = re.compile(r"\W|[-o]|(?:\d{1,2}|[a-zA-Z])[.)]")
"""The mark of an item, which stands apart from its words."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Words of one line without a wide gap in them."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """Words at one height. Positions and sizes are in points, from the page's lower left."""

    cells: tuple[Cell, ...]
    bottom: float
    size: float
    """Of its type, as it is seen."""
    is_bold: bool
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a whole table in ruled cells, which stands for its lines."""

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        return self.cells[0].left

    @property
    def right(self) -> float:
        return self.cells[-1].right


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page."""

    number: int
    height: float
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Printed:
    """A whole PDF."""

    title: str
    """Of its metadata."""
    sheets: tuple[Sheet, ...]


def read_lines(path: Path) -> Printed:
    """Every page of a PDF.

    Raises:
        UnreadableSource: it is no PDF, or a password protects it, or it has too many pages.
        TooLong: it has too many words.
    """
    with path.open("rb") as file:
        if b"%PDF-" not in file.read(1_024):  # source: PDF 1.7, appendix H.3, note 13
            raise UnreadableSource("It is not a PDF file, whatever its name says.")
    opened = _opened(path)
    if len(opened) > MOST_PAGES:
        raise UnreadableSource(f"It has more than {MOST_PAGES} pages: split it.")
    sheets: list[Sheet] = []
    characters = 0
    for number in range(1, len(opened) + 1):
        sheets.append(_sheet(opened, number))
        characters += sum(len(line.text) for line in sheets[-1].lines)
        if characters > MOST_CHARACTERS:
            raise TooLong
    return Printed(str(opened.get_metadata_value("Title") or ""), tuple(sheets))


def _opened(path: Path) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise UnreadableSource("A password protects it: save it without one.") from error
        raise UnreadableSource("It is damaged: its program may be able to save it anew.") from error


def _sheet(opened: pypdfium2.PdfDocument, number: int) -> Sheet:
    """One page, without lines where that page alone is damaged."""
    try:
        page = opened[number - 1]
        words = page.get_textpage()
    except pypdfium2.PdfiumError:
        return Sheet(number, 0, ())
    try:
        return Sheet(number, page.get_height(), tuple(_lines(words, grids_of(page))))
    finally:
        words.close()
        page.close()


@dataclass(frozen=True, slots=True)
class _Glyph:
    at: int
    text: str
    left: float
    right: float
    bottom: float
    top: float

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        return self.top - self.bottom


def _lines(words: pypdfium2.PdfTextPage, grids: Sequence[Grid]) -> Iterator[Line]:
    """Lines, and each table in ruled cells at the place of its first character."""
    glyphs = list(_glyphs(words))
    standing = [_grid_of(glyph, grids) for glyph in glyphs]
    seen: set[int] = set()
    run: list[_Glyph] = []
    for glyph, grid in zip(glyphs, standing, strict=True):
        if glyph is None or grid is not None or (run and _is_elsewhere(run[-1], glyph)):
            if line := _line(words, run):
                yield line
            run = []
        if glyph is not None and grid is None:
            run.append(glyph)
        elif grid is not None and grid not in seen:
            seen.add(grid)
            inner = [one for one, at in zip(glyphs, standing, strict=True) if one is not None and at == grid]
            yield _table(words, inner, grids[grid])
    if line := _line(words, run):
        yield line


def _grid_of(glyph: _Glyph | None, grids: Sequence[Grid]) -> int | None:
    if glyph is None or not glyph.text.strip():
        return None
    return next((at for at, grid in enumerate(grids) if grid.cell_of(*glyph.middle)), None)


def _table(words: pypdfium2.PdfTextPage, glyphs: Sequence[_Glyph], grid: Grid) -> Line:
    """The words of each cell of a grid, line by line as they are drawn."""
    cells = [[""] * (len(grid.xs) - 1) for _ in grid.ys[1:]]
    last: _Glyph | None = None
    for glyph in glyphs:
        row, column = grid.cell_of(*glyph.middle) or (0, 0)
        cells[row][column] += _between(last, glyph) + glyph.text
        last = glyph
    rows = tuple(tuple(cell.strip() for cell in row) for row in cells if any(row))
    whole = Cell(" ".join(cell for row in rows for cell in row if cell), grid.xs[0], grid.xs[-1])
    return Line((whole,), grid.ys[-1], round(_size(words, glyphs[0].at), 1), False, rows)


def _between(last: _Glyph | None, glyph: _Glyph) -> str:
    """What parts two characters of a cell."""
    if last is None or _is_elsewhere(last, glyph):
        return "\n"
    return " " if glyph.left - last.right > _WORD_GAP * glyph.height else ""


def _glyphs(words: pypdfium2.PdfTextPage) -> Iterator[_Glyph | None]:
    """Characters in the order in which they are drawn; None at the end of a line."""
    box = pdfium.FS_RECTF()
    for at in range(words.count_chars()):
        code = pdfium.FPDFText_GetUnicode(words, at)
        if code in _LINE_ENDS:
            yield None
            continue
        pdfium.FPDFText_GetLooseCharBox(words, at, box)
        text = "\u00ad" if code in _SOFT_HYPHENS else chr(code) if code else ""
        yield _Glyph(at, text, box.left, box.right, box.bottom, box.top)


def _is_elsewhere(before: _Glyph, glyph: _Glyph) -> bool:
    """Whether a line goes on at another height: what PDFium took for one line are two."""
    height = max(before.top - before.bottom, glyph.top - glyph.bottom)
    if not glyph.text.strip() or not before.text.strip() or height <= 0:
        return False
    return abs(glyph.top + glyph.bottom - before.top - before.bottom) / 2 > _ELSEWHERE * height


def _line(words: pypdfium2.PdfTextPage, run: list[_Glyph]) -> Line | None:
    seen = [glyph for glyph in run if glyph.text.strip()]
    if not seen:
        return None
    heights = sorted(glyph.top - glyph.bottom for glyph in seen)
    cells = tuple(_cells(run, heights[len(heights) // 2]))
    size = _size(words, seen[len(seen) // 2].at)
    bolds = [_is_bold(words, glyph.at) for glyph in (seen[0], seen[len(seen) // 2], seen[-1])]
    bottoms = sorted(glyph.bottom for glyph in seen)
    return Line(cells, bottoms[len(bottoms) // 2], round(size, 1), all(bolds))


def _size(words: pypdfium2.PdfTextPage, at: int) -> float:
    """Of a character's type in points: what its font says, as the page scales it."""
    matrix = pdfium.FS_MATRIX()
    scale = math.hypot(matrix.b, matrix.d) if pdfium.FPDFText_GetMatrix(words, at, matrix) else 1.0
    return float(pdfium.FPDFText_GetFontSize(words, at)) * scale


def _cells(run: list[_Glyph], size: float) -> Iterator[Cell]:
    """Parts of a line between wide gaps; the mark of an item stays with its words."""
    part: list[_Glyph] = []
    last: _Glyph | None = None
    for glyph in run:
        if not glyph.text.strip():
            part.append(glyph)
            continue
        is_apart = last is not None and glyph.left - last.right > _CELL_GAP * size
        if is_apart and not _MARK.fullmatch(_text(part)):
            yield _cell(part)
            part = []
        part.append(glyph)
        last = glyph
    yield _cell(part)


def _cell(part: list[_Glyph]) -> Cell:
    seen = [glyph for glyph in part if glyph.text.strip()]
    return Cell(_text(part), seen[0].left, seen[-1].right)


def _text(part: list[_Glyph]) -> str:
    return " ".join("".join(glyph.text for glyph in part).split())


def _is_bold(words: pypdfium2.PdfTextPage, at: int) -> bool:
    if pdfium.FPDFText_GetFontWeight(words, at) >= _BOLD:
        return True
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()  # names of fonts are short
    pdfium.FPDFText_GetFontInfo(words, at, name, len(name), flags)
    return b"bold" in name.value.lower() or b"black" in name.value.lower()
