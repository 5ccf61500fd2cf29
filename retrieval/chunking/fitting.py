"""Makes sure that no chunk is longer than what the model reads, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from retrieval.chunking.chunks import Chunk, Part
from retrieval.chunking.embedded import opening
from retrieval.chunking.room import Room
from retrieval.chunking.slicing import slices
from retrieval.chunking.words import words


def fitted(chunk: Chunk, title: str, limit: int, count: Callable[[str], int]) -> Iterator[Chunk]:
    """The chunk, in halves as long as it doesn't fit.

    Sizes of pieces are added up while cutting, and a whole can be more than its parts: what stands alone as words can
    be markup beside its neighbours.
    """
    if not chunk.text or _size(chunk, title, count) <= limit:
        yield chunk
    elif len(chunk.parts) > 1:
        middle = len(chunk.parts) // 2
        yield from fitted(Chunk(chunk.heading_path, chunk.parts[:middle]), title, limit, count)
        yield from fitted(Chunk(chunk.heading_path, chunk.parts[middle:]), title, limit, count)
    elif len(halves := _halves(chunk.parts[0], count)) > 1:
        for half in halves:
            yield from fitted(Chunk(chunk.heading_path, (half,)), title, limit, count)
    elif chunk.heading_path:
        yield from fitted(Chunk(chunk.heading_path[1:], chunk.parts), title, limit, count)
    else:
        yield chunk


def _size(chunk: Chunk, title: str, count: Callable[[str], int]) -> int:
    return count(opening(title, chunk.heading_path) + words(chunk.text))


def _halves(part: Part, count: Callable[[str], int]) -> list[Part]:
    half = max(count(part.text) // 2, 1)
    return [Part(text, part.opens) for text in slices(part.text, Room(half, half, 1, count))]
