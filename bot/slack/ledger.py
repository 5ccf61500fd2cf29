"""Writes each answer down before it is posted, and lets through of it what its sources say at that moment."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.answering.quotable import leans
from bot.errors import SlackError
from bot.slack.citing import cited_by
from bot.slack.grounds import Grounds
from bot.slack.posting import Posted
from bot.state.answers import Answers
from bot.state.posted import Cited
from bot.types import Answer, Claim, Outcome, Question, Refusal, Reply
from retrieval.errors import RetrievalError
from retrieval.types import Passage, Place

log = logging.getLogger(__name__)


class Access(Protocol):
    """Confirms who may read what right before something is posted."""

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool: ...


@dataclass(frozen=True, slots=True)
class Ledger:
    """Remembers answers in the database."""

    answers: Answers
    grounds: Grounds
    access: Access
    place_of: Callable[[str], Place]
    recheck: Callable[[str], None]
    """Looks at a posted answer once more."""
    clock: Callable[[], float]

    def begin(self, question: Question, reply: Reply, key: str = "") -> Entry:
        """Write down what a reply cites, and only then look at it, so that no change falls between the two.

        Args:
            key: of an answer that stands beside the one to the same question; the same for each attempt at it.

        Raises:
            SlackError, StateError: it can't be known what may be posted.
        """
        cited, place = cited_by(reply), self.place_of(question.channel)
        answer = self.answers.begin(question, place, _name(reply.outcome), cited, self.clock(), key)
        outcome, rests_on = self._confirmed(question, reply, cited)
        self.answers.confirm(answer.id, _name(outcome), rests_on)
        return Entry(self, answer.id, replace(reply, outcome=outcome))

    def resume(self, question: Question, key: str = "") -> Entry | None:
        """What an earlier attempt wrote down; None where there is nothing."""
        answer = self.answers.to_question(self.place_of(question.channel), key or question.ts)
        return Entry(self, answer.id, Reply(Refusal())) if answer else None

    def _confirmed(self, question: Question, reply: Reply, cited: Sequence[Cited]) -> tuple[Outcome, Sequence[Cited]]:
        """What of an outcome may be posted, and what that rests on."""
        if not isinstance(reply.outcome, Answer):
            return reply.outcome, ()
        passages = self.grounds.as_shared(_cited_passages(reply))
        if not self.access.still_admits(question, passages):
            return Refusal(), ()
        looked_at = self.grounds.first_look(cited, {passage.id: passage.updated_at for passage in passages})
        outcome = without(reply.outcome, frozenset(one.marker for one in looked_at if one.has_fallen))
        shown = {citation.marker for citation in outcome.citations} if isinstance(outcome, Answer) else set()
        return outcome, [one for one in looked_at if one.marker in shown]


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer on its way into Slack."""

    ledger: Ledger
    answer_id: str
    reply: Reply
    """What may be posted."""

    def posted(self, part: int, ts: str) -> None:
        """Write down that a message of it stands."""
        self.ledger.answers.posted(self.answer_id, part, ts)

    def note(self, standing: Posted) -> None:
        """Write down what of it an earlier attempt has posted."""
        for part, ts in standing.stamps:
            self.posted(part, ts)

    def posts(self) -> tuple[str, ...]:
        """The `ts` of all messages of it that stand."""
        answer = self.ledger.answers.get(self.answer_id)
        return answer.posts if answer else ()

    def finish(self) -> None:
        """Write down that all of it stands, and look at it once more if something has changed meanwhile."""
        if not self.ledger.answers.finish(self.answer_id):
            return
        try:
            self.ledger.recheck(self.answer_id)
        except (SlackError, RetrievalError) as error:  # the answer stands; the next round of looks begins with it
            log.warning("answer %s is not looked at once more yet: %s", self.answer_id, error)
            self.ledger.answers.fall(self.answer_id, ())

    def cancel(self) -> None:
        """Write down that nothing of it stands."""
        self.ledger.answers.cancel(self.answer_id)


def without(answer: Answer, fallen: frozenset[int]) -> Outcome:
    """An answer without the claims that rest on fallen markers, and without those that lean on them."""
    kept: list[Claim] = []
    was_dropped = False
    for claim in answer.claims:
        leans_on_it = was_dropped and claim.goes_on and leans(claim.text)
        was_dropped = bool(fallen & set(claim.markers)) or leans_on_it
        if not was_dropped:
            kept.append(replace(claim, goes_on=claim.goes_on and bool(kept)))
    used = {marker for claim in kept for marker in claim.markers}
    citations = tuple(citation for citation in answer.citations if citation.marker in used)
    return replace(answer, claims=tuple(kept), citations=citations) if kept else Refusal()


def _cited_passages(reply: Reply) -> tuple[Passage, ...]:
    cited = {citation.passage_id for citation in reply.outcome.citations} if isinstance(reply.outcome, Answer) else ()
    hits = reply.evidence.hits if reply.evidence else ()
    return tuple(hit.passage for hit in hits if hit.passage.id in cited)


def _name(outcome: Outcome) -> str:
    return type(outcome).__name__.lower()
