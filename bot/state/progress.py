"""How far each channel has been read into the index."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database
from retrieval.types import Place


class ReadingState(Enum):
    """Where the reading of a channel stands."""

    READING = "reading"
    """Begun, and not yet at its end; after a restart it begins again."""
    DONE = "done"
    FAILED = "failed"
    """It ended before the channel did; `error` says why."""


@dataclass(frozen=True, slots=True)
class ChannelProgress:
    """What has been read of one channel; times are Slack's `ts`, empty where nothing was read."""

    place: Place
    channel_id: str
    name: str
    state: ReadingState
    oldest: str = ""
    newest: str = ""
    read: int = 0
    """Messages read, replies included."""
    indexed: int = 0
    """Of those, messages that may be evidence."""
    changed_at: float = 0.0
    """Seconds since the epoch, when this was last written."""
    error: str = ""


class ProgressRow(Base):
    """One channel of one team."""

    __tablename__ = "channel_progress"

    team: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    channel_id: Mapped[str]
    name: Mapped[str]
    state: Mapped[str]
    oldest: Mapped[str]
    newest: Mapped[str]
    read: Mapped[int]
    indexed: Mapped[int]
    changed_at: Mapped[float]
    error: Mapped[str]


class RenewalRow(Base):
    """A channel that is to be read from its start once more: what may be used of it has changed."""

    __tablename__ = "channel_renewals"

    team: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    since: Mapped[float]
    """When it changed, in seconds since the epoch; a reading that began before that doesn't count."""


class Progress:
    """The progress of every channel of one team."""

    def __init__(self, database: Database, team: str) -> None:
        self._database = database
        self._team = team

    def of(self, place: Place) -> ChannelProgress | None:
        """How far one channel is; None before its first reading."""
        with self._database.reading() as session:
            row = session.get(ProgressRow, (self._team, place))
            return _progress(row) if row else None

    def all(self) -> tuple[ChannelProgress, ...]:
        """Every channel, by name."""
        chosen = select(ProgressRow).where(ProgressRow.team == self._team).order_by(ProgressRow.name, ProgressRow.place)
        with self._database.reading() as session:
            return tuple(_progress(row) for row in session.scalars(chosen))

    def write(self, progress: ChannelProgress) -> None:
        """Remember how far a channel is."""
        with self._database.session() as session:
            session.merge(_row(self._team, progress))

    def read_anew(self) -> None:
        """Have every channel read from its start the next time, as one whose reading was cut off."""
        with self._database.session() as session:
            theirs = update(ProgressRow).where(ProgressRow.team == self._team)
            session.execute(theirs.values(state=ReadingState.READING.value))

    def renew(self, place: Place, since: float) -> None:
        """Have one channel read from its start once more."""
        with self._database.session() as session:
            session.merge(RenewalRow(team=self._team, place=place, since=since))

    def renewal_of(self, place: Place) -> float | None:
        """Since when a channel is to be read from its start once more; None where it isn't."""
        with self._database.reading() as session:
            row = session.get(RenewalRow, (self._team, place))
            return row.since if row else None

    def renewed(self, place: Place, since: float) -> None:
        """Remember that a channel was read from its start for what changed then; for what changed later it wasn't."""
        with self._database.session() as session:
            session.execute(delete(RenewalRow).where(*self._is(RenewalRow, place), RenewalRow.since == since))

    def forget(self, place: Place) -> None:
        """Forget a channel that Footnote has left."""
        with self._database.session() as session:
            session.execute(delete(ProgressRow).where(*self._is(ProgressRow, place)))
            session.execute(delete(RenewalRow).where(*self._is(RenewalRow, place)))

    def _is(self, table: type[ProgressRow | RenewalRow], place: Place) -> tuple[ColumnElement[bool], ...]:
        return table.team == self._team, table.place == place


def _row(team: str, progress: ChannelProgress) -> ProgressRow:
    return ProgressRow(
        team=team,
        place=progress.place,
        channel_id=progress.channel_id,
        name=progress.name,
        state=progress.state.value,
        oldest=progress.oldest,
        newest=progress.newest,
        read=progress.read,
        indexed=progress.indexed,
        changed_at=progress.changed_at,
        error=progress.error,
    )


def _progress(row: ProgressRow) -> ChannelProgress:
    return ChannelProgress(
        Place(row.place),
        row.channel_id,
        row.name,
        ReadingState(row.state),
        row.oldest,
        row.newest,
        row.read,
        row.indexed,
        row.changed_at,
        row.error,
    )
