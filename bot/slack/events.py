"""What one event from Slack is, whichever way it came."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bot.slack.payloads import Payload, child, children, string
from bot.types import AccessChange


@dataclass(frozen=True, slots=True)
class Event:
    """One event as Slack sent it."""

    id: str
    """The same however often Slack sends it."""
    app_id: str
    team: str
    """The workspace in which Footnote is installed, whoever acted."""
    type: str
    payload: Payload
    """The event itself."""
    attempt: int = 1
    """How often it has been taken up; more than once after a fault or a crash."""


def is_event(body: Payload) -> bool:
    """Whether a request carries an event, and isn't a button, a command or a check of the address."""
    return body.get("type") == "event_callback" and bool(string(body, "event_id"))


def parse_event(body: Payload, attempt: int = 1) -> Event:
    """The event that a request carries."""
    installed = children(body, "authorizations")
    team = string(installed[0], "team_id") if installed else ""
    payload = child(body, "event")
    return Event(
        string(body, "event_id"),
        string(body, "api_app_id"),
        team or string(body, "team_id"),
        string(payload, "type"),
        payload,
        attempt,
    )


def decode_event(body: str, attempt: int) -> Event:
    """The event that was written down as JSON."""
    return parse_event(json.loads(body), attempt)


def access_change(event: Event) -> AccessChange | None:
    """What an event changes about who may read what, so that nothing older is relied on; None where it doesn't."""
    channel = string(event.payload, "channel") or string(child(event.payload, "channel"), "id")
    if event.type in ("member_joined_channel", "member_left_channel"):
        return AccessChange(channel, string(event.payload, "user"))
    if event.type in ("user_change", "team_join"):
        return AccessChange(user=string(child(event.payload, "user"), "id"))
    is_notice = event.type == "message" and string(event.payload, "subtype").startswith("channel_convert_to_")
    return AccessChange(channel, is_of_channel=True) if is_notice or event.type in _OF_CHANNELS else None


_OF_CHANNELS = frozenset(
    f"{kind}_{change}"
    for kind in ("channel", "group")
    for change in ("archive", "unarchive", "deleted", "left", "shared", "unshared", "id_changed")
)
