"""Finds where sentences start and end in running text, for cutting and for quoting."""

from __future__ import annotations

import re

Span = tuple[int, int]

_ABBREVIATION = re.compile(
    r"e\.g|i\.e|cf|vs|approx|mr|mrs|ms|dr|prof|st|sr|mt|messrs|dept|a\.k\.a|w\.r\.t|incl|excl|resp"
    r"|z\.b|d\.h|bzw|ca|ggf|evtl|inkl|exkl|zzgl|vgl|bspw|sog|mme|mlle|env"
    r"|[a-hj-z]"  # an initial
)
"""Words after which a full stop doesn't end a sentence, without that stop."""

_BEFORE_NUMBER = re.compile(
    r"nos?|nr|vol|figs?|eq|sec|ch|pp|max|min|ext|tel|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|abs|abb|tab|kap|bd|art|janv|févr|juill|déc|okt|dez"
)
"""Words after which it doesn't when a number follows."""

_BEFORE_SMALL = re.compile(r"etc|[ap]\.m|inc|ltd|co|corp|jr|u\.s|u\.k|usw")
"""Words after which it does when a capital follows."""

_CODE = re.compile(r"(`+)(?!`)[^`\n][^\n]*?(?<!`)\1(?!`)")
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)|<[a-z][a-z0-9+.-]*:[^<>\s]*>")
_CLOSERS = r"(?:[\"'”’»)\]*_~`]|[ ][»›])*"  # French has a space before its closing marks
_END = re.compile(rf"(?P<stop>[.!?…؟۔।॥]+){_CLOSERS}(?=\s|$)|(?P<wide>(?:[。！？｡។။]|．(?![0-9０-９]))+[」』”’）】]*)")
_IN_WIDE_QUOTES = re.compile(r"「[^「」\n]*」|『[^『』\n]*』|（[^（）\n]*）")
_GOES_ON = re.compile(r"[ぁ-んー、，。]")  # as と and って do: who said what was quoted
_ORDINAL = re.compile(r"(?:^|.*[^\w.])\d{1,2}")
_AFTER_ORDINAL = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Quartal|Woche|Stock|Etage|Tag|Klasse|Auflage)\b"
)
"""What follows a number that is read as "third" where a full stop makes it so, as in German: `am 3. Mai`."""
_BREAK = re.compile(
    r"[ \t]*\n[ \t]*\n\s*"  # a blank line
    r"|(?: {2,}|\\)\n\s*"  # a hard line break
    r"|[ \t]*\n(?=[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S)"  # a list item follows
)
_WORD_BEFORE = re.compile(r"(?:^|(?<=[\s(\[\"'“‘«*_]))[^\W_][\w.]*$")
_LABEL = re.compile(r"[ \t>]*(?:\d{1,3}|[A-Za-z])$")


def sentences(text: str) -> tuple[Span, ...]:
    """Start and end of each sentence, in order, without the white space around it; together they hold every word."""
    masked = _masked(text)
    spans: list[Span] = []
    start = 0
    for end, resume in _boundaries(masked):
        spans += _trimmed(text, start, end)
        start = resume
    return (*spans, *_trimmed(text, start, len(text)))


def _masked(text: str) -> str:
    """The text, equally long, with the stops inside code, link targets, addresses and wide quotes taken out."""
    for pattern in (_CODE, _TARGET):
        text = pattern.sub(lambda match: "x" * len(match.group()), text)
    return _IN_WIDE_QUOTES.sub(_with_one_stop, text)


def _with_one_stop(match: re.Match[str]) -> str:
    """A quotation with its last stop alone, and without that where the sentence around it goes on."""
    quoted, after = match.group()[:-1], match.string[match.end() : match.end() + 1]
    inner = len(quoted.rstrip("。！？｡．"))
    kept = "x" * (len(quoted) - inner) if _GOES_ON.match(after) else quoted[inner:]
    return re.sub("[。！？｡．]", "x", quoted[:inner]) + kept + match.group()[-1]


def _boundaries(text: str) -> list[Span]:
    """Where sentences end and where the next may start, in order."""
    breaks = [match.span() for match in _BREAK.finditer(text)]
    ends = [(match.end(), match.end()) for match in _END.finditer(text) if _ends_sentence(text, match)]
    return sorted(breaks + ends)


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    words = piece.strip()
    return [(start + left, start + left + len(words))] if words else []


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if match["wide"]:
        return True
    after = text[match.end() : match.end() + 80].lstrip(" \t\n\"'“‘«([*_~`")[:1]
    if not after:
        return True
    if match["stop"] != ".":
        return not after.islower()
    line = text[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
    if after.islower() or _LABEL.fullmatch(line) or _is_ordinal(line, text[match.end() : match.end() + 80]):
        return False
    return not _is_abbreviation(_WORD_BEFORE.search(line), after)


def _is_ordinal(line: str, after: str) -> bool:
    return bool(_ORDINAL.fullmatch(line)) and bool(_AFTER_ORDINAL.match(after.lstrip()))


def _is_abbreviation(match: re.Match[str] | None, after: str) -> bool:
    word = match.group().lower() if match else ""
    if _BEFORE_NUMBER.fullmatch(word):
        return after.isdigit()
    if _BEFORE_SMALL.fullmatch(word):
        return not after.isupper()
    return bool(_ABBREVIATION.fullmatch(word))
