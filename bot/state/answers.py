"""Remembers who was answered what where: by ids, times and digests alone, and never in words."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, delete, or_, select, update

from bot.state.answer_rows import (
    AnswerPostRow,
    AnswerRow,
    CitationRow,
    CitedMessageRow,
    CitedPlaceRow,
    answer_of,
    answer_row,
    citation_row,
)
from bot.state.database import Database
from bot.state.posted import Cited, PostedAnswer
from bot.types import Question, Surface
from retrieval.types import Place

KEEP_S = 365 * 24 * 3600.0
"""A year: whoever asks how an answer came about asks by then, and what rests on older words is seldom read again."""


class Answers:
    """The answers of one team. All times are in seconds since the epoch."""

    def __init__(self, database: Database, team: str) -> None:
        self._database = database
        self._team = team

    def begin(
        self, question: Question, place: Place, outcome: str, cited: Sequence[Cited], at: float, key: str = ""
    ) -> PostedAnswer:
        """Write down an answer that is about to be posted; what an earlier attempt at it cited stays.

        Args:
            key: of an answer that stands beside the one to the same question.
        """
        with self._database.session() as session:
            row = session.scalars(select(AnswerRow).where(*self._of(place, key or question.ts))).first()
            if row is None:
                row = answer_row(uuid.uuid4().hex, question, place, key or question.ts)
                session.add(row)
            row.outcome, row.answered_at, row.looked_at, row.is_posting = outcome, at, at, True
            _cite(row, cited, is_final=False)
            session.flush()
            return answer_of(row)

    def confirm(self, answer_id: str, outcome: str, cited: Sequence[Cited]) -> None:
        """Write down what this attempt cites after all, its messages as they were seen to be."""
        with self._database.session() as session:
            if row := session.get(AnswerRow, answer_id):
                row.outcome = outcome
                _cite(row, cited, is_final=True)

    def posted(self, answer_id: str, part: int, ts: str) -> None:
        """Write down that one of its messages stands."""
        with self._database.session() as session:
            session.merge(AnswerPostRow(answer_id=answer_id, ts=ts, part=part))

    def finish(self, answer_id: str) -> bool:
        """Write down that all its messages stand; whether something that it may rest on has changed meanwhile."""
        with self._database.session() as session:
            row = session.get(AnswerRow, answer_id)
            if row is None:
                return False
            was_touched = row.is_touched or not row.is_settled
            row.is_posting = row.is_touched = False
            return was_touched

    def cancel(self, answer_id: str) -> None:
        """Write down that nothing of it stands, since its question was taken back."""
        with self._database.session() as session:
            if row := session.get(AnswerRow, answer_id):
                row.outcome, row.citations, row.posts = "cancelled", [], []
                row.is_posting, row.is_touched, row.is_settled = False, False, True

    def touch(self, answer_id: str) -> None:
        """Have an answer that is being posted looked at once more when it stands."""
        being_posted = (AnswerRow.id == answer_id, AnswerRow.is_posting.is_(True))
        with self._database.session() as session:
            session.execute(update(AnswerRow).where(*being_posted).values(is_touched=True))

    def fall(self, answer_id: str, markers: Collection[int]) -> None:
        """Write down that these may no longer stand, before they are taken away."""
        with self._database.session() as session:
            if row := session.get(AnswerRow, answer_id):
                for citation in row.citations:
                    citation.has_fallen |= citation.marker in markers
                row.is_settled = False

    def settle(self, answer_id: str, fallen: frozenset[int]) -> bool:
        """Write down that nothing of these markers stands any more; False where others have fallen meanwhile.

        What is being posted stays unsettled: more of it may come.
        """
        with self._database.session() as session:
            row = session.get(AnswerRow, answer_id)
            if row is None:
                return True
            is_all = answer_of(row).fallen == fallen
            row.is_settled = is_all and not row.is_posting
            return is_all

    def note_look(self, answer_id: str, at: float) -> None:
        """Write down that an answer was seen to be as it should."""
        with self._database.session() as session:
            session.execute(update(AnswerRow).where(AnswerRow.id == answer_id).values(looked_at=at))

    def get(self, answer_id: str) -> PostedAnswer | None:
        """An answer; None where nobody remembers it."""
        with self._database.reading() as session:
            row = session.get(AnswerRow, answer_id)
            return answer_of(row) if row else None

    def to_question(self, place: Place, key: str) -> PostedAnswer | None:
        """The answer to a question, by its `ts` or another key; None where there is none."""
        return next(iter(self._found(*self._of(place, key))), None)

    def resting_on_message(self, place: Place, ts: str) -> tuple[PostedAnswer, ...]:
        """The answers of which something rests on a message, newest first."""
        rests = CitedMessageRow.place == place, CitedMessageRow.ts == ts
        return self._found(AnswerRow.citations.any(CitationRow.messages.any(and_(*rests))))

    def resting_on_source(self, source_id: str) -> tuple[PostedAnswer, ...]:
        """The answers that cite a source, newest first."""
        return self._found(AnswerRow.citations.any(CitationRow.source_id == source_id))

    def concerning(self, place: Place) -> tuple[PostedAnswer, ...]:
        """The answers that were posted in a place or cite what stands there, newest first."""
        cites = AnswerRow.citations.any(CitationRow.places.any(CitedPlaceRow.place == place))
        return self._found(or_(AnswerRow.place == place, cites), AnswerRow.citations.any())

    def read_by(self, user_id: str, places: Collection[Place]) -> tuple[PostedAnswer, ...]:
        """The answers that somebody reads who is in these places, and those in their DM; newest first."""
        alone = AnswerRow.asker == user_id, AnswerRow.surface == Surface.DM.value
        is_reader = or_(and_(*alone), AnswerRow.place.in_(list(places)))
        return self._found(is_reader, AnswerRow.citations.any())

    def unsettled(self, limit: int | None = None) -> tuple[PostedAnswer, ...]:
        """The answers of which something is to be taken away, those first that were not looked at for longest."""
        return self._found(AnswerRow.is_settled.is_(False), order=AnswerRow.looked_at.asc(), limit=limit)

    def since(self, at: float, limit: int | None = None) -> tuple[PostedAnswer, ...]:
        """The answers since a time, those first that were not looked at for longest."""
        longest_ago = AnswerRow.looked_at.asc()
        return self._found(AnswerRow.answered_at >= at, AnswerRow.citations.any(), order=longest_ago, limit=limit)

    def by_post(self, place: Place, ts: str) -> PostedAnswer | None:
        """The answer that one of Footnote's messages belongs to; None where nobody remembers one."""
        return next(iter(self._found(AnswerRow.place == place, AnswerRow.posts.any(AnswerPostRow.ts == ts))), None)

    def forget(self, before: float) -> None:
        """Delete what is older."""
        old = (AnswerRow.team == self._team, AnswerRow.answered_at < before)
        with self._database.session() as session:
            session.execute(delete(AnswerRow).where(*old))

    def _of(self, place: Place, key: str) -> tuple[ColumnElement[bool], ...]:
        return (AnswerRow.team == self._team, AnswerRow.place == place, AnswerRow.key == key)

    def _found(
        self, *which: ColumnElement[bool], order: ColumnElement[float] | None = None, limit: int | None = None
    ) -> tuple[PostedAnswer, ...]:
        by = AnswerRow.answered_at.desc() if order is None else order
        chosen = select(AnswerRow).where(AnswerRow.team == self._team, *which).order_by(by, AnswerRow.id).limit(limit)
        with self._database.reading() as session:
            return tuple(map(answer_of, session.scalars(chosen)))


def _cite(row: AnswerRow, cited: Sequence[Cited], *, is_final: bool) -> None:
    """Have it cite these, beside what an earlier attempt has posted; what was only begun was not."""
    kept = [citation for citation in row.citations if citation.is_final]
    row.citations = [*kept, *(citation_row(one, is_final=is_final) for one in cited)]
