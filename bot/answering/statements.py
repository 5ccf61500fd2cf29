"""Takes a model's text apart as it comes: statements with their markers, and nothing that links, calls or hides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from linkify_it import LinkifyIt  # type: ignore[import-untyped]  # it ships no types
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode as Node

from bot.texts import ADDRESS_IN_SOURCE
from retrieval.chunking.hidden import without_hidden
from retrieval.chunking.sentences import sentences
from retrieval.chunking.splitting import leads_in
from retrieval.types import UnitKind

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_ADDRESSES = LinkifyIt(options={"fuzzy_link": True, "fuzzy_email": False, "fuzzy_ip": False})
_FILE = re.compile(r"[\w.-]+\.(?:cc|md|pl|pm|ps|py|rb|rs|sh|so|tf|ts|vi)", re.IGNORECASE)
"""Names of files, the ends of which are names of countries as well."""
_MARKER = re.compile(r"\s*(?:\[\^?(\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*)\]|【(\d{1,3})[^】\n]{0,20}】)")
_MARKERS_BEHIND = re.compile(rf"([.!?:][\"')*_]*)((?:{_MARKER.pattern})+)")
_LEADING_MARKERS = re.compile(rf"(?:{_MARKER.pattern})+\s*")
_SLACK_MARKUP = re.compile(r"<[@!#][^<>]*>?")
"""What calls people and channels in Slack; Markdown takes some of it for text."""
_CALLS = re.compile(r"@(?=(?:channel|here|everyone)\b)", re.IGNORECASE)
_FENCE = re.compile(r"(`{3,}|~{3,})")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<lead>[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")
_IN_LINE = re.compile(r"(?:^|\s)(\d{1,2})[.)]\s+(?=\S)")
_GOES_ON = re.compile(r"[a-z(]")
"""How a line begins that continues the one before it."""
_STYLES = {"strong": "**", "em": "*", "s": "~~"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, list item, table row or block of code that a model wrote."""

    text: str
    """Markdown without markers, links, images and HTML."""
    markers: tuple[int, ...] = ()
    kind: UnitKind = UnitKind.SENTENCE
    lead: str = ""
    """Of a list item's first sentence: its indentation and its bullet or number."""
    opens: bool = True
    """Whether it begins a line, and does not go on in one."""

    @property
    def leads_in(self) -> bool:
        """Whether it only introduces what comes next."""
        return self.kind is UnitKind.SENTENCE and leads_in(self.text)


class DraftReader:
    """Makes statements of a draft whose pieces come one by one; each part of it is parsed once."""

    def __init__(self) -> None:
        self._rest = ""
        self._is_in_line = False

    def feed(self, text: str) -> Iterator[Statement]:
        """The statements that are whole now."""
        self._rest += text
        while (part := self._next_part()) is not None:
            yield from self._statements(part)

    def end(self) -> Iterator[Statement]:
        """What is left when nothing more comes."""
        part, self._rest = self._rest, ""
        if part.strip():
            yield from self._statements(part)

    def _next_part(self) -> str | None:
        size = _whole(self._rest)
        if size is None:
            return None
        part, self._rest = self._rest[:size], self._rest[size:]
        return part

    def _statements(self, part: str) -> Iterator[Statement]:
        goes_on = self._is_in_line
        self._is_in_line = not part.endswith("\n")
        for at, statement in enumerate(_parsed(part)):
            is_first = at == 0 and goes_on
            yield statement if not is_first else _going_on(statement)


def _going_on(statement: Statement) -> Statement:
    return Statement(statement.text, statement.markers, statement.kind, statement.lead, opens=False)


def _whole(text: str) -> int | None:
    """How many characters at the beginning can no longer change their meaning; None where more must come."""
    line, newline, below = text.partition("\n")
    if fence := _FENCE.match(line.strip()):
        return _whole_fence(text, fence[1][:3])
    if line.lstrip().startswith("|"):
        return _whole_table(text)
    if not newline:
        return _whole_sentences(line)
    if not below:
        return None
    if line.strip() and _GOES_ON.match(below):
        return _whole(f"{line} {below}")
    return len(line) + 1


def _whole_fence(text: str, fence: str) -> int | None:
    closing = re.search(rf"\n[ \t]*{re.escape(fence)}+[ \t]*(?:\n|$)", text)
    return closing.end() if closing and (closing.group().endswith("\n")) else None


def _whole_table(text: str) -> int | None:
    size = 0
    for line in text.splitlines(keepends=True):
        if not line.lstrip().startswith("|"):
            return size
        size += len(line)
    return None


