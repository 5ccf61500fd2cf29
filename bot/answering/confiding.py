"""Decides what a language model may be told of a question, its thread and its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.types import Evidence, Question, Turn
from retrieval.types import Place


class Confiding(Protocol):
    """Says what a model may be told."""

    def may_tell(self, question: Question, turns: tuple[Turn, ...]) -> bool:
        """Whether it may be told the question and what was said before it."""
        ...

    def may_show(self, evidence: Evidence) -> bool:
        """Whether it may be shown every passage of the evidence."""
        ...


@dataclass(frozen=True, slots=True)
class Withholding:
    """Keeps from every model what stands in some channels, wherever it has come to stand beside that."""

    withheld: Callable[[], frozenset[Place]] = frozenset
    """The channels, as of now."""
    asked_in: Callable[[Question], Place | None] = lambda question: Place(question.channel)
    """The channel in which a question was put, wherever it is answered; None of one that was put in a DM."""

    def may_tell(self, question: Question, turns: tuple[Turn, ...]) -> bool:
        """Not what was asked there, nor what follows an answer of ours that cites something from there."""
        withheld = self.withheld()
        if not withheld:
            return True
        was_asked_there = self.asked_in(question) in withheld
        return not was_asked_there and not any(_may_repeat(turn, withheld) for turn in turns)

    def may_show(self, evidence: Evidence) -> bool:
        """Not where a single passage stands there, even if it stands elsewhere too."""
        withheld = self.withheld()
        return not any(hit.passage.places & withheld for hit in evidence.hits)


def _may_repeat(turn: Turn, withheld: frozenset[Place]) -> bool:
    """Whether a turn may hold words from there; of an answer whose sources nobody remembers, that can't be denied."""
    return turn.is_footnote and (turn.cites is None or bool(turn.cites & withheld))


NOTHING_WITHHELD = Withholding()
"""For where nobody has withheld anything."""
