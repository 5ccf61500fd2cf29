"""Remembers which posts were questions and what became of them; never their words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlalchemy import select
from sqlalchemy.orm import Mapped, Session, mapped_column

from bot.state.database import Base, Database, insert_new
from bot.types import Question


class QuestionState(Enum):
    """What became of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    """A reply stands in the thread."""
    TURNED_AWAY = "turned_away"
    """The asker may not ask; where it says so, it says so to the asker alone."""
    WITHDRAWN = "withdrawn"
    """It was deleted before the reply could stand below it."""
    FAILED = "failed"
    """The asker was told that something went wrong."""


class QuestionRow(Base):
    """One post that asked something."""

    __tablename__ = "questions"

    team: Mapped[str] = mapped_column(primary_key=True)
    channel: Mapped[str] = mapped_column(primary_key=True)
    ts: Mapped[str] = mapped_column(primary_key=True)
    root_ts: Mapped[str] = mapped_column(index=True)
    asker: Mapped[str]
    event_id: Mapped[str]
    """The event that is answered; the others of the same post are not."""
    state: Mapped[str]
    reply_ts: Mapped[str] = mapped_column(default="")
    asked_at: Mapped[float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was put earlier."""

    asker: str
    state: QuestionState
    reply_ts: str
    """The last message of the reply; empty where there is none."""


class Questions:
    """Every question that was put to Footnote."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, question: Question, event_id: str, at: float) -> bool:
        """Whether this event is to be answered: the first of its post, as long as nothing became of the question."""
        with self._database.session() as session:
            return insert_new(session, _new_row(question, event_id, at)) or _is_open(_row(session, question), event_id)

    def close(self, question: Question, state: QuestionState, reply_ts: str = "") -> bool:
        """Write down what became of a question; False, and nothing is written, where it was withdrawn before."""
        with self._database.session() as session:
            row = _row(session, question)
            if row and row.state == QuestionState.WITHDRAWN.value:
                return False
            if row:
                row.state, row.reply_ts = state.value, reply_ts
            return True

    def withdraw(self, question: Question, event_id: str, at: float, *, may_be_new: bool) -> None:
        """Let nobody answer a question any more that is not answered yet.

        Args:
            may_be_new: whether it is surely a question, of which the event may only be on its way.
        """
        with self._database.session() as session:
            if may_be_new:
                insert_new(session, _new_row(question, event_id, at))
            row = _row(session, question)
            if row and row.state == QuestionState.OPEN.value:
                row.state = QuestionState.WITHDRAWN.value

    def is_withdrawn(self, question: Question) -> bool:
        """Whether it was taken back before it was answered."""
        with self._database.reading() as session:
            row = _row(session, question)
            return row is not None and row.state == QuestionState.WITHDRAWN.value

    def is_open(self, question: Question, event_id: str) -> bool:
        """Whether this event was taken to be answered, and nothing became of the question yet."""
        with self._database.reading() as session:
            return _is_open(_row(session, question), event_id)

    def last_in_thread(self, team: str, channel: str, root_ts: str) -> Asked | None:
        """The latest question of a thread."""
        in_thread = (
            select(QuestionRow)
            .where(QuestionRow.team == team, QuestionRow.channel == channel, QuestionRow.root_ts == root_ts)
            .order_by(QuestionRow.ts.desc())
            .limit(1)
        )
        with self._database.reading() as session:
            row = session.scalars(in_thread).first()
            return Asked(row.asker, QuestionState(row.state), row.reply_ts) if row else None

    def asked_in(self, team: str, channel: str) -> frozenset[str]:
        """The `ts` of every post of a conversation that was a question: none of them is ever evidence."""
        with self._database.reading() as session:
            posts = select(QuestionRow.ts).where(QuestionRow.team == team, QuestionRow.channel == channel)
            return frozenset(session.scalars(posts))


def _new_row(question: Question, event_id: str, at: float) -> QuestionRow:
    return QuestionRow(
        team=question.team,
        channel=question.channel,
        ts=question.ts,
        root_ts=question.root_ts,
        asker=question.asker,
        event_id=event_id,
        state=QuestionState.OPEN.value,
        asked_at=at,
    )


def _row(session: Session, question: Question) -> QuestionRow | None:
    return session.get(QuestionRow, question.key)


def _is_open(row: QuestionRow | None, event_id: str) -> bool:
    return row is not None and row.event_id == event_id and row.state == QuestionState.OPEN.value
