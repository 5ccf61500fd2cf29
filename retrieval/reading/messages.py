"""What the parsing process is asked and answers: lines of JSON, which a broken process can't turn into objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from retrieval.errors import UnreadableSource
from retrieval.reading.kinds import Kind
from retrieval.reading.reading import Reading
from retrieval.types import Markup, Page, Pages

READY = b"ready\n"
"""The first line, when everything is loaded."""


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read."""

    path: str
    kind: Kind

    def to_line(self) -> bytes:
        return _line([self.path, self.kind.name])

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        path, kind = json.loads(line)
        return cls(path, Kind[kind])


def line_of(answer: Reading | str) -> bytes:
    """What was read, or why it could not be."""
    match answer:
        case str(reason):
            return _line({"reason": reason})
        case Reading(Markup(text, media_type, opens_sections), title):
            return _line({"title": title, "markup": [text, media_type, opens_sections]})
        case Reading(Pages(pages), title):
            return _line({"title": title, "pages": [[page.number, page.text] for page in pages]})
    raise TypeError(answer)


def answer_in(line: bytes) -> Reading | str:
    """What a line says.

    Raises:
        UnreadableSource: it is no such line.
    """
    try:
        fields = json.loads(line)
        if "reason" in fields:
            return str(fields["reason"])
        if "markup" in fields:
            text, media_type, opens_sections = fields["markup"]
            return Reading(Markup(str(text), str(media_type), bool(opens_sections)), str(fields["title"]))
        pages = tuple(Page(int(number), str(text)) for number, text in fields["pages"])
        return Reading(Pages(pages), str(fields["title"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableSource("It broke its parser: it is damaged, or made to do harm.") from error


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"  # ASCII, so that halves of surrogate pairs pass
