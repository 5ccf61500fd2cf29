"""What people decided is kept for their team alone, with who and when, and the last word counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.state.choices import Choice, Choices, Chosen
from bot.state.database import open_database
from bot.state.progress import Progress
from retrieval.types import Place

SHOP, YARD = Place("shop"), Place("yard")
SHUT = Chosen("T1", Choice.LEFT_OUT, SHOP, True, "U0ANN", 1.0)
QUIET = replace(SHUT, what=Choice.NEVER_TO_MODEL, subject=YARD)
OPEN = replace(SHUT, what=Choice.APPROVED, teams=frozenset({"T0OTHER", "T0THIRD"}))
MINE = replace(SHUT, what=Choice.UNUSED, subject="U0ANN")


@pytest.fixture
def choices(tmp_path: Path) -> Iterator[Choices]:
    """What was chosen in two teams, one of which has chosen something of everything."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    choices = Choices(database)
    for chosen in (SHUT, QUIET, OPEN, MINE):
        choices.make(chosen)
    yield choices
    database.close()


def everything(choices: Choices, team: str) -> tuple[object, ...]:
    """What holds in a team."""
    return (
        choices.left_out_places(team),
        choices.places_never_to_model(team),
        choices.approved_places(team),
        choices.unused_people(team),
    )


def test_what_was_chosen_holds_in_its_team_alone(choices: Choices) -> None:
    """Another team with the same ids has chosen nothing."""
    assert everything(choices, "T1") == ({SHOP}, {YARD}, {SHOP: {"T0OTHER", "T0THIRD"}}, {"U0ANN"})
    assert everything(choices, "T2") == (set(), set(), {}, set())


@pytest.mark.parametrize("chosen", [SHUT, QUIET, OPEN, MINE], ids=lambda chosen: chosen.what.value)
def test_the_last_word_counts_and_says_whose_it_is(choices: Choices, chosen: Chosen) -> None:
    """What is taken back doesn't hold any more, and is kept with who took it back, when."""
    assert choices.last("T1", chosen.what, chosen.subject) == chosen
    taken_back = replace(chosen, holds=False, by="U0BO", at=2.0, teams=frozenset())
    choices.make(taken_back)
    assert choices.last("T1", chosen.what, chosen.subject) == taken_back
    assert sum(1 for held in everything(choices, "T1") if held) == 3
    assert choices.last("T2", chosen.what, chosen.subject) is None


def test_whose_messages_may_still_be_indexed_is_known(tmp_path: Path) -> None:
    """Until each channel was read anew since they chose, or was left; who wants theirs used is not among them."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    choices, progress = Choices(database), Progress(database, "T1")
    choices.make(MINE, [SHOP, YARD])
    choices.make(replace(MINE, subject="U0BO", at=2.0), [SHOP])
    choices.make(replace(MINE, team="T2", subject="U0CY"))
    assert choices.unused_and_still_indexed("T1") == {"U0ANN", "U0BO"}
    progress.renewed(SHOP, 1.0)
    assert choices.unused_and_still_indexed("T1") == {"U0ANN", "U0BO"}
    progress.renewed(SHOP, 2.0)
    assert choices.unused_and_still_indexed("T1") == {"U0ANN"}
    progress.forget(YARD)
    assert choices.unused_and_still_indexed("T1") == set()
    assert choices.unused_people("T1") == {"U0ANN", "U0BO"}
    choices.make(replace(MINE, holds=False, at=3.0), [SHOP])
    assert choices.unused_and_still_indexed("T1") == {"U0BO"}
    database.close()
