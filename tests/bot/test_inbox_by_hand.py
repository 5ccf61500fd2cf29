"""The inbox without threads of its own: what is due is dealt with in the caller's, by the clock that it was given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bot.errors import SlackError
from bot.slack.events import Event
from bot.slack.inbox import BACK_OFFS_S, Inbox, Lane
from bot.slack.interactions import is_interaction, is_slacks
from bot.state.database import Database, open_database


@dataclass
class Noting:
    """Notes what it was given, and fails as often as it is told."""

    failures: int = 0
    handled: list[str] = field(default_factory=list)

    def handle(self, event: Event) -> None:
        self.handled.append(event.id)
        self.failures -= 1
        if self.failures >= 0:
            raise SlackError("chat.postMessage", "unreachable")

    def give_up(self, event: Event, incident: str) -> None:
        raise AssertionError(f"{event.id} was given up ({incident})")


@dataclass
class Clock:
    """Stands until it is pushed."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def database() -> Iterator[Database]:
    """An empty database in memory, which one thread alone can use."""
    database = open_database("sqlite://")
    yield database
    database.close()


def _body(event_id: str, kind: str = "message") -> dict[str, object]:
    return {"type": "event_callback", "event_id": event_id, "team_id": "T1", "event": {"type": kind}}


def test_what_is_due_is_dealt_with_in_the_callers_thread(database: Database) -> None:
    """In order, once; then there is nothing more to do."""
    handler = Noting()
    inbox = Inbox(database, [Lane("all", handler)])
    for event_id in ("Ev1", "Ev2", "Ev1"):
        inbox.keep(_body(event_id))
    assert inbox.work_off()
    assert handler.handled == ["Ev1", "Ev2"]
    assert not inbox.work_off()


def test_what_failed_waits_for_the_clock(database: Database) -> None:
    """It is taken up again when its back-off is over by the clock that was given, however long that takes."""
    handler, clock = Noting(failures=1), Clock()
    inbox = Inbox(database, [Lane("all", handler)], clock=clock)
    inbox.keep(_body("Ev1"))
    assert inbox.work_off()
    assert not inbox.work_off()
    clock.now += BACK_OFFS_S[0]
    assert inbox.work_off()
    assert handler.handled == ["Ev1", "Ev1"]


def test_a_lane_gets_only_what_it_wants(database: Database) -> None:
    """A press is for those who know buttons, and no reason for the others to look."""
    of_slack, of_people = Noting(), Noting()
    lanes = [Lane("slack", of_slack, wants=is_slacks), Lane("people", of_people, wants=is_interaction)]
    inbox = Inbox(database, lanes)
    inbox.keep(_body("Ev1"))
    inbox.keep(_body("Ev2", "block_actions"))
    inbox.work_off()
    assert (of_slack.handled, of_people.handled) == (["Ev1"], ["Ev2"])
