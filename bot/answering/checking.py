"""Lets through what the evidence supports: each statement of a draft is judged before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.answering.citations import Resting
from bot.answering.quotable import leans
from bot.answering.smalltalk import is_small_talk
from bot.answering.statements import Statement
from bot.answering.support import Fault, Sources
from bot.texts import REFUSAL
from bot.types import Claim
from retrieval.types import UnitKind

_NOTHING_THERE = re.compile(
    r"""\b(?:
    (?:do|does|did)\s*(?:not|n['’]t)\s+(?:\w+\s+){0,3}?
    (?:have|contain|include|mention|provide|specify|state|say|know|cover|address|give|offer|indicate|find)
    |no\s+(?:\w+\s+){0,2}(?:mention|information|details?|indication)
    |(?:is|are|was)\s*(?:not|n['’]t)\s+(?:\w+\s+){0,2}(?:mentioned|specified|stated|provided|given|clear|included)
    |(?:can(?:not|['’]t)|can\s+not|could\s*(?:not|n['’]t)|unable\s+to)\s+(?:\w+\s+)?(?:find|determine|answer|say|tell)
    |(?:found|find)\s+nothing
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_THE_SOURCES = re.compile(
    r"\b(?:I|documents?|passages?|context|texts?|information|sources?|details?|excerpts?|mentions?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one statement."""

    statement: Statement
    fault: Fault | None = None
    """Why it was dropped; None for what is shown."""
    resting: Resting | None = None
    """What is shown; None for what was dropped, and for what claims nothing."""

    @property
    def is_claim(self) -> bool:
        """Whether it counts among what was shown or dropped."""
        return self.resting is not None or self.fault is not None


@dataclass(slots=True)
class Checker:
    """Judges the statements of one draft, in their order."""

    sources: Sources
    query: str
    says_something_is_missing: bool = False
    """Whether the draft says itself that the evidence leaves something open."""
    _kept: list[str] = field(default_factory=list)
    _judged_before: set[str] = field(default_factory=set)
    """What is said again is not shown again."""
    _waiting: Statement | None = None
    """A lead-in, which is shown with what it leads into or not at all."""
    _last_was_dropped: bool = False

    def judge(self, statement: Statement) -> Iterator[Verdict]:
        """The verdicts that can be given now."""
        if statement.leads_in:
            self._waiting = statement
            return
        if statement.text in self._judged_before or self._claims_nothing(statement):
            yield Verdict(statement)
            return
        self._judged_before.add(statement.text)
        fault, markers = self._judged(statement)
        self._last_was_dropped = fault is not None
        if fault:
            yield Verdict(statement, fault)
            return
        yield from self._led_in(markers)
        self._kept.append(statement.text)
        yield Verdict(statement, resting=self._resting(statement, markers))

    def _claims_nothing(self, statement: Statement) -> bool:
        """Whether it only says that nothing was found, or is a courtesy; our own words stand for that."""
        text = statement.text
        if is_small_talk(text):
            return True
        is_absence = _is_refusal(text) or bool(_NOTHING_THERE.search(text) and _OF_THE_SOURCES.search(text))
        self.says_something_is_missing |= is_absence
        return is_absence

    def _judged(self, statement: Statement) -> tuple[Fault | None, tuple[int, ...]]:
        if statement.kind is UnitKind.CODE:
            found = self.sources.having(statement.text)
            return (None, (found,)) if found else (Fault.CODE, ())
        if not all(self.sources.holds(marker) for marker in statement.markers):
            return Fault.MARKER, ()
        if self._last_was_dropped and not statement.lead and leans(statement.text):
            return Fault.LEANS, ()
        likeliest = self.sources.likeliest(statement.text)
        markers = statement.markers or ((likeliest,) if likeliest else ())
        said = "\n".join([self.query, *self._kept])
        return self.sources.support(statement.text, markers, said).fault, markers

    def _led_in(self, markers: tuple[int, ...]) -> Iterator[Verdict]:
        """The lead-in that waits, if what it says itself is in the sources of what it leads into."""
        waiting, self._waiting = self._waiting, None
        if waiting and self.sources.has_facts_of(waiting.text, markers):
            yield Verdict(waiting, resting=self._resting(waiting, markers))

    def _resting(self, statement: Statement, markers: tuple[int, ...]) -> Resting:
        claim = Claim(statement.text, statement.kind, (), statement.lead, goes_on=not statement.opens)
        return Resting(claim, tuple(self.sources.quote(statement.text, marker) for marker in markers))


def _is_refusal(text: str) -> bool:
    return REFUSAL.rstrip(".").casefold() in text.casefold()
