"""Remembers what people decided about their channels and their own messages: what, who, when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import select, update
from sqlalchemy.orm import Mapped, mapped_column

from bot.state.database import Base, Database
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
    is_settled: Mapped[bool] = mapped_column(default=False)
    """Of `UNUSED`: whether the index has come to say what was chosen."""


class Choices:
    """The choices of every team."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(self, chosen: Chosen) -> None:
        """Write down what was chosen, instead of what was chosen before."""
        with self._database.session() as session:
            session.merge(_row(chosen))

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

    def unsettled_people(self, team: str) -> dict[str, Chosen]:
        """By user id, whose choice about their own messages the index doesn't follow yet."""
        open_ = (ChoiceRow.team == team, ChoiceRow.what == Choice.UNUSED.value, ChoiceRow.is_settled.is_(False))
        with self._database.reading() as session:
            return {row.subject: _chosen(row) for row in session.scalars(select(ChoiceRow).where(*open_))}

    def settle(self, chosen: Chosen) -> None:
        """Remember that the index follows a choice, unless another one was made meanwhile."""
        same = (
            ChoiceRow.team == chosen.team,
            ChoiceRow.what == chosen.what.value,
            ChoiceRow.subject == chosen.subject,
            ChoiceRow.at == chosen.at,
        )
        with self._database.session() as session:
            session.execute(update(ChoiceRow).where(*same).values(is_settled=True))

    def _subjects(self, team: str, what: Choice) -> Iterator[str]:
        return (chosen.subject for chosen in self._holding(team, what))

    def _holding(self, team: str, what: Choice) -> tuple[Chosen, ...]:
        held = (ChoiceRow.team == team, ChoiceRow.what == what.value, ChoiceRow.holds.is_(True))
        with self._database.reading() as session:
            return tuple(_chosen(row) for row in session.scalars(select(ChoiceRow).where(*held)))


def _row(chosen: Chosen) -> ChoiceRow:
    return ChoiceRow(
        team=chosen.team,
        what=chosen.what.value,
        subject=chosen.subject,
        holds=chosen.holds,
        by=chosen.by,
        at=chosen.at,
        teams=" ".join(sorted(chosen.teams)),
        is_settled=False,
    )


def _chosen(row: ChoiceRow) -> Chosen:
    teams = frozenset(row.teams.split())
    return Chosen(row.team, Choice(row.what), row.subject, row.holds, row.by, row.at, teams)
