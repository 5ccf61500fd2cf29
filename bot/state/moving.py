"""Gives a conversation the id under which Slack has it now, wherever an id of Slack's is remembered."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Column, Table, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from bot.state.choices import ChoiceRow
from bot.state.database import Base, Database
from bot.state.departures import Departure, DepartureRow
from bot.state.places import PlaceRow
from bot.state.progress import ProgressRow, ReadingState

_NAMES = ("channel", "channel_id")
"""What columns are called that hold an id of Slack's."""


def move_channel(database: Database, team: str, old: str, new: str) -> bool:
    """Let a conversation be known by a new id; our own id of it stays, and all that stands under it.

    Where something came under the new id before, that was the same conversation: what people chose for it counts on,
    and what was read of it will be dropped, since it is read again under the id of ours that stays.

    Returns:
        Whether anything was known by the old id; if not, it was moved before, or never heard of.

    Raises:
        StateError: nothing was moved.
    """
    with database.session() as session:
        known = _known_by(session, team, old)
        if known is None or old == new:
            return False
        if double := _known_by(session, team, new):
            _merge(session, double, known)
        known.channel_id = new
        for table, column in _holders():
            _rename(session, table, column, team, old, new)
        read = update(ProgressRow).where(ProgressRow.team == team, ProgressRow.place == known.place)
        session.execute(read.values(state=ReadingState.READING.value))  # its links lead to the old id until it is read
        return True


def _known_by(session: Session, team: str, channel_id: str) -> PlaceRow | None:
    known = select(PlaceRow).where(PlaceRow.team == team, PlaceRow.channel_id == channel_id)
    return session.scalars(known).first()


def _merge(session: Session, double: PlaceRow, known: PlaceRow) -> None:
    """Keep the older of two ids of ours for one conversation, and what was chosen last."""
    chosen = select(ChoiceRow).where(ChoiceRow.team == known.team, ChoiceRow.subject == double.place)
    for choice in session.scalars(chosen).all():
        before = session.get(ChoiceRow, (known.team, choice.what, known.place))
        if before is None or before.at < choice.at:
            session.merge(_about(choice, known.place))
        session.delete(choice)
    session.merge(DepartureRow(team=known.team, place=double.place, state=Departure.SURE.value, event_id=""))
    session.delete(double)
    session.flush()


def _about(choice: ChoiceRow, place: str) -> ChoiceRow:
    values = {column.name: getattr(choice, column.name) for column in ChoiceRow.__table__.columns}
    return ChoiceRow(**{**values, "subject": place})


def _holders() -> Iterator[tuple[Table, Column[str]]]:
    """Every table that remembers an id of Slack's, with the column; whoever adds one calls it as the others are."""
    for table in Base.metadata.sorted_tables:
        if table.name != PlaceRow.__tablename__ and "team" in table.columns:
            yield from ((table, table.columns[name]) for name in _NAMES if name in table.columns)


def _rename(session: Session, table: Table, column: Column[str], team: str, old: str, new: str) -> None:
    """Row by row: one that is there under the new id too was told twice."""
    keys = tuple(table.primary_key.columns)
    for key in session.execute(select(*keys).where(table.c.team == team, column == old)).all():
        is_it = [part == value for part, value in zip(keys, key, strict=True)]
        try:
            with session.begin_nested():
                session.execute(table.update().where(*is_it).values({column.name: new}))
        except IntegrityError:
            session.execute(table.delete().where(*is_it))
