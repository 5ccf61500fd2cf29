"""Turns messages of a channel into sources: one a thread, and one a stretch of unthreaded talk."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from bot.slack.messages import Message, Names, readable
from bot.slack.workspace import Identity
from bot.state.files import FilePost
from bot.sync.selection import NOTHING_LEFT_OUT, LeftOut, evidence_of_stretch, evidence_of_thread, files_in
from bot.types import Conversation, ConversationKind
from retrieval.chunking import stretches
from retrieval.types import Place, Source, Talk, Utterance

DAY_S = 86_400

Permalink = Callable[[str, str, str | None], str]
"""Channel, message, thread: where the message opens."""

_Said = tuple[Message, Utterance]
_Select = Callable[[Sequence[Message], Identity, Container[str], Container[str]], tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class TalkSources:
    """Makes sources for one workspace; the same messages make the same sources, wherever they were read."""

    us: Identity
    names: Names
    permalink: Permalink
    asked_in: Callable[[str], Container[str]]
    """By a channel's id, the `ts` of the posts that are known to have been questions to Footnote."""
    left_out: LeftOut = NOTHING_LEFT_OUT

    def of_thread(self, conversation: Conversation, messages: Sequence[Message]) -> tuple[Source, ...]:
        """One source for a thread, given root first; none where nothing in it may be evidence."""
        ordered = sorted(messages, key=lambda message: message.ts)
        root = ordered[0].root_ts if ordered else ""
        return self._source(conversation, root, self._said(self._of_thread(ordered)))

    def of_day(self, conversation: Conversation, messages: Iterable[Message]) -> tuple[Source, ...]:
        """A source for each stretch of the day's unthreaded messages; threads are left out."""
        alone = sorted((m for m in messages if not has_thread(m)), key=lambda message: message.ts)
        said = self._said(self._of_stretch(alone))
        parts = [[said[at] for at in stretch] for stretch in stretches([utterance for _, utterance in said])]
        return tuple(source for part in parts for source in self._source(conversation, part[0][0].ts, part))

    def files_in(self, messages: Iterable[Message]) -> frozenset[FilePost]:
        """The files that these messages carry."""
        return files_in(messages, self.us, self.left_out.people())

    def leaves_out(self, place: Place) -> bool:
        """Whether a channel is not to be read at all."""
        return place in self.left_out.places()

    def count(self, alone: Sequence[Message], threads: Sequence[Sequence[Message]]) -> int:
        """How many of these messages may be evidence."""
        return len(self._of_stretch(alone)) + sum(len(self._of_thread(thread)) for thread in threads)

    def _of_thread(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        return self._selected(evidence_of_thread, messages)

    def _of_stretch(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        return self._selected(evidence_of_stretch, messages)

    def _selected(self, select: _Select, messages: Sequence[Message]) -> tuple[Message, ...]:
        if not messages:
            return ()
        return select(messages, self.us, self.asked_in(messages[0].channel), self.left_out.people())

    def _source(self, conversation: Conversation, root: str, said: Sequence[_Said]) -> tuple[Source, ...]:
        if not said or conversation.kind is ConversationKind.DM or self.leaves_out(conversation.place):
            return ()
        source = Source(
            id=source_id(self.us.team, conversation.place, root),
            origin=origin_of(self.us.team, conversation.place),
            title=title_of(conversation),
            url=said[0][1].url,
            places=frozenset({conversation.place}),
            content=Talk(tuple(utterance for _, utterance in said)),
            updated_at=max(message.changed_at for message, _ in said),
        )
        return (source,)

    def _said(self, messages: Iterable[Message]) -> list[_Said]:
        """Those that have words, with what they say."""
        return [
            (message, self._utterance(message, text)) for message in messages if (text := readable(message, self.names))
        ]

    def _utterance(self, message: Message, text: str) -> Utterance:
        url = self.permalink(message.channel, message.ts, message.thread_ts)
        return Utterance(self._author(message), text, url, message.written_at)

    def _author(self, message: Message) -> str:
        known = self.names.person(message.user) if message.user else ""
        return known or message.username or ("a bot" if message.bot_id else "someone")


def origin_of(team: str, place: Place) -> str:
    """What a channel's sources were read from: the channel."""
    return f"slack:{team}:{place}"


def source_id(team: str, place: Place, root_ts: str) -> str:
    """A thread's id by its root, a stretch's by its first message."""
    return f"{origin_of(team, place)}:{root_ts}"


def root_of(id_of_source: str) -> str:
    """The `ts` with which a source of talk begins."""
    return id_of_source.rpartition(":")[2]


def day_of(ts: str) -> int:
    """The day in UTC, counted from the epoch. No stretch crosses it, so that a day can be read again by itself."""
    whole = ts.partition(".")[0]
    return int(whole) // DAY_S if whole.isdecimal() else 0


def has_thread(message: Message) -> bool:
    """Whether a message is a reply, or a root with replies."""
    return message.is_reply or message.reply_count > 0


def title_of(conversation: Conversation) -> str:
    """What a citation of a channel's talk is called."""
    return "Group message" if conversation.kind is ConversationKind.GROUP_DM else f"#{conversation.name}"
