"""Chooses the words of the evidence that answer the query, verbatim."""

from __future__ import annotations

import re

from bot.answering.words import content_stems
from bot.types import Evidence, Query, Quote, UnitKind

_SENTENCE = re.compile(r"[^\s].*?(?:[.!?](?=\s)|\n|$)", re.DOTALL)


def quote(query: Query, evidence: Evidence) -> tuple[Quote, ...]:
    """At most three units that answer the query, best first; none when no unit does."""
    wanted = set(content_stems(query.text))
    scored: list[tuple[int, Quote]] = []
    for hit in evidence.hits:
        for match in _SENTENCE.finditer(hit.passage.text):
            words = Quote(match.group().strip(), UnitKind.SENTENCE, hit.passage, hit.passage.anchor_at(match.start()))
            scored.append((len(wanted & set(content_stems(match.group()))), words))
    scored.sort(key=lambda pair: -pair[0])
    return tuple(words for score, words in scored[:3] if score)
