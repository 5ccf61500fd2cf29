"""The tables of answers: ids, times and digests, and no column for words."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from bot.state.database import Base
from bot.state.posted import Cited, CitedMessage, Digest, PostedAnswer
from bot.types import Question, Surface
from retrieval.types import Place


class AnswerRow(Base):
    """One reply: who asked where and when, and what came of it."""

    __tablename__ = "answers"
    __table_args__ = (UniqueConstraint("team", "place", "key"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    team: Mapped[str] = mapped_column(index=True)
    asker: Mapped[str]
    channel: Mapped[str]
    place: Mapped[str] = mapped_column(index=True)
    key: Mapped[str]
    """The question's `ts`; another word for an answer that stands beside the one to the same question."""
    question_ts: Mapped[str]
    root_ts: Mapped[str]
    surface: Mapped[str]
    outcome: Mapped[str]
    answered_at: Mapped[float] = mapped_column(index=True)
    looked_at: Mapped[float]
    """When it was last seen to be as it should."""
    is_posting: Mapped[bool]
    is_touched: Mapped[bool] = mapped_column(default=False)
    """Whether something it may rest on has changed while it was being posted."""
    is_settled: Mapped[bool] = mapped_column(default=True)
    citations: Mapped[list[CitationRow]] = relationship(
        cascade="all, delete-orphan", lazy="selectin", order_by="CitationRow.number", passive_deletes=True
    )
    posts: Mapped[list[AnswerPostRow]] = relationship(
        cascade="all, delete-orphan", lazy="selectin", order_by="AnswerPostRow.part", passive_deletes=True
    )


class AnswerPostRow(Base):
    """One message of a reply."""

    __tablename__ = "answer_posts"

    answer_id: Mapped[str] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True)
    ts: Mapped[str] = mapped_column(primary_key=True, index=True)
    part: Mapped[int]


class CitationRow(Base):
    """One marker of a reply; two attempts at it can have used the same one for two things."""

    __tablename__ = "answer_citations"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    answer_id: Mapped[str] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), index=True)
    marker: Mapped[int]
    source_id: Mapped[str] = mapped_column(index=True)
    passage_id: Mapped[str]
    quotes: Mapped[str]
    """Each as its digest, a colon and its number of words, with a space between two."""
    has_fallen: Mapped[bool]
    is_final: Mapped[bool]
    """False as long as what it rests on was not looked at, and so not posted either."""
    places: Mapped[list[CitedPlaceRow]] = relationship(
        cascade="all, delete-orphan", lazy="selectin", passive_deletes=True
    )
    messages: Mapped[list[CitedMessageRow]] = relationship(
        cascade="all, delete-orphan", lazy="selectin", order_by="CitedMessageRow.ts", passive_deletes=True
    )


class CitedPlaceRow(Base):
    """One place in which a cited source stood."""

    __tablename__ = "answer_places"

    citation: Mapped[int] = mapped_column(ForeignKey("answer_citations.number", ondelete="CASCADE"), primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True, index=True)


class CitedMessageRow(Base):
    """One message that a marker rests on."""

    __tablename__ = "answer_messages"
    __table_args__ = (Index("ix_answer_messages_message", "place", "ts"),)

    citation: Mapped[int] = mapped_column(ForeignKey("answer_citations.number", ondelete="CASCADE"), primary_key=True)
    place: Mapped[str] = mapped_column(primary_key=True)
    ts: Mapped[str] = mapped_column(primary_key=True)
    root_ts: Mapped[str]
    sha256: Mapped[str]


def answer_row(answer_id: str, question: Question, place: Place, key: str) -> AnswerRow:
    """A new answer to a question, of which nothing stands yet."""
    return AnswerRow(
        id=answer_id,
        team=question.team,
        asker=question.asker,
        channel=question.channel,
        place=place,
        key=key,
        question_ts=question.ts,
        root_ts=question.root_ts,
        surface=question.surface.value,
        citations=[],
        posts=[],
    )


def citation_row(cited: Cited, *, is_final: bool) -> CitationRow:
    """What a marker rests on, to be kept."""
    return CitationRow(
        marker=cited.marker,
        source_id=cited.source_id,
        passage_id=cited.passage_id,
        quotes=" ".join(f"{quote.sha256}:{quote.length}" for quote in cited.quotes),
        has_fallen=cited.has_fallen,
        is_final=is_final,
        places=[CitedPlaceRow(place=place) for place in sorted(cited.places)],
        messages=[
            CitedMessageRow(place=message.place, ts=message.ts, root_ts=message.root_ts, sha256=message.sha256)
            for message in cited.messages
        ],
    )


def answer_of(row: AnswerRow) -> PostedAnswer:
    """An answer as it was kept."""
    return PostedAnswer(
        row.id,
        row.team,
        row.asker,
        row.channel,
        Place(row.place),
        row.question_ts,
        row.root_ts,
        Surface(row.surface),
        row.outcome,
        tuple(map(_cited, row.citations)),
        tuple(post.ts for post in row.posts),
        row.is_posting,
        row.is_settled,
    )


def _cited(row: CitationRow) -> Cited:
    return Cited(
        row.marker,
        row.source_id,
        row.passage_id,
        frozenset(Place(one.place) for one in row.places),
        tuple(CitedMessage(Place(one.place), one.ts, one.root_ts, one.sha256) for one in row.messages),
        tuple(_digest(kept) for kept in row.quotes.split()),
        row.has_fallen,
    )


def _digest(kept: str) -> Digest:
    sha256, _, length = kept.partition(":")
    return Digest(sha256, int(length))
