"""Judges whether what was found answers the query, and keeps the few passages that an answer may rest on."""

from __future__ import annotations

from bot.types import Evidence, Query
from retrieval.types import SearchResult

MOST_PASSAGES = 8
ENOUGH = 0.5


def judge(query: Query, found: SearchResult) -> Evidence:
    """The strongest passages, best first, and the probability that they answer the query."""
    del query  # until the features stand
    hits = found.hits[:MOST_PASSAGES]
    confidence = max((hit.dense for hit in hits), default=0.0)
    return Evidence(hits, max(confidence, 0.0), bool(hits) and confidence >= ENOUGH)
