"""What people let be done with their words holds wherever a question came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.state.choices import Choice, Choices, Chosen
from bot.state.database import Database, open_database
from bot.state.offers import Offers
from bot.state.places import Places
from bot.types import Question, Surface
from bot.wishes import left_out_of, wishes_of

ASKED = Question("T1", "U0ANN", "C0YARD", "1.0", None, "how many lifts?", Surface.CHANNEL)
ALONE = replace(ASKED, channel="D0ANN", ts="5.0", surface=Surface.DM)


class Names:
    """Names of people, and of nothing else."""

    def person(self, user_id: str) -> str:
        return f"name of {user_id}"

    def channel(self, channel_id: str) -> str:
        raise AssertionError(channel_id)

    def group(self, group_id: str) -> str:
        raise AssertionError(group_id)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two teams, in one of which a channel is kept from models and left out, and somebody's messages too."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    place = Places(database).place_of("T1", "C0YARD")
    for what in (Choice.NEVER_TO_MODEL, Choice.LEFT_OUT):
        Choices(database).make(Chosen("T1", what, place, True, "U0ANN", 1.0))
    Choices(database).make(Chosen("T1", Choice.UNUSED, "U0BO", True, "U0BO", 1.0), [place])
    yield database
    database.close()


def test_a_question_is_kept_from_models_by_where_it_was_put(database: Database) -> None:
    """In that channel, and in the DM in which it is answered alone, with what is asked on there; nowhere else."""
    offers = Offers(database)
    look = offers.offer_look(ASKED, until=9.0)
    offers.opened(look.id, "D0ANN", "4.0")
    may_tell = wishes_of(database, "T1", Names()).confiding.may_tell
    assert not may_tell(ASKED, ())
    assert not may_tell(replace(ALONE, ts="4.0"), ())
    assert not may_tell(replace(ALONE, thread_ts="4.0"), ())
    assert may_tell(replace(ALONE, thread_ts="4.5"), ())
    assert may_tell(replace(ASKED, channel="C0OTHER"), ())
    assert wishes_of(database, "T2", Names()).confiding.may_tell(replace(ASKED, team="T2"), ())


def test_who_is_not_to_be_quoted_is_known_by_name_as_long_as_it_matters(database: Database) -> None:
    """In their own team alone."""
    assert wishes_of(database, "T1", Names()).unquoted() == {"name of U0BO"}
    assert wishes_of(database, "T2", Names()).unquoted() == frozenset()


def test_what_is_left_out_is_asked_for_anew(database: Database) -> None:
    """What was chosen a moment ago counts."""
    left_out, place = left_out_of(database, "T1"), Places(database).place_of("T1", "C0YARD")
    assert (place in left_out.places(), "U0BO" in left_out.people()) == (True, True)
    Choices(database).make(Chosen("T1", Choice.LEFT_OUT, place, False, "U0ANN", 2.0))
    assert place not in left_out.places()
