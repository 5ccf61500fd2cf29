"""Reads HTML pages: their own words as Markdown, without navigation, scripts and what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.chunking.htmltables import table_to_markdown
from retrieval.chunking.outline import slugger
from retrieval.errors import UnreadableSource
from retrieval.reading.limits import MOST_DEPTH
from retrieval.reading.reading import Reading
from retrieval.reading.text import decoded
from retrieval.reading.writing import document, fence, heading, paragraph
from retrieval.types import Markup

_NOT_READ = (
    "script, style, noscript, template, svg, iframe, object, embed, canvas, video, audio, math, head > *:not(title), "
    "nav, aside, form, button, select, dialog, [hidden], [aria-hidden=true], [role=navigation], [role=banner], "
    "[role=contentinfo], [role=search], [role=complementary], [role=dialog], [role=alertdialog], "
    "body > header, body > footer, body > div > header, body > div > footer, .sr-only, .visually-hidden, "
    ".headerlink, .anchor-link, .breadcrumb, .breadcrumbs, .cookie-banner, #cookie-banner"
)
"""What isn't the page's own words: programs, pictures, ways to other pages, and what nobody sees."""
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAIN = ("main", "[role=main]", "article", "#content", "#main-content")
_LEAST_MAIN = 0.3
"""Of a page's words that its main part has, if it is the main part; teasers are articles too."""
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_BLOCK_SELECTOR = ", ".join(sorted(_BLOCKS))
_HEADING = re.compile(r"h([1-6])")
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_HEAD = 2_048
"""Bytes in which a page says what its encoding is. Source: HTML standard, 13.2.3.2 (1,024, doubled)."""
_MOST_WRONG = 0.001
"""Of a page's characters that may be wrong in its encoding: a pasted word, which browsers show as well as they can."""
_ABSOLUTE = ("http://", "https://", "mailto:")
_ANCHORS = frozenset({"", "#", "¶", "§", "🔗"})
"""What links to headings look like."""
_SPACES = re.compile(r"[ \t\r\f\n]+")


def read_html(path: Path) -> Reading:
    """The page's own words.

    Raises:
        UnreadableSource: it is no text.
    """
    tree = LexborHTMLParser(_decoded(path.read_bytes()))
    root = _main(tree)
    if root is None:
        return Reading(Markup(""))
    page = _Page(_unread(tree))
    text = document(page.blocks(root, MOST_DEPTH))
    return Reading(Markup(text, opens_sections=page.opens_by_slug(root)), page.title(root, tree))


def _decoded(content: bytes) -> str:
    """In the encoding that the page says, else in UTF-8."""
    said = _CHARSET.search(content[:_HEAD])
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or said is None:
        return decoded(content)
    try:
        text = content.decode(said.group(1).decode("ascii"), "replace")
    except LookupError as error:
        raise UnreadableSource("It is not in the encoding that it says: save it in UTF-8.") from error
    if text.count("\ufffd") > len(text) * _MOST_WRONG:
        raise UnreadableSource("It is not in the encoding that it says: save it in UTF-8.")
    if "\x00" in text:
        raise UnreadableSource("It is not HTML, whatever its name says.")
    return text


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    """The part that is the page's own, where it is marked and large enough."""
    body = tree.body
    if body is None:
        return None
    least = _LEAST_MAIN * len(body.text())
    found = (tree.css_first(selector) for selector in _MAIN)
    return next((node for node in found if node is not None and len(node.text()) >= least), body)


def _unread(tree: LexborHTMLParser) -> frozenset[int]:
    """What is passed over, by the address of its node."""
    hidden = [node for node in tree.css("[style]") if _INVISIBLE.search(node.attributes.get("style") or "")]
    return frozenset(node.mem_id for node in [*tree.css(_NOT_READ), *hidden])


