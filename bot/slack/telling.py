"""Tells one person alone: in words that pass where they pressed a button, or in the DM with them."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.errors import SlackDenied, SlackError
from bot.slack.api import SlackApi
from bot.slack.interactions import Command, Press
from bot.slack.payloads import child, string
from bot.slack.posting import QUIET
from bot.slack.replies import Block, Button, Post, actions

_NOT_THERE = frozenset({"cannot_reply_to_message", "is_archived", "thread_not_found", "user_not_in_channel"})
"""Besides denials, the errors by which Slack says that somebody can't be told something in a place."""

log = logging.getLogger(__name__)


class Telling:
    """Speaks as Footnote to one person. Every method raises `SlackError` unless it says otherwise."""

    def __init__(self, client: WebClient) -> None:
        self._api = SlackApi(client)

    def whisper(self, done: Press | Command, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        """Tell whoever pressed or typed something that passes, there; whether Slack lets us say it there."""
        thread = {"thread_ts": done.thread_ts} if isinstance(done, Press) and done.thread_ts else {}
        section: Block = {"type": "section", "text": {"type": "mrkdwn", "text": text}}
        try:
            self._api.write(
                "chat.postEphemeral",
                channel=done.channel,
                user=done.user,
                text=text,
                blocks=[section, *([actions(buttons)] if buttons else [])],
                link_names=False,
                parse="none",
                **thread,
            )
        except SlackError as error:
            if not isinstance(error, SlackDenied) and error.code not in _NOT_THERE:
                raise
            log.info("event %s: nobody can be told there (%s)", done.id, error.code)
            return False
        return True

    def tell_alone(self, channel: str, user: str, post: Post) -> None:
        """Show somebody in a channel a message that nobody else sees, and that passes."""
        quiet = {"link_names": False, "parse": "none"}
        blocks = list(post.blocks)
        self._api.write("chat.postEphemeral", channel=channel, user=user, text=post.text, blocks=blocks, **quiet)

    def dm_with(self, user: str) -> str:
        """The id of the DM with somebody."""
        return string(child(self._api.write("conversations.open", users=user), "channel"), "id")

    def post(self, channel: str, post: Post, thread_ts: str = "") -> str:
        """Post a message that stays; its `ts`."""
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        blocks = list(post.blocks)
        sent = self._api.write("chat.postMessage", channel=channel, text=post.text, blocks=blocks, **thread, **QUIET)
        return string(sent, "ts")
