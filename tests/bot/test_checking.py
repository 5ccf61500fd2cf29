"""Nothing unchecked is shown: what a claim must have in its passages, and what goes with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.answering.checking import Checker, Verdict
from bot.answering.meaning import Meaning
from bot.answering.statements import DraftReader
from bot.answering.support import Fault, Sources
from bot.texts import REFUSAL
from retrieval.embedding.dense import FastEmbedder
from retrieval.types import WORKSPACE, Anchor, Passage


def page(id_: str, text: str, title: str = "Depot", headings: tuple[str, ...] = ()) -> Passage:
    """A page with one section."""
    anchors = (Anchor(0, f"https://h.example/{id_}"),)
    return Passage(id_, id_, "docs", title, headings, text, anchors, frozenset({WORKSPACE}), 0)


PASSAGES = (
    page("lifts", "The depot has three lifts. Each lift carries two tonnes. The lifts don't run on Sundays."),
    page("hours", "The depot opens at 07:30 from Monday to Friday. Marta Lindqvist holds the keys since 4 March 2024."),
    page(
        "leave", "Employees in Germany get 30 days of leave. Overtime is paid only if the manager approved it before."
    ),
    page("book", "Book a lift with the planner:\n\n```\nplanner book --lift A\n```\n\nThen press Save. Pick `lift-a`."),
)


@pytest.fixture(scope="session")
def meaning(packaged_embedder: FastEmbedder) -> Meaning:
    """Similarity by the packaged model."""
    return Meaning(packaged_embedder)


def judged(draft: str, meaning: Meaning, query: str = "?", passages: Sequence[Passage] = PASSAGES) -> list[Verdict]:
    """The verdicts on a draft."""
    checker, reader = Checker(Sources(passages, meaning), query), DraftReader()
    statements = [*reader.feed(draft), *reader.end()]
    return [verdict for statement in statements for verdict in checker.judge(statement)]


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        ("There are three lifts at the depot [1].", None),
        ("There are 3 lifts at the depot [1].", None),
        ("There are four lifts at the depot [1].", Fault.NUMBER),
        ("Each lift can carry 2.5 tonnes [1].", Fault.NUMBER),
        ("The depot opens at 7:30 on Mondays [2].", None),
        ("The depot opens at 8:30 on Mondays [2].", Fault.NUMBER),
        ("The depot opens at 07:30 on Saturdays [2].", Fault.NAME),
        ("Marta Lindqvist has held the keys since 4 Mar 2024 [2].", None),
        ("The keys are held by Erik Lindqvist [2].", Fault.NAME),
        ("Marta has held the keys since April 2024 [2].", Fault.NAME),
        ("Marta Lindqvist, marta@evil.example, holds the keys [2].", Fault.NAME),
        ("The lifts run on Sundays [1].", Fault.DENIED),
        ("The lifts do not run on Sundays [1].", None),
        ("The depot has no three lifts [1].", Fault.DENIED),
        ("Employees get 30 days of leave [3].", Fault.CONDITION),
        ("Employees in Germany get 30 days of leave [3].", None),
        ("Overtime is paid [3].", Fault.CONDITION),
        ("Overtime is paid only if the manager approved it before [3].", None),
        ("The canteen serves soup and bread at noon [1].", Fault.UNSUPPORTED),
        ("The depot has three lifts [2].", Fault.UNSUPPORTED),
        ("The depot has three lifts [9].", Fault.MARKER),
        ("Pick `lift-a` in the planner to book a lift [4].", None),
        ("Pick `lift-b` in the planner to book a lift [4].", Fault.CODE),
        ("```\nplanner book --lift A\n```", None),
        ("```\nplanner drop --all\n```", Fault.CODE),
    ],
)
def test_a_claim_needs_its_words_in_its_passages(draft: str, fault: Fault | None, meaning: Meaning) -> None:
    """Numbers, names, dates, code, negations and conditions must stand there; the rest must be said there."""
    assert [verdict.fault for verdict in judged(draft, meaning)] == [fault]


def test_a_claim_without_marker_gets_that_of_its_passage(meaning: Meaning) -> None:
    """Where the model forgets its markers, the passage that says it is cited, or nothing is shown."""
    kept, dropped = judged("Each lift carries two tonnes. The canteen serves soup at noon.", meaning)
    assert kept.resting is not None
    assert [quote.passage.id for quote in kept.resting.quotes] == ["lifts"]
    assert (dropped.fault, dropped.resting) == (Fault.UNSUPPORTED, None)


def test_a_claim_rests_on_the_very_sentence(meaning: Meaning) -> None:
    """The citation's words are those of the passage that say it."""
    (verdict,) = judged("A lift carries two tonnes [1].", meaning)
    assert verdict.resting is not None
    assert [quote.text for quote in verdict.resting.quotes] == ["Each lift carries two tonnes."]


def test_what_leans_on_a_dropped_sentence_goes_with_it(meaning: Meaning) -> None:
    """ "They" means nothing, or something else, once the sentence before is gone."""
    draft = "The cranes are blue every spring [1]. They carry two tonnes each lift [1]. The depot has three lifts [1]."
    assert [verdict.fault for verdict in judged(draft, meaning)] == [Fault.UNSUPPORTED, Fault.LEANS, None]


def test_a_condition_said_before_counts(meaning: Meaning) -> None:
    """A condition is not repeated in every sentence; the question can hold it as well."""
    draft = "Employees get 30 days of leave [3]."
    assert [verdict.fault for verdict in judged(draft, meaning, "How much leave is there in Germany?")] == [None]


@pytest.mark.parametrize(
    ("draft", "query", "fault"),
    [
        ("The pause is up to 26 weeks [1].", "How long is parental leave?", Fault.CONDITION),
        ("The pause is up to 26 weeks [1].", "How long is it for contractors?", None),
        ("Contractors pause for up to 26 weeks [1].", "How long is parental leave?", None),
    ],
)
def test_whom_a_section_is_about_is_said(draft: str, query: str, fault: Fault | None, meaning: Meaning) -> None:
    """What holds for contractors alone is not told as if it held for everybody."""
    section = page("c", "Their agreement is paused for up to 26 weeks.", "Leave", ("For contractors",))
    assert [verdict.fault for verdict in judged(draft, meaning, query, [section])] == [fault]


def test_a_lead_in_comes_with_what_it_leads_into(meaning: Meaning) -> None:
    """Where nothing that it introduces is left, it goes too; what it claims itself must be true."""
    kept = judged("At the depot:\n\n- It has three lifts [1]", meaning)
    assert [verdict.statement.text for verdict in kept] == ["At the depot:", "It has three lifts"]
    gone = judged("The canteen:\n\n- It serves soup and bread at noon [1]", meaning)
    assert [verdict.fault for verdict in gone] == [Fault.UNSUPPORTED]
    untrue = judged("As Erik Berg says of 2019:\n\n- The depot has three lifts [1]", meaning)
    assert [verdict.statement.text for verdict in untrue] == ["The depot has three lifts"]


@pytest.mark.parametrize(
    "draft",
    [
        "The passages do not say who cleans them.",
        "I could not find any information about parking.",
        "Parking is not mentioned in the documents.",
        REFUSAL,
    ],
)
def test_that_nothing_was_found_is_no_claim(draft: str, meaning: Meaning) -> None:
    """Our own words say that; the model's are not shown, and don't count as made up."""
    (verdict,) = judged(draft, meaning)
    assert (verdict.fault, verdict.resting, verdict.is_claim) == (None, None, False)
