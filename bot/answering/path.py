"""The whole way from a question to a reply, on one screen."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from bot.answering.citations import cite
from bot.answering.confiding import NOTHING_WITHHELD, Confiding
from bot.answering.evidence import judge
from bot.answering.meaning import Similarity
from bot.answering.quoting import quote
from bot.answering.rewriting import Rewrite, rewrite
from bot.answering.smalltalk import is_small_talk
from bot.answering.writing import Write
from bot.errors import ChatModelError
from bot.types import Answer, Evidence, Help, Outcome, Query, Question, Refusal, Remark, Reply, Turn
from retrieval.types import Passage, Scope, SearchResult

log = logging.getLogger(__name__)


class Access(Protocol):
    """Who may read what; what can't be read is not in scope."""

    def scope_of(self, question: Question) -> Scope:
        """What every reader of the reply, present or later, may read; empty where that is unknown."""
        ...

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool:
        """Whether every one of the passages may be shown in the reply, by facts confirmed within the last minute."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What the path needs from outside itself."""

    access: Access
    earlier_turns: Callable[[Question], tuple[Turn, ...]]
    """The thread before the question, oldest first, as its readers see it."""
    search: Callable[[str, Scope], SearchResult]
    similarity: Similarity
    """Tells which words of the evidence mean what was asked."""
    write: Write | None = None
    """Writes the answer, where a language model is set; else it is quoted."""
    rewrite: Rewrite = rewrite
    """Makes a follow-up stand alone."""
    confiding: Confiding = NOTHING_WITHHELD
    """Says what of all this a language model may be told."""


def answer(question: Question, parts: Parts) -> Reply:
    """Answer from what every reader of the reply may read, or refuse.

    Raises:
        BotError, RetrievalError: something failed, and nothing may be said but that.
    """
    started = time.perf_counter()
    if is_small_talk(question.text):
        return Reply(Help())
    turns = parts.earlier_turns(question)
    if not parts.confiding.may_tell(question, turns):
        parts = replace(parts, write=None, rewrite=rewrite)
    query = parts.rewrite(question.text, turns)
    scope = parts.access.scope_of(question)
    evidence = judge(query, parts.search(query.text, scope), parts.similarity)
    outcome = _confirmed(compose(query, evidence, parts), evidence, question, parts.access)
    return Reply(outcome, query, scope, evidence, ms=(time.perf_counter() - started) * 1000)


def compose(query: Query, evidence: Evidence, parts: Parts) -> Outcome:
    """What answers the query, written or quoted, with citations; a refusal where the evidence does not."""
    if not evidence.is_enough:
        return Refusal()
    if parts.write is None or not parts.confiding.may_show(evidence):
        return _quoted(query, evidence, parts.similarity)
    try:
        written = parts.write(query, evidence)
    except ChatModelError as error:
        log.warning("quoted and not written: %s", error)
        return _quoted(query, evidence, parts.similarity, Remark.MODEL_IS_DOWN)
    return written or _quoted(query, evidence, parts.similarity)


def _quoted(query: Query, evidence: Evidence, similarity: Similarity, remark: Remark | None = None) -> Outcome:
    quotes = quote(query, evidence, similarity)
    return replace(cite(quotes), remark=remark) if quotes else Refusal()


def _confirmed(outcome: Outcome, evidence: Evidence, question: Question, access: Access) -> Outcome:
    """The outcome, unless what it was made from, cited or not, may no longer be shown where it is about to be."""
    if not isinstance(outcome, Answer):
        return outcome
    passages = tuple(hit.passage for hit in evidence.hits)
    return outcome if access.still_admits(question, passages) else Refusal()
