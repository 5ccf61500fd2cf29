"""Our own ids of conversations, which stay when Slack's change."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping

from sqlalchemy import UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from bot.state.database import Base, Database, insert_new
from retrieval.types import Place


class PlaceRow(Base):
    """One conversation, by the id that Slack gives it now."""

    __tablename__ = "places"
    __table_args__ = (UniqueConstraint("team", "channel_id"),)

    place: Mapped[str] = mapped_column(primary_key=True)
    team: Mapped[str]
    channel_id: Mapped[str]


def new_place() -> str:
    """An id that no conversation has, of any team."""
    return uuid.uuid4().hex


class Places:
    """The places of every team's conversations."""

    def __init__(self, database: Database, new_id: Callable[[], str] = new_place) -> None:
        self._database = database
        self._new_id = new_id

    def place_of(self, team: str, channel_id: str) -> Place:
        """Our id of a conversation, made on first sight."""
        return self.places_of(team, (channel_id,))[channel_id]

    def find(self, team: str, channel_id: str) -> Place | None:
        """Our id of a conversation, if it has one under this id of Slack's."""
        with self._database.reading() as session:
            return _known(session, team).get(channel_id)

    def channel_of(self, place: Place) -> str:
        """Slack's id of a conversation now; empty for what is none."""
        with self._database.reading() as session:
            row = session.get(PlaceRow, place)
            return row.channel_id if row else ""

    def places_of(self, team: str, channel_ids: Collection[str]) -> Mapping[str, Place]:
        """Our ids of several conversations by Slack's, each made on first sight."""
        with self._database.reading() as session:
            known = _known(session, team)
        if any(channel_id not in known for channel_id in channel_ids):
            known = self._added(team, channel_ids)
        return {channel_id: known[channel_id] for channel_id in channel_ids}

    def _added(self, team: str, channel_ids: Collection[str]) -> Mapping[str, Place]:
        with self._database.session() as session:
            for channel_id in sorted(set(channel_ids) - set(_known(session, team))):
                insert_new(session, PlaceRow(place=self._new_id(), team=team, channel_id=channel_id))
            return _known(session, team)


def _known(session: Session, team: str) -> Mapping[str, Place]:
    rows = session.execute(select(PlaceRow.channel_id, PlaceRow.place).where(PlaceRow.team == team))
    return {channel_id: Place(place) for channel_id, place in rows}
