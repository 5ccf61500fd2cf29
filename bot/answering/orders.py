"""Tells orders to whatever machine reads them: they state nothing, so nothing is quoted from them or rests on them.

It knows the plain ones alone and is no defence: that is what links, recipients, scope and format never come from what
is read or written (docs/decisions/0023).
"""

from __future__ import annotations

import re

_TO_FORGET = re.compile(
    r"""\b(?:ignore|disregard|forget|override|vergiss|vergesst|ignoriere?n?|missachten?|ignorez|oubliez|ignora|olvida|
    dimentica)\b[^.?!\n]{0,60}?
    \b(?:instructions?|prompts?|guidelines|directives?|everything\ (?:above|you)|all\ info|negative\ indicators
    |rest\ of\ this|anweisung\w*|richtlinien|instrucciones|istruzioni)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""To forget what one was told, or was given to read."""

_TO_REPLY = re.compile(
    r"""\b(?:append|include|add|insert|put|print|integrate|mention)\b[^.?!\n]{0,90}?
    \b(?:in|to|of|into)\ (?:your|every)\ (?:future\ )?(?:reply|response|answer|summary|output)\b
    |\b(?:reply|respond|answer)\ with\ only\b|\bsimply\ (?:respond|reply)\ with\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What to put into the reply."""

_AS_ITS_MAKER = re.compile(
    r"""^\W{0,12}(?:end\ of\ session|system(?:\ (?:note|message|hint))?|assistant|admin\ request)\W{0,3}[:\])>]
    |^\W*(?:hidden|white-text)\b[^.?!\n]{0,60}\b(?:automated|llm|ai)\b
    |\bnotes?\ (?:to|for)\ (?:the\ |an\ |any\ )?(?:bot|ai|llm|automated)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Written as if by whoever runs the machine, or addressed to it by name."""

_ALL = (_TO_FORGET, _TO_REPLY, _AS_ITS_MAKER)


def is_order_to_machine(sentence: str) -> bool:
    """Whether a sentence plainly orders a machine that reads it to forget, do or say something."""
    return any(pattern.search(sentence) for pattern in _ALL)
