"""What a link of a reply opens: the words of the very message or section that it points at."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})


def words_of(text: str) -> list[str]:
    """Letters and digits only, in lower case, so that markup makes no difference."""
    return re.findall(r"[^\W_]+", text.casefold())


def words_opened(page: str, url: str) -> frozenset[str]:
    """The words of the section or the message that the address points at; none where it is not on the page."""
    section = urlsplit(url).fragment
    reader = _SectionReader(section) if section else _MessageReader()
    reader.feed(page)
    return frozenset(words_of(" ".join(reader.read)))


class _MessageReader(HTMLParser):
    """Reads the highlighted message of a conversation's page."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Go in where a message is highlighted, and deeper while inside."""
        classes = (dict(attrs).get("class") or "").split()
        if tag not in _VOID and (self._depth or (tag == "article" and "highlight" in classes)):
            self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        """Come out again."""
        if self._depth and tag not in _VOID:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        """Keep what stands inside."""
        if self._depth:
            self.read.append(data)


class _SectionReader(HTMLParser):
    """Reads from the heading with an id to the next heading of its level or above."""

    def __init__(self, section: str) -> None:
        super().__init__()
        self.read: list[str] = []
        self._section = section
        self._level = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin at the named heading; end at one that is not below it."""
        if tag in _HEADINGS and dict(attrs).get("id") == self._section:
            self._level = tag
        elif self._level and tag in _HEADINGS and tag <= self._level:
            self._level = ""

    def handle_data(self, data: str) -> None:
        """Keep what stands under the heading."""
        if self._level:
            self.read.append(data)
