"""Everything that the bot raises.

BotError
├── SettingsError      the settings can't work; lists every problem at once
├── SlackError         Slack refused or can't be reached
│   └── SlackDenied    Slack says that Footnote may not read this (not_in_channel, missing_scope…): no access
├── StateError         the database can't be opened, read or written
└── UsageError         a command was given words that it can't use

`retrieval.errors.RetrievalError` is the other tree. Adapters translate what slack_sdk and sqlalchemy raise, with
`raise … from`; nothing above an adapter sees those. A person in Slack sees a fixed sentence and an incident id.
"""


class BotError(Exception):
    """Something failed; the message is one sentence that says what to do."""


class SettingsError(BotError):
    """The settings can't work; the message lists every problem at once."""


class SlackError(BotError):
    """Slack refused, or can't be reached.

    `code` is Slack's error name, or `unreachable`.
    """

    def __init__(self, method: str, code: str) -> None:
        unreachable = f"Slack can't be reached ({method}): check the network and SLACK_API_URL."
        super().__init__(unreachable if code == "unreachable" else f"Slack answered {method} with {code}.")
        self.method = method
        self.code = code


class SlackDenied(SlackError):
    """Slack says that Footnote may not read this."""


class StateError(BotError):
    """The database can't be opened, read or written."""


class UsageError(BotError):
    """A command was given words that it can't use."""
