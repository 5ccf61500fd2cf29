"""The app subscribes to exactly those events that the code makes something of."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.slack.events import (
    Event,
    access_change,
    changes_history,
    moved_channel,
    parse_event,
    renamed_channel,
    suspended_teams,
    tells_of_lost_events,
)
from bot.slack.workspace import Identity
from bot.sync.events import file_of, opened_by, touched_by
from bot.sync.leaving import closed_by
from sandbox.manifest import read_manifest

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
US = Identity("T1", "https://home.example/", "U0ME", "B0ME", "A0ME")
HEARD_ELSEWHERE = frozenset({"app_mention", "app_home_opened", "message.im"})
"""By what answers questions and by the app's home; each has scenarios of its own."""
CHANGES = ("archive", "created", "deleted", "history_changed", "id_changed", "joined", "left", "marked", "rename")
SLACKS = (
    *(f"{kind}_{change}" for kind in ("channel", "group", "im") for change in CHANGES),
    *(f"{kind}_{change}" for kind in ("channel", "group") for change in ("shared", "unshared", "unarchive", "open")),
    *(f"message.{kind}" for kind in ("channels", "groups", "mpim")),
    *(f"file_{change}" for change in ("change", "created", "deleted", "public", "shared", "unshared")),
    *(f"subteam_{change}" for change in ("created", "updated", "members_changed", "self_added", "self_removed")),
    *("member_joined_channel", "member_left_channel", "team_join", "user_change", "user_profile_changed"),
    *("user_status_changed", "user_huddle_changed", "dnd_updated_user", "reaction_added", "pin_added", "emoji_changed"),
    *("app_uninstalled", "tokens_revoked", "team_access_granted", "team_access_revoked", "team_rename"),
    *("grid_migration_started", "grid_migration_finished", "link_shared", "app_requested"),
)
"""What Slack offers to an app, as far as it is about words, people, channels, files and the app itself."""
MADE_UP = frozenset({"group_shared", "group_unshared", "group_created", "group_id_changed"})
"""Slack has no such events: it tells of private channels by those of `channel_`."""


def made(name: str) -> Event:
    """An event of this name with every field that any event has."""
    user = {"id": "U1"} if name.startswith(("user_", "team_")) else US.user_id
    ids = {"channel": "C1", "file_id": "F1", "ts": "1.1", "user": user}
    moved = {"old_channel_id": "C1", "new_channel_id": "C2"}
    taken = {"tokens": {"oauth": [], "bot": [US.user_id]}, "team_ids": [US.team]}
    payload = {"type": name.partition(".")[0], **ids, **moved, **taken}
    return Event("E1", US.app_id, US.team, str(payload["type"]), payload)


def is_used(event: Event) -> bool:
    """Whether anything makes something of it."""
    of_payload = [touched_by, opened_by, closed_by]
    of_event = [access_change, changes_history, moved_channel, renamed_channel, suspended_teams, tells_of_lost_events]
    used = [use(event.payload, US) for use in of_payload] + [use(event) for use in of_event]
    return any(used) or bool(file_of(event.payload))


def test_the_manifest_subscribes_to_what_is_used_and_to_nothing_else() -> None:
    """An event that nobody makes use of costs everybody, and one that isn't subscribed to never comes."""
    used = {name for name in SLACKS if is_used(made(name))}
    assert sorted(used | HEARD_ELSEWHERE) == sorted(read_manifest(MANIFEST).events)


@pytest.mark.parametrize("name", sorted(MADE_UP))
def test_events_that_slack_has_not_got_are_not_waited_for(name: str) -> None:
    """They would look like cover and never come."""
    assert not is_used(made(name))


def test_what_needs_no_subscription_is_used_all_the_same() -> None:
    """`app_rate_limited` comes as a body of its own; the same minute is told once."""
    body = {"type": "app_rate_limited", "team_id": "T1", "minute_rate_limited": 29, "api_app_id": "A1", "token": "t"}
    event = parse_event(body)
    assert (event.type, event.team, event.app_id) == ("app_rate_limited", "T1", "A1")
    assert tells_of_lost_events(event)
    assert event.id == parse_event(dict(body)).id != parse_event({**body, "minute_rate_limited": 30}).id
