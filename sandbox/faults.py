"""The faults that a test asks for, and the log of what was called."""

import threading
from collections import deque
from dataclasses import dataclass, field

from sandbox.types import Json, Refused

_REMEMBERED = 100_000  # calls kept, so that a long run doesn't fill the memory


@dataclass(slots=True)
class EventFault:
    """What to do with the next events of one type; an empty type is every type."""

    event: str
    count: int
    delay_s: float = 0.0


@dataclass(slots=True)
class CallFault:
    """How to refuse the next calls of one method."""

    method: str
    count: int
    refusal: Refused


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One call as it came."""

    method: str
    token: str
    user: str
    arguments: Json
    error: str


@dataclass
class Faults:
    """Counts faults down as they strike."""

    dropped: list[EventFault] = field(default_factory=list)
    delayed: list[EventFault] = field(default_factory=list)
    refused: list[CallFault] = field(default_factory=list)
    lost_acks: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def drops(self, event: str) -> bool:
        return self._strike(self.dropped, event) is not None

    def delay_s(self, event: str) -> float:
        fault = self._strike(self.delayed, event)
        return fault.delay_s if fault else 0.0

    def _strike(self, faults: list[EventFault], event: str) -> EventFault | None:
        with self._lock:
            found = next((fault for fault in faults if fault.count > 0 and fault.event in ("", event)), None)
            if found:
                found.count -= 1
            return found

    def loses_ack(self) -> bool:
        with self._lock:
            lost = self.lost_acks > 0
            self.lost_acks -= lost
            return lost

    def strike_call(self, method: str) -> None:
        """Refuse the call if a fault waits for it."""
        with self._lock:
            found = next((fault for fault in self.refused if fault.count > 0 and fault.method == method), None)
            if found:
                found.count -= 1
                raise found.refusal


class CallLog:
    """The latest calls since the start or the last clearing."""

    def __init__(self) -> None:
        self._calls: deque[LoggedCall] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def add(self, call: LoggedCall) -> None:
        with self._lock:
            self._calls.append(call)

    def calls(self, method: str = "") -> tuple[LoggedCall, ...]:
        with self._lock:
            return tuple(call for call in self._calls if method in ("", call.method))

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()
