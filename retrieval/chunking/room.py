"""How much a piece of a passage may hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval.chunking.words import words


@dataclass(frozen=True, slots=True)
class Room:
    """Sizes in tokens, and how they are counted."""

    target: int
    """Running text is packed up to this."""
    limit: int
    """What should stay whole may have up to this; nothing has more."""
    least: int
    """The last piece takes from the one before it where it has less."""
    count: Callable[[str], int]

    def size(self, text: str) -> int:
        """How many tokens the words of a Markdown text have."""
        return self.count(words(text))

    def less(self, taken: int) -> Room:
        """What is left beside something of so many tokens."""
        return Room(max(self.target - taken, 1), max(self.limit - taken, 1), self.least, self.count)
