"""The path from a question to a reply, over stand-ins for access and search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from bot.answering.path import Parts, answer
from bot.types import Answer, Help, Query, Question, Refusal, Surface, Turn
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, Place, Scope, SearchResult

QUESTION = Question("T0TEST", "U0ANN", "C0GENERAL", "1.0", None, "How many lifts has the depot?", Surface.CHANNEL)
DEPOT = Passage(
    id="p1",
    source_id="depot",
    origin="docs",
    title="Depot",
    heading_path=(),
    text="The depot has three lifts. Each lift carries two tonnes.",
    anchors=(Anchor(0, "https://h.example/depot"),),
    places=frozenset({WORKSPACE}),
    position=0,
)
SCOPE = Scope("T0TEST", frozenset({frozenset({WORKSPACE})}))
NOTHING = Scope("T0TEST", frozenset())


@dataclass
class FixedAccess:
    """Allows a scope, and says whether what was found may still be shown."""

    scope: Scope = SCOPE
    admits: bool = True
    confirmed: list[tuple[Passage, ...]] = field(default_factory=list)

    def scope_of(self, question: Question) -> Scope:
        return self.scope

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool:
        self.confirmed.append(passages)
        return self.admits


@dataclass
class ScopedSearch:
    """Finds one passage in its places, and remembers what it was asked."""

    passage: Passage = DEPOT
    dense: float = 0.9
    asked: list[tuple[str, Scope]] = field(default_factory=list)

    def __call__(self, query: str, scope: Scope) -> SearchResult:
        self.asked.append((query, scope))
        found = scope.admits(self.passage.places)
        return SearchResult((Hit(self.passage, 2.0, 1, self.dense, 9.0),) if found else ())


def parts(
    access: FixedAccess | None = None,
    search: ScopedSearch | None = None,
    earlier: Callable[[Question], tuple[Turn, ...]] = lambda _: (),
) -> Parts:
    """The path's parts, in which two texts mean the same when both speak of lifts."""

    def similarity(query: str, texts: object) -> list[float]:
        return [0.9 if "lift" in text and "lift" in query else 0.0 for text in list(texts)]  # type: ignore[call-overload]

    return Parts(access or FixedAccess(), earlier, search or ScopedSearch(), similarity)


def test_what_is_found_is_quoted_with_its_citation() -> None:
    """The best words come with a marker, and the marker with its address."""
    access = FixedAccess()

    reply = answer(QUESTION, parts(access))

    assert isinstance(reply.outcome, Answer)
    assert reply.outcome.claims[0].text == "The depot has three lifts."
    assert reply.outcome.citations[0].url == "https://h.example/depot"
    assert (reply.query, reply.scope) == (Query(QUESTION.text, QUESTION.text), SCOPE)
    assert access.confirmed == [(DEPOT,)]


def test_small_talk_gets_help_and_no_search() -> None:
    """A greeting neither reads the thread nor searches."""
    search = ScopedSearch()

    def fail(_: Question) -> tuple[Turn, ...]:
        raise AssertionError("the thread was read")

    reply = answer(replace(QUESTION, text="hello :wave:"), parts(search=search, earlier=fail))

    assert (reply.outcome, search.asked) == (Help(), [])


def test_a_follow_up_is_searched_for_as_it_was_made_to_stand_alone() -> None:
    """The thread before the question goes into the query."""
    search = ScopedSearch()

    answer(
        replace(QUESTION, text="and the harbour?"),
        parts(search=search, earlier=lambda _: (Turn("Bo", "How many lifts has the depot?"),)),
    )

    assert [query for query, _ in search.asked] == ["How many lifts has the harbour?"]


@pytest.mark.parametrize(
    ("access", "search"),
    [
        (FixedAccess(NOTHING), ScopedSearch()),
        (FixedAccess(), ScopedSearch(replace(DEPOT, places=frozenset({Place("secret")})))),
        (FixedAccess(), ScopedSearch(replace(DEPOT, text="Soup is at noon."), dense=0.05)),
        (FixedAccess(admits=False), ScopedSearch()),
        (FixedAccess(), ScopedSearch(replace(DEPOT, text="How many lifts has the depot?"))),
    ],
    ids=["empty scope", "out of scope", "off the subject", "withdrawn before the reply", "a question is no answer"],
)
def test_every_refusal_is_the_same(access: FixedAccess, search: ScopedSearch) -> None:
    """Whether nothing exists, nothing may be read or access ended meanwhile can't be told from the outcome."""
    assert answer(QUESTION, parts(access, search)).outcome == Refusal()


def test_access_is_confirmed_for_what_is_cited_alone() -> None:
    """A refusal has nothing to confirm."""
    access = FixedAccess(NOTHING)

    answer(QUESTION, parts(access))

    assert access.confirmed == []
