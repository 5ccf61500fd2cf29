"""What the two halves of retrieval hand each other: sources go in, passages are kept, hits come out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NewType

Place = NewType("Place", str)
"""Our own id of a conversation in which a source stands (never Slack's, which can change), or `WORKSPACE`."""

WORKSPACE = Place("workspace")
"""Where documents stand that every full member of the workspace may read."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What every reader of a reply may read.

    Each member of `readers` is the set of places that one kind of reader may open. A passage is in scope when each
    of them may open it: when it stands in at least one place of every set. No readers, or one who may open nothing,
    means that nothing is in scope.
    """

    team: str
    readers: frozenset[frozenset[Place]]

    def admits(self, places: Iterable[Place]) -> bool:
        """Whether a passage that stands in these places may be shown."""
        standing = frozenset(places)
        return bool(self.readers) and all(standing & may_open for may_open in self.readers)

    @property
    def is_empty(self) -> bool:
        """Whether no passage at all can be in scope, so that no store need be asked."""
        return not self.readers or not all(self.readers)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message, as its readers see it."""

    author: str
    text: str
    """Markdown, with names in place of ids."""
    url: str
    written_at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Markup:
    """A page or a file's text, to be cut on its structure."""

    text: str
    media_type: str = "text/markdown"
    """`text/markdown` or `text/plain`."""
    opens_sections: bool = True
    """Whether the slug of a heading, behind the source's address, opens it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a document that is printed page by page."""

    number: int
    """From 1; `#page=` of it, behind the source's address, opens it."""
    text: str
    """Markdown, under the headings that it stands below, with whole sentences only."""


@dataclass(frozen=True, slots=True)
class Pages:
    """A document whose pages open one by one, those without words left out."""

    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """A thread, or a stretch of unthreaded talk, oldest message first."""

    utterances: tuple[Utterance, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """What is indexed and deleted as one: a thread, a stretch of talk, a file or a page."""

    id: str
    """Unique in its team, the same from run to run."""
    origin: str
    """What it was read from, such as one channel or one folder; what left an origin is deleted from the index."""
    title: str
    url: str
    places: frozenset[Place]
    content: Markup | Pages | Talk
    updated_at: float | None = None
    """Seconds since the epoch; None where nobody knows."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """From `offset` characters into a passage's text to the next anchor, a citation opens `url`."""

    offset: int
    url: str
    author: str = ""
    """Who said it, where it is talk; empty for documents."""
    written_at: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit that is indexed, retrieved and cited."""

    id: str
    """UUIDv5 of team, source, words (heading path included) and occurrence: equal words keep their id."""
    source_id: str
    origin: str
    title: str
    heading_path: tuple[str, ...]
    """The headings above it, outermost first, the source's title left out."""
    text: str
    """Markdown, verbatim; whole lists, tables with their header, unbroken code fences."""
    anchors: tuple[Anchor, ...]
    """In order of offset, the first at 0; never empty."""
    places: frozenset[Place]
    position: int
    """From 0, its order in the source."""
    updated_at: float | None = None
    fingerprint: str = ""
    """Of the whole source that it was cut from: all of its passages having the same, nothing of it has changed."""
    neighbours: tuple[str, ...] = ()
    """Ids of the passages right before and right after it in its source, as far as there are such."""

    def anchor_at(self, offset: int) -> Anchor:
        """What a citation of the words at `offset` opens."""
        return [anchor for anchor in self.anchors if anchor.offset <= max(offset, 0)][-1]


class UnitKind(Enum):
    """The smallest piece of a passage that can be quoted and understood."""

    SENTENCE = "sentence"
    LIST = "list"
    """Whole, with its lead-in."""
    TABLE_ROW = "table_row"
    """With its header."""
    CODE = "code"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights of terms; `indices` are distinct hashes of terms, of the same length as `values`."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its score in one ranking."""

    passage: Passage
    score: float
    """Higher is better; comparable within its ranking only."""
    rank: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage in the fused ranking, with what each leg thought of it."""

    passage: Passage
    score: float
    """Fused, whatever a reranker thought; higher is better; says nothing of whether the passage is good enough."""
    rank: int
    """From 1: in the reranker's order where there is one, or else in that of the scores."""
    dense: float
    """Cosine similarity to the query, -1 to 1: the passage's own, or that of the part that is nearest."""
    sparse: float
    """BM25 score, 0 or more."""
    reranked: float | None = None
    """A reranker's score, on a scale of its own that is fitted to nothing; None where it was not asked."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Every stage of one search, so that it can be seen where a passage was lost."""

    hits: tuple[Hit, ...] = ()
    dense: tuple[Candidate, ...] = ()
    sparse: tuple[Candidate, ...] = ()
    fused: tuple[Hit, ...] = ()
    """The hits as they were before a reranker saw them."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of the indexer did, in passages unless said otherwise."""

    sources: int = 0
    added: int = 0
    kept: int = 0
    deleted: int = 0
    sources_deleted: int = 0
    skipped: tuple[tuple[str, str], ...] = field(default=())
    """Source id and the reason, one sentence."""

    def __add__(self, other: IndexReport) -> IndexReport:
        return IndexReport(
            self.sources + other.sources,
            self.added + other.added,
            self.kept + other.kept,
            self.deleted + other.deleted,
            self.sources_deleted + other.sources_deleted,
            self.skipped + other.skipped,
        )
