"""Writes down every event before Slack is told that it arrived, and has each dealt with until it is done."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.errors import BotError, SlackDenied, SlackError, StateError
from bot.slack.events import Event, decode_event, parse_event
from bot.slack.payloads import Payload
from bot.state.database import Database
from bot.state.deliveries import Deliveries, Delivery
from retrieval.errors import RetrievalError, StoreUnavailable

BACK_OFFS_S = (1.0, 4.0, 15.0, 60.0, 300.0, 300.0)
"""The waits before an event is taken up again; the first few fit an asker's patience, the rest outlast an outage."""
PATIENT_ATTEMPTS = 3
"""After so many failures in a row the asker is told; a later attempt only tries to tell it."""
LEASE_S = 30.0
"""How long an event of a process that died waits for another; a living one renews its leases three times in it."""
POLL_S = 1.0
"""How often a worker looks for what other processes wrote, and for back-offs and leases that have run out."""
KEEP_S = 2 * 24 * 3600.0
"""Slack sends an event again for a day at most."""
STOP_S = 20.0
"""How long a stop waits for what is being answered; what takes longer is taken up again after the next start."""

log = logging.getLogger(__name__)


class Handler(Protocol):
    """Deals with the events of one lane. An event can come again after a fault or a crash."""

    def handle(self, event: Event) -> None:
        """Deal with one event; what it raises decides whether the event is taken up again."""
        ...

    def give_up(self, event: Event, incident: str) -> None:
        """Tell whoever waits for it that it failed; `incident` finds the reason in the log."""
        ...


def _every_event(_event: Event) -> bool:
    """For a lane that may want any."""
    return True


@dataclass(frozen=True, slots=True)
class Lane:
    """Events in order of arrival for one handler; what holds up one lane doesn't hold up another."""

    name: str
    handler: Handler
    workers: int = 1
    """Threads; with one, each event waits for the one before it."""
    wants: Callable[[Event], bool] = _every_event
    """Whether an event can be for this lane at all; what can't is not written down for it."""


def _nothing_first(_event: Event) -> None:
    """For an inbox beside which nothing is remembered."""


def _nothing_runs_out(_now: float) -> None:
    """For an inbox beside which nothing is kept for a while."""


