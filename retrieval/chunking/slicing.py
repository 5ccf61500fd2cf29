"""Splits what has no structure left: one sentence, line or cell that is too long alone."""

from __future__ import annotations

import re

from retrieval.chunking.room import Room

_CLAUSE_END = re.compile(r"[;:,—–)\]、，；：]\s?")
_LONGEST_TOKEN = 16
"""Characters a token: what lies further than this many times the limit is not looked at for one piece."""


def slices(text: str, room: Room) -> list[str]:
    """Pieces in order, cut behind a clause, else behind a word, else anywhere; nothing but white space is lost."""
    pieces: list[str] = []
    rest = text.strip()
    while at := _end_of_first(rest, room):
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*pieces, rest] if rest else pieces


def _end_of_first(text: str, room: Room) -> int:
    """Where the first piece ends; 0 where all fits into one."""
    window = room.limit * _LONGEST_TOKEN
    if room.count(text[:window]) > room.limit:
        return _cut_at(text, _fitting(text, room))
    return _cut_at(text, window) if len(text) > window else 0


def _fitting(text: str, room: Room) -> int:
    """How many characters fit, found by halving; at least one."""
    fits, breaks = 1, min(len(text), room.limit * _LONGEST_TOKEN) + 1
    while breaks - fits > 1:
        middle = (fits + breaks) // 2
        if room.count(text[:middle]) <= room.limit:
            fits = middle
        else:
            breaks = middle
    return fits


def _cut_at(text: str, fits: int) -> int:
    """The best place up to `fits` characters."""
    clauses = [match.end() for match in _CLAUSE_END.finditer(text, fits // 2, fits)]
    if clauses:
        return clauses[-1]
    space = max(text.rfind(" ", 1, fits + 1), text.rfind("\n", 1, fits + 1))
    return space if space > 0 else fits
