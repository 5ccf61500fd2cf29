"""What the app's manifest asks for: its scopes and the events that it subscribes to."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from sandbox.types import Json, SeedError

CHECKOUT = Path(__file__).resolve().parent.parent

# What the bot needs at least, for as long as the checkout holds no manifest.yml.
_SCOPES = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "groups:history",
        "im:history",
        "mpim:history",
        "channels:read",
        "groups:read",
        "im:read",
        "mpim:read",
        "im:write",
        "chat:write",
        "users:read",
        "team:read",
        "files:read",
        "reactions:read",
        "assistant:write",
    }
)
_EVENTS = frozenset(
    {
        "app_mention",
        "message.channels",
        "message.groups",
        "message.im",
        "message.mpim",
        "app_home_opened",
        "member_joined_channel",
        "member_left_channel",
        "channel_left",
        "group_left",
        "channel_rename",
        "group_rename",
        "channel_archive",
        "group_archive",
        "channel_unarchive",
        "group_unarchive",
        "user_change",
        "team_join",
    }
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was granted."""

    name: str
    scopes: frozenset[str]
    events: frozenset[str]


def read_manifest(path: Path | None = None) -> Manifest:
    """The manifest at `path`, by default the checkout's; SeedError when it can't be used."""
    chosen = path or CHECKOUT / "manifest.yml"
    if path is None and not chosen.is_file():
        return Manifest("footnote", _SCOPES, _EVENTS)
    try:
        whole = cast("Json", yaml.safe_load(chosen.read_text(encoding="utf-8")))
        scopes = _at(whole, "oauth_config", "scopes")["bot"]
        events = _at(whole, "settings", "event_subscriptions").get("bot_events", [])
        name = _at(whole, "features", "bot_user").get("display_name", "footnote")
    except (OSError, yaml.YAMLError, KeyError, AttributeError, TypeError) as error:
        raise SeedError(f"{chosen} isn't a Slack manifest that names bot scopes and a bot user: {error!r}.") from error
    return Manifest(str(name), _names(scopes), _names(events))


def _at(whole: Json, *keys: str) -> Json:
    for key in keys:
        whole = cast("Json", whole[key])
    return whole


def _names(listed: object) -> frozenset[str]:
    return frozenset(map(str, cast("list[object]", listed)))
