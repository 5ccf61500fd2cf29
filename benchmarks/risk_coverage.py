"""Draws what share of the answers would be wrong if Footnote answered more or fewer questions.

`footnote eval answers FILE --corpus DIR --json > one.json` for each set, then
`python -m benchmarks.risk_coverage ONE.json… > docs/risk-coverage.svg`

A set is called by its file's name. A dot is where the shipped threshold stands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 200, 20, 48
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e")
"""Told apart by people who see few colours too. Source: Observable Plot's scheme observable10."""
_DASHES = ("none", "6 3", "2 3")
"""So that colour is not all that tells lines apart."""


@dataclass(frozen=True, slots=True)
class Line:
    """One set's curve."""

    name: str
    points: tuple[tuple[float, float], ...]
    """Coverage and risk, by growing coverage."""
    shipped: tuple[float, float] | None
    """Where the shipped threshold stands."""


def read_line(file: Path) -> Line:
    """The curve of one report."""
    report = json.loads(file.read_text(encoding="utf-8"))
    points = tuple((point["coverage"], point["risk"]) for point in report["curve"])
    shipped = None if report["risk"] is None else (report["answered"], report["risk"])
    return Line(file.stem, points, shipped)


def drawn(lines: Sequence[Line]) -> str:
    """All of them in one picture."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
            'font-size="12">',
            "<title>Risk and coverage: the share of wrong answers, by the share of questions answered</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
            *_axes(),
            *(part for at, line in enumerate(lines) for part in _curve(at, line)),
            "</svg>",
        ]
    )


def _axes() -> Iterator[str]:
    for tick in _TICKS:
        x, y = _place(tick, 0)[0], _place(0, tick)[1]
        yield f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{tick:.0%}</text>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.0%}</text>'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">questions answered</text>'
    turned = f'transform="translate(14 {_HEIGHT / 2}) rotate(-90)"'
    yield f'<text {turned} text-anchor="middle">answers that are wrong</text>'


def _curve(at: int, line: Line) -> Iterator[str]:
    colour, dash = _COLOURS[at % len(_COLOURS)], _DASHES[at // 3 % len(_DASHES)]
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_place(*point) for point in line.points))
    stroke = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
    yield f'<polyline points="{places}" fill="none" {stroke}/>'
    if line.shipped:
        x, y = _place(*line.shipped)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}" stroke="white"/>'
    x, y = _WIDTH - _RIGHT + 16, _TOP + 12 + 20 * at
    yield f'<path d="M{x} {y - 4}h24" {stroke}/><text x="{x + 32}" y="{y}">{escape(line.name)}</text>'


def _place(coverage: float, risk: float) -> tuple[float, float]:
    """Where it is drawn, in pixels from the upper left corner."""
    x = _LEFT + coverage * (_WIDTH - _LEFT - _RIGHT)
    return x, _HEIGHT - _BOTTOM - risk * (_HEIGHT - _TOP - _BOTTOM)


if __name__ == "__main__":
    sys.stdout.write(drawn([read_line(Path(file)) for file in sys.argv[1:]]) + "\n")
