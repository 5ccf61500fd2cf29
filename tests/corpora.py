"""Corpora that change from version to version, and all that can be learnt of a store, to compare two."""

from __future__ import annotations

import random
from collections.abc import Iterable

from retrieval.chunking import Budget
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, IndexReport, Markup, Passage, Place, Source
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import scope_of

BUDGET = Budget(target=30, limit=45, least=5)
"""Small, so that small pages have several passages."""
ORIGINS = ("handbook", "wiki")
PLACES = (WORKSPACE, Place("harbour"), Place("cellar"))
_WORDS = ("pump", "valve", "kiln", "tide", "ledger", "badge", "rope", "crane", "night", "leave", "invoice", "gate")


def corpus(seed: int, pages: int = 10) -> list[Source]:
    """Some pages of two origins; another seed keeps some of them, edits, moves, empties, adds and drops others."""
    chance = random.Random(seed)
    return [_page(number, chance) for number in range(pages) if chance.random() < 0.8]


def _page(number: int, chance: random.Random) -> Source:
    name = f"page{number}"
    body = "\n\n".join(_section(number, chance) for _ in range(chance.randrange(6)))
    places = frozenset(chance.sample(PLACES, chance.choice([1, 1, 2])))
    return Source(name, ORIGINS[number % 2], name.title(), f"https://example.org/{name}", places, Markup(body))


def _section(number: int, chance: random.Random) -> str:
    """One of few: many stay from version to version, and a page may hold the same one twice."""
    words = random.Random(number * 10 + chance.randrange(5))
    return f"## Hall {words.randrange(3)}\n\n" + " ".join(words.choices(_WORDS, k=25)) + "."


def index(store: PassageStore, sources: Iterable[Source]) -> IndexReport:
    """Make the store hold these sources and no others."""
    indexer, sources = Indexer(store, WordHashEmbedder(), Bm25Embedder(), TEAM, BUDGET), list(sources)
    report = indexer.put(sources)
    for origin in ORIGINS:
        report += indexer.keep_only(origin, {source.id for source in sources if source.origin == origin})
    return report


def passages_in(store: PassageStore) -> dict[str, tuple[Passage, ...]]:
    """Every passage by its source, and that there are no others."""
    passages = {source: store.passages_of(source) for origin in ORIGINS for source in store.sources_of(origin)}
    assert store.count() == sum(map(len, passages.values())), "some passages belong to no source that is known"
    return passages


def scores_in(store: PassageStore) -> dict[tuple[str, str, str], float]:
    """What both legs make of every passage, by their searches and by their scores, for some queries and scopes."""
    ids = sorted(one.id for of_one in passages_in(store).values() for one in of_one)
    found: dict[tuple[str, str, str], float] = {}
    for query in ("pump and valve at night", "kiln", "ledger of the gate"):
        vector, terms = WordHashEmbedder().embed_query(query), Bm25Embedder().embed_query(query)
        for scope in (scope_of(PLACES), scope_of(["harbour"], ["cellar", "harbour"])):
            asked = f"{query} of {len(scope.readers)}"
            legs = {
                "dense leg": store.search_dense(vector, scope, 100),
                "sparse leg": store.search_sparse(terms, scope, 100),
            }
            found |= {(asked, leg, one.passage.id): one.score for leg in legs for one in legs[leg]}
            for id_, scores in store.score(ids, vector, terms, scope).items():
                found |= {(asked, "dense", id_): scores.dense, (asked, "sparse", id_): scores.sparse}
    return found
