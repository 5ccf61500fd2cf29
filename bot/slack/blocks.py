"""Slack's blocks and attachments as Markdown: what a person reads in them, and nothing that stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.slack.markup import from_markdown, from_mrkdwn, link, unescape
from bot.slack.names import Names
from bot.slack.payloads import Payload, child, children, rows, string
from bot.slack.rich_text import from_rich_text

_STANDS_ELSEWHERE = (
    "from_url",
    "original_url",
    "app_unfurl_url",
    "is_msg_unfurl",
    "is_app_unfurl",
    "is_reply_unfurl",
    "is_thread_root_unfurl",
    "is_share",
    "message_blocks",
    "msg_subtype",
    "channel_id",
)
"""Signs that an attachment shows a page, a message or a file of another place, which not every reader may open."""


def from_blocks(blocks: Iterable[Payload], names: Names) -> str:
    """What stands in the blocks, in order; buttons and other controls say nothing."""
    kinds = ((string(block, "type"), block) for block in blocks)
    return _joined((_BLOCKS[kind](block, names) for kind, block in kinds if kind in _BLOCKS), "\n\n")


def from_attachments(attachments: Iterable[Payload], names: Names) -> str:
    """What a bot attached to its message; unfurls and shared messages are left out."""
    own = (attachment for attachment in attachments if not any(attachment.get(sign) for sign in _STANDS_ELSEWHERE))
    return _joined((_attachment(attachment, names) for attachment in own), "\n\n")


def _attachment(attachment: Payload, names: Names) -> str:
    if inner := from_blocks(children(attachment, "blocks"), names):
        return inner
    words = _joined(
        (
            from_mrkdwn(string(attachment, "pretext"), names),
            unescape(string(attachment, "author_name")),
            _title(attachment, names),
            from_mrkdwn(string(attachment, "text"), names),
            *(_field(field, names) for field in children(attachment, "fields")),
        ),
        "\n",
    )
    return words or from_mrkdwn(string(attachment, "fallback"), names)


def _title(attachment: Payload, names: Names) -> str:
    title = from_mrkdwn(string(attachment, "title"), names)
    url = string(attachment, "title_link")
    return link(url, title) if title and url else _bold(title)


def _field(field: Payload, names: Names) -> str:
    title = unescape(string(field, "title")).strip()
    value = from_mrkdwn(string(field, "value"), names).strip()
    return ": ".join(part for part in (title, value) if part)


def _text(text: Payload, names: Names) -> str:
    """A text object, which says itself whether it has markup."""
    words = string(text, "text")
    return from_mrkdwn(words, names) if string(text, "type") == "mrkdwn" else unescape(words)


def _section(block: Payload, names: Names) -> str:
    texts = (child(block, "text"), *children(block, "fields"))
    return _joined((_text(text, names) for text in texts), "\n")


def _header(block: Payload, names: Names) -> str:
    return _bold(_text(child(block, "text"), names))


def _context(block: Payload, names: Names) -> str:
    return _joined((_text(element, names) for element in children(block, "elements")), " ")


def _image(block: Payload, names: Names) -> str:
    return _text(child(block, "title"), names) or string(block, "alt_text")


def _video(block: Payload, names: Names) -> str:
    title = _text(child(block, "title"), names)
    url = string(block, "title_url")
    return _joined((link(url, title) if url else title, _text(child(block, "description"), names)), "\n")


def _card(block: Payload, names: Names) -> str:
    return _joined((_text(child(block, part), names) for part in ("title", "subtitle", "body")), "\n")


def _table(block: Payload, names: Names) -> str:
    """Rows of cells; the first is the header."""
    lines = ["| " + " | ".join(_cell(cell, names) for cell in row) + " |" for row in rows(block, "rows") if row]
    width = lines[0].count(" | ") + 1 if lines else 0
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def _cell(cell: Payload, names: Names) -> str:
    words = from_rich_text(cell, names) if string(cell, "type") == "rich_text" else unescape(string(cell, "text"))
    return " ".join(words.split()).replace("|", "\\|")


_BLOCKS: dict[str, Callable[[Payload, Names], str]] = {
    "rich_text": from_rich_text,
    "section": _section,
    "header": _header,
    "context": _context,
    "markdown": lambda block, names: from_markdown(string(block, "text"), names),
    "image": _image,
    "video": _video,
    "table": _table,
    "card": _card,
    "carousel": lambda block, names: from_blocks(children(block, "elements"), names),
    "alert": lambda block, names: _text(child(block, "text"), names),
}


def _bold(words: str) -> str:
    return f"**{words.strip()}**" if words.strip() else ""


def _joined(pieces: Iterable[str], separator: str) -> str:
    """The pieces that say something, each once."""
    return separator.join(dict.fromkeys(piece.strip("\n") for piece in pieces if piece.strip()))
