"""Says things in Slack: replies in the thread, words for the asker alone, and that Footnote is at work."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slack_sdk import WebClient

from bot.errors import SlackError
from bot.slack.api import SlackApi
from bot.slack.messages import Message
from bot.slack.payloads import string
from bot.slack.replies import Block, Post
from bot.texts import WORKING
from bot.types import Question, Surface

QUIET = {"unfurl_links": False, "unfurl_media": False, "link_names": False, "parse": "none"}
"""On every post: no previews of what is linked or quoted, and nobody is called by a name in a text."""
_PART = re.compile(r"reply:(?P<ts>[0-9.]+):(?P<part>\d+):(?P<parts>\d+)(?::.*)?")
"""The id of a post's first block says which question it answers, so that no answer is posted twice."""
_SIGNED = re.compile(r"(?P<signature>reply:[0-9.]+:\d+:\d+|shared:[^:]+:\d+)(?::(?P<own>.*))?")
"""The same, or that of a private answer that was shared, before the block's own id."""

_NOT_THERE = "message_not_found"
_PASSING = frozenset({"ratelimited", "unreachable"})
"""The errors by which a call wasn't refused, but not made: to be made again."""

log = logging.getLogger(__name__)


class Poster:
    """Posts as Footnote. Every method raises `SlackError` unless it says otherwise."""

    def __init__(self, client: WebClient) -> None:
        self._api = SlackApi(client)
        self._refused: set[str] = set()

    def reply(
        self,
        question: Question,
        posts: tuple[Post, ...],
        standing: Posted | None = None,
        on_posted: Callable[[int, str], None] = lambda _part, _ts: None,
    ) -> str:
        """Post the messages of a reply that don't stand in the question's thread yet; the last one's `ts`.

        Args:
            on_posted: told the number and the `ts` of each message as soon as it stands.
        """
        ts, done = (standing.last_ts, standing.parts) if standing else ("", frozenset[int]())
        for part in sorted(set(range(len(posts))) - done):
            sent = self._api.write(
                "chat.postMessage",
                channel=question.channel,
                thread_ts=question.root_ts,
                text=posts[part].text,
                blocks=signed(posts[part].blocks, f"reply:{question.ts}:{part}:{len(posts)}"),
                **QUIET,
            )
            ts = string(sent, "ts")
            on_posted(part, ts)
        return ts

    def replace(self, channel: str, ts: str, post: Post) -> None:
        """Have one of Footnote's own messages say something else, or delete it where Slack refuses that."""
        try:
            self._api.write(
                "chat.update", channel=channel, ts=ts, text=post.text, blocks=list(post.blocks), attachments=[], **QUIET
            )
        except SlackError as error:
            if error.code == _NOT_THERE:
                return
            if error.code in _PASSING:
                raise
            log.warning("message %s %s can't be changed, and is deleted: %s", channel, ts, error.code)
            self.delete(channel, ts)

    def delete(self, channel: str, ts: str) -> None:
        """Delete one of Footnote's own messages; one that is gone is no error."""
        try:
            self._api.write("chat.delete", channel=channel, ts=ts)
        except SlackError as error:
            if error.code != _NOT_THERE:
                raise

    def tell_asker(self, question: Question, posts: tuple[Post, ...]) -> None:
        """Say something that the asker alone sees: in a DM in the thread, elsewhere in words that pass."""
        if question.surface is Surface.DM:
            self.reply(question, posts)
            return
        for post in posts:
            self._api.write(
                "chat.postEphemeral",
                channel=question.channel,
                user=question.asker,
                text=post.text,
                blocks=list(post.blocks),
                link_names=False,
                parse="none",
                **({"thread_ts": question.thread_ts} if question.thread_ts else {}),
            )

    def show_working(self, question: Question) -> None:
        """Show in a DM that an answer is on its way; a workspace that has no such sign does without."""
        if question.surface is not Surface.DM:
            return
        thread = {"channel_id": question.channel, "thread_ts": question.root_ts}
        if not self._try_sign("agents.sessions.setStatus", status="processing", **thread):
            self._try_sign("assistant.threads.setStatus", status=WORKING, **thread)

    def show_idle(self, question: Question) -> None:
        """Take the sign away; Slack takes the older one away by itself when a reply comes."""
        if question.surface is Surface.DM:
            thread = {"channel_id": question.channel, "thread_ts": question.root_ts}
            self._try_sign("agents.sessions.setStatus", status="active", **thread)

    def _try_sign(self, method: str, **arguments: object) -> bool:
        """Whether the sign was shown; it is a courtesy, and what fails in it must not fail the answer."""
        if method in self._refused:
            return False
        try:
            self._api.write(method, **arguments)
        except SlackError as error:
            log.info("no working sign: %s", error)
            if error.code in _NEVER:
                self._refused.add(method)
            return False
        return True


_NEVER = frozenset({"feature_disabled", "missing_scope", "not_agent_app", "unknown_method", "not_allowed_token_type"})
"""The errors by which Slack says that this workspace or app has no such sign, now or later."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What stands already of the reply to a question."""

    parts: frozenset[int] = frozenset()
    """Numbers of its messages, from 0."""
    of: int = 0
    """How many there are to be."""
    last_ts: str = ""
    stamps: tuple[tuple[int, str], ...] = ()
    """The number and the `ts` of each."""

    @property
    def is_whole(self) -> bool:
        return 0 < self.of <= len(self.parts)


def posted_to(question: Question, own: tuple[Message, ...]) -> Posted:
    """What stands of the reply to a question among Footnote's own posts of its thread."""
    found = [(message.ts, mark) for message in own if (mark := _mark(message)) and mark["ts"] == question.ts]
    if not found:
        return Posted()
    last_ts, last = found[-1]
    stamps = tuple((int(mark["part"]), ts) for ts, mark in found)
    return Posted(frozenset(part for part, _ in stamps), int(last["parts"]), last_ts, stamps)


def question_answered_by(message: Message) -> str:
    """The `ts` of the question that one of Footnote's own posts answers; empty where it answers none."""
    mark = _mark(message)
    return mark["ts"] if mark else ""


def _mark(message: Message) -> re.Match[str] | None:
    return _PART.fullmatch(string(message.blocks[0], "block_id")) if message.blocks else None


def signature_of(block: Block) -> str:
    """What a post's first block says about the post; empty on every other block."""
    found = _SIGNED.fullmatch(string(block, "block_id"))
    return found["signature"] if found else ""


def own_id(block: Block) -> str:
    """What a block's id says about the block itself."""
    block_id = string(block, "block_id")
    found = _SIGNED.fullmatch(block_id)
    return (found["own"] or "") if found else block_id


def signed(blocks: Sequence[Block], signature: str) -> list[Block]:
    """The blocks, with an id on the first by which the post is known again."""
    first, *rest = blocks
    own = own_id(first)
    return [{**first, "block_id": f"{signature}:{own}" if own else signature}, *rest]
