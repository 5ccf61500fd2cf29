"""The path from a question to a reply, over stand-ins for access and search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from bot.answering.path import Parts, answer
from bot.errors import ChatModelBusy
from bot.types import (
    Answer,
    Citation,
    Claim,
    Evidence,
    Help,
    Outcome,
    Query,
    Question,
    Refusal,
    Remark,
    Surface,
    Turn,
)
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, Place, Scope, SearchResult, UnitKind

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


def test_a_refusal_has_nothing_to_confirm() -> None:
    """It is made from nothing."""
    access = FixedAccess(NOTHING)

    answer(QUESTION, parts(access))

    assert access.confirmed == []


def test_access_is_confirmed_for_all_that_an_answer_is_made_from() -> None:
    """What a model was shown beside what it cites can be in its words, and what was not quoted in their choice."""
    access, other = FixedAccess(), replace(DEPOT, id="p2", text="The lifts of the depot are blue.")

    def search(query: str, scope: Scope) -> SearchResult:
        return SearchResult((Hit(DEPOT, 2.0, 1, 0.9, 9.0), Hit(other, 1.9, 2, 0.8, 8.0)))

    reply = answer(QUESTION, replace(parts(access), search=search))

    assert isinstance(reply.outcome, Answer)
    assert [citation.passage_id for citation in reply.outcome.citations] == [DEPOT.id]
    assert access.confirmed == [(DEPOT, other)]


WRITTEN = Answer(
    (Claim("It has three lifts.", UnitKind.SENTENCE, (1,)),),
    (Citation(1, DEPOT.id, "Depot", "https://h.example/depot", "The depot has three lifts.", "", None),),
)


def with_writer(said: Outcome | Exception | None, search: ScopedSearch | None = None) -> Parts:
    """The path's parts with a model that says one thing."""

    def write(query: Query, evidence: Evidence) -> Outcome | None:
        if isinstance(said, Exception):
            raise said
        return said

    return replace(parts(search=search), write=write)


def test_a_model_writes_the_answer_where_there_is_one() -> None:
    """What is written takes the place of what would be quoted, and is confirmed like it."""
    access = FixedAccess()
    reply = answer(QUESTION, replace(with_writer(WRITTEN), access=access))
    assert (reply.outcome, access.confirmed) == (WRITTEN, [(DEPOT,)])


def test_a_written_answer_is_withdrawn_like_a_quoted_one() -> None:
    """What may no longer be shown is not shown, whoever put it in words."""
    assert answer(QUESTION, replace(with_writer(WRITTEN), access=FixedAccess(admits=False))).outcome == Refusal()


def test_a_draft_that_failed_its_check_is_quoted_instead() -> None:
    """Nothing is said of it: the quotes answer."""
    quoted = answer(QUESTION, parts()).outcome
    assert answer(QUESTION, with_writer(None)).outcome == quoted


def test_a_model_that_is_down_is_said_to_be() -> None:
    """The answer is quoted, and a sentence below says why it looks so."""
    quoted = answer(QUESTION, parts()).outcome
    assert isinstance(quoted, Answer)
    down = answer(QUESTION, with_writer(ChatModelBusy("down"))).outcome
    assert down == replace(quoted, remark=Remark.MODEL_IS_DOWN)


def test_no_model_is_asked_where_the_evidence_is_not_enough() -> None:
    """What a model knows by itself is no answer."""
    nothing = ScopedSearch(replace(DEPOT, text="Soup is at noon."), dense=0.05)
    assert answer(QUESTION, with_writer(AssertionError("the model was asked"), nothing)).outcome == Refusal()
