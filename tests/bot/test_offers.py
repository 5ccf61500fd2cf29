"""What is offered to one person alone: the rows, what is sealed in them, and how long they stay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.sealing import Sealed, seal, unseal
from bot.state.database import Database, open_database
from bot.state.offers import Look, Offers, Share
from bot.state.vault import passing_vault
from bot.types import Answer, Citation, Claim, Evidence, Question, Refusal, Remark, Reply, Surface
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, UnitKind

QUESTION = Question("T1", "U1", "C1", "5.0", "4.0", "how many days?", Surface.CHANNEL)
LOOK = Look("l", "T1", "U1", "C1", "5.0", "4.0")
ANSWER = Answer(
    (Claim("Five *days*.", UnitKind.LIST, (1, 2), "- ", goes_on=True), Claim("`x = 1`", UnitKind.CODE, ())),
    (Citation(1, "p1", "Time off", "https://x.example", "q", "ann", 1.5), Citation(2, "p2", "T", "u", "q", "", None)),
    Remark.PART_IS_MISSING,
)
VAULT = passing_vault()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield database
    database.close()


@pytest.fixture
def offers(database: Database) -> Offers:
    """No offers yet."""
    return Offers(database)


def test_a_question_has_one_offer(offers: Offers) -> None:
    """However often it is made, so that a reply that is posted again has the button that worked."""
    first, again = offers.offer_look(QUESTION, 10.0), offers.offer_look(QUESTION, 20.0)
    other = offers.offer_look(replace(QUESTION, ts="6.0"), 10.0)
    assert (again, other.id != first.id) == (first, True)
    assert first == Look(first.id, "T1", "U1", "C1", "5.0", "4.0")
    assert first.is_command is False


def test_equal_ids_of_two_teams_are_two_offers(offers: Offers) -> None:
    """Nothing of one workspace is found by the other's ids."""
    ours, theirs = offers.offer_look(QUESTION, 10.0), offers.offer_look(replace(QUESTION, team="T2"), 10.0)
    offers.opened(ours.id, "D1", "7.0")
    offers.opened(theirs.id, "D1", "7.0")
    assert [found.id for team in ("T1", "T2") if (found := offers.look_below(team, "D1", "7.0"))] == [
        ours.id,
        theirs.id,
    ]
    assert offers.look_below("T3", "D1", "7.0") is None


def test_an_offer_ends(offers: Offers) -> None:
    """From the moment on that was said; what was looked at stays known by its thread in the DM, and by ids alone."""
    taken, untaken = offers.offer_look(QUESTION, 10.0), offers.offer_look(replace(QUESTION, ts="6.0"), 10.0)
    offers.opened(taken.id, "D1", "7.0")
    assert [offers.look(taken.id, at) is not None for at in (9.9, 10.0)] == [True, False]
    offers.forget(10.0)
    assert (offers.look(untaken.id, 0.0), offers.look(taken.id, 0.0)) == (None, offers.look_below("T1", "D1", "7.0"))


def test_one_event_takes_an_offer(offers: Offers) -> None:
    """And no other, until it has let go of it; it may take it again and again."""
    look = offers.offer_look(QUESTION, 10.0)
    taken = [offers.take_look(look.id, event) for event in ("E1", "E2", "E1")]
    offers.release("E2")
    taken.append(offers.take_look(look.id, "E2"))
    offers.release("E1")
    assert [*taken, offers.take_look(look.id, "E2")] == [True, False, True, False, True]
    assert (offers.look_taken_by("E2"), offers.look_taken_by("E1")) == (look, None)
    assert offers.take_look("unknown", "E1") is False


def test_a_command_has_one_look(offers: Offers) -> None:
    """However often it is taken up."""
    first, again = (offers.begin_command("T1", "U1", "C1", "slash_command:1", 10.0) for _ in range(2))
    assert (again, first.is_command, first.root_ts) == (first, True, "")


