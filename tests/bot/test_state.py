"""The database: what is kept, that writers queue, and that its failures are one sentence of ours."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from bot.errors import StateError
from bot.state.database import Base, Database, open_database
from bot.state.deliveries import Deliveries
from bot.state.places import Places
from bot.state.questions import Asked, Questions, QuestionState
from bot.types import Question, Surface

QUESTION = Question("T1", "U1", "C1", "5.0", "4.0", "how many days?", Surface.CHANNEL)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database in a folder that doesn't exist yet."""
    database = open_database(f"sqlite:///{tmp_path}/new/state.db")
    yield database
    database.close()


def test_only_its_owner_can_read_the_file(database: Database, tmp_path: Path) -> None:
    """Whoever else uses the machine sees nothing of the state, from the file's first moment on."""
    assert stat.S_IMODE((tmp_path / "new" / "state.db").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "url",
    [
        "no address",
        "sqlite:////proc/nowhere/state.db",
        "mongo://somewhere/state",
        "postgresql+asyncpg://somewhere/state",
    ],
)
def test_a_database_that_cant_be_opened_is_told_in_one_sentence(url: str) -> None:
    """What sqlalchemy raises never leaves the room of the state."""
    with pytest.raises(StateError, match=r"DATABASE_URL.*\.$"):
        open_database(url)


def test_a_folder_that_cant_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    """A file where the folder should be is a failure of the database, not a traceback."""
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match=r"file/state.db can't be used \(File exists\).*FOOTNOTE_DATA"):
        open_database(f"sqlite:///{tmp_path}/file/state.db")


def test_a_damaged_file_is_named_with_what_sqlite_says(tmp_path: Path) -> None:
    """Whoever runs it learns which file, and that it is no database, without any of what stands in it."""
    (tmp_path / "state.db").write_text("scribbled over " * 400)
    with pytest.raises(StateError, match=r"state.db can't be used \(file is not a database\)") as raised:
        open_database(f"sqlite:///{tmp_path}/state.db")
    assert "scribbled" not in str(raised.value)


def test_a_place_keeps_its_id_from_run_to_run(tmp_path: Path) -> None:
    """A conversation's place is the same after a restart, and no other conversation or team has it."""
    url = f"sqlite:///{tmp_path}/state.db"
    first = Places(open_database(url)).places_of("T1", ["C1", "C2"])
    second = Places(open_database(url))
    assert {"C1": second.place_of("T1", "C1"), "C2": second.place_of("T1", "C2")} == first
    assert len({*first.values(), second.place_of("T2", "C1")}) == 3


def test_many_threads_agree_on_a_new_place(database: Database) -> None:
    """A place that several threads meet first at the same time is made once."""
    places, found = Places(database), set[str]()
    threads = [threading.Thread(target=lambda: found.add(places.place_of("T1", "C1"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1


def test_writers_wait_for_each_other(database: Database) -> None:
    """Many writers at once lose nothing and none is refused."""
    deliveries = Deliveries(database)

    def write(number: int) -> None:
        for event in range(10):
            deliveries.keep("A1", f"{number}-{event}", "T1", "{}", ["questions"], at=1.0)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert deliveries.unfinished("questions") == 40


def test_a_body_is_erased_from_the_file_when_its_event_is_done(database: Database, tmp_path: Path) -> None:
    """What people wrote is nowhere in the database once it has been dealt with."""
    deliveries = Deliveries(database)
    deliveries.keep("A1", "E1", "T1", '{"text": "our secret plan"}', ["questions"], at=1.0)
    taken = deliveries.take("questions", at=1.0, lease_s=30.0)
    assert taken is not None
    deliveries.finish(taken.number)
    database.close()  # which writes the log back into the file
    assert all(b"secret plan" not in file.read_bytes() for file in (tmp_path / "new").iterdir())


def test_done_events_are_remembered_until_they_are_forgotten(database: Database) -> None:
    """An event that comes again after it was done is known, as long as Slack may send it."""
    deliveries = Deliveries(database)
    deliveries.keep("A1", "E1", "T1", "{}", ["questions"], at=100.0)
    taken = deliveries.take("questions", at=100.0, lease_s=30.0)
    assert taken is not None
    deliveries.finish(taken.number)
    deliveries.forget(before=100.0)
    assert not deliveries.keep("A1", "E1", "T1", "{}", ["questions"], at=101.0)
    deliveries.forget(before=102.0)
    assert deliveries.keep("A1", "E1", "T1", "{}", ["questions"], at=103.0)


def test_what_is_not_done_is_never_forgotten(database: Database) -> None:
    """However old an event is, it stays until it has been dealt with."""
    deliveries = Deliveries(database)
    deliveries.keep("A1", "E1", "T1", "{}", ["questions"], at=1.0)
    deliveries.forget(before=1e9)
    assert deliveries.unfinished("questions") == 1


def test_one_event_of_a_post_is_answered(database: Database) -> None:
    """The first event takes the question, may take it again after a crash, and no other event ever may."""
    asked = Questions(database)
    assert [asked.take(QUESTION, event, at=1.0) for event in ("E1", "E2", "E1")] == [True, False, True]
    asked.close(QUESTION, QuestionState.ANSWERED, "6.0")
    assert [asked.take(QUESTION, event, at=2.0) for event in ("E1", "E2")] == [False, False]


def test_the_latest_question_of_a_thread_is_found(database: Database) -> None:
    """A follow-up is held against the newest question of its own thread, channel and team."""
    asked = Questions(database)
    for other in (QUESTION, replace(QUESTION, ts="7.0", asker="U2"), replace(QUESTION, ts="9.0", channel="C2")):
        asked.take(other, other.ts, at=1.0)
    asked.close(replace(QUESTION, ts="7.0"), QuestionState.ANSWERED, "8.0")
    assert asked.last_in_thread("T1", "C1", "4.0") == Asked("U2", QuestionState.ANSWERED, "8.0")
    assert asked.last_in_thread("T1", "C1", "5.0") is None
    assert asked.asked_in("T1", "C1") == {"5.0", "7.0"}


@pytest.mark.parametrize("table", sorted(Base.metadata.tables))
def test_every_table_can_stand_in_postgresql(table: str) -> None:
    """No table needs what SQLite alone has."""
    assert "CREATE TABLE" in str(CreateTable(Base.metadata.tables[table]).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]  # sqlalchemy's dialects have no types
