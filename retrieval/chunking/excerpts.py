"""Cuts a passage into excerpts that are embedded beside it: a short paragraph drowns in a longer whole's vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from retrieval.chunking.embedded import is_talk, opening, text_to_embed
from retrieval.chunking.outline import Section, outline
from retrieval.chunking.room import Room
from retrieval.chunking.sizes import Budget
from retrieval.chunking.slicing import slices
from retrieval.chunking.splitting import split
from retrieval.chunking.units import LABEL
from retrieval.chunking.words import words
from retrieval.types import Passage


def texts_to_embed(passage: Passage, budget: Budget, count: Callable[[str], int]) -> tuple[str, ...]:
    """The whole passage first, then its excerpts where it has several; none is longer than the budget's limit."""
    if not budget.headings:
        passage = replace(passage, title="", heading_path=())
    if not budget.excerpt:
        return (text_to_embed(passage),)
    room = budget.excerpts(count)
    excerpts = tuple(_of_talk(passage.text, room) if is_talk(passage) else _of_document(passage, room))
    if len(excerpts) < 2:
        return (text_to_embed(passage),)
    return (text_to_embed(passage), *(text for text in excerpts if count(text) <= budget.limit))


def texts_that_fit(passage: Passage, budget: Budget, count: Callable[[str], int]) -> tuple[str, ...]:
    """As above, of a passage that was cut for another model: a whole that is longer than the limit comes in pieces."""
    whole, *excerpts = texts_to_embed(passage, budget, count)
    if count(whole) <= budget.limit:
        return (whole, *excerpts)
    return (*slices(whole, Room(budget.limit, budget.limit, 1, count)), *excerpts)


def _of_talk(text: str, room: Room) -> Iterator[str]:
    """Each message by itself, behind the label that says who speaks."""
    labels = [match.start() for match in LABEL.finditer(text)]
    for start, end in zip(labels, [*labels[1:], len(text)], strict=True):
        yield from (words(piece) for piece in split(text[start:end], room))


def _of_document(passage: Passage, room: Room) -> Iterator[str]:
    """Each section by itself, under the title and the whole path of headings that it stands under."""
    for section, path in _sections(outline(passage.text), passage.heading_path):
        above = opening(passage.title, path)
        yield from (f"{above}{words(piece)}" for piece in split(section.text, room))


def _sections(section: Section, path: tuple[str, ...]) -> Iterator[tuple[Section, tuple[str, ...]]]:
    """All sections in order, each with the headings down to its own."""
    yield section, path
    for child in section.children:
        yield from _sections(child, (*path, child.title))
