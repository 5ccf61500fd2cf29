"""Quotes a small table whole where the question doesn't tell its rows apart."""

from __future__ import annotations

from dataclasses import replace

from bot.answering.quotable import Quotable
from bot.answering.words import content_stems
from bot.answering.worth import Weighed
from retrieval.types import UnitKind

_MOST_ROWS = 8
"""A longer table is no short answer."""

_ALIKE = 0.85
"""Rows worth at least this share of their table's best answer as well as it does."""


def with_whole_tables(question: str, weighed: list[Weighed]) -> list[Weighed]:
    """The pieces, best first, each table whose rows answer alike as one piece."""
    wanted = set(content_stems(question))
    made: list[Weighed] = []
    merged: set[tuple[str, str]] = set()
    for one in weighed:
        table = (one.piece.hit.passage.id, one.piece.header)
        if one.piece.kind is not UnitKind.TABLE_ROW or table not in merged:
            rows = [other for other in weighed if _same_table(one.piece, other.piece)]
            if _answer_alike(one, rows, wanted):
                merged.add(table)
                made.append(Weighed(_whole([row.piece for row in rows]), one.worth, one.meaning))
            else:
                made.append(one)
    return made


def _same_table(piece: Quotable, other: Quotable) -> bool:
    kinds = {piece.kind, other.kind}
    return (
        kinds == {UnitKind.TABLE_ROW} and piece.hit.passage.id == other.hit.passage.id and piece.header == other.header
    )


def _answer_alike(best: Weighed, rows: list[Weighed], wanted: set[str]) -> bool:
    """Whether several rows answer and the best has no word of the question that another lacks."""
    near = [row for row in rows if row.worth >= _ALIKE * best.worth]
    asked_for = wanted & set(content_stems(best.piece.own))
    return (
        len(near) > 2
        and len(rows) <= _MOST_ROWS
        and all(asked_for <= set(content_stems(row.piece.own)) for row in near)
    )


def _whole(rows: list[Quotable]) -> Quotable:
    """All rows under their header, verbatim."""
    rows = sorted(rows, key=lambda row: row.start)
    head = rows[0].text[: -len(rows[0].own)]
    own = rows[0].hit.passage.text[rows[0].start : rows[-1].end]
    return replace(rows[0], text=head + own, own=own, end=rows[-1].end)