def _whole_sentences(line: str) -> int | None:
    """All but the last sentence, unless what follows could be the markers of the one before it, or a list's number."""
    spans = sentences(line)
    if len(spans) < 2 or _IN_LINE.search(line, 3):
        return None
    markers = _LEADING_MARKERS.match(line, spans[-1][0])
    size = markers.end() if markers else spans[-1][0]
    return size if line[size : size + 1].isalpha() else None


def _parsed(part: str) -> list[Statement]:
    """The statements of one part of a draft."""
    text = without_hidden(part)
    if _FENCE.match(text.strip()):
        return _code(text)
    item = _ITEM.match(text)
    lead = f"{' ' * (len(item['indent'].expandtabs(4)) // 2 * 2)}{_bullet(item['lead'])} " if item else ""
    body = text[item.end() :] if item else text.strip()
    made = [statement for node in Node(_PARSER.parse(body)).children for statement in _block(node)]
    return [Statement(made[0].text, made[0].markers, made[0].kind, lead), *made[1:]] if made and lead else made


def _bullet(lead: str) -> str:
    return lead.replace(")", ".") if lead[0].isdigit() else "-"


def _block(node: Node) -> list[Statement]:
    if node.type in ("heading", "html_block", "hr"):
        return []  # a heading claims nothing that its text does not
    if node.type == "table":
        return _rows(node)
    if node.type in ("fence", "code_block"):
        return [Statement(f"```\n{node.content.rstrip()}\n```", kind=UnitKind.CODE)]
    if node.type == "inline":
        return _sentences(_words(node))
    return [statement for child in node.children for statement in _block(child)]


def _code(text: str) -> list[Statement]:
    return [statement for node in Node(_PARSER.parse(text)).children for statement in _block(node)]


def _rows(table: Node) -> list[Statement]:
    """Each row as its cells under their headers: rows are checked one by one, and some may go."""
    rows = [["".join(map(_words, cell.children)).strip() for cell in row.children] for part in table.children
            for row in part.children]  # fmt: skip
    headers, *body = rows
    made: list[Statement] = []
    for cells in body:
        named = [f"{header}: {cell}" if header else cell for header, cell in zip(headers, cells, strict=False) if cell]
        made += [_statement("; ".join(named), UnitKind.TABLE_ROW, "- ")]
    return [statement for statement in made if _says_something(statement)]


def _sentences(text: str) -> list[Statement]:
    opening, *items = _enumerated(text)
    made = [_statement(opening[start:end]) for start, end in sentences(opening)]
    said = [statement for statement in made if _says_something(statement)]
    first = [statement if at == 0 else _going_on(statement) for at, statement in enumerate(said)]
    return [*first, *(statement for item in items for statement in _parsed(item))]


def _enumerated(text: str) -> list[str]:
    """A text, and the items that it lists in its one line."""
    moved = _MARKERS_BEHIND.sub(r"\2\1", text)
    numbers = list(_IN_LINE.finditer(moved))
    counted = [int(number[1]) for number in numbers]
    if len(counted) < 2 or any(at not in (1, before + 1) for before, at in pairwise([0, *counted])):
        return [moved]
    starts = [number.start(1) for number in numbers]
    return [moved[: starts[0]], *(moved[i:j].strip() for i, j in zip(starts, [*starts[1:], len(moved)], strict=True))]


def _says_something(statement: Statement) -> bool:
    return any(letter.isalnum() for letter in statement.text)


def _statement(text: str, kind: UnitKind = UnitKind.SENTENCE, lead: str = "") -> Statement:
    found = [number for match in _MARKER.finditer(text) for number in re.findall(r"\d+", match[1] or match[2])]
    bare = " ".join(_MARKER.sub("", text).split())
    return Statement(_harmless(bare), tuple(dict.fromkeys(map(int, found))), kind, lead)


def _harmless(text: str) -> str:
    """Without addresses and without what calls somebody; what was escaped or encoded has been read by now."""
    text = _CALLS.sub("", _SLACK_MARKUP.sub("", text))
    found = [one for one in _ADDRESSES.match(text) or [] if not _FILE.fullmatch(one.raw)]
    for address in reversed(found):
        text = text[: address.index] + ADDRESS_IN_SOURCE + text[address.last_index :]
    words = (ADDRESS_IN_SOURCE if "://" in word else word for word in text.split(" "))
    return " ".join(word for word in words if word)


def _words(node: Node) -> str:
    """An inline's words with their look; a link's words stay without its address."""
    written = ""
    for child in node.children:
        if child.type == "text":
            written += child.content
        elif child.type in ("softbreak", "hardbreak"):
            written += " "
        elif child.type == "code_inline":
            written += f"`{child.content}`"
        elif child.type == "link":
            written += ADDRESS_IN_SOURCE if child.markup == "autolink" else _words(child)
        elif child.type in _STYLES:
            written += f"{_STYLES[child.type]}{_words(child)}{_STYLES[child.type]}"
    return written
