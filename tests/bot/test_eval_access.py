"""The trials of `footnote eval access`: they pass, a seed repeats them, and they notice a guard that is gone."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import bot.answering.path
from bot.access.membership import Membership
from bot.answering.smalltalk import is_small_talk
from bot.commands import access
from bot.commands.measuring import EvalAccess
from bot.errors import UsageError
from bot.evaluation.access.judging import Findings
from bot.evaluation.access.oracle import WORKSPACE, Kind, Room, Truth
from bot.evaluation.access.report import Report, run_trials
from bot.evaluation.access.stage import Theatre
from bot.evaluation.access.trials import run_trial
from bot.settings import Settings
from bot.slack.grounds import Grounds
from bot.slack.withdrawing import Withdrawing
from bot.sync.events import Sync
from bot.types import Question
from retrieval.types import Place, Scope

PATIENCE = 60
"""Trials within which a missing guard must have been noticed."""


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """A store and embedders for all trials of this module."""
    theatre = Theatre(tmp_path_factory.mktemp("trials"))
    yield theatre
    theatre.close()


def _until(theatre: Theatre, is_found: Callable[[Findings], object], first: int) -> Findings:
    """The first trial with such findings, from a seed on which had some when this was written."""
    found = (run_trial(theatre, seed) for seed in range(first, first + PATIENCE))
    return next(filter(is_found, found), Findings())


# ------------------------------------------------------------------------------------------------------- the trials


def test_nothing_leaks_and_nothing_is_withheld_without_need(theatre: Theatre) -> None:
    """A few trials here; `scripts/check` runs 150."""
    report = Report()
    for seed in range(1, 5):
        report.add(seed, run_trial(theatre, seed))
    assert report.stories == []
    assert report.has_passed
    assert report.questions > 10
    assert report.answers_owed > 1


def test_a_seed_gives_the_same_trial_every_time(theatre: Theatre) -> None:
    """Whoever is shown a failing seed sees the same failure."""
    assert run_trial(theatre, 3) == run_trial(theatre, 3)


def test_the_report_has_what_is_promised(tmp_path: Path) -> None:
    """`--json` has the fields that the command's users count on, and progress is told."""
    done: list[int] = []
    report = run_trials(tmp_path, [1], done.append)
    promised = {"trials", "questions", "leaks", "needless_refusals", "lag_seconds", "log_leaks"}
    assert promised <= report.to_json().keys()
    assert (report.trials, done) == (1, [1])


def test_a_failed_trial_tells_its_story() -> None:
    """It names the seed and what happened, so that it can be played again."""
    report = Report()
    report.add(7, Findings(questions=2, story=["    0.5 s  ada asks in #open"]))
    report.add(8, Findings(leaks=["a post shows somebody a canary"], story=["    2.0 s  ben leaves #vault"]))
    assert report.stories == [
        "Seed 8 (footnote eval access --trials 1 --seed 8):\n"
        "      2.0 s  ben leaves #vault\n"
        "  leak: a post shows somebody a canary"
    ]
    assert not report.has_passed


def test_the_command_prints_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object on stdout, and 0 where nothing leaked."""
    settings = Settings.from_env({"FOOTNOTE_DATA": str(tmp_path)})
    assert access.run(EvalAccess(trials=1, seed=2, json=True), settings) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["trials"], figures["leaks"], figures["needless_refusals"]) == (1, 0, 0)


def test_the_command_tells_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 where anything was withheld without need, with the story on stderr and the figures on stdout."""
    monkeypatch.setattr(Membership, "_scope", lambda _self, question, *_: Scope(question.team, frozenset()))
    settings = Settings.from_env({"FOOTNOTE_DATA": str(tmp_path)})
    assert access.run(EvalAccess(trials=3, seed=1, json=False), settings) == 1
    printed = capsys.readouterr()
    assert "needless refusals" in printed.out
    assert "(footnote eval access --trials 1 --seed " in printed.err


def test_the_command_needs_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package has no sandbox, and nobody is shown a traceback for that."""
    monkeypatch.setattr(access, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="run this in a checkout"):
        access.run(EvalAccess(trials=1, seed=1, json=True), Settings.from_env({"FOOTNOTE_DATA": str(tmp_path)}))


# -------------------------------------------------------------------------------------- a guard is gone: it is noticed


def test_facts_that_are_never_read_anew_leak(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither events nor time make a fact old."""
    monkeypatch.setattr(Membership, "forget", lambda _self, _change: None)
    monkeypatch.setattr("bot.access.membership.FRESH_S", 1e9)
    monkeypatch.setattr("bot.access.membership.CONFIRMED_S", 1e9)
    assert _until(theatre, lambda found: found.leaks, first=NEVER).leaks


