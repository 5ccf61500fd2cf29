"""Says once in each channel what is read there, who gets answers from it and how to stop that, and keeps it true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import Protocol

from bot.errors import SlackError
from bot.slack.decisions import Decision, Standing, button, own_button, standing_of
from bot.slack.messages import Message
from bot.slack.names import Names
from bot.slack.payloads import string
from bot.slack.posting import Poster
from bot.slack.replies import Post, note
from bot.slack.telling import Telling
from bot.slack.workspace import Identity
from bot.state.choices import Choice, Choices
from bot.state.notices import Notice, Notices
from bot.texts import (
    NOTICE_CLOSED,
    NOTICE_HELLO,
    NOTICE_LEFT_OUT,
    NOTICE_MODEL,
    NOTICE_NEVER_TO_MODEL,
    NOTICE_NO_MODEL,
    NOTICE_QUOTES,
    NOTICE_READERS,
    NOTICE_READS,
    NOTICE_SHARED,
    NOTICE_STOP,
    SOMEBODY,
)
from bot.types import Conversation

_MARK = "notice:"
_LOOK_BACK = 1000
"""Messages in which a notice is looked for that may have been posted by a process that died right after."""
_FIXED = frozenset({"is_archived", "cant_delete_message"})
"""Slack's words for a post that can be neither edited nor deleted any more."""


class Histories(Protocol):
    """The part of a workspace that knows who Footnote is and what stands in channels."""

    def identity(self) -> Identity: ...

    def history(self, channel_id: str, oldest: str = "0", latest: str = "") -> Iterator[Message]: ...


@dataclass(frozen=True, slots=True)
class NoticeBoard:
    """The notices of one workspace. Every method raises `SlackError`."""

    workspace: Histories
    kept: Notices
    choices: Choices
    names: Names
    telling: Telling
    poster: Poster
    model_host: str
    """Where the language model is; empty where there is none."""

    def tell(self, conversation: Conversation, occasion: str) -> None:
        """Say it in a channel, once for each occasion, however often it is taken up.

        The occasion is the id of the event that brought it.
        """
        before = self.kept.of(conversation.place)
        notice = before if before and before.mark == occasion else Notice(conversation.place, occasion)
        if notice.ts:
            return
        if notice is not before:
            self.kept.write(notice)
        post = self._post(conversation, notice)
        ts = self._standing(conversation, notice) if notice is before else ""
        self.kept.write(replace(notice, ts=ts or self.telling.post(conversation.id, post), said=_digest(post)))

    def renew(self, conversation: Conversation) -> None:
        """Have what stands in a channel say what holds now; where it was deleted, it stays so."""
        notice = self.kept.of(conversation.place)
        if notice is None or not notice.ts:
            return
        post = self._post(conversation, notice)
        try:
            self.poster.replace(conversation.id, notice.ts, post)
        except SlackError as error:
            if error.code not in _FIXED:
                raise
        self.kept.write(replace(notice, said=_digest(post)))

    def is_current(self, conversation: Conversation) -> bool:
        """Whether what was said in a channel holds now: another language model may have been set since."""
        notice = self.kept.of(conversation.place)
        return notice is not None and bool(notice.ts) and notice.said == _digest(self._post(conversation, notice))

    def has_told(self, conversation: Conversation) -> bool:
        """Whether it was said in a channel since Footnote was invited to it."""
        notice = self.kept.of(conversation.place)
        return notice is not None and bool(notice.ts)

    def _standing(self, conversation: Conversation, notice: Notice) -> str:
        """The `ts` of what an earlier attempt has posted; empty where it has not."""
        us = self.workspace.identity()
        recent = islice(self.workspace.history(conversation.id), _LOOK_BACK)
        return next((message.ts for message in recent if us.wrote(message) and _mark_of(message) == notice.mark), "")

    def _post(self, conversation: Conversation, notice: Notice) -> Post:
        standing = standing_of(conversation, self.choices, self.workspace.identity().team)
        said, decisions = self._words(conversation, standing)
        own = () if standing.is_left_out or standing.is_silent else (own_button(is_unused=False),)
        (post,) = note(said, (*(button(decision, conversation) for decision in decisions), *own))
        first, *rest = post.blocks
        return replace(post, blocks=({**first, "block_id": f"{_MARK}{notice.mark}"}, *rest))

    def _words(self, conversation: Conversation, standing: Standing) -> tuple[str, list[Decision]]:
        if standing.is_left_out:
            return NOTICE_LEFT_OUT.format(name=self._who(conversation, Choice.LEFT_OUT)), [Decision.READ_AGAIN]
        if standing.is_silent:
            can_be_opened = [Decision.ALLOW] if standing.can_be_approved else []
            return NOTICE_CLOSED.format(name=self._who(conversation, Choice.APPROVED)), can_be_opened
        readers = NOTICE_SHARED if conversation.is_shared else NOTICE_READERS[conversation.kind]
        said = [NOTICE_READS, readers, NOTICE_QUOTES, self._about_models(standing), NOTICE_STOP]
        return "\n".join([NOTICE_HELLO, "", *(f"- {line}" for line in said)]), standing.open_to(bool(self.model_host))

    def _about_models(self, standing: Standing) -> str:
        if not self.model_host:
            return NOTICE_NO_MODEL
        return NOTICE_NEVER_TO_MODEL if standing.is_withheld else NOTICE_MODEL.format(host=self.model_host)

    def _who(self, conversation: Conversation, what: Choice) -> str:
        chosen = self.choices.last(self.workspace.identity().team, what, conversation.place)
        return (self.names.person(chosen.by) if chosen else "") or SOMEBODY


def _mark_of(message: Message) -> str:
    block_id = string(message.blocks[0], "block_id") if message.blocks else ""
    return block_id.removeprefix(_MARK) if block_id.startswith(_MARK) else ""


def _digest(post: Post) -> str:
    return sha256(json.dumps(post.blocks).encode()).hexdigest()
