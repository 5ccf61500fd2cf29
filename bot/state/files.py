"""Remembers which messages carry which files, and what became of each file; never its name or its words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from bot.state.database import Base, Database, insert_new
from retrieval.types import Place


class FileState(Enum):
    """What became of a file."""

    WAITING = "waiting"
    """It is to be read, for the first time or again; a reason says why that failed so far."""
    READ = "read"
    SKIPPED = "skipped"
    """It can't be read; `reason` says why."""


@dataclass(frozen=True, slots=True)
class FilePost:
    """A file that stands in a message."""

    file_id: str
    ts: str
    root_ts: str
    """The root of the message's thread; the message itself where it has none."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file that stands in some message."""

    file_id: str
    state: FileState
    version: str = ""
    """What `SharedFile.version` was when it was read; empty where it is to be read whatever that is now."""
    reason: str = ""


class FilePostRow(Base):
    """One file in one message of one conversation."""

    __tablename__ = "file_posts"

    team: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    ts: Mapped[str] = mapped_column(primary_key=True)
    file_id: Mapped[str] = mapped_column(primary_key=True, index=True)
    root_ts: Mapped[str]


class SharedFileRow(Base):
    """One file."""

    __tablename__ = "shared_files"

    team: Mapped[str] = mapped_column(primary_key=True)
    file_id: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(index=True)
    version: Mapped[str]
    reason: Mapped[str]


class Files:
    """The files of one team."""

    def __init__(self, database: Database, team: str) -> None:
        self._database = database
        self._team = team

    def posts_in(self, place: Place) -> frozenset[FilePost]:
        """Every file of a conversation with the message in which it stands."""
        chosen = select(FilePostRow).where(FilePostRow.team == self._team, FilePostRow.place == place)
        with self._database.reading() as session:
            return frozenset(FilePost(row.file_id, row.ts, row.root_ts) for row in session.scalars(chosen))

    def places_of(self, file_id: str) -> frozenset[Place]:
        """The conversations in which some message carries the file."""
        return frozenset(place for place, _ in self.posts_of(file_id))

    def posts_of(self, file_id: str) -> tuple[tuple[Place, FilePost], ...]:
        """Every message that carries the file, with the conversation in which it stands."""
        chosen = select(FilePostRow).where(FilePostRow.team == self._team, FilePostRow.file_id == file_id)
        with self._database.reading() as session:
            rows = session.scalars(chosen.order_by(FilePostRow.place, FilePostRow.ts))
            return tuple((Place(row.place), FilePost(row.file_id, row.ts, row.root_ts)) for row in rows)

    def replace_posts(self, place: Place, gone: Collection[FilePost], new: Collection[FilePost]) -> None:
        """Write down which messages of a conversation no longer carry a file, and which do now."""
        with self._database.session() as session:
            for post in gone:
                if row := session.get(FilePostRow, (self._team, place, post.ts, post.file_id)):
                    session.delete(row)
            for post in new:
                session.merge(self._post_row(place, post))
                insert_new(session, self._row(FileRecord(post.file_id, FileState.WAITING)))

    def of(self, file_id: str) -> FileRecord | None:
        """What became of a file; None where it stands in no message."""
        with self._database.reading() as session:
            row = session.get(SharedFileRow, (self._team, file_id))
            return FileRecord(row.file_id, FileState(row.state), row.version, row.reason) if row else None

    def write(self, record: FileRecord) -> None:
        """Remember what became of a file, unless it was forgotten meanwhile."""
        with self._database.session() as session:
            if session.get(SharedFileRow, (self._team, record.file_id)):
                session.merge(self._row(record))

    def forget(self, file_id: str) -> None:
        """Forget a file that is gone, and every message that carried it."""
        with self._database.session() as session:
            for table in (FilePostRow, SharedFileRow):
                session.execute(delete(table).where(table.team == self._team, table.file_id == file_id))

    def ids(self, state: FileState | None = None) -> tuple[str, ...]:
        """The ids of all files, or of those of which this became."""
        chosen = select(SharedFileRow.file_id).where(SharedFileRow.team == self._team).order_by(SharedFileRow.file_id)
        with self._database.reading() as session:
            return tuple(session.scalars(chosen if state is None else chosen.where(SharedFileRow.state == state.value)))

    def tally(self) -> Mapping[tuple[FileState, str], int]:
        """How many files there are of each state and reason."""
        with self._database.reading() as session:
            return _counted(session, self._team)

    def _post_row(self, place: Place, post: FilePost) -> FilePostRow:
        return FilePostRow(team=self._team, place=place, ts=post.ts, file_id=post.file_id, root_ts=post.root_ts)

    def _row(self, record: FileRecord) -> SharedFileRow:
        return SharedFileRow(
            team=self._team,
            file_id=record.file_id,
            state=record.state.value,
            version=record.version,
            reason=record.reason,
        )


def _counted(session: Session, team: str) -> Mapping[tuple[FileState, str], int]:
    by = (SharedFileRow.state, SharedFileRow.reason)
    rows = session.execute(select(*by, func.count()).where(SharedFileRow.team == team).group_by(*by).order_by(*by))
    return {(FileState(state), reason): count for state, reason, count in rows}
