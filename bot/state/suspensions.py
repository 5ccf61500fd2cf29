"""Remembers in which workspaces Footnote was told that it is not let in now."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database


class SuspensionRow(Base):
    """What one workspace was last told about Footnote's being let in."""

    __tablename__ = "suspensions"

    team: Mapped[str] = mapped_column(primary_key=True)
    holds: Mapped[bool]
    event_id: Mapped[str]
    """The event that said so last; empty where none did."""


class Suspensions:
    """The suspensions of every team: while one holds, nothing is answered and nothing is read there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def suspend(self, team: str, event_id: str = "") -> None:
        """Suspend a team; an event that comes once more says nothing new."""
        with self._database.session() as session:
            row = session.get(SuspensionRow, team)
            if row is None:
                session.add(SuspensionRow(team=team, holds=True, event_id=event_id))
            elif row.event_id != event_id:
                row.holds, row.event_id = True, event_id or row.event_id

    def lift(self, team: str) -> None:
        """Footnote is let in."""
        with self._database.session() as session:
            if row := session.get(SuspensionRow, team):
                row.holds = False

    def holds(self, team: str) -> bool:
        """Whether a team is suspended."""
        with self._database.reading() as session:
            row = session.get(SuspensionRow, team)
            return row is not None and row.holds
