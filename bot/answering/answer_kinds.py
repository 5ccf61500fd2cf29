"""Tells what kind of answer a question wants and whether words look like one."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.answering.words import content_stems, stem, word_list
from retrieval.types import UnitKind

_NUMBER = re.compile(
    r"(?<![A-Za-z\d_-])\d|%|[€$£]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|twice|once|double)\b",
    re.I,
)
_TIME = re.compile(
    r"""\d{1,2}[:.]\d{2}|\b\d{1,2}\s*(?:am|pm)\b|\b(?:19|20)\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b
    |\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\bq[1-4]\b
    |\b(?:daily|weekly|monthly|quarterly|yearly|annually|every|noon|midnight|tonight|tomorrow|days?|weeks?|hours?|
    months?|minutes?|years?|before|after|until|within|as\s+soon\s+as|when)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PERSON = re.compile(
    r"(?<=[a-z,;:(] )[A-Z][a-z]+|@\w"
    r"|^[A-Z][a-z]+(?: [A-Z]\w+)? (?:is|was|owns?|runs?|leads?|approves?|does|has|handles?)\b"
    r"|\b(?:team|lead|manager|owner|head of|director|officer|squad|on-call|desk|support|ops)\b"
)
_REASON = re.compile(
    r"\b(?:because|since|so that|reason|due to|in order to|otherwise|as we|caused|why|so we|therefore)\b", re.I
)
_PLACE = re.compile(
    r"https?://|\]\(|#\w|`|\b(?:in|at|under|on|from|via|folder|page|channel|room|floor|drive|menu|→|>)\b", re.I
)
_CODE = re.compile(r"`[^`]+`|```")
_INSTRUCTION = re.compile(
    r"""^\W*(?:to\s+\w+,|first|then|next|go\s+to|open|click|run|use|ask|add|create|send|write|fill|post|choose|select|enter|
    submit|book|file|log|sign|set|put|call|contact|install|start|stop|check|make|tell|take|type|request|report|press)\b
    |\b(?:you\s+(?:can|must|should|need|have\s+to)|please|by\s+\w+ing)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_COUNTED = re.compile(
    r"\bhow many (?:\w+ (?=\w+ (?:of|do|does|can|are|is|may|should)\b))?(?P<thing>\w+)", re.IGNORECASE
)
_COMMAND_WORDS = word_list("command flag option code snippet script query syntax endpoint variable setting parameter")


def likeness(question: str, text: str, kind: UnitKind) -> float:
    """How much the words look like the kind of answer that the question wants, 0 to 1; 0.5 where that is unknown."""
    counted = _COUNTED.search(question)
    if counted:
        return _counts(stem(counted["thing"]), text)
    for asks, answers in _KINDS:
        if asks.search(question):
            return float(answers(text, kind))
    return 0.5


def _counts(thing: str, text: str) -> float:
    if not _NUMBER.search(text):
        return 0.0
    return 1.0 if thing in content_stems(text) else 0.4


def _matches(pattern: re.Pattern[str]) -> Callable[[str, UnitKind], bool]:
    return lambda text, _: bool(pattern.search(text))


def _is_procedure(text: str, kind: UnitKind) -> float:
    if kind is UnitKind.LIST:
        return 1.0 if re.search(r"^\s*1[.)]\s", text, re.MULTILINE) else 0.7
    if kind is UnitKind.CODE:
        return 1.0
    return 0.6 if _CODE.search(text) or _INSTRUCTION.search(text) else 0.1


def _is_code(text: str, kind: UnitKind) -> float:
    return 1.0 if kind is UnitKind.CODE or _CODE.search(text) else 0.2


_KINDS: tuple[tuple[re.Pattern[str], Callable[[str, UnitKind], float]], ...] = (
    (
        re.compile(rf"\b(?:what|which)(?:'s| is| are)?\b.{{0,20}}\b(?:{'|'.join(sorted(_COMMAND_WORDS))})s?\b", re.I),
        _is_code,
    ),
    (
        re.compile(r"\bhow (?:many|much|long|often|far|old|late|early|soon|high|large|big|fast)\b", re.I),
        _matches(_NUMBER),
    ),
    (
        re.compile(
            r"\b(?:what|which)\b.{0,30}\b(?:limit|budget|price|cost|amount|rate|percentage|number|quota|salary|allowance|size|port|version)\b",
            re.I,
        ),
        _matches(_NUMBER),
    ),
    (
        re.compile(r"\bwhen\b|\b(?:what|which) (?:time|day|date|month|year|hours)\b|\bby what\b|\bdeadline\b", re.I),
        _matches(_TIME),
    ),
    (re.compile(r"\b(?:who|whom|whose)\b|\bwhich (?:team|person|manager)\b", re.I), _matches(_PERSON)),
    (re.compile(r"\bwhy\b|\bwhat (?:caused|is the reason)\b", re.I), _matches(_REASON)),
    (
        re.compile(
            r"\bhow (?:do|does|can|should|would|to|did)\b|\bsteps?\b|\bwhat now\b"
            r"|\bwhat (?:do|should|must|can|may) (?:i|we|you)\b",
            re.I,
        ),
        _is_procedure,
    ),
    (re.compile(r"\bwhere\b|\bwhich (?:channel|page|folder|room|tool)\b", re.I), _matches(_PLACE)),
)
