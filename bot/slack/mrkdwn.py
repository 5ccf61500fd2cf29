"""Writes Markdown in Slack's own markup: its look stays, its links, images and HTML tags don't."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode as Node

from bot.slack.escaping import escape
from bot.slack.html import without_tags
from bot.slack.pieces import cut, longest_line

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_WRAPPED = 60
"""A line of at least so many characters was broken because it was full, a shorter one because that was meant."""
_INDENT = "    "
_BULLETS = ("•", "◦", "▪")


def to_mrkdwn(markdown: str, limit: int) -> tuple[str, ...]:
    """The Markdown in pieces of at most `limit` characters, cut between its blocks where they fit."""
    blocks = [_within(block, limit) for block in Node(_PARSER.parse(markdown)).children]
    return cut([block for block in blocks if block.strip()], limit)


def _within(block: Node, limit: int) -> str:
    """A block with its look; without, where a line must be cut and its marks would come apart."""
    text = _block(block, is_styled=True)
    return text if longest_line(text) <= limit else _block(block, is_styled=False)


def _block(node: Node, is_styled: bool, depth: int = 0) -> str:
    if node.type in _LEAVES:
        return _LEAVES[node.type](node)
    if node.type in ("bullet_list", "ordered_list"):
        return _list(node, is_styled, depth)
    if node.type == "table":
        return _table(node, is_styled)
    if node.type == "heading":
        return _heading(node, is_styled)
    if node.type == "inline":
        return _Inline(is_styled).text(node).strip()
    inner = _blocks(node, is_styled, depth)
    return _quoted(inner) if node.type == "blockquote" else inner


def _blocks(node: Node, is_styled: bool, depth: int, between: str = "\n") -> str:
    written = [_block(child, is_styled, depth) for child in node.children]
    return between.join(text for text in written if text)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _heading(node: Node, is_styled: bool) -> str:
    text = " ".join(_Inline(is_styled=False).text(child) for child in node.children).strip()
    return f"*{text}*" if is_styled and text and "*" not in text else text


def _list(node: Node, is_styled: bool, depth: int) -> str:
    first = int(node.attrs.get("start", 1))
    bullet = _BULLETS[min(depth, len(_BULLETS) - 1)]
    lines = []
    for at, item in enumerate(node.children):
        lead = f"{first + at}." if node.type == "ordered_list" else bullet
        lines.append(f"{_INDENT * depth}{lead} {_item(item, is_styled, depth)}".rstrip())
    return "\n".join(lines)


def _item(item: Node, is_styled: bool, depth: int) -> str:
    """An item's words, what else is in it on lines of its own; code stands at the margin, as Slack wants it."""
    text = ""
    for child in item.children:
        is_words = child.type in ("paragraph", "inline")
        part = _block(child, is_styled, depth + 1)
        if is_words:
            part = part.replace("\n", f"\n{_INDENT * depth}   ")
        if part and (text or not is_words):
            text += f"\n{_INDENT * depth}   {part}" if is_words else f"\n{part}"
        else:
            text += part
    return text


def _table(node: Node, is_styled: bool) -> str:
    """A row as its cells, each led by its column's header: a phone shows no columns."""
    rows = [[_cell(cell, is_styled) for cell in row.children] for part in node.children for row in part.children]
    headers, *body = rows
    if not body:
        return " · ".join(headers)
    return "\n".join(_row([_heading_cell(header) for header in headers], cells, is_styled) for cells in body)


def _cell(cell: Node, is_styled: bool) -> str:
    return " ".join(_blocks(cell, is_styled, 0).split())


def _heading_cell(header: str) -> str:
    return header.strip("*_~ ").rstrip(":")


def _row(headers: list[str], cells: list[str], is_styled: bool) -> str:
    mark = "*" if is_styled else ""
    led = [
        f"{mark}{header}:{mark} {cell}" if header else cell
        for header, cell in zip(headers, cells, strict=False)  # a row may be shorter than its header
        if cell
    ]
    return "\n   ".join([f"• {led[0]}", *led[1:]]) if led else ""


def _code(node: Node) -> str:
    code = escape(node.content.rstrip("\n")).replace("```", "`\u200b``")  # parted, or it would end the code
    return f"```\n{code}\n```"


def _html(node: Node) -> str:
    lines = (line.strip() for line in without_tags(node.content).split("\n"))
    return escape("\n".join(line for line in lines if line))


def _nothing(_node: Node) -> str:
    return ""


_LEAVES: Mapping[str, Callable[[Node], str]] = {
    "fence": _code,
    "code_block": _code,
    "html_block": _html,
    "hr": _nothing,
}


class _Inline:
    """Words with their look, on one line or several."""

    def __init__(self, is_styled: bool) -> None:
        self._is_styled = is_styled

    def text(self, node: Node) -> str:
        """The words of a node's children."""
        written = ""
        for at, child in enumerate(node.children):
            rest = node.children[at + 1].content[:1] if at + 1 < len(node.children) else ""
            written += self._one(child, written, rest)
        return written

    def _one(self, node: Node, before: str, after: str) -> str:
        if node.type in _MARKS:
            return self._marked(node, before, after)
        if node.type in ("softbreak", "hardbreak"):
            return self._break(node, before)
        if node.type == "code_inline":
            code = escape(node.content)
            return f"`{code}`" if self._is_styled and "`" not in code else code
        if node.type == "html_inline":
            return escape(without_tags(node.content))
        if node.type == "image":
            return ""
        return self.text(node) if node.children else escape(node.content)

    def _marked(self, node: Node, before: str, after: str) -> str:
        """Marked where Slack would see it: not within a word, not over lines, not twice."""
        mark = _MARKS[node.type]
        inner = self.text(node)
        stands_free = not before[-1:].isalnum() and not after.isalnum()
        can_be = self._is_styled and stands_free and inner.strip() and mark not in inner and "\n" not in inner
        return f"{mark}{inner}{mark}" if can_be else inner

    def _break(self, node: Node, before: str) -> str:
        line = before.rsplit("\n", 1)[-1]
        return " " if node.type == "softbreak" and len(line) >= _WRAPPED else "\n"
