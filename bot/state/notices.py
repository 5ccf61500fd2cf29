"""Remembers in which channels Footnote has said what it reads there."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database
from retrieval.types import Place


@dataclass(frozen=True, slots=True)
class Notice:
    """What was said, or is about to be, in one channel."""

    place: Place
    mark: str
    """Stands in the post, so that it is found again whatever was written down."""
    ts: str = ""
    """The post; empty as long as nobody has written down that it stands."""
    said: str = ""
    """A digest of what stands there."""


class NoticeRow(Base):
    """The notice in one channel."""

    __tablename__ = "notices"

    team: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    mark: Mapped[str]
    ts: Mapped[str] = mapped_column(default="")
    said: Mapped[str] = mapped_column(default="")


class Notices:
    """The notices of one team."""

    def __init__(self, database: Database, team: str) -> None:
        self._database = database
        self._team = team

    def of(self, place: Place) -> Notice | None:
        """The notice in a channel; None where none was ever begun."""
        with self._database.reading() as session:
            row = session.get(NoticeRow, (self._team, place))
            return Notice(Place(row.place), row.mark, row.ts, row.said) if row else None

    def write(self, notice: Notice) -> None:
        """Remember a notice, instead of an earlier one in the same channel."""
        with self._database.session() as session:
            row = NoticeRow(team=self._team, place=notice.place, mark=notice.mark, ts=notice.ts, said=notice.said)
            session.merge(row)

    def forget(self, place: Place) -> None:
        """Forget a channel that Footnote has left: whoever invites it again is told again."""
        with self._database.session() as session:
            session.execute(delete(NoticeRow).where(NoticeRow.team == self._team, NoticeRow.place == place))
