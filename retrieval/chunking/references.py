"""Puts the addresses of links where the links are, since a passage is read without the rest of its page."""

from __future__ import annotations

import re

_DEFINITION = re.compile(
    r"^ {0,3}\[([^\[\]\n]+)\]:[ \t]*<?([^\s<>]+)>?(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*$", re.MULTILINE
)
_FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?P<code>(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))"
    r"|(?<![\]!\\])\[(?P<text>[^\[\]\n]+)\](?:\[(?P<name>[^\[\]\n]*)\]|(?![\[(:]))"
)


def with_addresses(text: str) -> str:
    """The text with `[words](address)` for each `[words][name]` that the page defines, and without the definitions."""
    if "]:" not in text:
        return text
    fenced = [match.span() for match in _FENCED.finditer(text)]
    outside = _between(text, fenced)
    addresses = {_key(name): to for piece in outside for name, to in _DEFINITION.findall(piece) if name[0] != "^"}
    if not addresses:
        return text
    resolved = [_resolved(piece, addresses) for piece in outside]
    kept = [text[start:end] for start, end in fenced]
    return "".join(part for pair in zip(resolved, [*kept, ""], strict=True) for part in pair)


def _between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _resolved(text: str, addresses: dict[str, str]) -> str:
    def link(match: re.Match[str]) -> str:
        address = addresses.get(_key(match["name"] or match["text"])) if match["text"] else None
        return f"[{match['text']}]({address})" if address else match.group()

    without = _DEFINITION.sub(lambda match: "" if _key(match[1]) in addresses else match.group(), text)
    return _LINK.sub(link, without)


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()
