"""Reads server-sent events out of bytes as they come.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LONGEST_LINE = 1_000_000
"""Characters; a reply's piece is a few, so that a longer line comes from something that is no chat model."""


class Unreadable(ValueError):
    """The bytes are no stream of events."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; `name` is `message` where the server gives none."""

    name: str
    data: str


def events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Each event as soon as its blank line is there; one that the end cuts off is none.

    Raises:
        Unreadable: the bytes are no UTF-8, or a line does not end.
    """
    gathered = _Gathered()
    for line in _lines(chunks):
        if line:
            gathered.take(line)
        elif event := gathered.event():
            yield event


@dataclass(slots=True)
class _Gathered:
    """The fields of the event that is being read."""

    name: str = ""
    data: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        name, _, value = line.partition(":")  # a comment, which keeps a connection alive, has an empty name
        value = value.removeprefix(" ")
        if name == "data":
            self.data.append(value)
        elif name == "event":
            self.name = value

    def event(self) -> ServerEvent | None:
        made = ServerEvent(self.name or "message", "\n".join(self.data)) if self.data else None
        self.name, self.data = "", []
        return made


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Whole lines, ended by LF, CR or CRLF; `str.splitlines` knows more ends, and JSON may hold those."""
    rest = ""
    for text in _decoded(chunks):
        *whole, rest = _split(rest + text)
        yield from whole
        if len(rest) > LONGEST_LINE:
            raise Unreadable("a line does not end")


def _split(text: str) -> list[str]:
    """A CR at the very end stays with the rest: an LF that belongs to it may come next."""
    waiting = "\r" if text.endswith("\r") else ""
    lines = text[: len(text) - len(waiting)].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [*lines[:-1], lines[-1] + waiting]


def _decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    """Text of bytes that may end within a character; a byte order mark in front is dropped."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
    try:
        for chunk in chunks:
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise Unreadable("the bytes are no UTF-8") from error
