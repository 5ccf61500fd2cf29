"""Finds whom a message names."""

from __future__ import annotations

import re
from collections.abc import Collection

_NAME = r"[\w\-\[\]\\`^{}|]+"
_TOKEN = re.compile(_NAME)
"""A word, or a name as IRC allows them."""
_CALL = re.compile(rf"@({_NAME})|^\W*({_NAME})[:,]")
"""A mention, or a name that opens a message."""
_ASKS = re.compile(r"[?？]")


def asks(text: str) -> bool:
    """Whether a message has a question mark."""
    return bool(_ASKS.search(text))


def called_in(text: str, people: Collection[str]) -> frozenset[str]:
    """Of these people, in lower case, whom a text mentions or turns to."""
    calls = {name for found in _CALL.findall(text.casefold()) for name in found if name}
    return frozenset(one for one in people if one in calls or one.partition(" ")[0] in calls)


def named_in(text: str, people: Collection[str]) -> frozenset[str]:
    """Of these people, in lower case, whom a text calls, or names in full."""
    lowered = text.casefold()
    tokens = set(_TOKEN.findall(lowered))
    in_full = frozenset(one for one in people if one in tokens or (" " in one and one in lowered))
    return in_full | called_in(text, people)
