"""What retrieval is measured on: sources, questions, and where the answers stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.chunking.outline import Section, outline, slugger
from retrieval.types import Passage, Source

Qrels = Mapping[str, Mapping[str, float]]
"""By query id: the gain of each gold id, more than 0."""


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Sources and queries with their gold."""

    sources: tuple[Source, ...]
    queries: Mapping[str, str]
    """By id, those that have gold."""
    qrels: Qrels
    skipped: tuple[str, ...] = ()
    """Files that could not be read, and why, one sentence each."""
    has_sections: bool = False
    """Whether gold may be a section of a document, `path#heading`, rather than a whole source or a page."""

    def id_of(self, passage: Passage, query: str) -> str:
        """What the judgements of a query call the place of a passage: its source, or the page that its citation opens;
        where gold may be a section, the gold that it holds, or else what it opens."""
        url = passage.anchors[0].url
        if not self.has_sections:
            return page_or_source(passage)
        return next((gold for gold in self.qrels[query] if _holds(passage, gold)), url)

    def held(self, passages: Sequence[Passage]) -> frozenset[str]:
        """The gold of any query that these passages hold."""
        if not self.has_sections:
            return frozenset(map(page_or_source, passages))
        golds = {gold for gains in self.qrels.values() for gold in gains}
        return frozenset(gold for gold in golds if any(_holds(passage, gold) for passage in passages))


def page_or_source(passage: Passage) -> str:
    """What judgements call the place of a passage where they name no sections."""
    url = passage.anchors[0].url
    return url if "#page=" in url else passage.source_id


def _holds(passage: Passage, gold: str) -> bool:
    """Whether a passage is, or stands in, the document, page or section."""
    path, mark, place = gold.rpartition("#")
    if gold == passage.source_id or not mark:
        return gold == passage.source_id
    return path == passage.source_id and place in _places(passage)


def _places(passage: Passage) -> frozenset[str]:
    """The page, and the slugs of all headings that the passage stands under or holds."""
    opened = {anchor.url.rpartition("#")[2] for anchor in passage.anchors if "#" in anchor.url}
    headings = (*passage.heading_path, *_titles(outline(passage.text)))
    return frozenset(opened | {slugger()(title) for title in headings})


def _titles(section: Section) -> list[str]:
    return [title for child in section.children for title in (child.title, *_titles(child))]
