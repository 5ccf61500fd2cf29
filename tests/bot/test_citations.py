"""Markers count up from 1, and each opens what its claim rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.answering.citations import cite
from bot.types import Answer, Citation, Claim, Quote
from retrieval.types import WORKSPACE, Anchor, Passage, UnitKind

PAGE = Passage(
    id="p1",
    source_id="page",
    origin="docs",
    title="Leave",
    heading_path=("Rest",),
    text="Drivers rest nine hours.\n\nCooks rest eight hours.",
    anchors=(Anchor(0, "https://h.example/leave#rest"), Anchor(26, "https://h.example/leave#cooks")),
    places=frozenset({WORKSPACE}),
    position=0,
    updated_at=5.0,
)
THREAD = Passage(
    id="p2",
    source_id="thread",
    origin="kitchen",
    title="#kitchen",
    heading_path=(),
    text="Ann:\xa0Soup is at noon.",
    anchors=(Anchor(0, "https://s.example/p1", "Ann", 7.0),),
    places=frozenset({WORKSPACE}),
    position=0,
)


def quoted(text: str, passage: Passage, anchor: int = 0, heading_path: tuple[str, ...] = ()) -> Quote:
    """A sentence of a passage."""
    return Quote(text, UnitKind.SENTENCE, passage, passage.anchors[anchor], heading_path)


def test_each_place_gets_one_marker_in_order_of_first_use() -> None:
    """Two quotes of one section share a marker; another section and a message get their own."""
    answer = cite(
        (
            quoted("Drivers rest nine hours.", PAGE),
            quoted("Soup is at noon.", THREAD),
            quoted("Nine hours.", PAGE),
            quoted("Cooks rest eight hours.", PAGE, 1, ("Rest", "Cooks")),
        )
    )

    assert answer == Answer(
        (
            Claim("Drivers rest nine hours.", UnitKind.SENTENCE, (1,)),
            Claim("Soup is at noon.", UnitKind.SENTENCE, (2,)),
            Claim("Nine hours.", UnitKind.SENTENCE, (1,)),
            Claim("Cooks rest eight hours.", UnitKind.SENTENCE, (3,)),
        ),
        (
            Citation(1, "p1", "Leave › Rest", "https://h.example/leave#rest", "Drivers rest nine hours.", "", 5.0),
            Citation(2, "p2", "#kitchen", "https://s.example/p1", "Soup is at noon.", "Ann", 7.0),
            Citation(
                3, "p1", "Leave › Rest › Cooks", "https://h.example/leave#cooks", "Cooks rest eight hours.", "", 5.0
            ),
        ),
    )


@pytest.mark.parametrize(
    ("passage", "text", "shown"),
    [
        (PAGE, "Drivers rest\nnine hours.", "Drivers rest nine hours."),
        (PAGE, "Drivers rest\n  nine hours,\ncooks eight.", "Drivers rest nine hours, cooks eight."),
        (PAGE, "Kiln Street 4  \nPorto\\\nPortugal", "Kiln Street 4  \nPorto\\\nPortugal"),
        (PAGE, "First this.\n\nThen that.", "First this.\n\nThen that."),
        (PAGE, "Drivers rest\n> nine hours.", "Drivers rest\n> nine hours."),
        (THREAD, "Soup:\nat noon", "Soup:\nat noon"),
    ],
)
def test_a_line_that_was_full_goes_on(passage: Passage, text: str, shown: str) -> None:
    """A document's sentence reads on over its breaks, which Markdown doesn't show; in talk people meant them."""
    answer = cite((quoted(text, passage),))
    assert (answer.claims[0].text, answer.citations[0].quote) == (shown, text)


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://h.example/leave.pdf#page=12", "Leave › Rest › page 12"),
        ("https://h.example/leave.pdf#page=", "Leave › Rest"),
        ("https://h.example/leave#page-12", "Leave › Rest"),
    ],
)
def test_a_printed_page_is_named(url: str, title: str) -> None:
    """Where what opens the document does not turn its pages, the reader still knows which one to read."""
    page = replace(PAGE, anchors=(Anchor(0, url),))
    assert cite((quoted("Drivers rest nine hours.", page),)).citations[0].title == title
