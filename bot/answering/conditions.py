"""Finds what a source makes its words depend on, which a claim may not leave out."""

from __future__ import annotations

import re

from bot.answering.facts import MONTHS, content
from bot.answering.kinds import PEOPLE, kinds_named
from bot.answering.words import stem, word_list

_CONDITION = re.compile(
    r"\b(?:unless|except(?:\s+(?:for|in|when|if))?|only\s+(?:if|when|for|with|after|in|on|until)|provided\s+that|"
    r"as\s+long\s+as|but\s+not|if)\b(?P<clause>[^.,;:!?\n()]*)",
    re.IGNORECASE,
)
_ANYBODY = frozenset(
    map(stem, word_list("staff people person employee employees manager managers lead leads kids men women"))
)
"""A heading that names these says nothing of whom it leaves out."""
_SAID = 1 / 3
"""Share of a condition's words that must be said for it to be understood."""


def leaves_out_condition(said: str, source: str) -> bool:
    """Whether the source's words depend on something of which what is said (and asked) holds next to nothing."""
    ours = content(said)
    clauses = [content(found["clause"]) for found in _CONDITION.finditer(source)]
    is_missing = any(clause and len(clause & ours) < _SAID * len(clause) for clause in clauses)
    return is_missing or _leaves_out_case(said, source)


def leaves_out_whom(said: str, above: str) -> bool:
    """Whether the title or the headings say of which people alone a source speaks, and what is said doesn't."""
    ours = kinds_named(said).get(PEOPLE, frozenset())
    theirs = kinds_named(above).get(PEOPLE, frozenset()) - _ANYBODY
    return bool(theirs) and not ours & theirs


def _leaves_out_case(said: str, source: str) -> bool:
    """Whether the source speaks of one place, day or system alone, and what is said of none of that kind."""
    ours = kinds_named(said)
    theirs = kinds_named(source)
    return any(
        len(named) == 1 and kind not in ours
        for kind, named in theirs.items()
        if kind != PEOPLE and not named <= MONTHS  # people are named for many reasons, and a date is a detail
    )
