"""What of an answer is let through right before it is posted, and that nothing of the rounds stops a running bot."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

import pytest

from bot.access.certain import CertainAccess
from bot.errors import SlackDenied, SlackError, StateError
from bot.slack.ledger import without
from bot.slack.rounds import MOST, WINDOW_S, Rounds
from bot.types import AccessChange, Answer, Citation, Claim, Conversation, Person, Question, Refusal, Surface
from retrieval.types import Place, Scope, UnitKind

QUESTION = Question("T1", "U1", "C1", "5.0", None, "when?", Surface.CHANNEL)
HERE = Scope("T1", frozenset({frozenset({Place("here")})}))


def answer(*claims: Claim) -> Answer:
    """An answer with three sources."""
    citations = tuple(
        Citation(marker, f"p{marker}", "title", "https://a.example/", "q", "", None) for marker in (1, 2, 3)
    )
    return Answer(claims, citations)


ONE, TWO = Claim("One.", UnitKind.SENTENCE, (1,)), Claim("Two.", UnitKind.SENTENCE, (1, 2))
THREE = Claim("Three.", UnitKind.SENTENCE, (3,), goes_on=True)
LEANS = Claim("It also leans.", UnitKind.SENTENCE, (3,), goes_on=True)


@pytest.mark.parametrize(
    ("claims", "fallen", "left"),
    [
        ((ONE, TWO), set(), ["One.", "Two."]),
        ((ONE, TWO), {2}, ["One."]),
        ((TWO, THREE), {2}, ["Three."]),
        ((TWO, LEANS, THREE), {2}, ["Three."]),
        ((ONE, LEANS), {2}, ["One.", "It also leans."]),
    ],
)
def test_what_has_fallen_takes_along_what_leans_on_it(
    claims: tuple[Claim, ...], fallen: set[int], left: list[str]
) -> None:
    """The sources that are left are those of the claims that are left."""
    found = without(answer(*claims), frozenset(fallen))
    assert isinstance(found, Answer)
    assert [claim.text for claim in found.claims] == left
    assert not found.claims[0].goes_on
    assert {citation.marker for citation in found.citations} == {m for claim in found.claims for m in claim.markers}


def test_an_answer_without_claims_is_the_refusal() -> None:
    """Nobody can tell it from any other."""
    assert without(answer(ONE, TWO), frozenset({1})) == Refusal()


# ------------------------------------------------------------------------------------- what Slack says for certain


@dataclass
class Slack:
    """A workspace that answers nothing but with an error."""

    error: SlackError | None = None

    def person(self, user_id: str) -> Person:
        raise NotImplementedError

    def people(self) -> tuple[Person, ...]:
        raise NotImplementedError

    def conversation(self, channel_id: str) -> Conversation:
        raise NotImplementedError

    def public_channels(self) -> tuple[Conversation, ...]:
        return ()

    def conversations_of(self, user_id: str) -> frozenset[str]:
        raise NotImplementedError

    def members(self, channel_id: str) -> frozenset[str]:
        if self.error:
            raise self.error
        return frozenset()


@dataclass
class Rule:
    """Takes every error for no access, as for answers."""

    slack: Slack
    forgotten: list[AccessChange | None] = field(default_factory=list)

    def scope_of(self, question: Question) -> Scope:
        try:
            self.slack.members(question.channel)
        except SlackError:
            return Scope(question.team, frozenset())
        return HERE

    def forget(self, change: AccessChange | None) -> None:
        self.forgotten.append(change)


def test_a_fault_is_no_reason_to_take_anything_away() -> None:
    """A denial is one; and a fault is forgotten as soon as it has passed."""
    slack = Slack()
    access = CertainAccess(slack, lambda people: Rule(people))  # type: ignore[arg-type]  # it asks for members alone
    assert access.scope_of(QUESTION) == HERE
    slack.error = SlackError("conversations.members", "internal_error")
    with pytest.raises(SlackError, match="internal_error"):
        access.scope_of(QUESTION)
    slack.error = SlackDenied("conversations.members", "channel_not_found")
    assert access.scope_of(QUESTION).is_empty
    slack.error = None
    assert access.scope_of(QUESTION) == HERE


# ------------------------------------------------------------------------------------- rounds


@dataclass
class Looks:
    """Counts the rounds, and fails in each."""

    rounds: list[int | None] = field(default_factory=list)
    has_come: threading.Event = field(default_factory=threading.Event)

    def look_round(self, window_s: float, most: int | None = None) -> None:
        assert window_s == WINDOW_S
        self.rounds.append(most)
        if len(self.rounds) > 2:
            self.has_come.set()
        raise StateError("The database is away.")


def test_a_round_that_fails_ends_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """The first looks at all, the others at some; what can't be looked at is told to the log."""
    looks = Looks()
    rounds = Rounds(looks, every_s=0.01)
    with caplog.at_level(logging.WARNING):
        rounds.start()
        assert looks.has_come.wait(10.0)
        rounds.stop()
    assert looks.rounds[:3] == [None, MOST, MOST]
    assert "The database is away." in caplog.text
