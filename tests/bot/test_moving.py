"""A conversation under another id of Slack's is the same one, wherever an id of Slack's is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import inspect

from bot.state.choices import Choice, Choices, Chosen
from bot.state.database import Base, Database, open_database
from bot.state.departures import Departures
from bot.state.moving import move_channel
from bot.state.places import Places
from bot.state.progress import ChannelProgress, Progress, ReadingState
from bot.state.questions import Questions
from bot.types import Question, Surface
from retrieval.types import Place

TEAM, OLD, NEW = "T1", "G0OLD", "C0NEW"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    database = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    yield database
    database.close()


def asked(channel: str, ts: str, team: str = TEAM) -> Question:
    """A question that was put in a channel."""
    return Question(team, "U1", channel, ts, None, "q", Surface.CHANNEL)


def chosen(place: Place, what: Choice, at: float, *, holds: bool = True) -> Chosen:
    """What somebody chose for a channel."""
    return Chosen(TEAM, what, place, holds, "U1", at)


def test_a_place_goes_with_its_channel(database: Database) -> None:
    """Ours stays, the old id is nobody's, a second time changes nothing, and another team's channel stays."""
    places = Places(database)
    place, elsewhere = places.place_of(TEAM, OLD), places.place_of("T2", OLD)
    assert move_channel(database, TEAM, OLD, NEW)
    assert not move_channel(database, TEAM, OLD, NEW)
    assert (places.find(TEAM, NEW), places.find(TEAM, OLD), places.channel_of(place)) == (place, None, NEW)
    assert places.find("T2", OLD) == elsewhere


def test_what_came_under_the_new_id_first_is_the_same_channel(database: Database) -> None:
    """The older id of ours counts; the younger one is a channel that is left."""
    places = Places(database)
    place, double = places.place_of(TEAM, OLD), places.place_of(TEAM, NEW)
    move_channel(database, TEAM, OLD, NEW)
    assert (places.find(TEAM, NEW), places.channel_of(double)) == (place, "")
    assert Departures(database, TEAM).sure() == {double}


def test_the_last_word_of_its_people_counts(database: Database) -> None:
    """Under whichever of the two ids it was said."""
    places, choices = Places(database), Choices(database)
    place, double = places.place_of(TEAM, OLD), places.place_of(TEAM, NEW)
    choices.make(chosen(place, Choice.LEFT_OUT, at=1.0, holds=False))
    choices.make(chosen(double, Choice.LEFT_OUT, at=2.0))
    choices.make(chosen(place, Choice.NEVER_TO_MODEL, at=2.0))
    choices.make(chosen(double, Choice.NEVER_TO_MODEL, at=1.0, holds=False))
    move_channel(database, TEAM, OLD, NEW)
    assert choices.left_out_places(TEAM) == {place}
    assert choices.places_never_to_model(TEAM) == {place}


def test_questions_go_with_their_channel(database: Database) -> None:
    """One that was told of under both ids is one; those of another team, and of other channels, are theirs."""
    Places(database).place_of(TEAM, OLD)
    questions = Questions(database)
    for number, question in enumerate(
        (asked(OLD, "1.1"), asked(OLD, "1.2"), asked(NEW, "1.2"), asked("C0OTHER", "1.3"), asked(OLD, "1.4", "T2"))
    ):
        questions.take(question, f"E{number}", 0.0)
    move_channel(database, TEAM, OLD, NEW)
    assert questions.asked_in(TEAM, NEW) == {"1.1", "1.2"}
    assert questions.asked_in(TEAM, OLD) == frozenset()
    assert questions.asked_in("T2", OLD) == {"1.4"}


def test_it_is_to_be_read_from_its_start(database: Database) -> None:
    """Its links lead to the old id; that outlives a crash."""
    place, progress = Places(database).place_of(TEAM, OLD), Progress(database, TEAM)
    progress.write(ChannelProgress(place, OLD, "board", ReadingState.DONE, newest="9.9"))
    move_channel(database, TEAM, OLD, NEW)
    found = progress.of(place)
    assert found
    assert (found.channel_id, found.state) == (NEW, ReadingState.READING)


def test_every_table_that_holds_an_id_of_slacks_is_followed(database: Database) -> None:
    """Whoever adds one names its column as the others are, and says whose it is; ids of DMs never change."""
    with database.session() as session:
        tables = inspect(session.connection()).get_table_names()
    columns = {(table, column.name) for table in tables for column in Base.metadata.tables[table].columns}
    channels = {(table, name) for table, name in columns if "channel" in name or "conversation" in name}
    assert {name for _, name in channels} == {"channel", "channel_id"}
    assert {table for table, _ in channels if (table, "team") not in columns} == set()
