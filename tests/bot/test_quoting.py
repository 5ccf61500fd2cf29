"""Quotes are whole, verbatim and few, and say what was asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.answering.quoting import MOST_QUOTES, quote
from bot.answering.words import content_stems
from bot.types import Evidence, Query, Quote
from retrieval.chunking import cut
from retrieval.types import WORKSPACE, Hit, Markup, Source, Talk, UnitKind, Utterance

TABLE = """## Berths

What a berth costs depends on the boat:

| Boat | A night | A month |
|---|---|---|
| Dinghy | 9 crowns | 120 crowns |
| Yacht | 30 crowns | 410 crowns |
| Barge | 55 crowns | 700 crowns |
"""


def shared_words(query: str, texts: Sequence[str]) -> list[float]:
    """Stands in for meaning: the share of the query's words that a text has."""
    wanted = set(content_stems(query))
    return [len(wanted & set(content_stems(text))) / max(len(wanted), 1) for text in texts]


def hits(*sources: Source) -> tuple[Hit, ...]:
    """The passages of sources, cut as the product cuts them, in the order given."""
    passages = [passage for source in sources for passage in cut(source, "T0TEST", lambda text: len(text.split()))]
    return tuple(Hit(passage, 2.0 - rank / 10, rank, 0.6, 5.0) for rank, passage in enumerate(passages, 1))


def page(text: str, title: str = "Harbour") -> Source:
    """A page of a handbook."""
    return Source(title, "docs", title, f"https://h.example/{title}", frozenset({WORKSPACE}), Markup(text))


def talk(*said: tuple[str, str]) -> Source:
    """A thread in which each said something, a minute apart."""
    spoken = tuple(Utterance(who, what, f"https://s.example/p{at}", 60.0 * at) for at, (who, what) in enumerate(said))
    return Source("thread", "quay", "#quay", "https://s.example/p0", frozenset({WORKSPACE}), Talk(spoken))


def quoted(question: str, *sources: Source) -> tuple[Quote, ...]:
    """What is quoted of the sources."""
    return quote(Query(question, question), Evidence(hits(*sources), 1.0, is_enough=True), shared_words)


def test_a_row_comes_with_its_header() -> None:
    """A row that the question names is quoted alone, under the words that say what it holds."""
    row = quoted("What does a yacht pay a month?", page(TABLE))[0]

    assert row.kind is UnitKind.TABLE_ROW
    assert row.text == "| Boat | A night | A month |\n|---|---|---|\n| Yacht | 30 crowns | 410 crowns |"


def test_a_small_table_is_whole_where_its_rows_answer_alike() -> None:
    """When the question tells no row apart, none is picked by chance."""
    table = quoted("How many crowns does a berth cost a night?", page(TABLE))[0]

    assert [line.split("|")[1].strip() for line in table.text.splitlines()[2:]] == ["Dinghy", "Yacht", "Barge"]


def test_a_list_is_whole_and_keeps_its_lead_in() -> None:
    """Steps are never cut and never out of order."""
    steps = "To moor a boat:\n\n1. Throw the line.\n2. Tie it to the bollard.\n3. Switch the engine off."

    assert quoted("How do I moor a boat?", page(f"# Harbour\n\nIt is old.\n\n{steps}\n"))[0].text == steps


def test_code_is_unbroken_and_keeps_its_lead_in() -> None:
    """A command stands in its fence under the sentence that leads to it."""
    code = "Opening the lock needs one command:\n\n```sh\nlock open --gate 2\n```"
    found = quoted("What is the command for opening the lock?", page(f"The lock is green.\n\n{code}\n"))

    assert [(one.kind, one.text) for one in found] == [(UnitKind.CODE, code)]


def test_a_sentence_that_leans_comes_with_the_one_before() -> None:
    """An "it" is never quoted without what it means."""
    text = "The crane lifts nine tonnes. It is tested for overload each March. Lunch is at noon."

    assert quoted("When is the crane tested?", page(text))[0].text == (
        "The crane lifts nine tonnes. It is tested for overload each March."
    )


def test_the_section_that_holds_the_words_is_what_is_opened() -> None:
    """Two short sections share a passage; the citation opens the right one and names it."""
    text = "# Harbour\n\n## Crane\n\nThe crane lifts nine tonnes.\n\n## Canteen\n\nSoup is served at noon.\n"
    soup = quoted("When is soup served?", page(text))[0]

    assert (soup.anchor.url, soup.heading_path) == ("https://h.example/Harbour#canteen", ("Canteen",))


def test_talk_is_quoted_without_labels_and_cites_who_said_it() -> None:
    """The words are the message's own, and its address and author come along."""
    answer = quoted(
        "How deep is the basin?", talk(("Ann", "How deep is the basin?"), ("Bo", "Nine metres at low water."))
    )

    assert [(one.text, one.anchor.author, one.anchor.url) for one in answer] == [
        ("Nine metres at low water.", "Bo", "https://s.example/p1")
    ]


@pytest.mark.parametrize(
    "said",
    [
        [("Ann", "How deep is the basin?")],
        [("Ann", "How deep is the basin? The pilots ask about the basin.")],
        [("Ann", "Who knows how deep the basin is?"), ("Bo", "How deep is it at low water?")],
    ],
)
def test_a_question_is_never_quoted(said: list[tuple[str, str]]) -> None:
    """Who asked the same before has answered nothing."""
    assert quoted("How deep is the basin?", talk(*said)) == ()


def test_another_case_is_not_quoted_for_the_one_asked_about() -> None:
    """What holds for contractors is no answer for employees when theirs stands beside it."""
    text = "Contractors get no lockers at the quay.\n\nEmployees get two lockers at the quay."
    found = quoted("How many lockers do employees get at the quay?", page(text))

    assert [one.text for one in found] == ["Employees get two lockers at the quay."]


def test_a_correction_comes_with_what_it_takes_back() -> None:
    """What was said wrongly is not quoted without the message that says so."""
    said = [
        ("Ann", "How deep is the basin?"),
        ("Bo", "The basin is eight metres deep."),
        ("Bo", "Sorry, nine metres it is."),
    ]

    assert [one.text for one in quoted("How deep is the basin?", talk(*said))] == [said[1][1], said[2][1]]


def test_a_heading_alone_is_not_quoted() -> None:
    """A heading says what follows, and is no answer."""
    assert all(
        "Mooring" not in one.text for one in quoted("Mooring at night?", page("# Mooring at night\n\nUse lamps."))
    )


def test_every_quote_stands_in_its_passage() -> None:
    """Nothing is made up: a sentence, a list and code are cut out of the passage as they are."""
    text = "The basin is nine metres deep. The sill is at six metres.\n\n- basin: nine metres\n- sill: six metres\n"
    found = quoted("How deep are the basin and the sill?", page(text), page(text.replace("nine", "9"), "Copy"))

    assert 0 < len(found) <= MOST_QUOTES
    assert all(one.text in one.passage.text for one in found)


def test_nothing_is_quoted_where_nothing_is_near() -> None:
    """Words that share nothing with the question are not shown."""
    assert quoted("Who painted the ceiling?", page("Soup is served.")) == ()
