"""Remembers the channels that Footnote seems to be out of, and those that it is out of."""

from __future__ import annotations

from enum import Enum

from sqlalchemy import select
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database
from retrieval.types import Place


class Departure(Enum):
    """How sure it is that Footnote is out of a channel."""

    SUSPECTED = "suspected"
    """Something says so: nothing of the channel is used, and all of it is kept."""
    SURE = "sure"
    """Slack says so too: what was read of it is dropped, and it is not read."""
    WITHDRAWN = "withdrawn"
    """It isn't, or is in again; whatever said so doesn't count when it is said once more."""


class DepartureRow(Base):
    """One channel that Footnote was said to be out of."""

    __tablename__ = "departures"

    team: Mapped[str] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    event_id: Mapped[str]
    """The event that said so last; empty where none did."""


class Departures:
    """The departures of one team's channels."""

    def __init__(self, database: Database, team: str) -> None:
        self._database = database
        self._team = team

    def suspect(self, place: Place, event_id: str = "") -> None:
        """Use nothing of a channel until it is known; an event that comes once more says nothing new."""
        with self._database.session() as session:
            row = session.get(DepartureRow, (self._team, place))
            if row is None:
                session.add(self._row(place, Departure.SUSPECTED, event_id))
            elif row.state == Departure.WITHDRAWN.value and (not event_id or event_id != row.event_id):
                row.state, row.event_id = Departure.SUSPECTED.value, event_id or row.event_id

    def make_sure(self, place: Place) -> None:
        """Footnote is out of it."""
        self._turn(place, Departure.SURE)

    def withdraw(self, place: Place) -> None:
        """Footnote is in it."""
        self._turn(place, Departure.WITHDRAWN)

    def places(self) -> frozenset[Place]:
        """Of which nothing may be used."""
        return self._in_state(Departure.SUSPECTED, Departure.SURE)

    def sure(self) -> frozenset[Place]:
        """Of which nothing may be read or kept."""
        return self._in_state(Departure.SURE)

    def _turn(self, place: Place, state: Departure) -> None:
        with self._database.session() as session:
            if row := session.get(DepartureRow, (self._team, place)):
                row.state = state.value
            elif state is not Departure.WITHDRAWN:
                session.add(self._row(place, state, ""))

    def _in_state(self, *states: Departure) -> frozenset[Place]:
        wanted = DepartureRow.state.in_([state.value for state in states])
        with self._database.reading() as session:
            found = session.scalars(select(DepartureRow.place).where(DepartureRow.team == self._team, wanted))
            return frozenset(map(Place, found))

    def _row(self, place: Place, state: Departure, event_id: str) -> DepartureRow:
        return DepartureRow(team=self._team, place=place, state=state.value, event_id=event_id)
