"""Reads Slack's mrkdwn: paragraphs, lists, quotes and code, made of spans."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


class SpanKind(StrEnum):
    """What a stretch of text is; the names are those of rich text elements."""

    TEXT = "text"
    LINK = "link"
    USER = "user"
    CHANNEL = "channel"
    USERGROUP = "usergroup"
    BROADCAST = "broadcast"
    EMOJI = "emoji"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one kind and style; `text` is unescaped, `target` is the address or id that it stands for."""

    kind: SpanKind
    text: str
    target: str = ""
    styles: frozenset[str] = frozenset()


class PartKind(StrEnum):
    """What a part of a message is."""

    PARAGRAPH = "paragraph"
    CODE = "code"
    QUOTE = "quote"
    BULLETS = "bullets"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a message: one line of spans for each paragraph line, item or quoted line."""

    kind: PartKind
    lines: tuple[tuple[Span, ...], ...]
    indent: int = 0


_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_BULLET = re.compile(r"(\s*)(?:[•◦▪]|-)\s+(.*)")
_NUMBER = re.compile(r"(\s*)\d+[.)]\s+(.*)")
_QUOTE = re.compile(r"(?:&gt;|>)\s?(.*)")
_INLINE = re.compile(
    r"<(?P<angle>[^<>\n]+)>"
    r"|`(?P<code>[^`\n]+)`"
    r"|(?<![\w*])\*(?P<bold>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>[^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])"
    r"|(?<![\w:]):(?P<emoji>[a-z][a-z0-9_+-]*):(?![\w:])"
)


def parts(text: str) -> tuple[Part, ...]:
    """The parts of a message's mrkdwn, in order."""
    found: list[Part] = []
    end = 0
    for fence in _FENCE.finditer(text):
        found += _prose(text[end : fence.start()])
        code = Span(SpanKind.TEXT, html.unescape(_plain_angles(fence[1])))
        found.append(Part(PartKind.CODE, ((code,),)))
        end = fence.end()
    found += _prose(text[end:])
    return tuple(found)


def _plain_angles(code: str) -> str:
    """Code as it shows: Slack turns addresses in it into `<…>` too."""
    return re.sub(r"<(?![@#!])([^<>|\n]+)(?:\|([^<>\n]*))?>", lambda m: m[2] or m[1], code)


def _prose(text: str) -> list[Part]:
    found: list[Part] = []
    for line in text.strip("\n").split("\n") if text.strip("\n") else []:
        part = _line(line)
        if found and found[-1].kind is part.kind and found[-1].indent == part.indent:
            found[-1] = replace(found[-1], lines=found[-1].lines + part.lines)
        else:
            found.append(part)
    return found


def _line(line: str) -> Part:
    for pattern, kind in ((_BULLET, PartKind.BULLETS), (_NUMBER, PartKind.NUMBERS)):
        if item := pattern.fullmatch(line):
            return Part(kind, (spans(item[2]),), indent=len(item[1].expandtabs(4)) // 2)
    if quoted := _QUOTE.fullmatch(line):
        return Part(PartKind.QUOTE, (spans(quoted[1]),))
    return Part(PartKind.PARAGRAPH, (spans(line),))


def spans(text: str, styles: frozenset[str] = frozenset()) -> tuple[Span, ...]:
    """The spans of one line."""
    return tuple(_spans(text, styles))


def _spans(text: str, styles: frozenset[str]) -> Iterator[Span]:
    end = 0
    for found in _INLINE.finditer(text):
        if found.start() > end:
            yield Span(SpanKind.TEXT, html.unescape(text[end : found.start()]), styles=styles)
        yield from _marked(found, styles)
        end = found.end()
    if end < len(text):
        yield Span(SpanKind.TEXT, html.unescape(text[end:]), styles=styles)


def _marked(found: re.Match[str], styles: frozenset[str]) -> Iterator[Span]:
    style, inner = found.lastgroup or "", found[found.lastgroup or 0]
    if style == "angle":
        yield _angle(inner, styles)
    elif style == "emoji":
        yield Span(SpanKind.EMOJI, f":{inner}:", inner, styles)
    elif style == "code":
        yield Span(SpanKind.TEXT, html.unescape(_plain_angles(inner)), styles=styles | {"code"})
    else:
        yield from _spans(inner, styles | {style})


def _angle(inner: str, styles: frozenset[str]) -> Span:
    target, _, label = inner.partition("|")
    label = html.unescape(label)
    if target.startswith("@"):
        return Span(SpanKind.USER, label, target[1:], styles)
    if target.startswith("#"):
        return Span(SpanKind.CHANNEL, label, target[1:], styles)
    if target.startswith("!subteam^"):
        return Span(SpanKind.USERGROUP, label, target.removeprefix("!subteam^"), styles)
    if target.startswith("!date"):
        return Span(SpanKind.TEXT, label, styles=styles)
    if target.startswith("!"):
        return Span(SpanKind.BROADCAST, label, target[1:], styles)
    return Span(SpanKind.LINK, label, html.unescape(target), styles)


def mentions(text: str, user_id: str) -> bool:
    """Whether a text mentions somebody, code left aside."""
    everything = (
        span for part in parts(text) if part.kind is not PartKind.CODE for line in part.lines for span in line
    )
    return any(span.kind is SpanKind.USER and span.target == user_id for span in everything)
