"""Gives claims their markers, and each marker the message or page section that it opens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.texts import PAGE
from bot.types import Answer, Citation, Claim, Quote
from retrieval.types import UnitKind

_SOFT_BREAK = re.compile(r"(?<!  )(?<!\\)\n[ \t]*")
"""The end of a line that Markdown doesn't show; two blanks or a backslash before it mean one that it does."""
_LINE_OF_ITS_OWN = re.compile(r"\n\s*(?:\n|>|[-*+•|#`]|\d+[.)]\s)")
"""A break before a new paragraph or block, each of which stays where it is."""


@dataclass(frozen=True, slots=True)
class Resting:
    """A claim that is yet without markers, and the words of passages that it rests on."""

    claim: Claim
    quotes: tuple[Quote, ...]


def cite(quotes: tuple[Quote, ...]) -> Answer:
    """Quotes as claims, each with the marker of its own place."""
    return number([Resting(Claim(_unwrapped(quote), quote.kind, ()), (quote,)) for quote in quotes])


def number(resting: Sequence[Resting]) -> Answer:
    """Number the places from 1 in order of first use; what rests on the same place shares its marker."""
    citations: dict[tuple[str, str], Citation] = {}
    claims: list[Claim] = []
    for one in resting:
        markers: list[int] = []
        for quote in one.quotes:
            opened = (quote.passage.source_id, quote.anchor.url)
            if opened not in citations:
                citations[opened] = _citation(len(citations) + 1, quote)
            markers.append(citations[opened].marker)
        claims.append(replace(one.claim, markers=tuple(dict.fromkeys(markers))))
    return Answer(tuple(claims), tuple(citations.values()))


def _unwrapped(quote: Quote) -> str:
    """A document's sentence on one line: its lines were broken because they were full. In talk every break is meant."""
    is_whole = quote.anchor.author or quote.kind is not UnitKind.SENTENCE or _LINE_OF_ITS_OWN.search(quote.text)
    return quote.text if is_whole else _SOFT_BREAK.sub(" ", quote.text)


def _page(url: str) -> tuple[str, ...]:
    """The page that a link into a printed document opens: not everything that opens one turns its pages."""
    _, _, number = url.rpartition("#page=")
    return (PAGE.format(number=number),) if number.isdecimal() else ()


def _citation(marker: int, quote: Quote) -> Citation:
    passage, anchor = quote.passage, quote.anchor
    return Citation(
        marker=marker,
        passage_id=passage.id,
        title=" › ".join((passage.title, *(quote.heading_path or passage.heading_path), *_page(anchor.url))),
        url=anchor.url,
        quote=quote.text,
        author=anchor.author,
        written_at=anchor.written_at if anchor.author else passage.updated_at,
    )
