"""Whoever doesn't want their messages used is not quoted while the index still has them."""

from __future__ import annotations

import pytest

from bot.answering.leaving_out import without_people
from retrieval.types import Anchor, Hit, Passage, Place, Scope, SearchResult

SCOPE = Scope("T1", frozenset({frozenset({Place("shop")})}))


def said_by(*authors: str) -> Hit:
    """A passage in which these people speak; of nobody's where it is a page."""
    anchors = tuple(Anchor(at, "https://h.example/", author) for at, author in enumerate(authors))
    return Hit(Passage("-".join(authors), "s", "o", "#shop", (), "text", anchors, frozenset(), 0), 2.0, 1, 0.9, 9.0)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (set(), ["Ann", "Ann-Bo", "Bo", ""]),
        ({"Bo"}, ["Ann", ""]),
        ({"Ann", "Bo"}, [""]),
        ({"Cy"}, ["Ann", "Ann-Bo", "Bo", ""]),
    ],
)
def test_nothing_is_found_in_which_they_speak(names: set[str], found: list[str]) -> None:
    """Whoever else speaks there too; documents have no speakers and stay."""
    hits = (said_by("Ann"), said_by("Ann", "Bo"), said_by("Bo"), said_by(""))
    search = without_people(lambda _query, _scope: SearchResult(hits), lambda: frozenset(names))
    assert [hit.passage.id for hit in search("q", SCOPE).hits] == found
