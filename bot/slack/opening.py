"""Writes the message that opens a private answer's thread in a DM, and reads back from it what was asked."""

from __future__ import annotations

from dataclasses import replace

from bot.slack.escaping import escape, link
from bot.slack.messages import Message
from bot.slack.mrkdwn import to_mrkdwn
from bot.slack.payloads import child, string
from bot.slack.replies import Post, section
from bot.texts import ANSWERED_ALONE, YOUR_QUESTION

_LOOK = "look:"
_ASKED = "asked:"
_SHOWN_LIMIT = 2500
"""Characters of a question that are shown; who asks in more words knows how it went on."""


def opening(look_id: str, words: str, url: str) -> Post:
    """The message that says which question is answered below it.

    Args:
        words: the question, in Markdown.
        url: where it was asked; empty where it was asked nowhere that can be opened.
    """
    told = ANSWERED_ALONE.format(question=link(url, YOUR_QUESTION) if url else YOUR_QUESTION)
    read = ANSWERED_ALONE.format(question=YOUR_QUESTION)
    shown, *more = to_mrkdwn(words, _SHOWN_LIMIT) or (escape(words[:_SHOWN_LIMIT]),)
    shown += " …" if more else ""
    blocks = (section(told, f"{_LOOK}{look_id}"), section(shown, f"{_ASKED}0"))
    return Post(f"{read}\n\n{shown}", blocks)


def opens(message: Message, look_id: str) -> bool:
    """Whether one of Footnote's own messages is the one that opens a look's thread."""
    return bool(message.blocks) and string(message.blocks[0], "block_id") == f"{_LOOK}{look_id}"


def asked_by_opening(message: Message) -> Message | None:
    """What was asked, where one of Footnote's own messages opens a private answer's thread; None where it doesn't."""
    if not message.blocks or not string(message.blocks[0], "block_id").startswith(_LOOK):
        return None
    asked = [block for block in message.blocks if string(block, "block_id").startswith(_ASKED)]
    return replace(message, text="\n\n".join(string(child(block, "text"), "text") for block in asked), blocks=())
