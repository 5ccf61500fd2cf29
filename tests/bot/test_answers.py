"""What is remembered of answers: found by whatever may change below them, and never a word of theirs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.citing import cited_by, sha256_of, stands_in
from bot.slack.messages import Message
from bot.state.answers import Answers
from bot.state.database import Database, open_database
from bot.state.posted import Cited, CitedMessage, PostedAnswer
from bot.types import Answer, Citation, Claim, Evidence, Question, Refusal, Reply, Surface
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, Place, UnitKind

HALL, SHOP = Place("hall"), Place("shop")
QUESTION = Question("T1", "U1", "C1", "5.0", None, "when?", Surface.CHANNEL)
IN_DM = Question("T1", "U1", "D1", "6.0", "5.5", "when?", Surface.DM)
TALK = Cited(1, "slack:T1:shop:3.0", "p1", frozenset({SHOP}), (CitedMessage(SHOP, "3.1", "3.0", "a" * 64),))
PAGE = Cited(2, "doc:/handbook.md", "p2", frozenset({WORKSPACE}))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield database
    database.close()


@pytest.fixture
def answers(database: Database) -> Answers:
    """No answers yet."""
    return Answers(database, "T1")


def posted(answers: Answers, *cited: Cited, question: Question = QUESTION, place: Place = HALL) -> PostedAnswer:
    """An answer that stands."""
    begun = answers.begin(question, place, "answer", cited, at=100.0)
    answers.confirm(begun.id, "answer", cited)
    answers.posted(begun.id, 0, f"{question.ts}7")
    answers.finish(begun.id)
    kept = answers.get(begun.id)
    assert kept
    return kept


def test_an_answer_is_kept_with_all_that_it_takes_to_judge_it_later(answers: Answers) -> None:
    """Who, where and when; each marker with its source; the messages that it consists of."""
    kept = posted(answers, TALK, PAGE)
    expected = PostedAnswer(
        kept.id, "T1", "U1", "C1", HALL, "5.0", "5.0", Surface.CHANNEL, "answer", (TALK, PAGE), ("5.07",)
    )
    assert kept == expected
    assert kept.question == replace(QUESTION, text="")


def test_no_words_are_kept(answers: Answers, database: Database, tmp_path: Path) -> None:
    """Not those of the question, of the answer, or of what it cites: the file holds none of them."""
    claim = Claim("Five days can be carried over.", UnitKind.SENTENCE, (1,))
    citation = Citation(1, "p", "Holidays", "https://a.example/holidays", claim.text, "", None)
    evidence = Evidence((hit(passage("p", claim.text, "https://a.example/holidays")),), 1.0, is_enough=True)
    cited = cited_by(Reply(Answer((claim,), (citation,)), evidence=evidence))
    assert cited[0].quotes
    posted(answers, *cited)
    database.close()
    tables = sqlite3.connect(tmp_path / "state.db").iterdump()
    written = "\n".join(tables)
    assert "doc:/page.md" in written
    assert not any(word in written for word in ("when?", "carried", "Holidays", "holidays"))


@pytest.mark.parametrize(("place", "ts", "is_found"), [(SHOP, "3.1", True), (SHOP, "3.0", False), (HALL, "3.1", False)])
def test_answers_are_found_by_the_messages_that_they_cite(
    answers: Answers, place: Place, ts: str, is_found: bool
) -> None:
    """By the very message in its very place."""
    kept = posted(answers, TALK, PAGE)
    assert answers.resting_on_message(place, ts) == ((kept,) if is_found else ())


def test_answers_are_found_by_whatever_concerns_them(answers: Answers, database: Database) -> None:
    """By the place of posting, a cited place, a source, a reader; never another team's, or one that cites nothing."""
    kept = posted(answers, TALK)
    alone = posted(answers, PAGE, question=IN_DM, place=Place("dm"))
    posted(answers, question=replace(QUESTION, ts="8.0"))
    posted(Answers(database, "T2"), TALK, question=replace(QUESTION, team="T2"))
    assert answers.concerning(HALL) == answers.concerning(SHOP) == (kept,)
    assert answers.concerning(WORKSPACE) == (alone,)
    assert answers.resting_on_source("doc:/handbook.md") == (alone,)
    assert (answers.read_by("U1", ()), answers.read_by("U2", ())) == ((alone,), ())
    assert answers.read_by("U2", (HALL,)) == (kept,)
    assert answers.by_post(HALL, "5.07") == kept
    assert answers.by_post(SHOP, "5.07") is None


