"""The Bolt app: an event is written down before anything of Slack's machinery can drop it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from slack_bolt import App, BoltRequest
from slack_sdk.signature import SignatureVerifier

from bot.slack.api import open_client
from bot.slack.events import Event
from bot.slack.inbox import Inbox, Lane
from bot.slack.listeners import build_app
from bot.state.database import Database, open_database
from bot.texts import ANSWERED_IN_DM, HELP

NOWHERE = "http://127.0.0.1:9/"
"""No Slack answers here: whoever asks fails."""
SECRET = "a signing secret"


def body(event_id: str = "E1", kind: str = "message") -> dict[str, object]:
    """An event as Slack sends it."""
    event = {"type": kind, "text": "our secret plan", "user": "U1"}
    return {"type": "event_callback", "event_id": event_id, "api_app_id": "A1", "team_id": "T1", "event": event}


class Idle:
    """A handler of nothing."""

    def handle(self, event: Event) -> None:
        """Do nothing."""

    def give_up(self, event: Event, incident: str) -> None:
        """Say nothing."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield database
    database.close()


@pytest.fixture
def inbox(database: Database) -> Inbox:
    """An inbox in which nobody works."""
    return Inbox(database, [Lane("questions", Idle())])


@pytest.fixture
def app(inbox: Inbox) -> App:
    """The app, with a Slack that can't be asked."""
    return build_app(open_client("xoxb-1", NOWHERE), inbox)


@pytest.mark.parametrize("kind", ["message", "app_mention", "app_uninstalled", "tokens_revoked", "something_new"])
def test_every_event_is_kept_though_slack_cant_be_asked(app: App, inbox: Inbox, kind: str) -> None:
    """Events of every type are kept and acknowledged, those too of a token that is no longer valid."""
    response = app.dispatch(BoltRequest(mode="socket_mode", body=body(kind=kind)))
    assert (response.status, inbox.unfinished("questions")) == (200, 1)


def test_an_event_that_cant_be_written_down_is_not_acknowledged(
    app: App, tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Then Slack sends it again; and the log says so without what people wrote."""
    database.close()
    for file in tmp_path.iterdir():
        file.unlink()
    (tmp_path / "state.db").mkdir()
    assert app.dispatch(BoltRequest(mode="socket_mode", body=body())).status == 500
    assert "secret plan" not in caplog.text


PRESS = {
    "type": "block_actions",
    "team": {"id": "T1"},
    "user": {"id": "U1"},
    "api_app_id": "A1",
    "trigger_id": "9.9",
    "actions": [{"action_id": "look", "value": "opaque"}],
}
COMMAND = {"command": "/footnote", "team_id": "T1", "user_id": "U1", "channel_id": "C1", "trigger_id": "9.8"}


def test_a_press_is_kept_and_acknowledged_without_a_word(app: App, inbox: Inbox) -> None:
    """Slack never sends it again, so it is written down before Slack hears that it came."""
    response = app.dispatch(BoltRequest(mode="socket_mode", body=PRESS))
    assert (response.status, response.body, inbox.unfinished("questions")) == (200, "", 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [("how many days off are there?", ANSWERED_IN_DM), ("help", HELP), (" HELP ", HELP), ("", HELP), ("?", HELP)],
)
def test_a_command_is_acknowledged_in_a_fixed_text(app: App, inbox: Inbox, text: str, said: str) -> None:
    """Whoever typed it sees it alone, wherever that was, and it holds nothing of what was asked or found."""
    response = app.dispatch(BoltRequest(mode="socket_mode", body={**COMMAND, "text": text}))
    shown = {"response_type": "ephemeral", "text": said}
    assert (response.status, json.loads(response.body), inbox.unfinished("questions")) == (200, shown, 1)


@pytest.mark.parametrize("body", [PRESS, COMMAND])
def test_what_people_do_and_cant_be_written_down_fails_at_once(
    app: App, tmp_path: Path, database: Database, body: dict[str, object]
) -> None:
    """Slack then tells whoever pressed or typed that it didn't work, for it won't come again."""
    database.close()
    for file in tmp_path.iterdir():
        file.unlink()
    (tmp_path / "state.db").mkdir()
    assert app.dispatch(BoltRequest(mode="socket_mode", body=body)).status == 500


@pytest.mark.parametrize(
    "body",
    [
        {"type": "block_actions", "actions": []},
        {**PRESS, "user": None},
        {**PRESS, "team": None},
        {**PRESS, "trigger_id": ""},
        {**PRESS, "actions": ["look"]},
        {**COMMAND, "trigger_id": None},
        {"type": "view_submission"},
    ],
)
def test_what_says_too_little_is_not_kept(app: App, inbox: Inbox, body: dict[str, object]) -> None:
    """Where nobody can tell who did what, nothing is done."""
    app.dispatch(BoltRequest(mode="socket_mode", body=body))
    assert inbox.unfinished("questions") == 0


def signed(payload: dict[str, object], secret: str = SECRET, age_s: float = 0) -> BoltRequest:
    """A request over HTTP, with a signature."""
    text, timestamp = json.dumps(payload), str(int(time.time() - age_s))
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=text)
    headers: dict[str, str | Sequence[str]] = {
        "X-Slack-Signature": str(signature),
        "X-Slack-Request-Timestamp": timestamp,
        "Content-Type": "application/json",
    }
    return BoltRequest(body=text, headers=headers)


@pytest.mark.parametrize(
    ("request_", "status", "kept"),
    [
        (signed(body()), 200, 1),
        (signed(body(), secret="another secret"), 401, 0),
        (signed(body(), age_s=3600), 401, 0),
    ],
)
def test_over_http_only_slack_is_heard(
    inbox: Inbox, request_: BoltRequest, status: int, kept: int, caplog: pytest.LogCaptureFixture
) -> None:
    """What isn't signed by Slack, or was signed long ago, is refused before it is kept, and is not logged."""
    app = build_app(open_client("xoxb-1", NOWHERE), inbox, signing_secret=SECRET)
    assert (app.dispatch(request_).status, inbox.unfinished("questions")) == (status, kept)
    assert "secret plan" not in caplog.text
