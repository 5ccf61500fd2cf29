"""A Markdown page as sections under headings, each with the address that opens it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from retrieval.chunking.blocks import Block, BlockKind, parse
from retrieval.chunking.words import words

_HEAD = 20_000
"""Characters from the start of a page in which its title stands, if it has one."""
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(slots=True)
class Section:
    """A heading with what stands under it, sections of deeper headings included."""

    level: int
    """0 for the page itself."""
    heading: str
    """Verbatim Markdown; empty for the page itself."""
    title: str
    """The heading's words."""
    slug: str
    text: str = ""
    """What stands before the first deeper heading."""
    children: list[Section] = field(default_factory=list)

    @property
    def is_bare(self) -> bool:
        """Whether nothing at all stands under its heading."""
        return not self.text and not self.children


def slugger() -> Callable[[str], str]:
    """Slugs as GitHub makes them, `-1`, `-2`… behind those that repeat.

    Source: github-slugger 2.0, which GitHub's own pages agree with.
    """
    seen: dict[str, int] = {}

    def slug(title: str) -> str:
        plain = _NOT_IN_SLUG.sub("", title.lower()).replace(" ", "-")
        unique = plain
        while unique in seen:
            seen[plain] += 1
            unique = f"{plain}-{seen[plain]}"
        seen[unique] = 0
        return unique

    return slug


def outline(text: str) -> Section:
    """The page, with its sections in order."""
    slug = slugger()
    page = Section(0, "", "", "")
    open_sections = [page]
    start = 0
    for block in (block for block in parse(text) if block.kind is BlockKind.HEADING):
        open_sections[-1].text = text[start : block.start].strip("\n")
        start = block.end
        while open_sections[-1].level >= block.level:
            open_sections.pop()
        section = _section(block, text, slug)
        open_sections[-1].children.append(section)
        open_sections.append(section)
    open_sections[-1].text = text[start:].strip("\n")
    return page


def first_heading(text: str) -> str:
    """The words of the first heading of the highest level; empty where there is none."""
    headings = [block for block in parse(text[:_HEAD]) if block.kind is BlockKind.HEADING]
    if not headings:
        return ""
    highest = min(headings, key=lambda block: block.level)
    return " ".join(words(highest.text_in(text)).split())


def _section(block: Block, text: str, slug: Callable[[str], str]) -> Section:
    heading = block.text_in(text).strip()
    title = " ".join(words(heading).split())
    return Section(block.level, heading, title, slug(title))