def test_a_scope_that_is_too_wide_leaks(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """The private channels are in every scope, right before posting too."""
    narrow, private = Membership._scope, ["C0CLOSED", "C0HUDDLE", "C0VAULT"]

    def wide(self: Membership, question: Question, max_age_s: float, evidence: frozenset[Place] = frozenset()) -> Scope:
        scope = narrow(self, question, max_age_s, evidence)
        more = frozenset(self._places_of(question.team, private).values())
        return Scope(scope.team, frozenset(readers | more for readers in scope.readers))

    monkeypatch.setattr(Membership, "_scope", wide)
    assert _until(theatre, lambda found: found.leaks, first=WIDE).leaks


def test_guests_that_are_overlooked_leak(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is no full member narrows what is said in a channel."""
    monkeypatch.setattr(Membership, "_readers_in", lambda _self, _here, _team, _max_age_s: [])
    assert _until(theatre, lambda found: found.leaks, first=OVERLOOKED).leaks


def test_deletions_that_nobody_reads_leak(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index hears of no event, and nothing is confirmed before it is posted."""
    monkeypatch.setattr(Sync, "handle", lambda _self, _event: None)
    monkeypatch.setattr(Grounds, "first_look", lambda _self, cited, _indexed_at: tuple(cited))
    assert _until(theatre, lambda found: found.leaks, first=UNREAD).leaks


def test_answers_that_are_not_taken_back_leak(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a posted answer rests on is deleted, and the answer goes on standing."""
    monkeypatch.setattr(Withdrawing, "_each", lambda _self, _concerned: None)
    found = _until(theatre, lambda found: found.leaks, first=STANDING)
    assert any(" still shows " in leak for leak in found.leaks)


def test_an_empty_scope_withholds_without_need(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusing everything leaks nothing, and is found all the same."""
    monkeypatch.setattr(Membership, "_scope", lambda _self, question, *_: Scope(question.team, frozenset()))
    assert _until(theatre, lambda found: found.needless, first=1).needless


def test_words_in_the_log_are_found(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the lowest level too; the report says where, and repeats none of them."""

    def telling(text: str) -> bool:
        logging.getLogger("bot.answering").debug("asked: %s", text)
        return is_small_talk(text)

    monkeypatch.setattr(bot.answering.path, "is_small_talk", telling)
    (place, *_) = _until(theatre, lambda found: found.log_leaks, first=1).log_leaks
    assert place.startswith("bot.answering at test_eval_access.py:")


NEVER, WIDE, OVERLOOKED, UNREAD, STANDING = 15, 5, 9, 7, 11
"""Seeds whose trials noticed soon."""


# ------------------------------------------------------------------------------------------------------- the oracle


def _room(*members: str, is_public: bool = False, is_shared: bool = False, is_dm: bool = False) -> Room:
    return Room(is_public, is_shared, is_dm, frozenset(members), has_footnote=True, is_archived=False)


TRUTH = Truth(
    people={
        "ann": Kind.MEMBER,
        "bo": Kind.MEMBER,
        "gus": Kind.GUEST,
        "eve": Kind.OUTSIDER,
        "bot": Kind.NOBODY,
    },
    rooms={
        "open": _room("ann", "gus", is_public=True),
        "wide": _room("ann", "bot", is_public=True),
        "closed": _room("ann"),
        "partners": _room("ann", "eve", is_public=True, is_shared=True),
        "dm": _room("ann", is_dm=True),
    },
    stands={name: frozenset({name}) for name in ("open", "wide", "closed", "partners")}
    | {"page": frozenset({WORKSPACE}), "both": frozenset({"closed", "open"}), "gone": frozenset({"deleted"})},
)


@pytest.mark.parametrize(
    ("person", "reads"),
    [
        ("ann", {"open", "wide", "closed", "partners", "page", "both"}),
        ("bo", {"open", "wide", "page", "both"}),
        ("gus", {"open", "both"}),
        ("eve", {"partners"}),
        ("bot", set()),
    ],
)
def test_the_oracle_knows_what_somebody_may_read(person: str, reads: set[str]) -> None:
    """By what they are and where they are in, and nothing else."""
    assert {canary for canary in TRUTH.stands if TRUTH.may_read(person, canary)} == reads


@pytest.mark.parametrize(
    ("room", "may_stand_there"),
    [
        ("open", {"open", "both"}),
        ("wide", {"open", "wide", "page", "both"}),
        ("closed", {"open", "wide", "closed", "page", "both"}),
        ("partners", {"partners"}),
        ("dm", {"open", "wide", "closed", "partners", "page", "both"}),
    ],
)
def test_the_oracle_knows_what_may_be_said_in_a_room(room: str, may_stand_there: set[str]) -> None:
    """Everybody there may read it, and whoever joins later: a guest narrows, a bot doesn't."""
    assert {canary for canary in TRUTH.stands if TRUTH.may_all_read(room, canary)} == may_stand_there


def test_the_oracle_knows_who_opens_a_room() -> None:
    """A public channel is open to every full member, a shared one too; everything else to whoever is in it."""
    opens = {room: {person for person in TRUTH.people if TRUTH.opens(person, room)} for room in TRUTH.rooms}
    assert opens == {
        "open": {"ann", "bo", "gus"},
        "wide": {"ann", "bo"},
        "closed": {"ann"},
        "partners": {"ann", "bo", "eve"},
        "dm": {"ann"},
    }
    assert not replace(TRUTH, rooms={}).opens("ann", "open")


def test_the_oracle_knows_that_a_room_shows_what_stands_in_it() -> None:
    """Bo opens the shared channel, which is public, and may be given nothing of it elsewhere; Gus doesn't open it."""
    assert TRUTH.may_see("bo", "partners", "partners")
    assert not TRUTH.may_see("bo", "partners", "dm")
    assert not TRUTH.may_see("gus", "partners", "partners")
