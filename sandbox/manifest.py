"""What the app's manifest asks for: its scopes and the events that it subscribes to."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from sandbox.types import Json, SeedError

CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was granted."""

    name: str
    scopes: frozenset[str]
    events: frozenset[str]
    interactive: bool
    commands: frozenset[str]


def read_manifest(path: Path | None = None) -> Manifest:
    """The manifest at `path`, by default the checkout's; SeedError when it can't be used."""
    chosen = path or CHECKOUT / "manifest.yml"
    try:
        whole = cast("Json", yaml.safe_load(chosen.read_text(encoding="utf-8")))
        scopes = _at(whole, "oauth_config", "scopes")["bot"]
        events = _at(whole, "settings", "event_subscriptions").get("bot_events", [])
        name = _at(whole, "features", "bot_user").get("display_name", "footnote")
        commands = cast("list[Json]", _at(whole, "features").get("slash_commands", []))
        interactive = bool(cast("Json", _at(whole, "settings").get("interactivity", {})).get("is_enabled"))
    except (OSError, yaml.YAMLError, KeyError, AttributeError, TypeError) as error:
        raise SeedError(f"{chosen} isn't a Slack manifest that names bot scopes and a bot user: {error!r}.") from error
    typed = frozenset(str(command.get("command")) for command in commands)
    return Manifest(str(name), _names(scopes), _names(events), interactive, typed)


def _at(whole: Json, *keys: str) -> Json:
    for key in keys:
        whole = cast("Json", whole[key])
    return whole


def _names(listed: object) -> frozenset[str]:
    return frozenset(map(str, cast("list[object]", listed)))
