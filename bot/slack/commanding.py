"""What Slack shows at once where a command was typed; the answer itself comes in the DM with whoever typed it."""

from __future__ import annotations

from bot.slack.payloads import Payload, string
from bot.slack.replies import note
from bot.texts import ANSWERED_IN_DM, HELP

_FOR_HELP = frozenset({"", "help", "?"})


def asks_for_help(text: str) -> bool:
    """Whether a command was typed with nothing to answer behind it."""
    return text.strip().casefold() in _FOR_HELP


def said_at_once(body: Payload) -> Payload | None:
    """What the acknowledgement of a command says, to whoever typed it alone; None for what is no command.

    It works wherever a command can be typed, and holds a fixed text: nothing has been looked up yet.
    """
    if not string(body, "command"):
        return None
    text = HELP if asks_for_help(string(body, "text")) else ANSWERED_IN_DM
    return {"response_type": "ephemeral", "text": note(text)[0].text}
