"""Says what the app's two tokens are good for, before anything relies on them."""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPException

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import TOKEN_REFUSALS, BotError, SettingsError, SlackError

REQUIRED_SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "im:history",
        "im:write",
        "users:read",
    }
)
OPTIONAL_SCOPES: Mapping[str, str] = {
    "files:read": "files",
    "groups:history": "private channels",
    "groups:read": "private channels",
    "mpim:history": "group messages",
    "mpim:read": "group messages",
}
"""Footnote works without them; with each, what it does not read then."""


def granted_scopes(client: WebClient) -> frozenset[str]:
    """What the bot's token may do.

    Raises:
        SettingsError: Slack refuses the token.
        SlackError: Slack can't be reached.
    """
    try:
        answer = client.api_call("auth.test")
    except SlackApiError as error:
        raise explained(SlackError("auth.test", str(error.response.get("error"))), "SLACK_BOT_TOKEN") from error
    except (SlackClientError, OSError, HTTPException, ValueError) as error:
        raise SlackError("auth.test", "unreachable") from error
    named = {name.lower(): value for name, value in answer.headers.items()}.get("x-oauth-scopes", "")
    return frozenset(scope.strip() for scope in named.split(",") if scope.strip())


def require_scopes(granted: frozenset[str]) -> None:
    """Refuse to work with less than what answering takes.

    Raises:
        SettingsError: scopes are missing.
    """
    if missing := sorted(REQUIRED_SCOPES - granted):
        raise SettingsError(
            f"The app lacks {', '.join(missing)}: add them under OAuth & Permissions on its page, and install it again."
        )


def try_app_token(client: WebClient) -> None:
    """Ask for a Socket Mode address, which opens nothing yet.

    Raises:
        SettingsError: Slack refuses the token.
        SlackError: Slack can't be reached.
    """
    try:
        client.api_call("apps.connections.open")
    except SlackApiError as error:
        refusal = SlackError("apps.connections.open", str(error.response.get("error")))
        raise explained(refusal, "SLACK_APP_TOKEN") from error
    except (SlackClientError, OSError, HTTPException, ValueError) as error:
        raise SlackError("apps.connections.open", "unreachable") from error


def explained(error: SlackError, variable: str) -> BotError:
    """The same with what to do about it, where that is known."""
    if error.code in TOKEN_REFUSALS:
        return SettingsError(str(error))
    if error.code == "missing_scope":
        return SettingsError(f"{variable} lacks a scope that {error.method} needs: compare the app with manifest.yml.")
    return error