def test_the_last_answer_is_the_one_that_is_shared(offers: Offers) -> None:
    """An answer that was made again replaces the one before it, unless that was shared."""
    look = offers.offer_look(QUESTION, 99.0)
    offers.offer_share(look, "s1", "sealed", 10.0)
    offers.offer_share(look, "s2", "sealed again", 10.0)
    assert (offers.share("s1", 0.0), offers.share("s2", 0.0)) == (
        None,
        Share("s2", "T1", "U1", "C1", "5.0", "4.0", "sealed again"),
    )
    assert [offers.take_share("s2", event) for event in ("E1", "E2")] == [True, False]
    offers.shared("s2", "8.0")
    offers.offer_share(look, "s3", "sealed", 10.0)
    assert offers.share("s3", 0.0) is None
    assert offers.share("s2", 0.0) == Share("s2", "T1", "U1", "C1", "5.0", "4.0", "", "8.0")


def test_what_is_sealed_ends_and_is_erased(offers: Offers) -> None:
    """It is not given out from that moment on, whether or not it was erased by then."""
    offers.offer_share(offers.offer_look(QUESTION, 99.0), "s1", "sealed", 10.0)
    assert [offers.share("s1", at) is not None for at in (9.9, 10.0)] == [True, False]
    offers.forget(9.9)
    assert offers.share("s1", 0.0) is not None
    offers.forget(10.0)
    assert offers.share("s1", 0.0) is None


def reply(answer: Answer) -> Reply:
    """An answer and its evidence."""
    passage = Passage("p1", "s1", "o", "t", (), "text", (Anchor(0, "u"),), frozenset({WORKSPACE}), 0)
    hits = tuple(
        Hit(replace(passage, id=id_, source_id=source), 1.0, 1, 1.0, 1.0)
        for source, id_ in (("s1", "p1"), ("s2", "p9"))
    )
    return Reply(answer, evidence=Evidence(hits, 1.0, is_enough=True))


def share(sealed: str) -> Share:
    """The offer in which it was sealed."""
    return Share("s", "T1", "U1", "C1", "5.0", "4.0", sealed)


@given(st.text(), st.text())
def test_an_answer_is_unsealed_as_it_was(words: str, asked: str) -> None:
    """With the question, all citations and the ids of all its evidence, cited or not; meanwhile nothing shows."""
    answer = replace(ANSWER, claims=(*ANSWER.claims, Claim(words, UnitKind.SENTENCE, (1,))))
    sealed = seal(VAULT, LOOK, "s", replace(QUESTION, text=asked), reply(answer))
    assert unseal(VAULT, share(sealed)) == Sealed(asked, answer, (("s1", "p1"), ("s2", "p9")))
    assert "Five" not in sealed


@pytest.mark.parametrize(
    "other",
    [{"id": "s2"}, {"team": "T2"}, {"asker": "U2"}, {"channel": "C2"}, {"root_ts": "1.0"}, {"question_ts": "1.0"}],
)
def test_it_opens_for_its_own_offer_alone(other: dict[str, str]) -> None:
    """Whoever could move it into another row, of somebody else or another place, gets nothing."""
    sealed = seal(VAULT, LOOK, "s", QUESTION, reply(ANSWER))
    assert unseal(VAULT, replace(share(sealed), **other)) is None


@pytest.mark.parametrize(
    "sealed",
    [
        "",
        passing_vault().sealed("{}"),
        VAULT.sealed("no JSON"),
        VAULT.sealed("[]"),
        VAULT.sealed(json.dumps({"bound": ["s", "T1", "U1", "C1", "5.0", "4.0"], "asked": "", "answer": {}})),
    ],
)
def test_what_cant_be_read_any_more_stays_shut(sealed: str) -> None:
    """Sealed with a key that is gone, or by a version that wrote something else."""
    assert unseal(VAULT, share(sealed)) is None


def test_only_answers_are_sealed() -> None:
    """There is nothing to share of a refusal."""
    with pytest.raises(ValueError, match="Only an answer"):
        seal(VAULT, LOOK, "s", QUESTION, Reply(Refusal()))
