"""Finds out what each marker of an answer rests on, so that it can be told later whether it may still stand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.slack.messages import Message, is_noise, readable
from bot.slack.names import BY_ID
from bot.state.posted import Cited, CitedMessage, Digest
from bot.types import Answer, Citation, Reply
from retrieval.types import Passage

_PERMALINK = re.compile(r".*/archives/[^/?]+/p(?P<ts>\d{7,})(?:\?(?:.*&)?thread_ts=(?P<root>[\d.]+).*)?")
_FRACTION = 6
"""Digits of a `ts` behind its point, which a permalink leaves out."""


def cited_by(reply: Reply) -> tuple[Cited, ...]:
    """What the markers of a reply rest on; nothing where it cites nothing."""
    if not isinstance(reply.outcome, Answer) or reply.evidence is None:
        return ()
    passages = [hit.passage for hit in reply.evidence.hits]
    return tuple(_cited(citation, reply.outcome, passages) for citation in reply.outcome.citations)


def sha256_of(message: Message) -> str:
    """Of all that is to be read in a message; empty for one that is gone.

    Whoever can read it can read the index, so that nothing is gained by a key.
    """
    words = "" if is_noise(message) else readable(message, BY_ID)
    return hashlib.sha256(f"{message.ts}\n{words}".encode()).hexdigest() if words else ""


def stands_in(quote: Digest, passages: Iterable[Passage]) -> bool:
    """Whether the words of a quote still stand in one of the passages."""
    return any(_has(quote, passage.text.split()) for passage in passages)


def _cited(citation: Citation, answer: Answer, passages: Sequence[Passage]) -> Cited:
    own = next((passage for passage in passages if passage.id == citation.passage_id), None)
    if own is None:  # of what is not known to stand anywhere, nothing may
        return Cited(citation.marker, "", citation.passage_id, frozenset())
    same = [one for one in passages if one.source_id == own.source_id and citation.url in _urls(one)]
    claims = [claim.text for claim in answer.claims if citation.marker in claim.markers]
    cited = Cited(citation.marker, own.source_id, own.id, own.places)
    if not _is_talk(own):
        return replace(cited, quotes=_quotes([citation.quote, *claims], same))
    return replace(cited, messages=_messages(citation, claims, same))


def _messages(citation: Citation, claims: Sequence[str], passages: Sequence[Passage]) -> tuple[CitedMessage, ...]:
    """The message that is opened, where all claims are its own words; else every one of the passages."""
    said = " ".join(_words_at(citation.url, passage) for passage in passages)
    is_quoted = all(" ".join(claim.split()) in said for claim in claims)
    urls = [citation.url] if is_quoted else [url for passage in passages for url in _urls(passage)]
    places = {place for passage in passages for place in passage.places}
    found = {ref: None for url in urls if (ref := _PERMALINK.fullmatch(url))}
    messages = [(_ts(ref["ts"]), ref["root"] or _ts(ref["ts"])) for ref in found]
    return tuple(CitedMessage(place, ts, root) for place in sorted(places) for ts, root in dict.fromkeys(messages))


def _quotes(texts: Iterable[str], passages: Sequence[Passage]) -> tuple[Digest, ...]:
    """Those texts that stand in the passages word for word."""
    quotes = dict.fromkeys(_digest(text.split()) for text in texts)
    return tuple(quote for quote in quotes if stands_in(quote, passages))


def _words_at(url: str, passage: Passage) -> str:
    """What stands in a passage from where `url` is opened, each space one blank."""
    ends = [anchor.offset for anchor in passage.anchors[1:]] + [len(passage.text)]
    spans = zip(passage.anchors, ends, strict=True)
    return " ".join(" ".join(passage.text[anchor.offset : end].split()) for anchor, end in spans if anchor.url == url)


def _urls(passage: Passage) -> list[str]:
    return [anchor.url for anchor in passage.anchors]


def _is_talk(passage: Passage) -> bool:
    return all(anchor.author and _PERMALINK.fullmatch(anchor.url) for anchor in passage.anchors)


def _ts(digits: str) -> str:
    return f"{digits[:-_FRACTION]}.{digits[-_FRACTION:]}"


def _digest(words: Sequence[str]) -> Digest:
    return Digest(hashlib.sha256(" ".join(words).encode()).hexdigest(), len(words))


def _has(quote: Digest, words: Sequence[str]) -> bool:
    starts = range(len(words) - quote.length + 1) if quote.length else ()
    return any(_digest(words[at : at + quote.length]) == quote for at in starts)
