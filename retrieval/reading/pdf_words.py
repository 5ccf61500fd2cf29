"""Makes running text of printed lines: hyphens at their ends, ligatures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(r"(?P<head>[^\W\d_]+(?:-[^\W\d_]+)*)(?:\u00ad\n?|[-‐]\n)(?P<tail>[^\W\d_]+)")
_LONGEST_AFFIX = 3
"""Letters: "in-network" and "co-pay" aside, so short a half of a word is seldom a word."""


class Vocabulary:
    """The words of one document, which tell whether a hyphen at the end of a line is part of a word."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        for line in lines:
            self._words.update(found.group().lower() for found in _WORD.finditer(line.translate(_LIGATURES)))

    def joined(self, lines: str) -> str:
        """Lines as one, with whole words."""
        text = _BROKEN.sub(lambda found: self._mended(found["head"], found["tail"]), lines.translate(_LIGATURES))
        return " ".join(text.replace("\u00ad", "-").split())

    def _mended(self, head: str, tail: str) -> str:
        """As the document spells it elsewhere; else a compound where both halves are words of it."""
        compound, whole = f"{head}-{tail}", f"{head}{tail}"
        last = head.rpartition("-")[2]
        compounds, wholes = self._words[compound.lower()], self._words[whole.lower()]
        if compounds != wholes:
            return compound if compounds > wholes else whole
        are_words = all(self._words[half.lower()] and len(half) > _LONGEST_AFFIX for half in (last, tail))
        return compound if are_words or "-" in head or tail[:1].isupper() else whole
