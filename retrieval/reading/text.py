"""Reads files that are text as they stand: Markdown, plain text, source code."""

from __future__ import annotations

from pathlib import PurePath

from retrieval.chunking import title_of
from retrieval.errors import UnreadableSource
from retrieval.reading.code import code_blocks
from retrieval.reading.kinds import Kind, language_of
from retrieval.reading.reading import Reading
from retrieval.types import Markup


def read_text(content: bytes, kind: Kind, name: PurePath) -> Reading:
    """The text with its title.

    Raises:
        UnreadableSource: it is no text in UTF-8.
    """
    text = decoded(content)
    if kind is Kind.CODE:
        blocks = code_blocks(text, language_of(name), name.as_posix())
        return Reading(Markup(blocks, opens_sections=False), name.as_posix())
    markup = Markup(text, "text/markdown" if kind is Kind.MARKDOWN else "text/plain")
    return Reading(markup, title_of(markup))


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8, or in UTF-16 that says so.

    Raises:
        UnreadableSource: it is in another encoding, or no text.
    """
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableSource("It is not text in UTF-8: save it in that encoding.") from error
    if "\x00" in text:
        raise UnreadableSource("It is not text in UTF-8: save it in that encoding.")
    return text