def test_another_attempt_adds_to_what_the_first_one_posted(answers: Answers) -> None:
    """One marker can then mean two things, and falls with either; what was only begun is not kept."""
    first = posted(answers, TALK)
    answers.begin(QUESTION, HALL, "answer", [PAGE], at=101.0)
    second = answers.begin(QUESTION, HALL, "answer", [replace(PAGE, marker=1)], at=102.0)
    answers.confirm(second.id, "answer", [replace(PAGE, marker=1)])
    kept = answers.get(first.id)
    assert kept
    assert (second.id, kept.cited, kept.posts) == (first.id, (TALK, replace(PAGE, marker=1)), ("5.07",))


def test_answers_to_one_question_can_stand_beside_each_other(answers: Answers) -> None:
    """What is shared where it was asked is another answer than the one that it got there."""
    own = posted(answers, TALK)
    shared = answers.begin(QUESTION, HALL, "answer", [PAGE], at=101.0, key="shared:1")
    assert shared.id != own.id
    assert answers.to_question(HALL, "5.0") == own


def test_what_changes_during_a_post_is_noticed_at_its_end(answers: Answers) -> None:
    """Touched while it is posted, it is looked at again; touched when it stands, there is nothing to note."""
    begun = answers.begin(QUESTION, HALL, "answer", [TALK], at=100.0)
    assert not answers.finish(begun.id)
    answers.touch(begun.id)
    assert not answers.finish(begun.id)
    answers.begin(QUESTION, HALL, "answer", [TALK], at=101.0)
    answers.touch(begun.id)
    assert answers.finish(begun.id)


def test_what_fell_during_a_post_is_not_settled_before_its_end(answers: Answers) -> None:
    """More of it may come: it is looked at when it stands, even if nothing was there to take away before."""
    begun = answers.begin(QUESTION, HALL, "answer", [TALK], at=100.0)
    answers.confirm(begun.id, "answer", [TALK])
    answers.fall(begun.id, {1})
    assert answers.settle(begun.id, frozenset({1}))
    assert answers.finish(begun.id)
    assert [answer.id for answer in answers.unsettled()] == [begun.id]


def test_what_fell_is_remembered_until_it_is_taken_away(answers: Answers) -> None:
    """It counts as settled when nothing that has fallen by then is left, and not before."""
    kept = posted(answers, TALK, PAGE)
    answers.fall(kept.id, {1})
    fallen = answers.get(kept.id)
    assert fallen
    assert (fallen.fallen, answers.unsettled()) == (frozenset({1}), (fallen,))
    answers.fall(kept.id, {2})
    assert not answers.settle(kept.id, frozenset({1}))
    assert answers.settle(kept.id, frozenset({1, 2}))
    assert answers.unsettled() == ()


def test_a_cancelled_answer_rests_on_nothing(answers: Answers) -> None:
    """Of it stays that there was a question."""
    kept = posted(answers, TALK)
    answers.cancel(kept.id)
    assert answers.get(kept.id) == replace(kept, outcome="cancelled", cited=(), posts=())


def test_the_longest_unseen_are_looked_at_first(answers: Answers) -> None:
    """So that a round of few looks comes to all in the end."""
    kept = [posted(answers, TALK, question=replace(QUESTION, ts=f"{at}.0")) for at in range(3)]
    answers.note_look(kept[0].id, 200.0)
    ids = {answer.id for answer in answers.since(0.0, limit=2)}
    assert ids == {kept[1].id, kept[2].id}
    assert answers.since(101.0) == ()


def test_old_answers_are_forgotten(answers: Answers, database: Database, tmp_path: Path) -> None:
    """With all that hangs on them."""
    posted(answers, TALK, PAGE)
    answers.forget(100.0)
    assert answers.concerning(SHOP) != ()
    answers.forget(101.0)
    database.close()
    with sqlite3.connect(tmp_path / "state.db") as connection:
        tables = ("answers", "answer_posts", "answer_citations", "answer_places", "answer_messages")
        assert [connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables] == [0] * 5


# ------------------------------------------------------------------------------------- what a marker rests on


