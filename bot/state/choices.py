"""Remembers what people decided about their channels and their own messages: what, who, when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database
from bot.state.progress import RenewalRow
from retrieval.types import Place


class Choice(Enum):
    """What can be decided; each holds from the moment it was made until it is taken back."""

    LEFT_OUT = "left_out"
    """A channel is not read, and nothing of it is used."""
    NEVER_TO_MODEL = "never_to_model"
    """No language model is told anything that stands in a channel."""
    APPROVED = "approved"
    """A channel that is shared with others may be answered in, as long as it is shared with nobody else."""
    UNUSED = "unused"
    """Somebody's own messages are not used."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The last word on one thing."""

    team: str
    what: Choice
    subject: str
    """A place; of `UNUSED` the id of whose messages they are."""
    holds: bool
    """False where it was taken back, or denied."""
    by: str
    """The user id of whoever chose."""
    at: float
    """Seconds since the epoch."""
    teams: frozenset[str] = frozenset()
    """Of an approval: with whom the channel was shared when it was given."""


class ChoiceRow(Base):
    """The last word on one thing; it stays when it is taken back, and says who did that."""

    __tablename__ = "choices"

    team: Mapped[str] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    holds: Mapped[bool]
    by: Mapped[str]
    at: Mapped[float]
    teams: Mapped[str] = mapped_column(default="")
    """Ids with a space between them."""


class Choices:
    """The choices of every team."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(self, chosen: Chosen, renewed: Iterable[Place] = ()) -> bool:
        """Write down what was chosen, and which channels are to be read anew because of it.

        Not what was chosen before the last word, and comes late; whether it was written.
        """
        with self._database.session() as session:
            before = session.get(ChoiceRow, (chosen.team, chosen.what.value, chosen.subject))
            if before and before.at > chosen.at:
                return False
            session.merge(_row(chosen))
            for place in renewed:
                session.merge(RenewalRow(team=chosen.team, place=place, since=chosen.at))
            return True

    def last(self, team: str, what: Choice, subject: str) -> Chosen | None:
        """The last word on something; None where nobody has said any."""
        with self._database.reading() as session:
            row = session.get(ChoiceRow, (team, what.value, subject))
            return _chosen(row) if row else None

    def left_out_places(self, team: str) -> frozenset[Place]:
        """The channels that are not to be read, and of which nothing may be used."""
        return frozenset(map(Place, self._subjects(team, Choice.LEFT_OUT)))

    def places_never_to_model(self, team: str) -> frozenset[Place]:
        """The channels of which no language model may learn anything."""
        return frozenset(map(Place, self._subjects(team, Choice.NEVER_TO_MODEL)))

    def approved_places(self, team: str) -> dict[Place, frozenset[str]]:
        """The shared channels that may be answered in, each with those with whom it may be shared for that."""
        return {Place(chosen.subject): chosen.teams for chosen in self._holding(team, Choice.APPROVED)}

    def unused_people(self, team: str) -> frozenset[str]:
        """User ids of those whose messages are not to be used."""
        return frozenset(self._subjects(team, Choice.UNUSED))

    def unused_and_still_indexed(self, team: str) -> frozenset[str]:
        """Of those, whose messages the index may still hold: a channel was not read anew since they chose."""
        unread = exists().where(RenewalRow.team == team, RenewalRow.since >= ChoiceRow.at)
        with self._database.reading() as session:
            held = select(ChoiceRow.subject).where(*_held(team, Choice.UNUSED), unread)
            return frozenset(session.scalars(held))

    def _subjects(self, team: str, what: Choice) -> Iterator[str]:
        return (chosen.subject for chosen in self._holding(team, what))

    def _holding(self, team: str, what: Choice) -> tuple[Chosen, ...]:
        with self._database.reading() as session:
            held = select(ChoiceRow).where(*_held(team, what))
            return tuple(_chosen(row) for row in session.scalars(held))


def _held(team: str, what: Choice) -> tuple[ColumnElement[bool], ...]:
    return ChoiceRow.team == team, ChoiceRow.what == what.value, ChoiceRow.holds.is_(True)


def _row(chosen: Chosen) -> ChoiceRow:
    return ChoiceRow(
        team=chosen.team,
        what=chosen.what.value,
        subject=chosen.subject,
        holds=chosen.holds,
        by=chosen.by,
        at=chosen.at,
        teams=" ".join(sorted(chosen.teams)),
    )


def _chosen(row: ChoiceRow) -> Chosen:
    teams = frozenset(row.teams.split())
    return Chosen(row.team, Choice(row.what), row.subject, row.holds, row.by, row.at, teams)
