"""An app that keeps what Socket Mode brings it, and acks it or not."""

import json
import threading
from collections.abc import Callable
from typing import Any

from simple_websocket import Client, ConnectionClosed
from slack_sdk import WebClient

PATIENCE_S = 20.0  # how long a test waits for what must come, on a machine that does much else
QUIET_S = 0.15  # how long a test waits to see that nothing comes

Envelope = dict[str, Any]


class _Socket(Client):
    """A websocket that also sees what arrives together with the handshake, which the package leaves lying."""

    def handshake(self) -> None:
        super().handshake()
        self._handle_events()  # type: ignore[attr-defined]  # private, so its types leave it out


class ListeningApp:
    """One connection; `acks` decides which envelopes are acked."""

    def __init__(self, api_url: str, app_token: str, acks: Callable[[Envelope], bool] = lambda _: True) -> None:
        url = str(WebClient(token=app_token, base_url=api_url).apps_connections_open(app_token=app_token)["url"])
        self._socket = _Socket(url)
        self._acks = acks
        self._came = threading.Condition()
        self.envelopes: list[Envelope] = []
        self.others: list[Envelope] = []
        self.closed = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self.wait(lambda: bool(self.others)), "Socket Mode said no hello"

    def _listen(self) -> None:
        try:
            while True:
                self._take(json.loads(self._socket.receive() or b""))
        except (ConnectionClosed, OSError):
            with self._came:
                self.closed = True
                self._came.notify_all()

    def _take(self, message: Envelope) -> None:
        with self._came:
            (self.envelopes if "envelope_id" in message else self.others).append(message)
            self._came.notify_all()
        if "envelope_id" in message and self._acks(message):
            self._socket.send(json.dumps({"envelope_id": message["envelope_id"], "payload": {"text": "seen"}}))

    def wait(self, until: Callable[[], bool], timeout_s: float = PATIENCE_S) -> bool:
        with self._came:
            return self._came.wait_for(until, timeout_s)

    def events(self, kind: str = "") -> list[Envelope]:
        """The events so far, of one type or `type/subtype`."""
        events = [each["payload"]["event"] for each in self.envelopes if each["type"] == "events_api"]
        return [event for event in events if kind in ("", event["type"], f"{event['type']}/{event.get('subtype', '')}")]

    def expect(self, kind: str, count: int = 1) -> list[Envelope]:
        """The events of a type once there are so many."""
        assert self.wait(lambda: len(self.events(kind)) >= count), f"{count} × {kind} did not come: {self.events()}"
        return self.events(kind)

    def expect_nothing(self, kind: str = "") -> None:
        assert not self.wait(lambda: bool(self.events(kind)), QUIET_S), self.events(kind)

    def close(self) -> None:
        if not self.closed:
            self._socket.close()
        self._thread.join(PATIENCE_S)
