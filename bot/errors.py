"""Everything that the bot raises.

BotError
├── SettingsError      the settings can't work; lists every problem at once
├── SlackError         Slack refused or can't be reached
│   └── SlackDenied    Slack says that Footnote may not read this (not_in_channel, missing_scope…): no access
├── ChatModelError     the language model refuses what is sent, or what it sends can't be read
│   └── ChatModelBusy  it can't be reached, is overloaded, or broke off: it may work when asked again
├── StateError         the database or the data folder can't be opened, read or written
└── UsageError         a command was given words that it can't use

`retrieval.errors.RetrievalError` is the other tree. Adapters translate what slack_sdk, httpx and sqlalchemy raise, with
`raise … from`; nothing above an adapter sees those. A person in Slack sees a fixed sentence and an incident id.
"""


class BotError(Exception):
    """Something failed; the message is one sentence that says what to do."""


class SettingsError(BotError):
    """The settings can't work; the message lists every problem at once."""


TOKEN_REFUSALS = frozenset(
    {"account_inactive", "invalid_auth", "not_allowed_token_type", "not_authed", "token_expired", "token_revoked"}
)
"""Slack's errors that only another token mends."""

NOT_THERE = frozenset({"channel_not_found", "not_in_channel", "user_not_found", "user_not_visible", "users_not_found"})
"""Slack's errors that say that Footnote can't see such a channel or person; other denials are about its token."""


class SlackError(BotError):
    """Slack refused, or can't be reached.

    `code` is Slack's error name, or `unreachable`.
    """

    def __init__(self, method: str, code: str) -> None:
        super().__init__(_told(method, code))
        self.method = method
        self.code = code


class SlackDenied(SlackError):
    """Slack says that Footnote may not read this."""


def _told(method: str, code: str) -> str:
    if code == "unreachable":
        return f"Slack can't be reached ({method}): check the network and SLACK_API_URL."
    if code in TOKEN_REFUSALS:
        token = "SLACK_APP_TOKEN" if method == "apps.connections.open" else "SLACK_BOT_TOKEN"
        return f"Slack refuses {token} ({code}): copy it again from the app's page."
    return f"Slack answered {method} with {code}."


class ChatModelError(BotError):
    """The language model refuses what is sent, or what it sends can't be read."""


class ChatModelBusy(ChatModelError):
    """The language model can't be reached, is overloaded, or broke off; it may work when asked again."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """As its server wants; None where it doesn't say."""


class StateError(BotError):
    """The database or the data folder can't be opened, read or written."""


class UsageError(BotError):
    """A command was given words that it can't use."""
