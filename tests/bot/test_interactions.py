"""Presses and commands: what is kept of them, and who gets to act on them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.events import Event, decode_event, is_event
from bot.slack.interactions import Command, Press, as_event, command_in, press_in
from bot.slack.payloads import Payload
from bot.slack.pressing import Pressing

SECRETS = ("https://hooks.slack.example/actions/1", "a verification token", "13345224609.738474920.8088930838")
MESSAGE = {"text": "what stands there is theirs to see", "blocks": [{"type": "section"}]}
PRESSED: dict[str, object] = {
    "type": "block_actions",
    "team": {"id": "T1", "domain": "acme"},
    "user": {"id": "U1", "team_id": "T1"},
    "api_app_id": "A1",
    "token": SECRETS[1],
    "trigger_id": SECRETS[2],
    "response_url": SECRETS[0],
    "channel": {"id": "C1", "name": "general"},
    "container": {"type": "message", "message_ts": "2.0", "thread_ts": "1.0", "channel_id": "C1"},
    "message": MESSAGE,
    "actions": [{"type": "button", "action_id": "look", "value": "opaque", "block_id": "b", "action_ts": "3.0"}],
}
TYPED: dict[str, object] = {
    "command": "/footnote",
    "text": "how many days?",
    "team_id": "T1",
    "user_id": "U1",
    "channel_id": "C1",
    "api_app_id": "A1",
    "token": SECRETS[1],
    "trigger_id": SECRETS[2],
    "response_url": SECRETS[0],
}


def kept(body: Payload, attempt: int = 1) -> Event:
    """The event as it comes out of the inbox."""
    event = as_event(body)
    assert event
    assert is_event(event)
    return decode_event(json.dumps(event), attempt)


def test_a_press_says_who_pressed_what_where() -> None:
    """All that a button's part needs, and how often it was taken up."""
    event = kept(PRESSED, attempt=2)
    assert press_in(event) == Press(event.id, "T1", "U1", "C1", "2.0", "1.0", "look", "opaque", 2, 3.0)
    assert command_in(event) is None


def test_a_press_below_a_message_outside_threads_has_no_thread() -> None:
    """Then its channel stands in the container alone, as it does on an ephemeral message."""
    press = press_in(kept({**PRESSED, "channel": None, "container": {"message_ts": "2.0", "channel_id": "C2"}}))
    assert press
    assert (press.channel, press.message_ts, press.thread_ts) == ("C2", "2.0", None)


def test_a_command_says_who_typed_what_where() -> None:
    """All that answering takes."""
    event = kept(TYPED)
    assert command_in(event) == Command(event.id, "T1", "U1", "C1", "how many days?")
    assert press_in(event) is None


@pytest.mark.parametrize("body", [PRESSED, TYPED])
def test_nothing_is_kept_by_which_others_could_speak(body: dict[str, object]) -> None:
    """The address for replies, the token, the trigger and the message are in no row, in part or whole."""
    written = json.dumps(as_event(body))
    assert [secret for secret in (*SECRETS, "theirs to see", "response_url") if secret in written] == []


@pytest.mark.parametrize("body", [PRESSED, TYPED])
def test_each_is_told_from_the_next_by_its_trigger(body: dict[str, object]) -> None:
    """The same one has the same id however it comes, and the next one has another."""
    assert kept(body).id == kept(body).id != kept({**body, "trigger_id": "1.2"}).id


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from([*PRESSED, *TYPED, "id", "action_id"]), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_whatever_comes_is_kept_or_left(value: object) -> None:
    """No body makes it fail, and what is kept says who and where."""
    for whole in (PRESSED, TYPED):
        for field_ in whole:
            event = as_event({**whole, field_: value})
            assert event is None or (is_event(event) and kept({**whole, field_: value}).payload["user"])


@dataclass
class Done:
    """Remembers what it was asked to do."""

    presses: list[Press] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    apologies: list[tuple[str, str]] = field(default_factory=list)

    def pressing(self) -> Pressing:
        return Pressing(
            "T1",
            {"look": self.presses.append},
            self.commands.append,
            lambda done, incident: self.apologies.append((done.user, incident)),
        )


def test_each_goes_to_its_own_part() -> None:
    """A press by the button's name, a command to what obeys it; what is neither, to nobody."""
    done = Done()
    press, command = kept(PRESSED), kept(TYPED)
    for event in (press, command, Event("E1", "A1", "T1", "message", {"text": "hi"})):
        done.pressing().handle(event)
    assert (done.presses, done.commands) == ([press_in(press)], [command_in(command)])


@pytest.mark.parametrize(
    "event",
    [
        kept({**PRESSED, "actions": [{"action_id": "of an older version", "value": "v"}]}),
        kept({**PRESSED, "actions": [{}]}),
        replace(kept(PRESSED), team="T2"),
        replace(kept(TYPED), team="T2"),
    ],
)
def test_what_nobody_knows_does_nothing(event: Event) -> None:
    """Neither a button of an older version nor whatever happens in another workspace is acted on."""
    done = Done()
    done.pressing().handle(event)
    assert done == Done()


def test_whoever_waits_is_told_that_it_failed() -> None:
    """With the incident, once for each; nobody waits for other events, nor in another workspace."""
    done = Done()
    for event in (kept(PRESSED), kept(TYPED), Event("E1", "A1", "T1", "message", {}), replace(kept(TYPED), team="T2")):
        done.pressing().give_up(event, "abc")
    assert done.apologies == [("U1", "abc")] * 2
