"""Makes PDFs as programs print them, line by line, for tests to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


@dataclass(frozen=True, slots=True)
class Words:
    """One line at a place of a page, in points from its lower left."""

    text: str
    y: float
    x: float = 72
    size: float = 11
    font: str = "Helvetica"


def lines(text: str, y: float = 700, size: float = 11, step: float = 14) -> list[Words]:
    """Lines below each other, as a paragraph has them."""
    return [Words(line, y - at * step, size=size) for at, line in enumerate(text.strip().split("\n"))]


def heading(text: str, y: float, size: float = 18) -> list[Words]:
    """A line of larger, bold type."""
    return [Words(text, y, size=size, font="Helvetica-Bold")]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin line from one place to another."""

    x1: float
    y1: float
    x2: float
    y2: float


def write_pdf(path: Path, pages: Sequence[Sequence[Words | Rule]], title: str = "", password: str = "") -> Path:
    """A PDF of these pages."""
    lock = StandardEncryption(password, canPrint=0) if password else None
    canvas = Canvas(str(path), pagesize=A4, encrypt=lock)
    if title:
        canvas.setTitle(title)
    for page in pages:
        for words in page:
            if isinstance(words, Rule):
                canvas.line(words.x1, words.y1, words.x2, words.y2)
            else:
                canvas.setFont(words.font, words.size)
                canvas.drawString(words.x, words.y, words.text)
        canvas.showPage()
    canvas.save()
    return path
