"""What people do with the app besides writing: pressing a button, typing a command. Each is kept as an event is."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from bot.slack.events import Event
from bot.slack.messages import seconds
from bot.slack.payloads import Payload, child, children, string

PRESS = "block_actions"
COMMAND = "slash_command"


@dataclass(frozen=True, slots=True)
class Press:
    """Somebody pressed a button of ours. The message it stands on is theirs to see, and never read from the payload."""

    id: str
    """The same however often this press is dealt with."""
    team: str
    user: str
    """Who pressed it, who need not be whom it was meant for."""
    channel: str
    message_ts: str
    thread_ts: str | None
    action: str
    """The button's `action_id`."""
    value: str
    """An opaque id of ours; whoever presses decides what it may do for them."""
    attempt: int = 1
    """How often it has been taken up."""
    at: float = 0.0
    """When it was pressed, in seconds since the epoch by Slack's clock; it may be dealt with late."""


@dataclass(frozen=True, slots=True)
class Command:
    """Somebody typed a slash command."""

    id: str
    team: str
    user: str
    channel: str
    """Where it was typed; Footnote need not be in there."""
    text: str
    """As Slack sent it, with people and channels as ids."""
    attempt: int = 1


def as_event(body: Payload) -> Payload | None:
    """The body of an event that says the same as an interaction; None where it is no interaction that we take.

    What would let others post in our name (`response_url`, `token`, the trigger) and the message are left out.
    """
    if string(body, "type") == PRESS and children(body, "actions"):
        return _enveloped(body, string(child(body, "team"), "id"), _press(body))
    if string(body, "command"):
        return _enveloped(body, string(body, "team_id"), _command(body))
    return None


def is_interaction(event: Event) -> bool:
    """Whether an event of ours tells of a press or a command, and none of Slack's of anything else."""
    return event.type in (PRESS, COMMAND)


def is_slacks(event: Event) -> bool:
    """Whether Slack itself tells of it."""
    return not is_interaction(event)


def press_in(event: Event) -> Press | None:
    """The press that an event of ours tells of."""
    if event.type != PRESS:
        return None
    said = event.payload
    return Press(
        event.id,
        event.team,
        string(said, "user"),
        string(said, "channel"),
        string(said, "message_ts"),
        string(said, "thread_ts") or None,
        string(said, "action_id"),
        string(said, "value"),
        event.attempt,
        seconds(string(said, "action_ts")),
    )


def command_in(event: Event) -> Command | None:
    """The command that an event of ours tells of."""
    if event.type != COMMAND:
        return None
    said = event.payload
    return Command(
        event.id, event.team, string(said, "user"), string(said, "channel"), string(said, "text"), event.attempt
    )


def _press(body: Payload) -> Payload:
    container, action = child(body, "container"), children(body, "actions")[0]
    return {
        "type": PRESS,
        "user": string(child(body, "user"), "id"),
        "channel": string(child(body, "channel"), "id") or string(container, "channel_id"),
        "message_ts": string(container, "message_ts"),
        "thread_ts": string(container, "thread_ts"),
        "action_id": string(action, "action_id"),
        "value": string(action, "value"),
        "action_ts": string(action, "action_ts"),
    }


def _command(body: Payload) -> Payload:
    return {
        "type": COMMAND,
        "user": string(body, "user_id"),
        "channel": string(body, "channel_id"),
        "text": string(body, "text"),
    }


def _enveloped(body: Payload, team: str, payload: Payload) -> Payload | None:
    """As an event comes; None where it says neither which one it is nor who did it."""
    trigger = string(body, "trigger_id")
    if not (trigger and team and string(payload, "user")):
        return None
    return {
        "type": "event_callback",
        "event_id": f"{payload['type']}:{sha256(trigger.encode()).hexdigest()[:32]}",
        "api_app_id": string(body, "api_app_id"),
        "team_id": team,
        "event": payload,
    }
