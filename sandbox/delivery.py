"""Delivers envelopes at least once: sends, waits for the ack, sends again."""

import heapq
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast
from uuid import uuid4

from sandbox.clock import Clock
from sandbox.faults import Faults
from sandbox.types import Json

_REMEMBERED = 10_000  # payloads kept for `sandbox.repeatEvent`


class Transport(Protocol):
    """Carries one envelope to the app."""

    def send(self, envelope: Json) -> bool:
        """Whether it was handed to a connection."""
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """When Slack gives up on an ack and when it tries again; seconds of the sandbox's clock."""

    ack_timeout_s: float = 3.0  # Source: Slack's Events API
    retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0)  # Source: Slack's Events API


@dataclass(slots=True)
class Envelope:
    """One thing to deliver; `done` is set by its ack, or when there are no tries left."""

    kind: str
    payload: Json
    accepts_response: bool = False
    attempt: int = 0
    reason: str = ""
    id: str = ""
    response: Json = field(default_factory=dict)
    acked: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    def json(self) -> Json:
        return {
            "envelope_id": self.id,
            "type": self.kind,
            "accepts_response_payload": self.accepts_response,
            "payload": self.payload,
            "retry_attempt": self.attempt,
            "retry_reason": self.reason,
        }


class Delivery:
    """A thread that works through what is due."""

    def __init__(self, clock: Clock, transport: Transport, timing: Timing, faults: Faults) -> None:
        self._clock = clock
        self._transport = transport
        self._timing = timing
        self._faults = faults
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._waiting: dict[str, Envelope] = {}
        self._open = 0
        self._sent: deque[Json] = deque(maxlen=_REMEMBERED)
        self._changed = threading.Condition()
        self._running = True
        self._thread = threading.Thread(target=self._run, name="sandbox-delivery", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._running = False
            self._changed.notify()
        self._thread.join()

    def wake(self) -> None:
        """Look again at what is due: the clock was pushed."""
        with self._changed:
            self._changed.notify()

    def send_event(self, payload: Json) -> None:
        """Deliver an event, unless a fault has it dropped or late."""
        event = str(cast("Json", payload["event"])["type"])
        self._sent.append(payload)
        if not self._faults.drops(event):
            self._post(Envelope("events_api", payload), self._faults.delay_s(event))

    def repeat(self, event_id: str, times: int) -> int:
        """Deliver an event again, the last one when no id is given; how many were sent."""
        found = [payload for payload in self._sent if event_id in ("", payload["event_id"])]
        for _ in range(times if found else 0):
            self._post(Envelope("events_api", found[-1]), 0.0)
        return times if found else 0

    def ask(self, kind: str, payload: Json, timeout_s: float) -> Envelope:
        """Deliver something that waits for its ack, such as a pressed button; it is never sent again."""
        envelope = Envelope(kind, payload, accepts_response=True)
        self._post(envelope, 0.0)
        if self._thread.is_alive():
            envelope.done.wait(timeout_s)
        else:
            self.work_off()
        return envelope

    def acked(self, envelope_id: str, response: Json) -> None:
        if self._faults.loses_ack():
            return
        with self._changed:
            envelope = self._waiting.pop(envelope_id, None)
        if envelope is not None:
            envelope.response, envelope.acked = response, True
            self._finish(envelope)

    def _finish(self, envelope: Envelope) -> None:
        with self._changed:
            self._open -= 1
        envelope.done.set()

    def pending(self) -> int:
        """How many envelopes are neither acked nor given up."""
        with self._changed:
            return self._open

    def _post(self, envelope: Envelope, delay_s: float) -> None:
        with self._changed:
            self._open += 1
        self._try_in(envelope, delay_s)

    def _try_in(self, envelope: Envelope, delay_s: float) -> None:
        self._schedule(delay_s, lambda: self._attempt(envelope))

    def _schedule(self, delay_s: float, action: Callable[[], None]) -> None:
        with self._changed:
            self._count += 1
            heapq.heappush(self._due, (self._clock.now() + delay_s, self._count, action))
            self._changed.notify()

    def work_off(self) -> bool:
        """Do all that is due by now in this thread, where no thread of its own does it; whether there was any."""
        worked = False
        while self._due and self._due[0][0] <= self._clock.now():
            heapq.heappop(self._due)[2]()
            worked = True
        return worked

    def sent(self) -> tuple[Json, ...]:
        """The events so far, those too that are late or were dropped."""
        return tuple(self._sent)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._running:
                    return
                action = self._next()
            if action is not None:
                action()

    def _next(self) -> Callable[[], None] | None:
        """What is due now, or None after having waited for a change."""
        if not self._due:
            self._changed.wait()
            return None
        wait_s = self._due[0][0] - self._clock.now()
        if wait_s > 0:
            self._changed.wait(wait_s)
            return None
        return heapq.heappop(self._due)[2]

    def _attempt(self, envelope: Envelope) -> None:
        envelope.id = str(uuid4())
        with self._changed:
            self._waiting[envelope.id] = envelope
        if self._transport.send(envelope.json()):
            sent_as = envelope.id
            self._schedule(self._timing.ack_timeout_s, lambda: self._retry(envelope, sent_as, "timeout"))
        else:
            self._retry(envelope, envelope.id, "connection_failed")

    def _retry(self, envelope: Envelope, sent_as: str, reason: str) -> None:
        with self._changed:
            if self._waiting.pop(sent_as, None) is None:
                return
        if envelope.accepts_response or envelope.attempt >= len(self._timing.retry_delays_s):
            self._finish(envelope)
            return
        delay_s = self._timing.retry_delays_s[envelope.attempt]
        envelope.attempt, envelope.reason = envelope.attempt + 1, reason
        self._try_in(envelope, delay_s)
