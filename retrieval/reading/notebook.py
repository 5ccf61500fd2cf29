"""Reads Jupyter notebooks: words and code, without what running them printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from retrieval.chunking import title_of
from retrieval.errors import UnreadableSource
from retrieval.reading.reading import Reading
from retrieval.reading.text import decoded
from retrieval.reading.writing import document, fence
from retrieval.types import Markup


def read_notebook(path: Path) -> Reading:
    """Cells of Markdown as they stand, cells of code in fences.

    Raises:
        UnreadableSource: it is no notebook.
    """
    try:
        notebook = json.loads(decoded(path.read_bytes()))
        language = _language(notebook)
        blocks = document(_block(cell, language) for cell in _cells(notebook))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableSource("It is not a Jupyter notebook, whatever its name says.") from error
    markup = Markup(blocks, opens_sections=False)
    return Reading(markup, title_of(markup))


def _cells(notebook: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The cells in order; up to format 3 they stood on sheets."""
    sheets = notebook.get("worksheets", [notebook])
    for sheet in _list(sheets):
        yield from (_mapping(cell) for cell in _list(_mapping(sheet)["cells"]))


def _block(cell: Mapping[str, object], language: str) -> str:
    kind, source = cell["cell_type"], cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(str(line) for line in _list(source))
    if kind == "code":
        return fence(text, language)
    return text.strip("\n") if kind == "markdown" else ""


def _language(notebook: Mapping[str, object]) -> str:
    metadata = _mapping(notebook.get("metadata", {}))
    language = str(_mapping(metadata.get("language_info", {})).get("name", "python"))
    return language if language.isalnum() else ""


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value
