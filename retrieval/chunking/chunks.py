"""What a way of cutting makes of a source, before it becomes passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.types import Anchor

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """Text with what opens it."""

    text: str
    opens: Anchor
    """Its offset means nothing yet."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The parts of one passage."""

    heading_path: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return _BETWEEN.join(part.text for part in self.parts)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        return tuple(_anchors(self.parts))


def _anchors(parts: Sequence[Part]) -> Iterator[Anchor]:
    """An anchor where each part starts that doesn't open the same as the one before it."""
    offset, last = 0, None
    for part in parts:
        if part.opens != last:
            yield Anchor(offset, part.opens.url, part.opens.author, part.opens.written_at)
        offset, last = offset + len(part.text) + len(_BETWEEN), part.opens
