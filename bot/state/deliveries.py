"""Remembers every event that Slack sent until it has been dealt with, and that it came."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, UniqueConstraint, and_, delete, false, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database, insert_new


class DeliveryRow(Base):
    """One event on its way through one lane; its body is erased when it is done."""

    __tablename__ = "inbox"
    __table_args__ = (UniqueConstraint("app_id", "event_id", "lane"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    app_id: Mapped[str]
    event_id: Mapped[str]
    lane: Mapped[str] = mapped_column(index=True)
    team: Mapped[str]
    body: Mapped[str]
    attempts: Mapped[int] = mapped_column(default=0)
    received_at: Mapped[float]
    due_at: Mapped[float | None] = mapped_column(index=True)
    """When it may be taken: at once, after a back-off, or when the lease of its taker has run out; None when done."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event that was taken."""

    number: int
    """In order of arrival."""
    event_id: str
    body: str
    """JSON, as Slack sent it."""
    attempt: int
    """From 1."""


class Deliveries:
    """The events of every app and lane. All times are in seconds since the epoch.

    Of several workspaces' bots with one database, each takes what came for its own, whichever of them it came to.
    """

    def __init__(self, database: Database, team: str = "") -> None:
        """Keep what comes, and take what came for one team; without a team, all of it."""
        self._database = database
        self._team = team

    def keep(self, app_id: str, event_id: str, team: str, body: str, lanes: Collection[str], at: float) -> bool:
        """Write an event down for each lane, durably; whether it is new."""
        with self._database.session() as session:
            rows = [
                DeliveryRow(
                    app_id=app_id, event_id=event_id, lane=lane, team=team, body=body, received_at=at, due_at=at
                )
                for lane in lanes
            ]
            return sum(insert_new(session, row) for row in rows) > 0

    def take(self, lane: str, at: float, lease_s: float) -> Delivery | None:
        """The earliest event of a lane that is due; nobody else gets it until the lease runs out."""
        due = (
            select(DeliveryRow)
            .where(DeliveryRow.lane == lane, DeliveryRow.due_at <= at, *self._own)
            .order_by(DeliveryRow.number)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        with self._database.session() as session:
            row = session.scalars(due).first()
            if row is None:
                return None
            row.attempts += 1
            row.due_at = at + lease_s
            return Delivery(row.number, row.event_id, row.body, row.attempts)

    def postpone(self, numbers: Collection[int], until: float) -> None:
        """Let nobody take these before a time: a back-off, or a lease that is renewed. What is done stays done."""
        with self._database.session() as session:
            session.execute(
                update(DeliveryRow)
                .where(DeliveryRow.number.in_(numbers), DeliveryRow.due_at.is_not(None))
                .values(due_at=until)
            )

    def finish(self, number: int) -> None:
        """Erase an event's body; only that it came is remembered."""
        with self._database.session() as session:
            session.execute(update(DeliveryRow).where(DeliveryRow.number == number).values(body="", due_at=None))

    def forget(self, before: float) -> None:
        """Remove what is done and came before a time, when Slack sends it no more, and what no other bot has taken."""
        nobodys = and_(DeliveryRow.team != self._team, DeliveryRow.team != "") if self._team else false()
        with self._database.session() as session:
            is_over = or_(DeliveryRow.due_at.is_(None), nobodys)
            session.execute(delete(DeliveryRow).where(is_over, DeliveryRow.received_at < before))

    def unfinished(self, lane: str) -> int:
        """How many events of a lane are not done."""
        with self._database.reading() as session:
            open_ = select(func.count()).where(DeliveryRow.lane == lane, DeliveryRow.due_at.is_not(None), *self._own)
            return session.scalars(open_).one()

    def anything_due(self, lane: str, at: float) -> bool:
        """Whether an event of a lane can be taken; waits for no writer."""
        with self._database.reading() as session:
            due = select(DeliveryRow.number).where(DeliveryRow.lane == lane, DeliveryRow.due_at <= at, *self._own)
            return session.scalars(due.limit(1)).first() is not None

    def due(self, at: float) -> Mapping[str, int]:
        """How many events can be taken, by lane; lanes without any are left out."""
        with self._database.reading() as session:
            due = select(DeliveryRow.lane, func.count()).where(DeliveryRow.due_at <= at, *self._own)
            return {str(lane): int(count) for lane, count in session.execute(due.group_by(DeliveryRow.lane))}

    @property
    def _own(self) -> tuple[ColumnElement[bool], ...]:
        """That an event came for this team, or that nobody knows for which."""
        return (DeliveryRow.team.in_((self._team, "")),) if self._team else ()