def passage(id_: str, text: str, *urls: str, author: str = "", places: frozenset[Place] = frozenset({SHOP})) -> Passage:
    """A passage that opens one address after another, each from where `|` stands in its text."""
    parts = text.split("|")
    offsets = [len("".join(parts[:at])) for at in range(len(parts))]
    anchors = tuple(Anchor(offset, url, author, 1.0) for offset, url in zip(offsets, urls, strict=True))
    source = "slack:T1:shop:3.000000" if author else "doc:/page.md"
    return Passage(id_, source, source, "Title", (), "".join(parts), anchors, places, 0)


def hit(of: Passage) -> Hit:
    """A passage that was found."""
    return Hit(of, 1.0, 1, 1.0, 1.0)


def link(ts: str, root: str = "") -> str:
    """A message's address."""
    address = f"https://acme.slack.com/archives/C1/p{ts.replace('.', '')}"
    return f"{address}?thread_ts={root}&cid=C1" if root else address


ROOT, REPLY = "1772442840.000100", "1772442841.000200"
SAID = passage(
    "p", "ann (2 Mar): Who has keys?|bo (2 Mar): Cy has the keys.", link(ROOT), link(REPLY, ROOT), author="a"
)


@pytest.mark.parametrize(
    ("text", "rests_on"),
    [
        ("Cy has the keys.", [(REPLY, ROOT)]),
        ("The keys are with Cy.", [(ROOT, ROOT), (REPLY, ROOT)]),
        ("Who has keys?", [(ROOT, ROOT), (REPLY, ROOT)]),  # words of the other message
    ],
)
def test_a_quote_rests_on_its_message_and_other_words_on_the_whole_passage(
    text: str, rests_on: list[tuple[str, str]]
) -> None:
    """What a model wrote can lean on any message that it was shown with the one that is opened."""
    citation = Citation(1, "p", "#shop", link(REPLY, ROOT), "Cy has the keys.", "bo", None)
    answer = Answer((Claim(text, UnitKind.SENTENCE, (1,)),), (citation,))
    (cited,) = cited_by(Reply(answer, evidence=Evidence((hit(SAID),), 1.0, is_enough=True)))
    assert [(message.place, message.ts, message.root_ts) for message in cited.messages] == [
        (SHOP, *r) for r in rests_on
    ]
    assert (cited.marker, cited.source_id, cited.places) == (1, SAID.source_id, SAID.places)


def test_a_document_is_known_again_by_the_words_that_are_quoted_of_it() -> None:
    """However it is cut or wrapped; without them, or with one word changed, it isn't."""
    page = passage("p", "Before.\nFive  days can be\ncarried over. After.", "https://a.example/")
    citation = Citation(1, "p", "Page", "https://a.example/", "Five  days can be\ncarried over.", "", None)
    answer = Answer((Claim("Five days can be carried over.", UnitKind.SENTENCE, (1,)),), (citation,))
    (cited,) = cited_by(Reply(answer, evidence=Evidence((hit(page),), 1.0, is_enough=True)))
    (quote,) = cited.quotes
    assert stands_in(quote, [replace(page, text="Other. Five days can be carried over.")])
    assert not stands_in(quote, [replace(page, text="Before. Six days can be carried over. After.")])
    assert not stands_in(quote, [])


def test_what_is_known_to_stand_nowhere_may_stand_nowhere() -> None:
    """A citation without its passage has no place, so that no reader may open it; a refusal rests on nothing."""
    citation = Citation(1, "p", "Page", "https://a.example/", "q", "", None)
    answer = Answer((Claim("Words.", UnitKind.SENTENCE, (1,)),), (citation,))
    assert cited_by(Reply(answer, evidence=Evidence((), 1.0, is_enough=True))) == (Cited(1, "", "p", frozenset()),)
    assert cited_by(Reply(Refusal())) == ()


@given(st.text(), st.text())
def test_messages_are_known_again_by_what_is_read_in_them(one: str, other: str) -> None:
    """Equal words have equal digests, other words others, and none a deleted message; a preview changes nothing."""
    message = Message("C1", "1.0", user="U1", text=one)
    preview = replace(message, attachments=({"from_url": "https://a.example", "text": other},), edited_ts="2.0")
    assert sha256_of(message) == sha256_of(preview)
    assert sha256_of(replace(message, subtype="tombstone")) == ""
    if one.strip() != other.strip() and one.isalpha() and other.isalpha():
        assert sha256_of(message) != sha256_of(replace(message, text=other))
