"""The sandbox without threads: everything happens in the call that causes it, and time stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from slack_sdk import WebClient

from sandbox.seed import Seed, SeedChannel, SeedPerson
from sandbox.still import StillSandbox
from sandbox.types import Json

SEED = Seed((SeedPerson("ann"),), (SeedChannel("general"),), now=datetime(2026, 3, 2, 9, tzinfo=UTC))


@dataclass
class App:
    """Notes what it is told."""

    acknowledges: bool
    told: list[object] = field(default_factory=list)

    def take(self, payload: Json) -> bool:
        event = payload["event"]
        self.told.append(event["text"] if isinstance(event, dict) else None)
        return self.acknowledges


def test_a_stock_client_reaches_it_without_a_socket() -> None:
    """What a client of Slack's own calls is answered by the sandbox of the block, and by none after it."""
    still = StillSandbox(SEED)
    with still.reachable():
        client = WebClient(still.bot_token, base_url=still.api_url)
        assert client.auth_test()["user_id"] == "U0FOOTNOTE"
        assert client.chat_postMessage(channel="C0GENERAL", text="Hello.")["ok"]


def test_what_happens_is_told_when_it_is_delivered() -> None:
    """An event waits for `deliver`, in the order in which things happened."""
    still, app = StillSandbox(SEED), App(acknowledges=True)
    still.connect(app.take)
    for text in ("one", "two"):
        still.call("chat.postMessage", "U0ANN", channel="C0GENERAL", text=text)
    assert app.told == []
    still.deliver()
    assert app.told == ["one", "two"]


def test_what_is_not_acknowledged_comes_again_when_its_time_has_come() -> None:
    """Slack's own times of redelivery count by the clock that stands until it is pushed."""
    still, app = StillSandbox(SEED), App(acknowledges=False)
    still.connect(app.take)
    still.call("chat.postMessage", "U0ANN", channel="C0GENERAL", text="one")
    still.deliver()
    still.deliver()
    assert app.told == ["one"]
    still.advance(3.0)
    still.deliver()
    assert app.told == ["one", "one"]


def test_time_stands_between_pushes() -> None:
    """Two runs of the same calls get the same timestamps."""
    runs = [StillSandbox(SEED) for _ in range(2)]
    posted = [still.call("chat.postMessage", "U0ANN", channel="C0GENERAL", text="one")["ts"] for still in runs]
    assert posted[0] == posted[1]
