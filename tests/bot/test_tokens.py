"""What the app's tokens may do is known before anything relies on it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.errors import SettingsError, SlackError
from bot.slack.api import open_client
from bot.slack.tokens import OPTIONAL_SCOPES, REQUIRED_SCOPES, granted_scopes, require_scopes, try_app_token
from sandbox.seed import Seed, SeedPerson
from sandbox.server import Sandbox

MANIFEST = Path(__file__).parents[2] / "manifest.yml"


def test_the_manifest_asks_for_the_scopes_that_are_checked() -> None:
    """An app made from it passes the check, and asks for nothing that nobody needs."""
    scopes = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["oauth_config"]["scopes"]
    assert set(scopes["bot"]) == REQUIRED_SCOPES | set(OPTIONAL_SCOPES)
    assert set(scopes["bot_optional"]) == set(OPTIONAL_SCOPES)


def test_scopes_and_refusals_are_slacks_own(tmp_path: Path) -> None:
    """What a token may do is what Slack grants it, and a refused token is told by its variable."""
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    manifest["oauth_config"]["scopes"]["bot"].remove("users:read")
    (tmp_path / "manifest.yml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    with Sandbox.running(Seed((SeedPerson("ann"),)), manifest=tmp_path / "manifest.yml") as sandbox:
        granted = granted_scopes(open_client(sandbox.bot_token, sandbox.api_url))
        try_app_token(open_client(sandbox.app_token, sandbox.api_url))
        with pytest.raises(SettingsError, match="SLACK_BOT_TOKEN"):
            granted_scopes(open_client("xoxb-wrong", sandbox.api_url))
        with pytest.raises(SettingsError, match="SLACK_APP_TOKEN"):
            try_app_token(open_client("xapp-wrong", sandbox.api_url))
    assert granted == (REQUIRED_SCOPES | set(OPTIONAL_SCOPES)) - {"users:read"}
    with pytest.raises(SettingsError, match="lacks users:read"):
        require_scopes(granted)


def test_a_slack_out_of_reach_is_not_a_wrong_token() -> None:
    """Nobody is sent to copy tokens because the network is down."""
    client = open_client("xoxb-1", "http://127.0.0.1:9/api/")
    for ask in (granted_scopes, try_app_token):
        with pytest.raises(SlackError, match="can't be reached") as raised:
            ask(client)
        assert raised.value.code == "unreachable"
