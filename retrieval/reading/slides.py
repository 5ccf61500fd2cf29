"""Reads PowerPoint presentations: a heading for each slide, its words from top to bottom, and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pptx
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.text.text import TextFrame

from retrieval.errors import UnreadableSource
from retrieval.reading.limits import MOST_DEPTH, MOST_PAGES
from retrieval.reading.packed import check_archive
from retrieval.reading.reading import Reading
from retrieval.reading.writing import document, heading, items_joined, paragraph, tables
from retrieval.types import Markup

_FURNITURE = {"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"}
"""Placeholders that say the same on every slide."""


def read_slides(path: Path) -> Reading:
    """The slides that are shown, in order.

    Raises:
        UnreadableSource: it is no presentation.
    """
    check_archive(path, "ppt/presentation.xml")
    opened = pptx.Presentation(str(path))
    slides = opened.slides
    if len(slides) > MOST_PAGES:
        raise UnreadableSource(f"It has more than {MOST_PAGES} slides: split it.")
    shown = [(number, slide) for number, slide in enumerate(slides, start=1) if slide.element.get("show") != "0"]
    text = document(items_joined(block for number, slide in shown for block in _blocks(slide, number)))
    first = _title(shown[0][1]) if shown else ""
    return Reading(Markup(text, opens_sections=False), " ".join(opened.core_properties.title.split()) or first)


def _blocks(slide: Slide, number: int) -> Iterator[str]:
    said = [block for shape in _in_order(_flat(slide.shapes, MOST_DEPTH)) for block in _of_shape(shape, slide)]
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        said += [paragraph(f"Notes: {' '.join(notes.text.split())}")] if notes.text.strip() else []
    title = _title(slide)
    if said or title:
        yield heading(title or f"Slide {number}", 2)
        yield from said


def _title(slide: Slide) -> str:
    shape = slide.shapes.title
    return " ".join(shape.text_frame.text.split()) if shape is not None else ""


def _flat(shapes: Iterable[BaseShape], depth: int) -> Iterator[BaseShape]:
    for shape in shapes:
        if not isinstance(shape, GroupShape):
            yield shape
        elif depth:
            yield from _flat(shape.shapes, depth - 1)


def _in_order(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    """As people read: from top to bottom, then from left to right; what stands where its layout says comes first."""
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _of_shape(shape: BaseShape, slide: Slide) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None and shape.shape_id == title.shape_id:
        return
    if shape.is_placeholder and shape.placeholder_format.type.name in _FURNITURE:
        return
    if isinstance(shape, GraphicFrame) and shape.has_table:
        yield from tables([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif shape.has_text_frame:
        yield from _of_text(shape.text_frame)  # type: ignore[attr-defined]  # has_text_frame says that it is there


def _of_text(frame: TextFrame) -> Iterator[str]:
    """One paragraph as it is, several as the items that slides have."""
    said = [(one.level, " ".join(one.text.split())) for one in frame.paragraphs if one.text.strip()]
    if len(said) == 1:
        yield paragraph(said[0][1])
    else:
        yield from (f"{'  ' * level}- {words}" for level, words in said)
