"""Remembers what is offered to one person alone: another look, and sharing what came of it, sealed and not for long."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_urlsafe

from sqlalchemy import ColumnElement, UniqueConstraint, delete, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from bot.state.database import Base, Database, insert_new
from bot.types import Question


class LookRow(Base):
    """A look in what only its asker may read: offered below a reply, or asked for by a command."""

    __tablename__ = "looks"
    __table_args__ = (UniqueConstraint("team", "channel", "question_ts"), UniqueConstraint("team", "dm", "dm_ts"))

    id: Mapped[str] = mapped_column(primary_key=True)
    team: Mapped[str]
    asker: Mapped[str]
    channel: Mapped[str]
    question_ts: Mapped[str]
    root_ts: Mapped[str]
    expires_at: Mapped[float] = mapped_column(index=True)
    event_id: Mapped[str] = mapped_column(default="")
    dm: Mapped[str | None] = mapped_column(default=None)
    dm_ts: Mapped[str | None] = mapped_column(default=None)


class ShareRow(Base):
    """A private answer that its asker may show where they asked."""

    __tablename__ = "shares"
    __table_args__ = (UniqueConstraint("look"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    look: Mapped[str]
    team: Mapped[str]
    asker: Mapped[str]
    channel: Mapped[str]
    question_ts: Mapped[str]
    root_ts: Mapped[str]
    sealed: Mapped[str]
    expires_at: Mapped[float] = mapped_column(index=True)
    event_id: Mapped[str] = mapped_column(default="")
    shared_ts: Mapped[str] = mapped_column(default="")


@dataclass(frozen=True, slots=True)
class Look:
    """A look in what only its asker may read."""

    id: str
    """Opaque: whoever presses a button sends it."""
    team: str
    asker: str
    channel: str
    """Where it was asked."""
    question_ts: str
    """The message that asked; of a command, which is no message, its id."""
    root_ts: str
    """The thread in which it was asked; empty for a command."""
    dm: str = ""
    dm_ts: str = ""
    """The message in the DM below which the answer comes; empty as long as there is none."""

    @property
    def is_command(self) -> bool:
        return not self.root_ts


@dataclass(frozen=True, slots=True)
class Share:
    """A private answer that its asker may show where they asked."""

    id: str
    team: str
    asker: str
    channel: str
    question_ts: str
    root_ts: str
    """The thread in which it is shown; empty where a command asked: it then opens one."""
    sealed: str
    """What would be shown, for nobody without the key; empty once it was."""
    shared_ts: str = ""
    """The first message of what was shown; empty as long as nothing was."""


class Offers:
    """The offers of every team. All times are in seconds since the epoch."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def offer_look(self, question: Question, until: float) -> Look:
        """Offer a look at a question; the same offer however often it is made."""
        look = Look(new_id(), question.team, question.asker, question.channel, question.ts, question.root_ts)
        return self._put_look(look, until)

    def begin_command(self, team: str, asker: str, channel: str, command_id: str, until: float) -> Look:
        """A look that was asked for by a command; the same one however often that is taken up."""
        return self._put_look(Look(new_id(), team, asker, channel, command_id, ""), until)

    def look(self, look_id: str, at: float) -> Look | None:
        """A look that is on offer; None where it was never, or is no more."""
        return self._look(LookRow.id == look_id, LookRow.expires_at > at)

    def look_below(self, team: str, dm: str, dm_ts: str) -> Look | None:
        """The look whose answer comes below a message in a DM, or came there long ago."""
        return self._look(LookRow.team == team, LookRow.dm == dm, LookRow.dm_ts == dm_ts)

    def look_taken_by(self, event_id: str) -> Look | None:
        """The look that an event has taken."""
        return self._look(LookRow.event_id == event_id)

    def take_look(self, look_id: str, event_id: str) -> bool:
        """Have one event, and no other, see to a look; whether it is this one."""
        with self._database.session() as session:
            return _taken(session, LookRow, look_id, event_id)

    def opened(self, look_id: str, dm: str, dm_ts: str) -> None:
        """Remember below which message the answer comes."""
        with self._database.session() as session:
            session.execute(update(LookRow).where(LookRow.id == look_id).values(dm=dm, dm_ts=dm_ts))

    def release(self, event_id: str) -> None:
        """Let another event see to what this one has taken and not done."""
        with self._database.session() as session:
            for row in (LookRow, ShareRow):
                session.execute(update(row).where(row.event_id == event_id).values(event_id=""))

    def offer_share(self, look: Look, share_id: str, sealed: str, until: float) -> None:
        """Offer to show the answer of a look where it was asked, instead of an earlier one of the same look."""
        with self._database.session() as session:
            session.execute(delete(ShareRow).where(ShareRow.look == look.id, ShareRow.shared_ts == ""))
            row = ShareRow(
                id=share_id,
                look=look.id,
                team=look.team,
                asker=look.asker,
                channel=look.channel,
                question_ts=look.question_ts,
                root_ts=look.root_ts,
                sealed=sealed,
                expires_at=until,
            )
            insert_new(session, row)

    def share(self, share_id: str, at: float) -> Share | None:
        """What may be shown; None where it was never, or may be no more."""
        with self._database.reading() as session:
            row = session.get(ShareRow, share_id)
            return _share(row) if row and row.expires_at > at else None

    def take_share(self, share_id: str, event_id: str) -> bool:
        """Have one event, and no other, show something; whether it is this one."""
        with self._database.session() as session:
            return _taken(session, ShareRow, share_id, event_id)

    def shared(self, share_id: str, ts: str) -> None:
        """Remember where it was shown, and nothing more of what that was."""
        with self._database.session() as session:
            session.execute(update(ShareRow).where(ShareRow.id == share_id).values(sealed="", shared_ts=ts))

    def forget(self, at: float) -> None:
        """Erase what is on offer no more by a time; of looks that were taken stay the ids, for their threads go on."""
        with self._database.session() as session:
            session.execute(delete(LookRow).where(LookRow.expires_at <= at, LookRow.dm_ts.is_(None)))
            session.execute(delete(ShareRow).where(ShareRow.expires_at <= at))

    def _put_look(self, look: Look, until: float) -> Look:
        """The look as it stands, which may have been put there before."""
        with self._database.session() as session:
            row = LookRow(
                id=look.id,
                team=look.team,
                asker=look.asker,
                channel=look.channel,
                question_ts=look.question_ts,
                root_ts=look.root_ts,
                expires_at=until,
            )
            if insert_new(session, row):
                return look
            return _as_look(session.scalars(select(LookRow).where(*_of_question(look))).one())

    def _look(self, *which: ColumnElement[bool]) -> Look | None:
        with self._database.reading() as session:
            row = session.scalars(select(LookRow).where(*which)).first()
            return _as_look(row) if row else None


def new_id() -> str:
    """An id that nobody guesses."""
    return token_urlsafe(18)


def _of_question(look: Look) -> tuple[ColumnElement[bool], ...]:
    return (
        LookRow.team == look.team,
        LookRow.channel == look.channel,
        LookRow.question_ts == look.question_ts,
    )


def _taken(session: Session, row: type[LookRow] | type[ShareRow], id_: str, event_id: str) -> bool:
    is_free = or_(row.event_id == "", row.event_id == event_id)
    session.execute(update(row).where(row.id == id_, is_free).values(event_id=event_id))
    return session.scalars(select(row.event_id).where(row.id == id_)).first() == event_id


def _as_look(row: LookRow) -> Look:
    return Look(row.id, row.team, row.asker, row.channel, row.question_ts, row.root_ts, row.dm or "", row.dm_ts or "")


def _share(row: ShareRow) -> Share:
    return Share(row.id, row.team, row.asker, row.channel, row.question_ts, row.root_ts, row.sealed, row.shared_ts)
