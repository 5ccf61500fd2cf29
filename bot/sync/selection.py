"""Which messages of a channel may become evidence: what people and alerts said, never talk with Footnote itself."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.slack.hearing import asks
from bot.slack.messages import Message, carried_files, is_noise
from bot.slack.payloads import Payload, children, string
from bot.slack.posting import question_answered_by
from bot.slack.workspace import Identity
from bot.state.files import FilePost
from retrieval.types import Place


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What people don't want to be used, as of now."""

    people: Callable[[], Container[str]] = frozenset
    """User ids of those whose messages are nobody's evidence."""
    places: Callable[[], Container[Place]] = frozenset
    """Channels that are not read."""


NOTHING_LEFT_OUT = LeftOut()
"""For where nobody was asked."""


def evidence_of_thread(
    messages: Sequence[Message], us: Identity, asked: Container[str], unused: Container[str] = ()
) -> tuple[Message, ...]:
    """What of a thread, oldest first, may be evidence: not our posts, nor the questions that were put to us.

    `unused` are those who don't want their messages to be used. `asked` holds the `ts` of every question that is known.
    Those of a time that nobody remembers, or of a moment ago, are told by the thread itself: our posts say which
    question they answer, and what asks something right after one of them asks us.
    """
    answered = {question_answered_by(message) for message in messages if is_ours(message, us)}
    put_to_us = answered | _follow_ups(messages, us)
    wanted = (message for message in messages if _may_be_evidence(message, us, unused))
    return tuple(message for message in wanted if message.ts not in put_to_us and message.ts not in asked)


def _follow_ups(messages: Sequence[Message], us: Identity) -> set[str]:
    return {after.ts for before, after in pairwise(messages) if is_ours(before, us) and asks(after)}


def evidence_of_stretch(
    messages: Sequence[Message], us: Identity, asked: Container[str], unused: Container[str] = ()
) -> tuple[Message, ...]:
    """What of unthreaded talk may be evidence."""
    return tuple(message for message in messages if _may_be_evidence(message, us, unused) and message.ts not in asked)


def files_in(messages: Iterable[Message], us: Identity, unused: Container[str] = ()) -> frozenset[FilePost]:
    """The files that stand in messages, whatever else they say: those of our own posts and of notices left out."""
    carrying = (m for m in messages if not (is_noise(m) or is_ours(m, us) or m.user in unused))
    return frozenset(FilePost(id_, m.ts, m.root_ts) for m in carrying for id_ in carried_files(m))


def is_ours(message: Message, us: Identity) -> bool:
    """Whether Footnote posted it."""
    signs = ((message.user, us.user_id), (message.bot_id, us.bot_id), (message.app_id, us.app_id))
    return any(theirs and theirs == ours for theirs, ours in signs)


def mentions(message: Message, user_id: str) -> bool:
    """Whether it mentions somebody, in its text or its blocks."""
    return bool(user_id) and (f"<@{user_id}" in message.text or any(_names(block, user_id) for block in message.blocks))


def _may_be_evidence(message: Message, us: Identity, unused: Container[str]) -> bool:
    is_theirs = bool(message.user) and message.user in unused
    return not (is_theirs or is_noise(message) or is_ours(message, us) or mentions(message, us.user_id))


def _names(block: Payload, user_id: str) -> bool:
    return any(string(element, "user_id") == user_id for element in _elements(block))


def _elements(block: Payload) -> Iterator[Payload]:
    for element in children(block, "elements"):
        yield element
        yield from _elements(element)
