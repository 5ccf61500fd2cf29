"""What one event from Slack is, whichever way it came."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bot.slack.payloads import Payload, child, children, number, string, strings
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
    is_usual = body.get("type") == "event_callback" and bool(string(body, "event_id"))
    return is_usual or body.get("type") == RATE_LIMITED


def parse_event(body: Payload, attempt: int = 1) -> Event:
    """The event that a request carries."""
    if body.get("type") == RATE_LIMITED:
        return _rate_limited(body, attempt)
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


def _rate_limited(body: Payload, attempt: int) -> Event:
    """That events were lost; the one event that Slack sends without an envelope and without an id."""
    team = string(body, "team_id")
    id_ = f"{RATE_LIMITED} {team} {number(body, 'minute_rate_limited')}"
    return Event(id_, string(body, "api_app_id"), team, RATE_LIMITED, body, attempt)


def decode_event(body: str, attempt: int) -> Event:
    """The event that was written down as JSON."""
    return parse_event(json.loads(body), attempt)


def channel_of(event: Event) -> str:
    """The channel that an event is about; of one whose id changed, the new id."""
    payload = event.payload
    return string(payload, "channel") or string(child(payload, "channel"), "id") or string(payload, "new_channel_id")


def access_change(event: Event) -> AccessChange | None:
    """What an event changes about who may read what, so that nothing older is relied on; None where it doesn't."""
    if event.type in ("member_joined_channel", "member_left_channel"):
        return AccessChange(channel_of(event), string(event.payload, "user"))
    if event.type in ("user_change", "user_profile_changed", "team_join"):
        return AccessChange(user=string(child(event.payload, "user"), "id"))
    is_notice = event.type == "message" and string(event.payload, "subtype") in _NOTICES
    return AccessChange(channel_of(event), is_of_channel=True) if is_notice or event.type in _OF_CHANNELS else None


def moved_channel(event: Event) -> tuple[str, str] | None:
    """The id that a channel had and the one that it has now; None where none changed."""
    old, new = string(event.payload, "old_channel_id"), string(event.payload, "new_channel_id")
    return (old, new) if event.type == "channel_id_changed" and old and new else None


def renamed_channel(event: Event) -> str:
    """The channel that has another name now; empty where none has."""
    return channel_of(event) if event.type in ("channel_rename", "group_rename") else ""


def revoked_channel(event: Event) -> str:
    """The channel whose messages nobody may read any more, because their key was taken back; empty where none was."""
    is_revoked = event.type == "message" and string(event.payload, "subtype") == REVOKED
    return channel_of(event) if is_revoked else ""


def suspended_teams(event: Event) -> frozenset[str]:
    """The workspaces in which Footnote is no longer let in, by what an event says."""
    if event.type in ("app_uninstalled", "grid_migration_started"):
        return frozenset({event.team})
    if event.type == "tokens_revoked":  # people's own tokens are none of ours
        return frozenset({event.team} if strings(child(event.payload, "tokens"), "bot") else ())
    return frozenset(strings(event.payload, "team_ids")) if event.type == "team_access_revoked" else frozenset()


def changes_history(event: Event) -> bool:
    """Whether a channel's history was changed as a whole."""
    return event.type in ("channel_history_changed", "group_history_changed")


def tells_of_lost_events(event: Event) -> bool:
    """Whether others were, or may have been, lost before it."""
    return event.type in (RATE_LIMITED, "grid_migration_finished")


RATE_LIMITED = "app_rate_limited"
REVOKED = "ekm_access_denied"
_NOTICES = frozenset({"channel_convert_to_private", "channel_convert_to_public", REVOKED})
_OF_CHANNELS = frozenset(
    f"{kind}_{change}"
    for kind in ("channel", "group")
    for change in ("archive", "unarchive", "deleted", "left", "rename")
) | frozenset({"channel_created", "channel_id_changed", "channel_shared", "channel_unshared"})
