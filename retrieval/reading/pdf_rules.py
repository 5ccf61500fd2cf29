"""Finds the grids that a PDF's page draws, so that what stands in them is read cell by cell."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

_MOST_SEGMENTS = 20_000
"""On one page: a table drawn cell by cell has some thousands, a map or a drawing more, and no words in cells."""
_MOST_RULES = 500
"""On one page, those that go on in each other taken as one: a page has room for a hundred rows."""
_STRAIGHT = 1.0
"""Points by which a rule may be off its line."""
_SAME = 3.0
"""Points between rules that are one: both sides of a thick one, or of neighbouring cells."""
_SHORTEST = 6.0
"""Points: shorter strokes are dashes or parts of pictures."""


@dataclass(frozen=True, slots=True)
class _Rule:
    at: float
    """Its height, or its distance from the left."""
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Rules that cross: cells in rows from the top, and columns from the left."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    """From the top, falling."""
    uprights: tuple[_Rule, ...]

    def cell_of(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of a point, the first column of a cell that reaches over several; None outside."""
        if not (self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]):
            return None
        row = max(sum(1 for edge in self.ys if edge > y) - 1, 0)
        column = max(sum(1 for edge in self.xs if edge < x) - 1, 0)
        while column > 0 and not self._is_parted(self.xs[column], y):
            column -= 1
        return min(row, len(self.ys) - 2), min(column, len(self.xs) - 2)

    def _is_parted(self, x: float, y: float) -> bool:
        return any(abs(rule.at - x) <= _SAME and rule.start - _SAME <= y <= rule.end + _SAME for rule in self.uprights)


def grids_of(page: pypdfium2.PdfPage) -> list[Grid]:
    """The grids of at least two rows and two columns."""
    level: list[_Rule] = []
    upright: list[_Rule] = []
    for count, (x1, y1, x2, y2) in enumerate(_segments(page)):
        if count > _MOST_SEGMENTS:
            return []
        if abs(y1 - y2) <= _STRAIGHT and abs(x1 - x2) >= _SHORTEST:
            level.append(_Rule(y1, min(x1, x2), max(x1, x2)))
        elif abs(x1 - x2) <= _STRAIGHT and abs(y1 - y2) >= _SHORTEST:
            upright.append(_Rule(x1, min(y1, y2), max(y1, y2)))
    level, upright = _merged(level), _merged(upright)
    if len(level) + len(upright) > _MOST_RULES:
        return []
    found = (_grid(levels, uprights) for levels, uprights in _crossing(level, upright))
    return [grid for grid in found if len(grid.xs) > 2 and len(grid.ys) > 2]


def _merged(rules: Sequence[_Rule]) -> list[_Rule]:
    """Rules, those on one line that touch each other as one."""
    merged: list[_Rule] = []
    places = _places([rule.at for rule in rules])
    at_place: dict[float, list[_Rule]] = {place: [] for place in places}
    for rule in rules:
        at_place[places[bisect_right(places, rule.at) - 1]].append(rule)
    for place, there in at_place.items():
        open_rule: _Rule | None = None
        for rule in sorted(there, key=lambda one: one.start):
            if open_rule is None or rule.start > open_rule.end + _SAME:
                open_rule = _Rule(place, rule.start, rule.end)
                merged.append(open_rule)
            elif rule.end > open_rule.end:
                open_rule = merged[-1] = _Rule(place, open_rule.start, rule.end)
    return merged


def _grid(levels: Sequence[_Rule], uprights: Sequence[_Rule]) -> Grid:
    ys = tuple(reversed(_places([rule.at for rule in levels])))
    return Grid(tuple(_places([rule.at for rule in uprights])), ys, tuple(uprights))


def _places(positions: Sequence[float]) -> list[float]:
    """Positions, those that are one only once."""
    places: list[float] = []
    for position in sorted(positions):
        if not places or position - places[-1] > _SAME:
            places.append(position)
    return places


def _crossing(level: Sequence[_Rule], upright: Sequence[_Rule]) -> Iterator[tuple[list[_Rule], list[_Rule]]]:
    """Rules that cross or touch each other, group by group."""
    left, waiting = list(level), list(upright)
    while left:
        levels, uprights = [left.pop()], list[_Rule]()
        grew = True
        while grew:
            more = [rule for rule in waiting if any(_touch(one, rule) for one in levels)]
            waiting = [rule for rule in waiting if rule not in more]
            uprights += more
            other = [rule for rule in left if any(_touch(rule, one) for one in more)]
            left = [rule for rule in left if rule not in other]
            levels += other
            grew = bool(other)
        yield levels, uprights


def _touch(level: _Rule, upright: _Rule) -> bool:
    is_across = level.start - _SAME <= upright.at <= level.end + _SAME
    return is_across and upright.start - _SAME <= level.at <= upright.end + _SAME


def _segments(page: pypdfium2.PdfPage) -> Iterator[tuple[float, float, float, float]]:
    """Straight strokes that the page draws, in its own coordinates."""
    matrix = pdfium.FS_MATRIX()
    for drawn in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=2):
        pdfium.FPDFPageObj_GetMatrix(drawn, matrix)
        first = last = (0.0, 0.0)
        for at in range(min(pdfium.FPDFPath_CountSegments(drawn), _MOST_SEGMENTS + 1)):
            segment = pdfium.FPDFPath_GetPathSegment(drawn, at)
            point = _point(segment, matrix)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                first = point
            elif kind == pdfium.FPDF_SEGMENT_LINETO:
                yield (*last, *point)
            if pdfium.FPDFPathSegment_GetClose(segment):
                yield (*point, *first)
            last = point


def _point(segment: object, matrix: pdfium.FS_MATRIX) -> tuple[float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPathSegment_GetPoint(segment, x, y)
    return (
        matrix.a * x.value + matrix.c * y.value + matrix.e,
        matrix.b * x.value + matrix.d * y.value + matrix.f,
    )
