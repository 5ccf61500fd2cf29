"""Nothing outside the scope of a reply changes a byte of it: the whole path, from the store to what Slack is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bot.answering.meaning import Meaning
from bot.answering.path import Parts, answer
from bot.commands.ask import OpenToAll
from bot.slack.replies import render
from bot.types import Answer, Question, Refusal, Reply, Surface
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE, Markup, Place, Scope, Source, Talk, Utterance
from tests.conftest import TEAM, WordHashEmbedder
from tests.congruence.conftest import emptied
from tests.passages import scope_of


class CoarseEmbedder(WordHashEmbedder):
    """Four axes of equal weight for each text, those of its words: every product of two texts is exact in any order."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        stems = [word[:4] for word in re.findall(r"[a-z]{3,}", text.casefold()) if word not in _SAYS_NOTHING]
        named = sorted({blake2b(stem.encode(), digest_size=1).digest()[0] % self.dimension for stem in stems})
        axes = list(dict.fromkeys([*named, *range(self.dimension)]))[:4]
        vector = np.zeros(self.dimension, dtype=np.float32)
        vector[axes] = 0.5
        return vector


_SAYS_NOTHING = frozenset({"the", "does", "when", "what", "who", "where", "at", "and", "for", "by", "is"})
DENSE, SPARSE = CoarseEmbedder(), Bm25Embedder()

THINGS = ("pump", "crane", "gate", "ferry")
SITES = ("harbour", "quarry", "depot")
FACTS = (
    "The {thing} of the {site} starts at {hour} in the morning.",
    "Bo repairs the {thing} of the {site} on Mondays at {hour}.",
    "When does the {thing} of the {site} start?",
    "## {site}\n\n- The {thing} starts at {hour}.\n- The {thing} stops at {hour}.",
    "| what | starts |\n|---|---|\n| {thing} of the {site} | {hour} |",
    "starts starts starts {thing} {thing} {site}",
    "Lunch is soup, at {hour}.",
)
QUESTIONS = tuple(f"When does the {thing} of the {site} start?" for thing in THINGS[:3] for site in SITES[:2])


@dataclass(frozen=True)
class Draft:
    """Something that somebody wrote."""

    fact: str
    thing: str
    site: str
    hour: int
    is_talk: bool
    places: frozenset[str]

    @property
    def text(self) -> str:
        return self.fact.format(thing=self.thing, site=self.site, hour=self.hour)


def drafts_in(places: st.SearchStrategy[frozenset[str]]) -> st.SearchStrategy[list[Draft]]:
    """A few, anywhere of these places."""
    facts, things, sites = map(st.sampled_from, (FACTS, THINGS, SITES))
    one = st.builds(Draft, facts, things, sites, st.integers(1, 12), st.booleans(), places)
    return st.lists(one, min_size=1, max_size=8)


PLACES = st.sampled_from(["here", "cellar", "vault", WORKSPACE])
READERS = st.sampled_from([scope_of(["here"]), scope_of(["here", WORKSPACE]), scope_of(["here", "cellar"], ["here"])])


def source(draft: Draft, name: str) -> Source:
    """What was written, as it is indexed."""
    url = f"https://example.org/{name}"
    said = Talk((Utterance("Ann", draft.text, url, 1_700_000_000.0), Utterance("Bo", "Right.", url, 1_700_000_060.0)))
    content = said if draft.is_talk else Markup(f"# {draft.site}\n\n{draft.text}")
    return Source(name, "origin", draft.site.title(), url, frozenset(map(Place, draft.places)), content)


def asked(store: PassageStore, words: str, scope: Scope) -> tuple[Reply, bytes]:
    """What comes of a question, and the bytes that Slack is sent."""
    question = Question(TEAM, "U1", "C1", "1.0", None, words, Surface.CHANNEL)
    searcher = Searcher(store, DENSE, SPARSE)
    reply = answer(question, Parts(OpenToAll(scope), lambda _: (), searcher.search, Meaning(DENSE)))
    posts = [asdict(post) for post in render(reply.outcome)]
    return replace(reply, ms=0.0), json.dumps(posts).encode()