class Inbox:
    """Delivery at least once: an event is done when its handler has returned, or has told that it failed.

    `first` sees each event the moment it comes, ahead of all that wait: what it makes untrue must not be relied on for
    a question that came right behind it. `tidy` is called with the time every few seconds, and erases what has run out.
    With a `team`, `first` and the lanes see what came for that workspace alone.
    """

    def __init__(
        self,
        database: Database,
        lanes: Sequence[Lane],
        first: Callable[[Event], None] = _nothing_first,
        back_offs_s: Sequence[float] = BACK_OFFS_S,
        lease_s: float = LEASE_S,
        poll_s: float = POLL_S,
        clock: Callable[[], float] = time.time,
        tidy: Callable[[float], None] = _nothing_runs_out,
        team: str = "",
    ) -> None:
        self._deliveries = Deliveries(database, team)
        self._team = team
        self._tidy = tidy
        self._first = first
        self._lanes = tuple(lanes)
        self._back_offs_s = tuple(back_offs_s)
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._clock = clock
        self._threads: list[threading.Thread] = []
        self._is_stopping = threading.Event()
        self._something_came = threading.Condition()
        self._in_hand: set[int] = set()

    def keep(self, body: Payload) -> None:
        """Write an event down; one that was written down before is not written twice.

        Raises:
            StateError: it could not be written down, and Slack must send it again.
        """
        event = parse_event(body)
        if event.team in (self._team, "") or not self._team:
            self._first(event)
        lanes = [lane.name for lane in self._lanes if lane.wants(event)]
        self._deliveries.keep(event.app_id, event.id, event.team, json.dumps(body), lanes, self._clock())
        with self._something_came:
            self._something_came.notify_all()

    def start(self) -> None:
        """Take up what is unfinished, and everything that comes."""
        self._is_stopping.clear()
        self._threads = [threading.Thread(target=self._look_after, name="leases", daemon=True)]
        self._threads += [
            threading.Thread(target=self._work, args=(lane,), name=f"{lane.name}-{number}", daemon=True)
            for lane in self._lanes
            for number in range(lane.workers)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, wait_s: float = STOP_S) -> None:
        """Take nothing more, and wait for what is in hand."""
        self._is_stopping.set()
        with self._something_came:
            self._something_came.notify_all()
        deadline = time.monotonic() + wait_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._threads = []

    def work_off(self) -> bool:
        """Deal in this thread with all that is due, lane by lane, where nothing else does; whether there was any."""
        due = self._deliveries.due(self._clock())
        for lane in self._lanes:
            for _ in range(due.get(lane.name, 0)):
                self._deal_with_next(lane, self._clock())
        return bool(due)

    def tidy(self) -> None:
        """Forget what is long done or has run out, as is done every few seconds while it takes up what comes."""
        now = self._clock()
        self._deliveries.forget(now - KEEP_S)
        self._tidy(now)

    def unfinished(self, lane: str) -> int:
        """How many events of a lane wait or are in hand."""
        return self._deliveries.unfinished(lane)

    def _work(self, lane: Lane) -> None:
        while not self._is_stopping.is_set():
            try:
                if not self._take_one(lane):
                    self._wait()
            except StateError as error:
                log.error("lane %s: %s", lane.name, error)
                self._is_stopping.wait(self._poll_s)

    def _wait(self) -> None:
        with self._something_came:
            self._something_came.wait(self._poll_s)

    def _take_one(self, lane: Lane) -> bool:
        """Deal with the next event that is due; whether there was one."""
        now = self._clock()
        return self._deliveries.anything_due(lane.name, now) and self._deal_with_next(lane, now)

    def _deal_with_next(self, lane: Lane, now: float) -> bool:
        delivery = self._deliveries.take(lane.name, now, self._lease_s)
        if delivery is None:
            return False
        self._in_hand.add(delivery.number)
        try:
            self._deal_with(delivery, lane.handler)
        finally:
            self._in_hand.discard(delivery.number)
        return True

    def _deal_with(self, delivery: Delivery, handler: Handler) -> None:
        event = decode_event(delivery.body, delivery.attempt)
        is_worn_out = event.attempt > len(self._back_offs_s)
        # What ended the process so often is not tried once more.
        failure = BotError("It was tried too often.") if is_worn_out else _failure_of(lambda: handler.handle(event))
        if failure and (is_worn_out or event.attempt >= PATIENT_ATTEMPTS or not _may_pass(failure)):
            failure = self._failure_to_tell(event, handler, failure)
        if failure and not is_worn_out:
            self._try_later(delivery, event, failure)
        else:
            self._deliveries.finish(delivery.number)

    def _failure_to_tell(self, event: Event, handler: Handler, failure: Exception) -> Exception | None:
        """Tell that an event failed; what failed in that, where telling may work later."""
        incident = uuid.uuid4().hex[:8]
        log.error("incident %s: event %s (%s) failed: %s", incident, event.id, event.type, _without_text(failure))
        worse = _failure_of(lambda: handler.give_up(event, incident))
        if worse:
            log.error("incident %s: nobody could be told: %s", incident, _without_text(worse))
        return worse if worse and _may_pass(worse) else None

    def _try_later(self, delivery: Delivery, event: Event, failure: Exception) -> None:
        back_off_s = self._back_offs_s[event.attempt - 1]
        log.warning("event %s (%s) again in %.0f s: %s", event.id, event.type, back_off_s, _without_text(failure))
        self._deliveries.postpone([delivery.number], self._clock() + back_off_s)

    def _look_after(self) -> None:
        """Renew the leases of what is in hand, and forget what is long done or has run out."""
        while not self._is_stopping.wait(self._lease_s / 3):
            try:
                self._deliveries.postpone(tuple(self._in_hand), self._clock() + self._lease_s)
                self.tidy()
            except StateError as error:
                log.error("leases: %s", error)


def _failure_of(work: Callable[[], None]) -> Exception | None:
    try:
        work()
    except Exception as error:  # noqa: BLE001  # a worker's edge: one event's fault must not end the thread
        return error
    return None


def _may_pass(error: Exception) -> bool:
    """Whether the same may work in a while."""
    return isinstance(error, SlackError | StateError | StoreUnavailable) and not isinstance(error, SlackDenied)


def _without_text(error: Exception) -> str:
    """What failed and where; of errors that aren't ours the message is left out, which may quote what people wrote."""
    if isinstance(error, BotError | RetrievalError):
        return f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(
        f"{frame.name} ({frame.filename.rsplit('/', 1)[-1]}:{frame.lineno})" for frame in reversed(frames)
    )
    return f"{type(error).__name__} at {where}"
