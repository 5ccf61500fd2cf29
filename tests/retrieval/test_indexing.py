"""The index says what the sources say, and costs only what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from retrieval.chunking import Budget
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import EmbeddingError
from retrieval.indexing import Indexer
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE, IndexReport, Markup, Place, Source
from tests.conftest import TEAM, WordHashEmbedder

SECTION = (
    "The pump in hall {} runs from {} in the evening until the tide turns again, and then it is switched off by hand. "
)
BUDGET = Budget(target=60, limit=80, least=10)


@dataclass
class CountingEmbedder(WordHashEmbedder):
    """The small embedder, which remembers what it was given, and fails when it has been told to."""

    embedded: list[str] = field(default_factory=list)
    fails_after: int = 1_000_000
    counted: int = 0

    def count_tokens(self, text: str) -> int:
        """Count, and remember that it was asked."""
        self.counted += 1
        return super().count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed, or fail where too much has been embedded already."""
        if len(self.embedded) + len(texts) > self.fails_after:
            raise EmbeddingError("The model failed: try again.")
        self.embedded += texts
        return super().embed_passages(texts)


@pytest.fixture
def dense() -> CountingEmbedder:
    """A dense embedder whose work can be counted."""
    return CountingEmbedder()


@pytest.fixture
def indexer(store: EdgeStore, dense: CountingEmbedder, bm25: Bm25Embedder) -> Indexer:
    """An indexer over the real store."""
    return Indexer(store, dense, bm25, TEAM, BUDGET)


def page(name: str = "pumps", *, sections: int = 3, hour: str = "eight", text: str = "") -> Source:
    """A page of some sections, each of which makes one passage."""
    body = text or "\n\n".join(f"## Hall {n}\n\n{SECTION.format(n, hour) * 2}" for n in range(sections))
    url = f"https://example.org/{name}"
    return Source(f"doc:{name}", "docs:/handbook", name.title(), url, frozenset({WORKSPACE}), Markup(body), 1_000.0)


def texts_of(store: EdgeStore, source: Source) -> list[str]:
    """What the store holds of a source, in order."""
    return [passage.text for passage in store.passages_of(source.id)]


def test_a_second_run_embeds_nothing(indexer: Indexer, dense: CountingEmbedder) -> None:
    """An unchanged source costs no embedding and is reported as kept."""
    first = indexer.put([page()])
    dense.embedded.clear()
    second = indexer.put([page()])
    assert (first, second) == (IndexReport(sources=1, added=3), IndexReport(sources=1, kept=3))
    assert dense.embedded == []


def test_an_unchanged_source_is_not_even_cut(indexer: Indexer, dense: CountingEmbedder) -> None:
    """It is known by its fingerprint, so that a second run over many pages is quick."""
    indexer.put([page()])
    dense.counted = 0
    indexer.put([page()])
    assert dense.counted == 0


def test_a_changed_section_is_the_only_one_embedded(
    indexer: Indexer, dense: CountingEmbedder, store: EdgeStore
) -> None:
    """What changed replaces what it was; the rest stays as it is."""
    indexer.put([page()])
    dense.embedded.clear()
    changed = page(text=page().content.text.replace("hall 1 runs", "hall 1 stands still"))  # type: ignore[union-attr]  # pages hold markup
    assert indexer.put([changed]) == IndexReport(sources=1, added=1, kept=2, deleted=1)
    assert len(dense.embedded) == 1
    assert ["stands still" in text for text in texts_of(store, changed)] == [False, True, False]


def test_a_touched_page_is_described_anew_without_embedding(
    indexer: Indexer, dense: CountingEmbedder, store: EdgeStore
) -> None:
    """Another address, place, time or order changes what is kept beside the vectors, and the vectors stay."""
    indexer.put([page()])
    dense.embedded.clear()
    moved = replace(page(), url="https://example.org/new", places=frozenset({Place("p1")}), updated_at=2_000.0)
    assert indexer.put([moved]) == IndexReport(sources=1, kept=3)
    assert dense.embedded == []
    stored = store.passages_of(moved.id)
    assert {passage.anchors[0].url for passage in stored} == {f"https://example.org/new#hall-{n}" for n in range(3)}
    assert {(passage.places, passage.updated_at) for passage in stored} == {(frozenset({Place("p1")}), 2_000.0)}


def test_a_section_that_moves_is_not_embedded(indexer: Indexer, dense: CountingEmbedder, store: EdgeStore) -> None:
    """Order is described, not embedded."""
    sections = [f"## Hall {n}\n\n{SECTION.format(n, 'eight') * 2}" for n in range(3)]
    indexer.put([page(text="\n\n".join(sections))])
    dense.embedded.clear()
    turned = page(text="\n\n".join(reversed(sections)))
    indexer.put([turned])
    assert dense.embedded == []
    assert [passage.heading_path[-1] for passage in store.passages_of(turned.id)] == ["Hall 2", "Hall 1", "Hall 0"]


