"""Cuts a source into passages."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from retrieval.chunking.chunks import Chunk
from retrieval.chunking.fitting import fitted
from retrieval.chunking.frontmatter import without_front_matter
from retrieval.chunking.hidden import without_hidden
from retrieval.chunking.markdown import cut_markdown
from retrieval.chunking.noise import without_noise
from retrieval.chunking.outline import first_heading
from retrieval.chunking.plain import cut_plain
from retrieval.chunking.references import with_addresses
from retrieval.chunking.sizes import DEFAULT, Budget, without_endless_words
from retrieval.chunking.talk import cut_talk
from retrieval.embedding.protocol import TokenCounter
from retrieval.errors import UnreadableSource
from retrieval.types import Markup, Pages, Passage, Source, Talk

CHUNKING_VERSION = "3"
"""Part of a collection's name: another one means that everything is cut and embedded anew.

2: excerpts are embedded beside their passages. 3: terms of more languages, docs/decisions/0016;
stretches of talk, docs/decisions/0017."""

_NAMESPACE = uuid.UUID("5f1d3c1e-8a4b-5e0f-9d3c-2b7a6c1e4f90")


def cut(source: Source, team: str, count_tokens: TokenCounter, budget: Budget = DEFAULT) -> tuple[Passage, ...]:
    """The passages of a source, in order; none where it holds nothing to read.

    Raises:
        UnreadableSource: its media type can't be cut.
    """
    count_tokens = without_endless_words(count_tokens)
    title, chunks = _chunks(source, lru_cache(maxsize=2_048)(count_tokens), budget)  # texts are asked for repeatedly
    embedded_title = "" if isinstance(source.content, Talk) else title
    seen: Counter[str] = Counter()
    passages: list[Passage] = []
    fitting = (part for whole in chunks for part in fitted(whole, embedded_title, budget.limit, count_tokens))
    for chunk in fitting:
        words = "\x00".join((embedded_title, *chunk.heading_path, chunk.text))
        key = hashlib.sha256(words.encode()).hexdigest()
        passages.append(_passage(source, title, chunk, len(passages), f"{team}\n{source.id}\n{key}\n{seen[key]}"))
        seen[key] += 1
    return tuple(_side_by_side(passages))


def _side_by_side(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The passages of a source, each knowing those right before and after it."""
    for at, passage in enumerate(passages):
        around = (*passages[max(at - 1, 0) : at], *passages[at + 1 : at + 2])
        yield replace(passage, neighbours=tuple(one.id for one in around))


def title_of(markup: Markup) -> str:
    """The title that a text gives itself, in its front matter or its first heading; empty where it has none."""
    if markup.media_type != "text/markdown":
        return ""
    found, body = without_front_matter(without_hidden(markup.text))
    return found or first_heading(without_noise(body))


def _chunks(source: Source, count: TokenCounter, budget: Budget) -> tuple[str, list[Chunk]]:
    """The source's title and its chunks."""
    given = " ".join(without_hidden(source.title).split())
    match source.content:
        case Talk() as talk:
            return given, cut_talk(talk, budget, count)
        case Markup(text, "text/plain"):
            return given, cut_plain(without_hidden(text), given, source.url, budget, count)
        case Markup(text, "text/markdown", opens_sections):
            found, body = without_front_matter(without_hidden(text))
            title, words = given or found, with_addresses(without_noise(body))
            return title, cut_markdown(words, title, source.url, budget, count, opens_sections)
        case Pages(pages):
            return given, [
                chunk
                for page in pages
                for chunk in cut_markdown(
                    without_hidden(page.text), given, f"{source.url}#page={page.number}", budget, count
                )
            ]
        case Markup(_, media_type):
            raise UnreadableSource(f"{media_type} can't be read yet: use Markdown or plain text.")


def _passage(source: Source, title: str, chunk: Chunk, position: int, key: str) -> Passage:
    return Passage(
        id=str(uuid.uuid5(_NAMESPACE, key)),
        source_id=source.id,
        origin=source.origin,
        title=title,
        heading_path=chunk.heading_path,
        text=chunk.text,
        anchors=chunk.anchors,
        places=source.places,
        position=position,
        updated_at=source.updated_at,
    )
