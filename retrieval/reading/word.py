"""Reads Word documents: headings, lists and tables as Markdown, without what is deleted, hidden or repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import docx
from docx.document import Document
from docx.oxml.ns import qn
from docx.oxml.table import CT_Tbl
from docx.oxml.text.paragraph import CT_P
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.text.paragraph import Paragraph

from retrieval.chunking.outline import first_heading
from retrieval.reading.packed import check_archive
from retrieval.reading.reading import Reading
from retrieval.reading.writing import document, heading, items_joined, paragraph, tables
from retrieval.types import Markup

_HEADING = re.compile(r"heading ([1-6])", re.IGNORECASE)
_BOX = qn("w:txbxContent")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""Says again what stands before it, for programs of before 2010."""
_NOT_READ = {qn("w:del"), qn("w:moveFrom"), _BOX, _FALLBACK}
_SPACES = {qn("w:tab"): " ", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}


def read_word(path: Path) -> Reading:
    """The document's own words in order.

    Raises:
        UnreadableSource: it is no Word document.
    """
    check_archive(path, "word/document.xml")
    opened = docx.Document(str(path))
    text = document(items_joined(_blocks(opened, opened.element.body)))
    title = " ".join((opened.core_properties.title or "").split())
    return Reading(Markup(text, opens_sections=False), title or first_heading(text))


def _blocks(opened: Document, container: BaseOxmlElement) -> Iterator[str]:
    for element in container:
        if isinstance(element, CT_P):
            yield _block(opened, element)
            for box in element.iter(_BOX):
                if not any(above.tag == _FALLBACK for above in box.iterancestors()):
                    yield from _blocks(opened, box)
        elif isinstance(element, CT_Tbl):
            yield from tables(_rows(element))
        elif element.tag not in _NOT_READ:
            yield from _blocks(opened, element)


def _block(opened: Document, element: CT_P) -> str:
    text = "".join(_words(element)).strip()
    style = _style(opened, element)
    if not text or style.startswith("toc"):
        return ""
    if style == "title":
        return heading(text, 1)
    if level := _HEADING.fullmatch(style):
        return heading(text, int(level.group(1)))
    if style.startswith("list") or element.find(f".//{qn('w:numPr')}") is not None:
        return f"- {' '.join(text.split())}"
    return paragraph(text)


def _style(opened: Document, element: CT_P) -> str:
    """The name of a paragraph's style in lower case, or of the heading that it was made from."""
    style = Paragraph(element, opened._body).style  # python-docx finds styles only through a parent
    names: list[str] = []
    while style is not None and len(names) < 10:  # a style may claim to be based on itself
        names.append((style.name or "").lower())
        style = style.base_style
    headings = [name for name in names if _HEADING.fullmatch(name)]
    return (headings or names or [""])[0]


def _words(element: BaseOxmlElement) -> Iterator[str]:
    """What a reader sees of a paragraph, insertions included."""
    for child in element:
        if child.tag in _NOT_READ or _is_hidden(child):
            continue
        if child.tag == qn("w:t"):
            yield child.text or ""
        else:
            yield _SPACES.get(str(child.tag), "")
            yield from _words(child)


def _is_hidden(element: BaseOxmlElement) -> bool:
    return element.tag == qn("w:r") and element.find(f"{qn('w:rPr')}/{qn('w:vanish')}") is not None


def _rows(table: CT_Tbl) -> list[list[str]]:
    """Cells of each row; one over several columns stands in the first, one over several rows likewise."""
    rows: list[list[str]] = []
    for row in table.tr_lst:
        cells: list[str] = []
        for cell in row.tc_lst:
            is_continued = cell.vMerge == "continue"
            words = "" if is_continued else " ".join("".join(_words(p)) for p in cell.iter(qn("w:p")))
            cells += [words, *[""] * (min(cell.grid_span, 100) - 1)]  # a span beyond is a mistake or an attack
        rows.append(cells)
    return rows
