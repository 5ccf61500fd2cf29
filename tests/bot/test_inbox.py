"""The inbox: at least once whatever breaks, in order, and never an event lost or a failure unsaid."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.errors import BotError, SlackDenied, SlackError, StateError
from bot.slack.events import Event
from bot.slack.inbox import PATIENT_ATTEMPTS, Inbox, Lane
from bot.state.database import Database, open_database
from retrieval.errors import CollectionMismatch, StoreUnavailable

UNREACHABLE = SlackError("chat.postMessage", "unreachable")


def body(event_id: str, text: str = "hi") -> dict[str, object]:
    """An event as Slack sends it."""
    return {
        "type": "event_callback",
        "event_id": event_id,
        "api_app_id": "A1",
        "team_id": "T1",
        "event": {"type": "message", "text": text},
    }


@dataclass
class Scripted:
    """A handler that fails as it is told, and remembers what it was given."""

    failures: list[Exception] = field(default_factory=list)
    handled: list[tuple[str, int]] = field(default_factory=list)
    given_up: list[tuple[str, str]] = field(default_factory=list)
    failures_to_tell: list[Exception] = field(default_factory=list)

    def handle(self, event: Event) -> None:
        self.handled.append((event.id, event.attempt))
        if self.failures:
            raise self.failures.pop(0)

    def give_up(self, event: Event, incident: str) -> None:
        if self.failures_to_tell:
            raise self.failures_to_tell.pop(0)
        self.given_up.append((event.id, incident))


def wait_for(is_so: Callable[[], bool], patience_s: float = 15.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline, "it never came to be so"
        time.sleep(0.005)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield database
    database.close()


@contextmanager
def working(database: Database, handler: Scripted, **options: object) -> Iterator[Inbox]:
    """An inbox with one worker that waits hardly at all."""
    options = {"back_offs_s": (0.01,) * 6, "poll_s": 0.02, **options}
    inbox = Inbox(database, [Lane("questions", handler)], **options)  # type: ignore[arg-type]  # mixed options
    inbox.start()
    try:
        yield inbox
    finally:
        inbox.stop()


def test_events_are_handled_in_order_of_arrival_and_once(database: Database) -> None:
    """An event that is sent again, at once or after it was done, is not handled again."""
    handler = Scripted()
    with working(database, handler) as inbox:
        for event_id in ("E1", "E2", "E1", "E3", "E2"):
            inbox.keep(body(event_id))
        wait_for(lambda: not inbox.unfinished("questions"))
        inbox.keep(body("E1"))
        assert inbox.unfinished("questions") == 0
    assert handler.handled == [("E1", 1), ("E2", 1), ("E3", 1)]


def test_what_an_event_makes_untrue_is_told_ahead_of_all_that_waits(database: Database) -> None:
    """A change of access that came before a question is known before the question is taken up, busy or not."""
    told: list[tuple[str, int]] = []

    def tell(event: Event) -> None:
        told.append((event.id, inbox.unfinished("questions")))

    inbox = Inbox(database, [Lane("questions", Scripted())], tell)
    for event_id in ("E1", "E2"):
        inbox.keep(body(event_id))
    assert told == [("E1", 0), ("E2", 1)]


@pytest.mark.parametrize("failure", [UNREACHABLE, StoreUnavailable("The store is away."), StateError("No disk.")])
def test_what_may_pass_is_tried_again(database: Database, failure: Exception) -> None:
    """A fault of Slack, the store or the database costs the asker a moment and not the answer."""
    handler = Scripted([failure])
    with working(database, handler) as inbox:
        inbox.keep(body("E1"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert (handler.handled, handler.given_up) == ([("E1", 1), ("E1", 2)], [])


@pytest.mark.parametrize(
    "failure",
    [
        CollectionMismatch("Delete it and index again."),
        SlackDenied("conversations.info", "missing_scope"),
        ZeroDivisionError(),
    ],
)
def test_what_will_not_pass_is_told_at_once(database: Database, failure: Exception) -> None:
    """A fault that trying again can't mend is told without delay, and the worker lives on."""
    handler = Scripted([failure])
    with working(database, handler) as inbox:
        inbox.keep(body("E1"))
        inbox.keep(body("E2"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert handler.handled == [("E1", 1), ("E2", 1)]
    assert [event_id for event_id, _ in handler.given_up] == ["E1"]


def test_after_a_few_failures_the_asker_is_told(database: Database) -> None:
    """Nobody waits without end: a fault that doesn't pass is told, with an incident that the log has too."""
    handler = Scripted([UNREACHABLE] * 10)
    with working(database, handler) as inbox:
        inbox.keep(body("E1"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert [attempt for _, attempt in handler.handled] == list(range(1, PATIENT_ATTEMPTS + 1))
    assert len(handler.given_up) == 1


def test_what_could_not_be_told_is_told_later(database: Database) -> None:
    """When Slack is away even for that, it is tried again, and an answer that works by then comes instead."""
    handler = Scripted([UNREACHABLE] * 4, failures_to_tell=[UNREACHABLE])
    with working(database, handler) as inbox:
        inbox.keep(body("E1"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert len(handler.given_up) == 1

    handler = Scripted([UNREACHABLE] * 3, failures_to_tell=[UNREACHABLE])
    with working(database, handler) as inbox:
        inbox.keep(body("E2"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert (len(handler.handled), handler.given_up) == (4, [])


def test_an_event_that_ends_the_process_again_and_again_is_given_up(database: Database) -> None:
    """A poisonous event can't keep the bot from ever starting."""
    for _ in range(3):  # each taken, and never returned from: the process died
        crashed = Inbox(database, [Lane("questions", Scripted())])
        crashed.keep(body("E1"))
        assert crashed._deliveries.take("questions", at=time.time(), lease_s=-1.0)
    handler = Scripted()
    with working(database, handler, back_offs_s=(0.01, 0.01)) as inbox:
        wait_for(lambda: not inbox.unfinished("questions"))
    assert (handler.handled, len(handler.given_up)) == ([], 1)


def test_a_crash_leaves_its_event_to_the_next_process(database: Database) -> None:
    """What a killed process had in hand is taken up by another when the lease runs out, and not before."""
    dead = Inbox(database, [Lane("questions", Scripted())])
    dead.keep(body("E1"))
    assert dead._deliveries.take("questions", time.time(), lease_s=1.0)
    handler = Scripted()
    with working(database, handler) as inbox:
        time.sleep(0.1)
        assert handler.handled == []
        wait_for(lambda: not inbox.unfinished("questions"))
    assert handler.handled == [("E1", 2)]


def test_a_long_answer_keeps_its_lease(database: Database) -> None:
    """While a living process works on an event, no other takes it, however long that takes."""
    started, release = threading.Event(), threading.Event()

    class Slow(Scripted):
        def handle(self, event: Event) -> None:
            super().handle(event)
            started.set()
            release.wait(5)

    slow, other = Slow(), Scripted()
    with working(database, slow, lease_s=0.6) as inbox, working(database, other):
        inbox.keep(body("E1"))
        started.wait(5)
        time.sleep(1.0)  # longer than the lease
        release.set()
        wait_for(lambda: not inbox.unfinished("questions"))
    assert slow.handled + other.handled == [("E1", 1)]


def test_one_lane_does_not_hold_up_another(database: Database) -> None:
    """A question is answered while the index is still busy with the events before it."""
    release = threading.Event()

    class Busy(Scripted):
        def handle(self, event: Event) -> None:
            release.wait(5)

    questions = Scripted()
    inbox = Inbox(database, [Lane("questions", questions), Lane("sync", Busy())], poll_s=0.02)
    inbox.start()
    inbox.keep(body("E1"))
    wait_for(lambda: questions.handled == [("E1", 1)])
    assert inbox.unfinished("sync") == 1
    release.set()
    inbox.stop()


def test_stopping_waits_for_what_is_in_hand_and_takes_nothing_more(database: Database) -> None:
    """A graceful stop finishes the answer that is being given and leaves the rest for the next start."""
    inside = threading.Event()

    class Slow(Scripted):
        def handle(self, event: Event) -> None:
            inside.set()
            time.sleep(0.1)
            super().handle(event)

    handler = Slow()
    with working(database, handler) as inbox:
        inbox.keep(body("E1"))
        inbox.keep(body("E2"))
        inside.wait(5)
    assert handler.handled == [("E1", 1)]
    assert inbox.unfinished("questions") == 1


def test_a_failed_write_is_not_hidden(database: Database, tmp_path: Path) -> None:
    """When an event can't be written down, whoever brings it learns it, so that Slack sends it again."""
    inbox = Inbox(database, [Lane("questions", Scripted())])
    for file in tmp_path.iterdir():
        file.unlink()
    database.close()
    (tmp_path / "state.db").mkdir()
    with pytest.raises(StateError):
        inbox.keep(body("E1"))


def test_the_log_never_holds_what_people_wrote(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    """Not even an error that quotes a message brings its words into the log."""
    handler = Scripted([ValueError("our secret plan"), BotError("A sentence of ours.")])
    with caplog.at_level(logging.DEBUG), working(database, handler) as inbox:
        inbox.keep(body("E1", text="our secret plan"))
        inbox.keep(body("E2", text="our secret plan"))
        wait_for(lambda: not inbox.unfinished("questions"))
    assert "secret" not in caplog.text
    assert "ValueError at handle (test_inbox.py:" in caplog.text
    assert "A sentence of ours." in caplog.text


def test_what_runs_out_is_erased_while_it_works(database: Database) -> None:
    """Every few seconds, with the time of that moment, whether or not anything comes."""
    seen: list[float] = []
    inbox = Inbox(database, [Lane("questions", Scripted())], lease_s=0.03, clock=lambda: 7.0, tidy=seen.append)
    inbox.start()
    wait_for(lambda: len(seen) >= 2)
    inbox.stop()
    assert set(seen) == {7.0}
