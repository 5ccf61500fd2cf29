"""Keeps the files that are shared in channels as sources, each where messages carry it and Slack says it is shared."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.errors import SlackDenied
from bot.slack.files import Share, SharedFile
from bot.state.files import FilePost, FileRecord, Files, FileState
from bot.sync.file_contents import Contents, NotTaken
from bot.sync.file_queue import FileQueue
from retrieval.errors import UnreadableSource
from retrieval.reading import Reading
from retrieval.reindexing import CARRIED
from retrieval.types import IndexReport, Markup, Passage, Place, Source

_ORIGIN = "slack-files"

log = logging.getLogger(__name__)


def source_of(team: str, file_id: str) -> str:
    """The id of the source that a shared file is."""
    return f"{_ORIGIN}:{team}:{file_id}"


def file_in(source_id: str) -> str:
    """The id of the shared file that a source is; empty for every other source."""
    origin, _, rest = source_id.partition(":")
    return rest.rpartition(":")[2] if origin == _ORIGIN else ""


class Described(Protocol):
    """The part of Slack that describes a file; None where there is none that Footnote may know of."""

    def describe(self, file_id: str) -> SharedFile | None: ...


class Index(Protocol):
    """The part of an indexer that keeps sources."""

    def put(self, sources: Iterable[Source]) -> IndexReport: ...

    def remove(self, source_ids: Iterable[str]) -> IndexReport: ...

    def keep_only(self, origin: str, source_ids: Collection[str]) -> IndexReport: ...


class Stored(Protocol):
    """The part of a store that knows what it holds, and where that stands."""

    def passages_of(self, source_id: str) -> tuple[Passage, ...]: ...

    def describe(self, passages: Sequence[Passage]) -> None: ...


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """The files of one team.

    A file is written with no place at all, so that nobody can find it. It gets its places when it is whole, in one step
    with the check of where it stands. They are taken away at any time, by whoever learns that it stands there no more.
    """

    slack: Described
    index: Index
    stored: Stored
    files: Files
    queue: FileQueue
    team: str
    place_of: Callable[[str], Place]
    """Our id of a channel by Slack's."""
    _deciding: threading.RLock = field(default_factory=threading.RLock)
    """Held while places change; never across a call to Slack or an embedding."""
    _news: Counter[str] = field(default_factory=Counter)
    """How often a file was said to have changed or gone: what Slack said of it before the last time decides nothing."""

    def posts_in(self, place: Place) -> frozenset[FilePost]:
        """Which messages of a conversation carry which files, as far as they have been read."""
        return self.files.posts_in(place)

    def update(
        self, place: Place, gone: Collection[FilePost], new: Collection[FilePost], seen: Collection[FilePost] = ()
    ) -> None:
        """Take note of what messages of a conversation carry now.

        What stands there no more is out of the index when this returns; what is new will be read.

        Args:
            seen: what a history brings, whether or not it is new: it is looked at again, after what events bring.
        """
        with self._deciding:
            left = {post.file_id for post in (self.files.posts_in(place) - set(gone)) | set(new)}
            lost = {post.file_id for post in gone} - left
            for file_id in lost:
                self._take_from(file_id, place)
            self.files.replace_posts(place, gone, new)
            for file_id in lost:
                self._drop_if_nowhere(file_id)
        for post in seen:
            self.queue.put(post.file_id)
        for post in set(new) - set(seen):
            self.queue.put(post.file_id, soon=True)

    def posts_of(self, file_id: str) -> tuple[tuple[Place, FilePost], ...]:
        """Which messages carry a file, as far as they have been read."""
        return self.files.posts_of(file_id)

    def check(self, file_id: str) -> None:
        """Have a file looked at again: it may be shared elsewhere, too."""
        self.queue.put(file_id, soon=True)

    def shares_in(self, file_id: str, channel_id: str) -> tuple[Share, ...]:
        """The messages of a channel that Slack says carry a file, and that have not been read yet.

        Raises:
            SlackError: Slack does not say.
        """
        if channel_id.startswith("D") or self.place_of(channel_id) in self.files.places_of(file_id):
            return ()
        file = self.slack.describe(file_id)
        return tuple(share for share in file.shares if share.channel_id == channel_id) if file else ()

    def change(self, file_id: str) -> None:
        """Have a file read again, whatever Slack says of its age."""
        with self._deciding:
            self._news[file_id] += 1
            if record := self.files.of(file_id):
                self.files.write(replace(record, state=FileState.WAITING, version=""))
        self.check(file_id)

    def unshare(self, file_id: str, channel_id: str) -> None:
        """Take a file away from a channel at once; should it still be shared there, looking again brings it back."""
        with self._deciding:
            self._news[file_id] += 1
            self._take_from(file_id, self.place_of(channel_id))
        self.check(file_id)

    def withdraw(self, file_id: str) -> None:
        """Take a file out of the index at once, and remember which messages carried it."""
        with self._deciding:
            self._news[file_id] += 1
            self.index.remove([self.source_id(file_id)])

    def delete(self, file_id: str) -> None:
        """Drop a file that is gone, and all that is remembered of it."""
        with self._deciding:
            self._news[file_id] += 1
            self.index.remove([self.source_id(file_id)])
            self.files.forget(file_id)

    def resume(self) -> None:
        """Take up what an earlier run has left: files that wait, and sources of files that stand nowhere any more."""
        self.index.keep_only(self.origin, {self.source_id(file_id) for file_id in self.files.ids()})
        for file_id in self.files.ids(FileState.WAITING):
            self.queue.put(file_id)

    def read(self, file_id: str, contents: Contents) -> bool:
        """Bring the index up to date with one file; whether that is settled, or to be tried again.

        Raises:
            SlackError, RetrievalError, StateError, Interrupted: it could not be done now.
        """
        heard, record = self._news[file_id], self.files.of(file_id)
        if record is None:
            return True
        file = self._described(file_id)
        if file is None:
            return True
        if self._is_known(record, file):
            return record.state is FileState.SKIPPED or self._show(file, heard)
        try:
            self.files.write(replace(record, state=FileState.WAITING))  # should this end halfway, it begins again
            self.index.put([self._source(file, contents.read(file))])
        except UnreadableSource as error:
            is_settled = self._news[file_id] == heard and not isinstance(error, NotTaken)
            self._skip(file_id, error, file.version if is_settled else "")
            return True
        return self._show(file, heard)

    def note_failure(self, file_id: str, reason: str) -> None:
        """Remember why a file that waits is not read yet."""
        with self._deciding:
            record = self.files.of(file_id)
            if record and record.state is FileState.WAITING:
                self.files.write(replace(record, reason=reason))

    @property
    def origin(self) -> str:
        """What shared files are read from."""
        return f"{_ORIGIN}:{self.team}"

    def source_id(self, file_id: str) -> str:
        """One a file, wherever it is shared."""
        return source_of(self.team, file_id)

    def _is_known(self, record: FileRecord, file: SharedFile) -> bool:
        """Whether it was read as it is, and what was read is still there, cut as it would be now."""
        if record.version != file.version or record.state is FileState.WAITING:
            return False
        passages = self.stored.passages_of(self.source_id(file.id))
        is_there = bool(passages) and not any(passage.fingerprint.startswith(CARRIED) for passage in passages)
        return record.state is FileState.SKIPPED or is_there

    def _source(self, file: SharedFile, reading: Reading) -> Source:
        content = reading.content
        if isinstance(content, Markup):
            content = replace(content, opens_sections=False)  # Slack opens a file as a whole
        return Source(
            id=self.source_id(file.id),
            origin=self.origin,
            title=file.title or reading.title or file.id,
            url=file.permalink,
            places=frozenset(),
            content=content,
            updated_at=file.changed_at,
        )

    def _show(self, file: SharedFile, heard: int) -> bool:
        """Put a file where messages carry it and Slack says that it is shared; nowhere else."""
        claimed = frozenset(self.place_of(channel_id) for channel_id in file.channels)
        with self._deciding:
            if self.files.of(file.id) is None:
                self.index.remove([self.source_id(file.id)])  # what was written of it since it was dropped
                return True
            if self._news[file.id] != heard:
                return True  # it will be read again, by what was heard since
            places = self.files.places_of(file.id) & claimed
            self._place(file.id, lambda _: places)
            if places:
                self.files.write(FileRecord(file.id, FileState.READ, file.version))
            return bool(places)

    def _described(self, file_id: str) -> SharedFile | None:
        """A file as Slack has it; None where there is nothing to read, which is noted."""
        try:
            file = self.slack.describe(file_id)
        except SlackDenied as error:
            self._skip(file_id, error)
            return None
        if file is None:
            self.delete(file_id)
        return file

    def _skip(self, file_id: str, error: UnreadableSource | SlackDenied, version: str = "") -> None:
        """Note why a file is not read; with a version, until it is another."""
        log.info("file %s is not read: %s", file_id, error)
        with self._deciding:
            self.index.remove([self.source_id(file_id)])
            self.files.write(FileRecord(file_id, FileState.SKIPPED, version, str(error)))

    def _take_from(self, file_id: str, place: Place) -> None:
        self._place(file_id, lambda places: places - {place})

    def _drop_if_nowhere(self, file_id: str) -> None:
        if not self.files.places_of(file_id):
            self.delete(file_id)

    def _place(self, file_id: str, places_from: Callable[[frozenset[Place]], frozenset[Place]]) -> None:
        passages = self.stored.passages_of(self.source_id(file_id))
        moved = [replace(one, places=places_from(one.places)) for one in passages]
        changed = [after for before, after in zip(passages, moved, strict=True) if before.places != after.places]
        if changed:
            self.stored.describe(changed)