def put(store: PassageStore, sources: Sequence[Source]) -> None:
    """Index sources beside what is there."""
    Indexer(store, DENSE, SPARSE, TEAM).put(sources)


def drop(store: PassageStore, sources: Sequence[Source]) -> None:
    """Take sources out of the index."""
    store.delete([one.id for gone in sources for one in store.passages_of(gone.id)])


@settings(max_examples=20, derandomize=True, database=None)
@given(
    drafts=drafts_in(st.frozensets(PLACES, min_size=1, max_size=2)),
    others=drafts_in(st.sampled_from([frozenset({"vault"}), frozenset({"cellar"}), frozenset({"vault", WORKSPACE})])),
    scope=READERS,
    words=st.sampled_from(QUESTIONS),
    order=st.randoms(use_true_random=False),
)
def test_what_is_outside_the_scope_changes_no_byte_of_a_reply(
    small_store: PassageStore, drafts: list[Draft], others: list[Draft], scope: Scope, words: str, order: Random
) -> None:
    """With nothing else there, with more there, written before it or after, and with that taken away again."""
    store = emptied(small_store)
    written = [source(draft, f"page{number}") for number, draft in enumerate([*drafts, *others])]
    inside = [one for one in written if scope.admits(one.places)]
    outside = [one for one in written if not scope.admits(one.places)]
    put(store, inside)
    alone = asked(store, words, scope)
    put(store, outside)
    assert asked(store, words, scope) == alone
    drop(store, inside)
    put(store, order.sample(inside, len(inside)))  # now written after the others, in another order
    assert asked(store, words, scope) == alone
    drop(store, outside)
    assert asked(store, words, scope) == alone


ANSWERING = Draft(FACTS[0], "pump", "harbour", 6, False, frozenset({"here"}))
ELSEWHERE = replace(ANSWERING, places=frozenset({"cellar"}))
HERE = scope_of(["here"])


def test_the_property_speaks_of_answers_too(small_store: PassageStore) -> None:
    """What it is about is answered, and by what stands here: otherwise it would hold of refusals alone."""
    store = emptied(small_store)
    put(store, [source(ANSWERING, "here"), *(source(replace(ELSEWHERE, hour=at), f"no{at}") for at in range(7, 12))])
    reply, shown = asked(store, QUESTIONS[0], HERE)
    assert isinstance(reply.outcome, Answer)
    assert (b"at 6 in the morning" in shown, b"at 7" in shown) == (True, False)


def test_how_common_a_word_is_elsewhere_says_nothing(small_store: PassageStore) -> None:
    """Fifty hidden pages that are full of the question's rarest word make it no less rare here, to the last digit."""
    store = emptied(small_store)
    put(store, [source(ANSWERING, "here"), source(replace(ANSWERING, fact=FACTS[1], thing="crane"), "too")])
    alone = asked(store, QUESTIONS[0], HERE)
    put(store, [source(replace(ELSEWHERE, fact=f"pump pump page {number}"), f"no{number}") for number in range(50)])
    assert asked(store, QUESTIONS[0], HERE) == alone


@pytest.mark.parametrize(
    ("there", "scope"),
    [
        ([], HERE),
        ([ELSEWHERE], HERE),
        ([ELSEWHERE, replace(ELSEWHERE, is_talk=True)], HERE),
        ([replace(ANSWERING, fact=FACTS[6])], HERE),
        ([ANSWERING], scope_of(["here"], ["cellar"])),
        ([ANSWERING], scope_of()),
        ([ANSWERING], scope_of([])),
    ],
    ids=["nothing", "not here", "not here, twice", "not about it", "not for all", "for nobody", "for one who may none"],
)
def test_a_refusal_is_the_same_to_the_byte_whatever_its_reason(
    small_store: PassageStore, there: list[Draft], scope: Scope
) -> None:
    """Nobody learns from it whether there is nothing, nothing for them, or nothing that answers."""
    store = emptied(small_store)
    put(store, [source(draft, f"page{number}") for number, draft in enumerate(there)])
    reply, shown = asked(store, QUESTIONS[0], scope)
    assert (reply.outcome, shown) == (Refusal(), json.dumps([asdict(post) for post in render(Refusal())]).encode())
