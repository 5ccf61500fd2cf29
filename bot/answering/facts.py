"""Finds in a sentence what its source must hold to the letter: numbers, dates, names and code."""

from __future__ import annotations

import re

from bot.answering.words import FUNCTION_WORDS, content_stems, is_identifier, stem, tokens, word_list

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,:]\d+)*(?!\w*[A-Za-z]{3})|(?<=[€$£])\d[\d.,]*")
_CODE = re.compile(r"`([^`\n]+)`")
_COUNTED = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty"""
_WORDS_OF_NUMBERS = {word: str(at) for at, word in enumerate(_COUNTED.split())}
_WORDS_OF_NUMBERS |= {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "tenth": "10"}
_TIMES = {"twice": "2", "once": "1", "double": "2", "half": "0.5"}
_NO_NUMBER_ALONE = frozenset({"0", "1"})
"""Said in words: "one" and "once" are often no count."""
_CALENDAR = word_list(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec"""
)
_DAYS = {name[:3]: name for name in _CALENDAR if name.endswith("day")}
_MONTHS = {name[:3]: name for name in _CALENDAR if len(name) > 4 and not name.endswith("day")}
_MONTHS |= {"may": "may", "jun": "june", "jul": "july"}
MONTHS = frozenset(_MONTHS.values())
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,60}(?::(?:\*\*|__)|(?:\*\*|__):)\s*")
"""A bold word or two and a colon before a sentence: a headline of the model's own."""
_OPENS = re.compile(r"(?:^|[.!?:(\"“‘'])[\s*_\"“‘'(]*$")
"""What stands before a word that is capital because it comes first."""
_SPELT_OUT = re.compile(r"((?:\w+[\s-]+){2,7})\(([A-Z]{2,7})s?\)")
"""A name with its initials behind it."""
_WORD_IN_PLACE = re.compile(r"[^\W_](?:[\w'’&.@:/-]*[^\W_])?")


def numbers(text: str) -> frozenset[str]:
    """Every number in it, in figures, as it would be written without its commas; a count of what it goes on to list
    is the sentence's own."""
    figures = {_plain(match.group()) for match in _NUMBER.finditer(text)}
    counted = re.findall(r"[a-z]+", text.lower().rpartition(":")[2] if ":" in text else text.lower())
    words = {_WORDS_OF_NUMBERS[word] for word in counted if word in _WORDS_OF_NUMBERS}
    return frozenset(figures | (words - _NO_NUMBER_ALONE))


def numbers_held(text: str) -> frozenset[str]:
    """Every number that a source can be said to hold, however it says it."""
    words = re.findall(r"[a-z]+", text.lower())
    said = {table[word] for table in (_WORDS_OF_NUMBERS, _ORDINALS, _TIMES) for word in words if word in table}
    figures = {_plain(found) for found in re.findall(r"\d+(?:[.,:]\d+)*", text)}
    parts = {part for figure in figures for part in re.split(r"[.:]", figure)}
    return frozenset(figures | said | parts)


def _plain(figure: str) -> str:
    """`1,500.00` as `1500`, `09:30` as `9:30`."""
    bare = re.sub(r",(?=\d{3}(?:\D|$))", "", figure.strip("+-.,:")).replace(",", ".")
    bare = re.sub(r"(\.\d*?)0+$", r"\1", bare).rstrip(".") if re.fullmatch(r"\d+\.\d+", bare) else bare
    return re.sub(r"^0+(?=\d)", "", bare)


def names(text: str) -> frozenset[str]:
    """Words that name something: capitals within a sentence, identifiers, months and days; as stems."""
    text = _LABEL.sub(" ", _CODE.sub(" ", text))
    initials = {short for words, short in _SPELT_OUT.findall(text) if _has_initials(words, short)}
    found: set[str] = set()
    for match in _WORD_IN_PLACE.finditer(text):
        word = re.sub(r"['’]s?$", "", match.group())
        is_capital = word[0].isupper() and word.lower() not in FUNCTION_WORDS
        if word.lower() in _CALENDAR and word[0].isupper():
            found.add(_day_or_month(word))
        elif is_identifier(word) or any(letter.isupper() for letter in word[1:]) or "@" in word:
            found |= _parts(word) if word.rstrip("s") not in initials else set()
        elif is_capital and not _OPENS.search(text[: match.start()]):
            found |= {stem(part) for part in re.split(r"[^\w]+", word) if part[:1].isupper() and len(part) > 1}
    return frozenset(found)


def names_held(text: str) -> frozenset[str]:
    """Every word of a source by which it can hold a name; the initials of its names as well."""
    words = {part for word in tokens(text) for part in _parts(word)}
    calendar = {_day_or_month(token) for token in tokens(text) if token.lower() in _CALENDAR}
    initials = {
        "".join(word[0] for word in run.split()).lower()
        for run in re.findall(r"\b[A-Z][\w'-]*(?:\s+(?:of\s+|and\s+|the\s+)?[A-Z][\w'-]*){1,5}", text)
    }
    return frozenset(words | calendar | initials)


def _day_or_month(word: str) -> str:
    """Its full name, however it is shortened."""
    short = word.lower()[:3]
    return _MONTHS.get(short) or _DAYS.get(short) or word.lower()


def _has_initials(words: str, initials: str) -> bool:
    return [word[0] for word in re.findall(r"[a-z]+", words.lower())][-len(initials) :] == list(initials.lower())


def _parts(word: str) -> set[str]:
    """The stems of a word's parts; the plural of initials is no other name."""
    parts = (re.sub(r"^([A-Z]{2,})s$", r"\1", part) for part in re.findall(r"[^\W_]+", word))
    return {stem(part) for part in parts if len(part) > 1 or part.isdigit()}


def code(text: str) -> tuple[str, ...]:
    """What stands in backticks."""
    return tuple(" ".join(found.split()) for found in _CODE.findall(text))


_NEGATION = re.compile(
    r"""\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|(?:ca|wo|is|are|was|were|do|does|did|has|have|
    had|should|would|could|must|need)n['’]?t|unable\s+to|no\s+longer)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REACH = 30
"""Characters behind a negation in which the word that it denies stands."""


def negated(text: str) -> frozenset[str]:
    """The first word that carries meaning behind each negation, as a stem."""
    behind = (text[match.end() : match.end() + _REACH] for match in _NEGATION.finditer(text))
    clauses = (re.split(r"[.,;:()]", words)[0] for words in behind)
    return frozenset(stems[0] for clause in clauses if (stems := content_stems(_NEGATION.sub(" ", clause))))


def is_denied(text: str, source: str) -> bool:
    """Whether one of the two says of the same words that it is not so."""
    ours, theirs = negated(text), negated(source)
    return bool((ours - theirs) & content(source)) or bool((theirs - ours) & content(text))


def content(text: str) -> frozenset[str]:
    """Its words that carry meaning, as stems."""
    return frozenset(content_stems(text))
