"""Gives quotes their markers, and each marker the message or page section that it opens."""

from __future__ import annotations

from bot.types import Answer, Citation, Claim, Quote


def cite(quotes: tuple[Quote, ...]) -> Answer:
    """Number the quotes' places from 1 in order of first use; quotes from one place share their marker."""
    markers: dict[tuple[str, str], int] = {}
    citations: list[Citation] = []
    claims: list[Claim] = []
    for quote in quotes:
        opened = (quote.passage.source_id, quote.anchor.url)
        if opened not in markers:
            markers[opened] = len(markers) + 1
            citations.append(_citation(markers[opened], quote))
        claims.append(Claim(quote.text, quote.kind, (markers[opened],)))
    return Answer(tuple(claims), tuple(citations))


def _citation(marker: int, quote: Quote) -> Citation:
    passage, anchor = quote.passage, quote.anchor
    return Citation(
        marker=marker,
        passage_id=passage.id,
        title=" › ".join((passage.title, *(quote.heading_path or passage.heading_path))),
        url=anchor.url,
        quote=quote.text,
        author=anchor.author,
        written_at=anchor.written_at if anchor.author else passage.updated_at,
    )
