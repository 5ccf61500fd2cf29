"""Drops from what is found whatever holds words of people who don't want theirs used and whom the index still has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from retrieval.types import Hit, Scope, SearchResult

Search = Callable[[str, Scope], SearchResult]


def without_people(search: Search, names: Callable[[], frozenset[str]]) -> Search:
    """A search that finds nothing in which one of these people speaks, by the names that they have in passages.

    A namesake's words go with theirs; both is over as soon as the index has been read anew.
    """

    def found(query: str, scope: Scope) -> SearchResult:
        left_out, result = names(), search(query, scope)
        if not left_out:
            return result
        return replace(result, hits=tuple(hit for hit in result.hits if not _speak_in(hit, left_out)))

    return found


def _speak_in(hit: Hit, names: frozenset[str]) -> bool:
    return any(anchor.author in names for anchor in hit.passage.anchors)
