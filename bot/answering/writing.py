"""Has a language model write the answer, and lets through only what the evidence supports."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.answering.checking import Checker, Verdict
from bot.answering.citations import Resting, number
from bot.answering.meaning import Similarity
from bot.answering.prompts import write_prompt
from bot.answering.statements import DraftReader, Statement
from bot.answering.support import Sources
from bot.llm.protocol import ChatModel, Finish, Piece
from bot.types import Evidence, Outcome, Query, Refusal, Remark
from retrieval.embedding.protocol import TokenCounter

MOST_DROPPED = 1 / 3
"""Of a draft's claims; a draft of which more fails is not to be trusted with the rest."""

LONGEST_DRAFT = 8_000
"""Characters: more than the tokens that are asked for make, for servers that don't count."""

log = logging.getLogger(__name__)

Write = Callable[[Query, Evidence], Outcome | None]
"""Writes an outcome of the evidence, or None where it must be quoted instead. Raises `ChatModelError`."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A `Write` by a model that reads so many tokens."""

    model: ChatModel
    similarity: Similarity
    count: TokenCounter
    most_tokens: int

    def __call__(self, query: Query, evidence: Evidence) -> Outcome | None:
        """The written answer, the refusal, or None where too much of the draft failed.

        Raises:
            ChatModelError: there is no whole draft.
        """
        prompt = write_prompt(query, evidence.hits, self.most_tokens, self.count)
        checker = Checker(Sources(prompt.passages, self.similarity), query.text)
        drafted = _statements(self.model.stream(prompt.request))
        try:
            verdicts = [verdict for statement in drafted for verdict in checker.judge(statement)]
        except _Declined:
            return Refusal()
        _log(verdicts)
        return _outcome(verdicts, says_something_is_missing=checker.says_something_is_missing)


def _outcome(verdicts: Sequence[Verdict], *, says_something_is_missing: bool) -> Outcome | None:
    claims = [verdict for verdict in verdicts if verdict.is_claim]
    if not any(verdict.resting for verdict in claims):
        return Refusal() if says_something_is_missing else None
    dropped = [verdict.statement for verdict in claims if verdict.fault]
    if len(dropped) > MOST_DROPPED * len(claims) or any(_is_step(statement) for statement in dropped):
        return None
    answer = number(_tidied([verdict.resting for verdict in claims if verdict.resting]))
    return replace(answer, remark=Remark.PART_IS_MISSING) if says_something_is_missing else answer


def _is_step(statement: Statement) -> bool:
    """Whether it is one of several in order: a procedure without one of its steps misleads."""
    return statement.lead.lstrip()[:1].isdigit()


def _tidied(kept: Sequence[Resting]) -> list[Resting]:
    """The claims without the gap that a dropped one leaves: the first begins a line."""
    return [
        Resting(replace(one.claim, goes_on=one.claim.goes_on and at > 0), one.quotes) for at, one in enumerate(kept)
    ]


def _statements(pieces: Iterator[Piece]) -> Iterator[Statement]:
    """The statements of a draft; where it stopped at the token limit, without the last, which is not whole."""
    reader = DraftReader()
    waiting: list[Statement] = []
    finish: Finish | None = None
    room = LONGEST_DRAFT
    for piece in pieces:
        finish = piece.finish or finish
        waiting += reader.feed(piece.text)
        while len(waiting) > 1:
            yield waiting.pop(0)
        room -= len(piece.text)
        if room < 0:
            finish = Finish.LIMIT
            break
    if finish is Finish.REFUSED:
        raise _Declined
    waiting += reader.end()
    yield from waiting[:-1] if finish is Finish.LIMIT else waiting


class _Declined(Exception):
    """The provider or the model declines; what it wrote before is no answer."""


def _log(verdicts: Sequence[Verdict]) -> None:
    """Counts alone; never words."""
    faults = [verdict.fault.value for verdict in verdicts if verdict.fault]
    log.info("draft: %d statements, dropped: %s", len(verdicts), ", ".join(faults) or "none")
