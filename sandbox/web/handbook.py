"""A folder of Markdown as pages, with the heading ids that links to them use."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from sandbox.web.layout import page

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_MD_LINK = re.compile(r"\.md(?=#|$)")


class Handbook:
    """The pages of one folder."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def page(self, address: str) -> str | None:
        """The page at an address without its `.md`, None when there is none."""
        file = self._file(address.strip("/"))
        if file is None:
            return None
        text = _FRONT_MATTER.sub("", file.read_text(encoding="utf-8"))
        tokens = _MARKDOWN.parse(text)
        _give_ids(tokens)
        _link_pages(tokens)
        words = Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # rendered with HTML off
        frame = Markup('<div class="handbook"><nav class="sidebar"><h1>Handbook</h1>{}</nav><main>{}</main></div>')
        return page(_title(tokens, file), frame.format(self._contents(file), words), "book")

    def _file(self, address: str) -> Path | None:
        for name in (f"{address}.md", f"{address}/index.md", f"{address}/README.md"):
            file = (self._root / name.lstrip("/")).resolve()
            if file.is_relative_to(self._root) and file.is_file():
                return file
        return None

    def _contents(self, current: Path) -> Markup:
        link = Markup('<a class="{}" href="/handbook/{}">{}</a>')
        files = sorted(self._root.rglob("*.md"))
        pages = [(file, file.relative_to(self._root).with_suffix("").as_posix()) for file in files]
        return Markup("").join(link.format("current" if f == current else "", name, name) for f, name in pages)


def slug(heading: str) -> str:
    """The id that GitHub gives to a heading of these words."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _words(inline: Token) -> str:
    kept = ("text", "code_inline", "softbreak")
    return "".join(" " if t.type == "softbreak" else t.content for t in inline.children or [] if t.type in kept)


def _give_ids(tokens: Sequence[Token]) -> None:
    seen: Counter[str] = Counter()
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            name = slug(_words(inline))
            opening.attrSet("id", f"{name}-{seen[name]}" if seen[name] else name)
            seen[name] += 1


def _link_pages(tokens: Sequence[Token]) -> None:
    """Links to neighbouring files become links to their pages."""
    for token in tokens:
        for child in token.children or []:
            href = child.attrGet("href")
            if child.type == "link_open" and isinstance(href, str) and "://" not in href:
                child.attrSet("href", _MD_LINK.sub("", href))


def _title(tokens: Sequence[Token], file: Path) -> str:
    headings = (i for t, i in pairwise(tokens) if t.type == "heading_open")
    first = next(headings, None)
    return _words(first) if first else file.stem
