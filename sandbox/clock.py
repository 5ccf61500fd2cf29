"""The sandbox's own time: it runs on from a start, can be pushed forward, and never gives one timestamp twice."""

import threading
import time

_LATEST = 10**16 - 1  # microseconds; the last time with ten digits of seconds


def ts_of(micros: int) -> str:
    """Slack's timestamp of a time in microseconds since 1970; such texts sort as their times do."""
    clamped = min(max(micros, 0), _LATEST)
    return f"{clamped // 1_000_000:010d}.{clamped % 1_000_000:06d}"


def micros_of(ts: str) -> int:
    """Microseconds since 1970 of one of Slack's timestamps; ValueError when it is none."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1_000_000 + int((fraction + "000000")[:6])


class Clock:
    """Time in seconds since 1970; one that stands moves only when it is pushed."""

    def __init__(self, start: float | None = None, *, stands: bool = False) -> None:
        self._start = time.time() if start is None else start
        self._began = None if stands else time.monotonic()
        self._pushed = 0.0
        self._last_micros = 0
        self._lock = threading.Lock()

    def now(self) -> float:
        ran = 0.0 if self._began is None else time.monotonic() - self._began
        return self._start + ran + self._pushed

    def advance(self, seconds: float) -> None:
        self._pushed += seconds

    def be_after(self, moment: float) -> None:
        """Jump to this time if it is still to come."""
        self._pushed += max(0.0, moment - self.now())

    def next_ts(self) -> str:
        """A timestamp of now, later than every one before it."""
        with self._lock:
            self._last_micros = max(self._last_micros + 1, int(self.now() * 1_000_000))
            return ts_of(self._last_micros)
