"""What of a passage is embedded, and how many tokens that has before its own words come."""

from __future__ import annotations

from collections.abc import Callable

from retrieval.chunking.words import words
from retrieval.types import Passage

_LONGEST_TITLE = 120
"""Characters: what a title may take of what the model reads."""


def text_to_embed(passage: Passage) -> str:
    """The title, the heading path and the words as a reader sees them.

    The title of talk is left out: it names a channel, which says nothing and can be renamed.
    """
    title = "" if is_talk(passage) else passage.title
    return f"{opening(title, passage.heading_path)}{words(passage.text)}"


def is_talk(passage: Passage) -> bool:
    """Whether people said it, rather than a document."""
    return passage.anchors[0].written_at is not None


def opening(title: str, heading_path: tuple[str, ...]) -> str:
    """What stands before a passage's own words."""
    lines = (clipped(" ".join(title.split()), _LONGEST_TITLE), " > ".join(heading_path))
    return "".join(f"{line}\n" for line in lines if line)


def clipped(text: str, characters: int) -> str:
    """The text up to the last whole word that fits."""
    if len(text) <= characters:
        return text
    return text[:characters].rpartition(" ")[0] or text[:characters]


def fitting_path(title: str, path: tuple[str, ...], most: int, count: Callable[[str], int]) -> tuple[str, ...]:
    """The innermost headings that take no more than `most` tokens together with the title."""
    while path and count(opening(title, path)) > most:
        path = path[1:]
    return path
