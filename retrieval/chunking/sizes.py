"""How long passages should be and may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from retrieval.chunking.room import Room
from retrieval.embedding.protocol import TokenCounter
from retrieval.embedding.scripts import UNSPACED_RUN

_LETTERS_A_TOKEN = 4
"""In scripts without spaces, for models that know them, at most."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Sizes of passages in the embedding model's tokens, title and heading path included."""

    target: int = 220
    """Passages are filled up to this."""
    limit: int = 250
    """No passage has more; at most what the model reads."""
    least: int = 64
    """A section shorter than this is joined with its neighbours."""
    excerpt: int = 64
    """Excerpts, which are embedded beside their passage, have up to this, their headings left out; 0 makes none."""
    headings: bool = True
    """Whether the title and the headings above a passage are embedded with it."""

    def within(self, max_tokens: int) -> Budget:
        """This budget under a model that reads so many tokens."""
        limit = max_tokens
        target = min(self.target, limit)
        least, excerpt = min(self.least, target), min(self.excerpt, target)
        return replace(self, target=target, limit=limit, least=least, excerpt=excerpt)

    def room(self, count: Callable[[str], int]) -> Room:
        """All of this budget as room."""
        return Room(self.target, self.limit, self.least, count)

    def excerpts(self, count: Callable[[str], int]) -> Room:
        """The room of one excerpt: a quarter more for what should stay whole, and no rest of less than two fifths."""
        return Room(self.excerpt, self.excerpt * 5 // 4, self.excerpt * 2 // 5, count)


DEFAULT = Budget()


def without_endless_words(count: TokenCounter) -> TokenCounter:
    """Counts as the model does, and no less than a token for four letters of a script without spaces.

    A model that doesn't know the script takes a whole run for one unknown word, and would have a page for a passage.
    """

    def at_least(text: str) -> int:
        if text.isascii():
            return count(text)
        return max(count(text), sum(len(run) for run in UNSPACED_RUN.findall(text)) // _LETTERS_A_TOKEN)

    return at_least