def test_a_run_that_stops_halfway_is_completed_by_the_next(
    store: EdgeStore, dense: CountingEmbedder, bm25: Bm25Embedder
) -> None:
    """What was written stays and is not embedded again; the old words stay until the new ones are there."""
    indexer = Indexer(store, dense, bm25, TEAM, BUDGET)
    pages = [page(f"page{n}", sections=40) for n in range(4)]
    indexer.put(pages[:1])
    edited = [page("page0", sections=40, hour="nine"), *pages[1:]]
    dense.embedded.clear()
    dense.fails_after = 100
    with pytest.raises(EmbeddingError):
        indexer.put(edited)
    written = len(dense.embedded)
    assert 0 < written <= 100
    dense.fails_after = 1_000_000
    report = indexer.put(edited)
    assert len(dense.embedded) == 160
    assert report.added == 160 - written
    assert [len(texts_of(store, one)) for one in edited] == [40] * 4
    assert not any("eight" in text for text in texts_of(store, edited[0]))


def test_narrowed_places_hold_at_once_even_if_embedding_fails(
    indexer: Indexer, dense: CountingEmbedder, store: EdgeStore
) -> None:
    """A source that fewer may read is closed to the others before anything else is done, what goes included."""
    indexer.put([page()])
    dense.fails_after = 0
    with pytest.raises(EmbeddingError):
        indexer.put([replace(page(hour="nine"), places=frozenset({Place("cellar")}))])
    assert {passage.places for passage in store.passages_of(page().id)} == {frozenset({Place("cellar")})}


def test_a_source_that_cannot_be_cut_is_one_skipped_line(indexer: Indexer, store: EdgeStore) -> None:
    """The others are indexed."""
    odd = replace(page("odd"), content=Markup("x", "application/x-odd"))
    report = indexer.put([page("one", sections=1), odd, page("two", sections=1)])
    reason = "application/x-odd can't be read yet: use Markdown or plain text."
    assert report == IndexReport(sources=2, added=2, skipped=(("doc:odd", reason),))
    assert store.count() == 2


def test_a_source_given_twice_ends_as_it_was_given_last(indexer: Indexer, store: EdgeStore) -> None:
    """Two versions in one run don't both stay."""
    indexer.put([page(sections=1), page(sections=1, hour="nine")])
    assert ["nine" in text for text in texts_of(store, page())] == [True]


def test_a_source_given_again_while_it_is_being_embedded_ends_as_it_was_given_last(
    indexer: Indexer, store: EdgeStore
) -> None:
    """Batches are embedded behind the one that is being cut; what is compared must not be what was stored before."""
    long, short = page(sections=60), page(sections=2, hour="nine")
    report = indexer.put([long, page("valves", sections=50), short])
    assert texts_of(store, short) == [text for text in texts_of(store, short) if "nine" in text]
    assert (len(texts_of(store, short)), report.added - report.deleted) == (2, 52)


def test_an_emptied_source_leaves_nothing(indexer: Indexer, store: EdgeStore) -> None:
    """A page that holds no words any more has no passages any more."""
    indexer.put([page()])
    assert indexer.put([page(text="<!-- moved -->")]) == IndexReport(sources=1, deleted=3)
    assert store.count() == 0


def test_removed_sources_are_gone_and_unknown_ones_ignored(indexer: Indexer, store: EdgeStore) -> None:
    """Only what was there is counted."""
    indexer.put([page("one"), page("two")])
    assert indexer.remove(["doc:one", "doc:never"]) == IndexReport(deleted=3, sources_deleted=1)
    assert (store.passages_of("doc:one"), len(store.passages_of("doc:two"))) == ((), 3)


def test_what_left_an_origin_is_deleted_and_other_origins_stay(indexer: Indexer, store: EdgeStore) -> None:
    """A folder's run says nothing about another folder."""
    elsewhere = replace(page("other"), origin="docs:/elsewhere")
    indexer.put([page("one"), page("two"), elsewhere])
    assert indexer.keep_only("docs:/handbook", {"doc:two"}) == IndexReport(deleted=3, sources_deleted=1)
    assert store.sources_of("docs:/handbook") == {"doc:two"}
    assert store.sources_of("docs:/elsewhere") == {"doc:other"}


def test_sources_are_read_one_by_one_and_progress_is_told(indexer: Indexer) -> None:
    """However many there are, they need not fit into memory."""
    told: list[int] = []

    def sources() -> Iterator[Source]:
        for number in range(5):
            assert len(told) == number
            yield page(f"page{number}", sections=1)

    indexer.put(sources(), told.append)
    assert told == [1, 2, 3, 4, 5]


def test_equal_pages_of_two_teams_have_different_passages(store: EdgeStore, bm25: Bm25Embedder) -> None:
    """A team is part of an id, so that no team's passage can stand for another's."""
    for team in ("T1", "T2"):
        Indexer(store, CountingEmbedder(), bm25, team, BUDGET).put([replace(page(), id=f"{team}/page")])
    assert store.count() == 6
