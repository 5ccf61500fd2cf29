"""Writes a reply for the terminal, as text or as JSON."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.texts import HELP, REFUSAL, REMARKS, SOURCES
from bot.types import Answer, Citation, Claim, Clarification, Help, Outcome, Reply, claim_joint
from retrieval.types import Hit, UnitKind


def as_text(reply: Reply) -> str:
    """The outcome as somebody reads it, sources below."""
    lines = [f"(asked as: {reply.query.text})\n"] if reply.query and reply.query.is_rewritten else []
    return "\n".join([*lines, _text(reply.outcome)])


def as_json(reply: Reply) -> dict[str, object]:
    """Everything that `footnote ask --json` promises."""
    citations = reply.outcome.citations if isinstance(reply.outcome, Answer) else ()
    return {
        "outcome": type(reply.outcome).__name__.lower(),
        "text": _words(reply.outcome),
        "query": reply.query.text if reply.query else None,
        "citations": [_citation(citation) for citation in citations],
        "evidence": [_hit(hit) for hit in (reply.evidence.hits if reply.evidence else ())],
        "confidence": reply.evidence.confidence if reply.evidence else None,
        "ms": round(reply.ms, 1),
    }


def _text(outcome: Outcome) -> str:
    if not isinstance(outcome, Answer):
        return _words(outcome)
    return "\n".join([_words(outcome), "", SOURCES, *(_source(citation) for citation in outcome.citations)])


def _words(outcome: Outcome) -> str:
    match outcome:
        case Answer():
            claims = "".join(claim_joint(claim) + _claim(claim) for claim in outcome.claims).strip()
            return f"{claims}\n\n({REMARKS[outcome.remark]})" if outcome.remark else claims
        case Clarification():
            return "\n".join([outcome.text, *(f"- {choice}" for choice in outcome.choices)])
        case Help():
            return HELP
        case _:
            return REFUSAL


def _claim(claim: Claim) -> str:
    """The words with their markers: behind running text, below what has lines of its own."""
    between = " " if claim.kind is UnitKind.SENTENCE or claim.lead else "\n"
    return claim.lead + claim.text.strip() + between + " ".join(f"[{marker}]" for marker in claim.markers)


def _source(citation: Citation) -> str:
    """Only talk is dated: a page's date is often just when its file was copied."""
    said = f"{citation.author}, {_day(citation.written_at)}" if citation.author else ""
    return f"[{citation.marker}] {citation.title}" + (f" ({said})" if said else "") + f"\n    {citation.url}"


def _day(written_at: float | None) -> str:
    return "" if written_at is None else datetime.fromtimestamp(written_at, UTC).strftime("%-d %b %Y")


def _citation(citation: Citation) -> dict[str, object]:
    return {
        "marker": citation.marker,
        "title": citation.title,
        "url": citation.url,
        "quote": citation.quote,
        "author": citation.author or None,
        "passage": citation.passage_id,
    }


def _hit(hit: Hit) -> dict[str, object]:
    return {
        "rank": hit.rank,
        "passage": hit.passage.id,
        "source": hit.passage.source_id,
        "title": " > ".join((hit.passage.title, *hit.passage.heading_path)),
        "url": hit.passage.anchors[0].url,
        "text": hit.passage.text,
        "score": hit.score,
        "dense": hit.dense,
        "sparse": hit.sparse,
    }
