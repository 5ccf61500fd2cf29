"""Slack's rich_text blocks as Markdown, with names in place of ids."""

from __future__ import annotations

from collections.abc import Callable

from bot.slack import markup
from bot.slack import names as mentions
from bot.slack.names import Names
from bot.slack.payloads import Payload, child, children, flag, number, string

_INDENT = "    "
"""Wide enough for an item under `1.` as well as under `-`."""


def from_rich_text(block: Payload, names: Names) -> str:
    """The sections, lists, quotes and code of one block; lists that only differ in depth stay one list."""
    text = ""
    before = ""
    for element in children(block, "elements"):
        kind = string(element, "type")
        piece = _PARTS[kind](element, names) if kind in _PARTS else ""
        if piece.strip():
            text += _between(before, kind, text) + piece.strip("\n")
            before = kind
    return text


def inline(elements: tuple[Payload, ...], names: Names) -> str:
    """One run of words, mentions, links and emoji."""
    return "".join(_styled(_word(element, names), child(element, "style")) for element in elements)


def _between(before: str, kind: str, text: str) -> str:
    if not text:
        return ""
    return "\n" if before == kind == "rich_text_list" else "\n\n"


def _section(element: Payload, names: Names) -> str:
    return inline(children(element, "elements"), names)


def _list(element: Payload, names: Names) -> str:
    indent = _INDENT * min(number(element, "indent"), 8)  # Slack nests up to 8 deep
    first = number(element, "offset") + 1
    ordered = string(element, "style") == "ordered"
    items = [_section(item, names).strip("\n") for item in children(element, "elements")]
    lines = [
        f"{indent}{f'{first + at}.' if ordered else '-'} " + item.replace("\n", f"\n{indent}{_INDENT}")
        for at, item in enumerate(items)
    ]
    return _bordered("\n".join(lines), element)


def _quote(element: Payload, names: Names) -> str:
    return markup.quoted(_section(element, names))


def _preformatted(element: Payload, _names: Names) -> str:
    code = "".join(string(part, "text") or string(part, "url") for part in children(element, "elements"))
    return _bordered(markup.fenced(code).strip("\n"), element)


def _bordered(text: str, element: Payload) -> str:
    return markup.quoted(text) if number(element, "border") and text.strip() else text


_PARTS: dict[str, Callable[[Payload, Names], str]] = {
    "rich_text_section": _section,
    "rich_text_list": _list,
    "rich_text_quote": _quote,
    "rich_text_preformatted": _preformatted,
}

_WORDS: dict[str, Callable[[Payload, Names], str]] = {
    "text": lambda element, _: string(element, "text"),
    "link": lambda element, _: markup.link(string(element, "url"), string(element, "text")),
    "user": lambda element, names: mentions.person(string(element, "user_id"), names),
    "channel": lambda element, names: mentions.channel(string(element, "channel_id"), names),
    "usergroup": lambda element, names: mentions.group(string(element, "usergroup_id"), names),
    "broadcast": lambda element, _: "@" + string(element, "range"),
    "emoji": lambda element, _: f":{string(element, 'name')}:",
    "date": lambda element, _: markup.date(
        number(element, "timestamp"), string(element, "fallback"), string(element, "url")
    ),
    "color": lambda element, _: string(element, "value"),
}


def _word(element: Payload, names: Names) -> str:
    kind = string(element, "type")
    return _WORDS[kind](element, names) if kind in _WORDS else string(element, "text")


def _styled(text: str, style: Payload) -> str:
    """The same words with Markdown's marks, which may not touch blanks or cross lines."""
    if not any(flag(style, name) for name in ("code", "bold", "italic", "strike")):
        return text
    return "\n".join(_marked(line, style) for line in text.split("\n"))


def _marked(line: str, style: Payload) -> str:
    words = line.strip()
    if not words:
        return line
    marked = _as_code(words) if flag(style, "code") else words
    for name, mark in (("italic", "_"), ("bold", "**"), ("strike", "~~")):
        if flag(style, name):
            marked = f"{mark}{marked}{mark}"
    return line.replace(words, marked)


def _as_code(words: str) -> str:
    return f"`` {words} ``" if "`" in words else f"`{words}`"