@dataclass(frozen=True, slots=True)
class _Page:
    """Walks a page's elements."""

    unread: frozenset[int]

    def title(self, root: LexborNode, tree: LexborHTMLParser) -> str:
        """The only first-level heading, else the page's title, which often holds the site's name too."""
        headings = root.css("h1")
        node = headings[0] if len(headings) == 1 else tree.css_first("title")
        return self._line(node) if node is not None else ""

    def opens_by_slug(self, root: LexborNode) -> bool:
        """Whether the page's own ids are the slugs of its headings, as most programs make them."""
        slug = slugger()
        slugs = [(node.tag, slug(self._line(node).replace("`", ""))) for node in root.css("h1, h2, h3")]
        lower = {found for tag, found in slugs if tag != "h1"}  # the page's own title often has no id
        return bool(lower) and lower <= {node.attributes.get("id") or "" for node in root.css("[id]")}

    def _line(self, node: LexborNode) -> str:
        return " ".join(self._words(node, MOST_DEPTH).split())

    def blocks(self, node: LexborNode, depth: int) -> Iterator[str]:
        """The Markdown blocks that an element holds; too deep within others, only its words."""
        if depth == 0:
            yield paragraph(" ".join(node.text(separator=" ").split()))
            return
        line: list[str] = []
        for child in self._children(node):
            if self._is_block(child):
                yield _paragraph(line)
                line = []
                yield from self._block(child, depth - 1)
            else:
                line.append(self._inline(child, depth - 1))
        yield _paragraph(line)

    def _block(self, node: LexborNode, depth: int) -> Iterator[str]:
        tag = str(node.tag)
        if level := _HEADING.fullmatch(tag):
            yield heading(self._words(node, depth), int(level.group(1)))
        elif tag in ("ul", "ol"):
            yield self._list(node, depth, is_ordered=tag == "ol")
        elif tag == "pre":
            yield fence(node.text(), _language(node))
        elif tag == "table" and _is_data(node):
            yield self._table(node)
        elif tag == "blockquote":
            yield "\n".join(f"> {line}".rstrip() for line in document(self.blocks(node, depth)).split("\n"))
        elif tag == "dt":
            yield f"**{self._words(node, depth).strip()}**" if self._words(node, depth).strip() else ""
        else:
            yield from self.blocks(node, depth)

    def _table(self, node: LexborNode) -> str:
        """A table's words; links within the site would lead nowhere from where they are shown."""
        for link in node.css("a[href]"):
            if not (link.attributes.get("href") or "").startswith(_ABSOLUTE):
                del link.attrs["href"]
        return table_to_markdown(node.html or "")

    def _list(self, node: LexborNode, depth: int, *, is_ordered: bool) -> str:
        items: list[str] = []
        for child in self._children(node):
            body = "\n".join(block for block in self.blocks(child, max(depth - 1, 0)) if block.strip())
            if body:
                mark = f"{len(items) + 1}. " if is_ordered else "- "
                items.append(mark + body.replace("\n", "\n" + " " * len(mark)))
        return "\n".join(items)

    def _children(self, node: LexborNode) -> Iterator[LexborNode]:
        child = node.first_child
        while child is not None:
            if child.mem_id not in self.unread and not child.is_comment_node:
                yield child
            child = child.next

    def _is_block(self, node: LexborNode) -> bool:
        return node.tag in _BLOCKS or (bool(node.is_element_node) and node.css_first(_BLOCK_SELECTOR) is not None)

    def _words(self, node: LexborNode, depth: int) -> str:
        return "".join(self._inline(child, max(depth - 1, 0)) for child in self._children(node))

    def _inline(self, node: LexborNode, depth: int) -> str:
        if node.is_text_node:
            return _SPACES.sub(" ", node.text_content or "")
        if depth == 0:
            return node.text()
        if node.tag == "br":
            return "\n"
        if node.tag in ("code", "kbd", "samp", "tt") and "`" not in node.text() and node.text().strip():
            return f"`{' '.join(node.text().split())}`"
        words, href = self._words(node, depth), node.attributes.get("href") or ""
        if node.tag != "a":
            return words
        if words.strip() in _ANCHORS:
            return ""
        return f"[{words.strip()}]({href})" if href.startswith(_ABSOLUTE) and _is_plain(words, href) else words


def _paragraph(line: list[str]) -> str:
    lines = (" ".join(part.split()) for part in "".join(line).split("\n"))
    return paragraph("\n".join(part for part in lines if part))


def _is_plain(words: str, href: str) -> bool:
    """Whether a link can be written without escapes."""
    return bool(words.strip()) and not set("[]`\n") & set(words) and not set("() <>\n") & set(href)


def _is_data(table: LexborNode) -> bool:
    """Whether a table holds data rather than lays out a page."""
    return len(table.css("table")) <= 1 and len(table.css("tr")) > 1 and len(table.css("td, th")) > len(table.css("tr"))


def _language(pre: LexborNode) -> str:
    """What a block's classes say of its language."""
    code = pre.css_first("code")
    classes = f"{pre.attributes.get('class') or ''} {(code.attributes.get('class') or '') if code else ''}"
    found = re.search(r"\b(?:language|lang|highlight-source)-(\w+)", classes)
    return found.group(1) if found else ""
