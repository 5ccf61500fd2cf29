"""Makes text harmless in Slack: it names, links and calls nobody, and hides nothing."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Control, bidirectional and zero-width characters; those that join emoji and letters stay."""


def escape(text: str) -> str:
    """Text as Slack shows it letter by letter; only `<…>` names, links and calls in Slack's markup."""
    return _UNSEEN.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def link(url: str, label: str) -> str:
    """A link of our own making; the bare label where Slack would not open the address."""
    label = " ".join(label.split())
    if urlsplit(url).scheme not in {"http", "https"}:
        return escape(label)
    return f"<{escape(quote(url, safe=_URL_CHARACTERS))}|{escape(label)}>"


_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"
"""What stands in an address as it is; anything else, `|` and `>` among it, could end the link early."""
