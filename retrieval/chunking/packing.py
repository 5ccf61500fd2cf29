"""Fills bins with neighbours, in order."""

from __future__ import annotations

from collections.abc import Sequence


def bins(sizes: Sequence[int], most: int, least: int) -> list[tuple[int, int]]:
    """From which to which (behind) of the sizes each bin holds, filled from the front up to `most`.

    What is larger alone has a bin for itself. Where the last bin would hold less than `least`, it takes from the one
    before it.
    """
    starts: list[int] = []
    filled = 0
    for index, size in enumerate(sizes):
        if not starts or filled + size > most:
            starts.append(index)
            filled = 0
        filled += size
    if len(starts) > 1:
        starts[-1] = _evened(sizes, starts[-2], starts[-1], most, least)
    return list(zip(starts, [*starts[1:], len(sizes)], strict=bool(starts)))


def _evened(sizes: Sequence[int], before: int, start: int, most: int, least: int) -> int:
    """Where the last bin had better start."""
    last, previous = sum(sizes[start:]), sum(sizes[before:start])
    while last < least and start - before > 1:
        moved = sizes[start - 1]
        if last + moved > most or previous - moved < last:
            break
        start, last, previous = start - 1, last + moved, previous - moved
    return start
