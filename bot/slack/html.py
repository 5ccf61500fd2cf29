"""Tells HTML's tags, which are dropped, from words in angle brackets, which stay."""

from __future__ import annotations

import re

_TAGS = frozenset(
    (  # noqa: SIM905  # a list of a hundred strings would fill the page
        "a abbr address article aside audio b blockquote body br button caption center cite code col colgroup dd del "
        "details dfn div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i "
        "iframe img input ins kbd label li link main mark meta nav noscript object ol option p picture pre q s samp "
        "script section select small source span strike strong style sub summary sup svg table tbody td textarea tfoot "
        "th thead time title tr tt u ul var video wbr"
    ).split()
)
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style|head)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>")
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "hr", "h1", "h2", "h3", "h4", "h5", "h6"})


def without_tags(html: str) -> str:
    """The words that a reader of the page would see; placeholders such as `<your-name>` are no tags."""
    return _TAG.sub(_replaced, _UNSEEN.sub("", html))


def _replaced(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name not in _TAGS:
        return tag[0]
    return "\n" if name in _BREAKS else ""
