"""Reads channels from Slack into the index: a whole channel, or again the day and thread that something touched."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from bot.errors import SlackError
from bot.slack.messages import Message
from bot.state.files import FilePost
from bot.sync.talk import DAY_S, TalkSources, day_of, has_thread, origin_of, root_of, source_id, title_of
from bot.types import Conversation
from retrieval.types import IndexReport, Passage, Place, Source


class History(Protocol):
    """The part of a workspace that reads messages."""

    def history(self, channel_id: str, oldest: str = "0", latest: str = "") -> Iterator[Message]: ...

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]: ...


class Index(Protocol):
    """The part of an indexer that keeps sources."""

    def put(self, sources: Iterable[Source]) -> IndexReport: ...

    def remove(self, source_ids: Iterable[str]) -> IndexReport: ...


class Stored(Protocol):
    """The part of a store that knows what it holds."""

    def sources_of(self, origin: str) -> frozenset[str]: ...

    def passages_of(self, source_id: str) -> tuple[Passage, ...]: ...

    def describe(self, passages: Sequence[Passage]) -> None: ...


class Carried(Protocol):
    """What keeps the files that messages carry."""

    def posts_in(self, place: Place) -> frozenset[FilePost]: ...

    def update(
        self, place: Place, gone: Collection[FilePost], new: Collection[FilePost], seen: Collection[FilePost] = ()
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class DayRead:
    """One day of a channel, read and put into the index."""

    oldest: str
    newest: str
    read: int
    """Messages, replies included."""
    indexed: int
    """Of those, messages that may be evidence."""


@dataclass(frozen=True, slots=True)
class _Day:
    """What a day of a channel says, and the files that its messages carry."""

    sources: tuple[Source, ...]
    files: frozenset[FilePost]
    read: DayRead


class ChannelReader:
    """Makes the index say of a channel what Slack says, day by day and thread by thread.

    What is read and what is then written may not be crossed by another reading of the same channel; a whole
    channel takes long, so what is touched meanwhile is read again at its end.
    """

    def __init__(self, slack: History, index: Index, stored: Stored, sources: TalkSources, files: Carried) -> None:
        self._slack = slack
        self._index = index
        self._stored = stored
        self._sources = sources
        self._files = files
        self._locks: defaultdict[Place, threading.RLock] = defaultdict(threading.RLock)
        self._touched: dict[Place, set[str]] = {}

    def read(self, conversation: Conversation, since_day: int = 0) -> Generator[DayRead, None, None]:
        """Read a channel back to a day, newest first, and drop from the index what is no longer there.

        Raises:
            SlackError, RetrievalError: it could not be read to its end; what was read is in the index.
        """
        place = conversation.place
        with self._noting_what_is_touched(conversation):
            if self.leaves_out(place):
                return
            before = self._stored_of(conversation, lambda day: day >= since_day)
            files = self._files_of(conversation, lambda post: day_of(post.root_ts) >= since_day)
            seen: set[str] = set()
            seen_files: set[FilePost] = set()
            for messages in _by_day(self._slack.history(conversation.id, _start(since_day))):
                day = self._day_with_threads(conversation, messages)
                self._index.put(day.sources)
                self._files.update(place, (), day.files - files, seen=day.files)
                if self.leaves_out(place):  # since a moment ago: what was put after that must go too
                    return
                seen.update(source.id for source in day.sources)
                seen_files |= day.files
                yield day.read
            self._index.remove(before - seen)
            self._files.update(place, files - seen_files, ())

    def refresh(self, conversation: Conversation, root_ts: str) -> None:
        """Read again the thread that a message belongs to, and the unthreaded talk of the day of its root."""
        place = conversation.place
        with self._locks[place]:
            self._touched.get(place, set()).add(root_ts)
            if not self.leaves_out(place):
                self._refresh(conversation, root_ts)
            self._drop_if_left_out(place)

    def leaves_out(self, place: Place) -> bool:
        """Whether its people don't want a channel to be read."""
        return self._sources.leaves_out(place)

    def holds(self, place: Place) -> bool:
        """Whether the index has anything of a channel."""
        return bool(self._stored.sources_of(origin_of(self._sources.us.team, place)))

    def retitle(self, conversation: Conversation) -> None:
        """Let everything of a channel bear the name that it has now; no vector rests on it."""
        title = title_of(conversation)
        with self._locks[conversation.place]:
            for source in sorted(self._stored.sources_of(origin_of(self._sources.us.team, conversation.place))):
                passages = self._stored.passages_of(source)
                if changed := [replace(passage, title=title) for passage in passages if passage.title != title]:
                    self._stored.describe(changed)

    def purge(self, place: Place) -> None:
        """Drop everything of a channel from the index."""
        with self._locks[place]:
            self._index.remove(self._stored.sources_of(origin_of(self._sources.us.team, place)))
            self._files.update(place, self._files.posts_in(place), ())

    def _refresh(self, conversation: Conversation, root_ts: str) -> None:
        day = day_of(root_ts)
        messages = tuple(self._slack.history(conversation.id, _start(day), _end(day)))
        thread = self._thread(conversation, root_ts)
        is_thread = any(message.is_reply for message in thread)
        threads = self._sources.of_thread(conversation, thread) if is_thread else ()
        sources = (*self._sources.of_day(conversation, messages), *threads)
        self._index.put(sources)
        kept = {self._id(conversation, m.ts) for m in messages if has_thread(m) and m.ts != root_ts}
        stored = self._stored_of(conversation, lambda of: of == day)
        self._index.remove(stored - kept - {source.id for source in sources})
        self._refresh_files(conversation, root_ts, [*(m for m in messages if not m.is_reply), *thread])

    def _refresh_files(self, conversation: Conversation, root_ts: str, messages: Sequence[Message]) -> None:
        """Note what a day's messages and one of its threads carry; of the other threads the roots alone were read."""
        seen = self._sources.files_in(messages)
        days = self._files_of(conversation, lambda post: day_of(post.root_ts) == day_of(root_ts))
        before = {post for post in days if post.root_ts in (post.ts, root_ts)}
        self._files.update(conversation.place, before - seen, seen - before)

    def _day_with_threads(self, conversation: Conversation, messages: Sequence[Message]) -> _Day:
        roots = [message for message in messages if has_thread(message) and not message.is_reply]
        threads = [self._thread(conversation, root.ts) for root in roots]
        sources = [*self._sources.of_day(conversation, messages)]
        for thread in threads:
            sources.extend(self._sources.of_thread(conversation, thread))
        alone = [message for message in messages if not has_thread(message)]
        read = len(alone) + sum(map(len, threads))
        files = self._sources.files_in([*alone, *(message for thread in threads for message in thread)])
        indexed = self._sources.count(alone, threads)
        return _Day(tuple(sources), files, DayRead(messages[-1].ts, messages[0].ts, read, indexed))

    def _thread(self, conversation: Conversation, root_ts: str) -> tuple[Message, ...]:
        try:
            return self._slack.replies(conversation.id, root_ts)
        except SlackError as error:
            if error.code == "thread_not_found":  # its root was deleted, and no reply is left
                return ()
            raise

    def _stored_of(self, conversation: Conversation, days: Callable[[int], bool]) -> frozenset[str]:
        stored = self._stored.sources_of(origin_of(self._sources.us.team, conversation.place))
        return frozenset(id_ for id_ in stored if days(day_of(root_of(id_))))

    def _files_of(self, conversation: Conversation, which: Callable[[FilePost], bool]) -> frozenset[FilePost]:
        return frozenset(filter(which, self._files.posts_in(conversation.place)))

    def _id(self, conversation: Conversation, root_ts: str) -> str:
        return source_id(self._sources.us.team, conversation.place, root_ts)

    @contextmanager
    def _noting_what_is_touched(self, conversation: Conversation) -> Iterator[None]:
        with self._locks[conversation.place]:
            self._touched[conversation.place] = set()
        try:
            yield
        finally:
            with self._locks[conversation.place]:
                touched = self._touched.pop(conversation.place, set())
            for root_ts in sorted(touched):
                self.refresh(conversation, root_ts)
            self._drop_if_left_out(conversation.place)

    def _drop_if_left_out(self, place: Place) -> None:
        """Whoever left it out may have dropped it before what was on its way had arrived."""
        if self.leaves_out(place):
            self.purge(place)


def _by_day(messages: Iterable[Message]) -> Iterator[tuple[Message, ...]]:
    """Messages, newest first, as whole days."""
    for _, of_day in groupby(messages, key=lambda message: day_of(message.ts)):
        yield tuple(of_day)


def _start(day: int) -> str:
    """The last moment before a day: what is newer than that is of the day."""
    return f"{day * DAY_S - 1}.999999" if day > 0 else "0"


def _end(day: int) -> str:
    """The last moment of a day."""
    return f"{(day + 1) * DAY_S - 1}.999999"
