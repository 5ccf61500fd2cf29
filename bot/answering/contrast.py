"""Puts what a follow-up contrasts ("what about guests?") or asks anew ("how long?") into the question before it."""

from __future__ import annotations

import re

from bot.answering.kinds import are_alike, is_of_people, stands_behind
from bot.answering.topics import Phrase, phrases
from bot.answering.words import content_stems

_LEAD = r"^(?:(?:and|but|so|ok(?:ay)?|then|hmm|now|thanks?(?:\s+you)?|great|cool|right)[\s,.!]+)*"
_CONTRAST = re.compile(
    rf"""{_LEAD}
    (?:(?P<about>(?:what|how)\s+about|what\s+if\s+it['’]?s|(?<=\band\s)|(?<=\bbut\s))\s*)?
    (?:(?P<preposition>for|in|on|at|with|during|after|before|from|to|by|under|within)\s+)?
    (?P<thing>[^?.!,;]{{2,60}}?)(?:\s+(?:too|then|as\s+well|though))?\s*\?*$""",
    re.IGNORECASE | re.VERBOSE,
)
_AUXILIARIES = r"is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may"
_ASKED_ANEW = re.compile(
    rf"{_LEAD}(?P<anew>why(?:\s+not)?|when|where|who|how|how\s+(?:long|often|much|many|far|soon|late|early|so))\s*\?*$",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(rf"^(?:[^?.!]{{0,60}}?\s)?(?P<rest>(?:{_AUXILIARIES})\s[^?]+)", re.IGNORECASE)
_NOT_A_THING = re.compile(
    rf"^(?:{_AUXILIARIES}|who|whom|whose|what|which|when|where|why|how|i|you|we|they|it|he|she|there|if|tell|that|this)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 5
"""A longer follow-up says what it is about itself."""


def contrasted(text: str, question: str) -> str | None:
    """The earlier question with what the text contrasts or asks anew in it; None where it does neither."""
    anew = _ASKED_ANEW.match(text.strip())
    if anew:
        return _asked_anew(anew["anew"], question)
    found = _CONTRAST.match(text.strip())
    if not found or (found["about"] is None and not found["preposition"]):
        return None
    thing = found["thing"].strip()
    bare = re.sub(r"^(?:the|a|an|our|my)\s+", "", thing, flags=re.IGNORECASE)
    named = phrases(bare)
    is_thing = bool(named) and named[-1].end == len(bare)
    if not (is_thing or found["about"]) or len(bare.split()) > _MOST_WORDS or _NOT_A_THING.match(bare):
        return None
    preposition = (found["preposition"] or "").lower()
    return _exchanged(bare, preposition, question) or _appended(thing, preposition or stands_behind(bare), question)


def _asked_anew(words: str, question: str) -> str | None:
    before = _ASKED_BEFORE.match(question)
    if not before:
        return None
    rest = before["rest"].strip()
    return f"{words[0].upper()}{words[1:]} {rest[0].lower()}{rest[1:]}?"


def _exchanged(thing: str, preposition: str, question: str) -> str | None:
    """The question with the thing in place of one of its kind; else, where nothing places it, of its last thing."""
    listed = [phrase for phrase in phrases(question) if phrase.text.lower() != thing.lower()]
    alike = [phrase for phrase in listed if are_alike(thing, phrase.text)]
    if not alike and not preposition and not stands_behind(thing):
        alike = [phrase for phrase in listed if not phrase.is_relation and not is_of_people(phrase.text)][-1:]
    behind = [
        phrase
        for phrase in alike or listed
        if question[: phrase.start].lower().split()[-1:] == [preposition]
        and is_of_people(phrase.text) == is_of_people(thing)
    ]
    return _with_exchange(question, (behind or alike)[-1], thing) if behind or alike else None


def _with_exchange(question: str, phrase: Phrase, thing: str) -> str | None:
    if not set(content_stems(question)) - phrase.stems:
        return None
    before = question[: phrase.start]
    if phrase.article == "" and thing.endswith("s"):
        before = re.sub(r"\ban?\s+$", "", before)
    return before + thing + question[phrase.end :]


def _appended(thing: str, preposition: str, question: str) -> str | None:
    if not preposition:
        return None
    bare = question.rstrip(" ?!.")
    return f"{bare} {preposition} {thing}{question[len(bare) :].strip() or '?'}"
