"""Judges whether what was found answers the query, and keeps the few passages that an answer may rest on."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bot.answering.meaning import Similarity
from bot.answering.quotable import Quotable, quotables
from bot.answering.words import content_stems, identifiers, inverse_frequencies, share_covered
from bot.answering.worth import Weighed, weigh
from bot.types import Evidence, Query
from retrieval.embedding import packaged
from retrieval.types import Hit, Passage, SearchResult

FITTED_TO = packaged.NAME
"""The embedding model whose cosines the weights below were fitted to; another one's lie elsewhere."""

ENOUGH = 0.44
"""Evidence is enough from this confidence on. Source: docs/decisions/0020, 0027."""

MOST_PASSAGES = 8

_READ = 10
"""Hits whose pieces are read one by one."""

_LOOKED_AT = 30
"""Hits that the features are made of; what ranks lower is noise."""

_BASE, _TOP, _MARGIN, _REPLY, _AGREEMENT = -4.02, 3.30, 0.43, 4.84, 0.89
"""A logistic regression of the packaged model's scores. Source: benchmarks/fit_evidence.py, docs/decisions/0027."""

_BASE_OF_PARAPHRASE, _NEARNESS_OF_PARAPHRASE = -1.98, 4.36
"""The same where the nearest words share none with the query: the cosine owes nothing to words in common, and their
lack says nothing."""

_NAME_IS_MISSING, _NAME_IS_THERE = -3.0, 1.0
"""What an identifier in the query that no passage holds, or that one holds, adds to the log odds."""

_DENSE, _COVERED, _WEAKEST = 4.78, 2.14, 1.5
"""What a passage's nearness and covered words are worth, and by how much it may be worse than the best and still be
evidence: 98 % of the passages known to answer are kept."""

_SAME_WORDS = 0.8
"""Passages that share this share of their words are one."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the judgement rests on; nothing but the hits and the query goes into it."""

    top: float
    """Cosine similarity of the nearest passage."""
    margin: float
    """By how much it is nearer than those that follow from the fifth on; 0 where there are none."""
    meaning: float
    """Cosine similarity of the nearest piece that could be quoted."""
    reply: float
    """The most that a piece brings together of the query's words, rarer ones counting more, and of its meaning: the
    share of the words that are its own or its table's header's, times its cosine similarity."""
    agreement: float
    """1 where the piece that answers best stands in the passage that ranks first, 1/2 in the second, and so on."""
    is_paraphrase: bool
    """Whether that nearest piece has none of the query's words, in itself or in what it is read under."""


def judge(query: Query, found: SearchResult, similarity: Similarity) -> Evidence:
    """The strongest passages, best first, and the probability that they answer the query."""
    hits = _that_say_something(found.hits[:_LOOKED_AT])
    seen = features(query.text, hits, similarity)
    if seen is None:
        return Evidence((), 0.0, is_enough=False)
    confidence = 1 / (1 + math.exp(-_log_odds(seen) - _by_names(query.text, hits)))
    return Evidence(_strongest(query.text, hits[:_READ]), confidence, is_enough=confidence >= ENOUGH)


def _that_say_something(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits without those that only ask; the first ones are read, the rest are taken as they are."""
    saying = {piece.hit.passage.id for piece in quotables(hits[:_READ])}
    return tuple(hit for at, hit in enumerate(hits) if at >= _READ or hit.passage.id in saying)


def features(query: str, hits: Sequence[Hit], similarity: Similarity) -> Features | None:
    """What the hits, best first, tell about whether they answer; None when nothing in them could be quoted."""
    weighed = weigh(query, quotables(hits[:_READ]), similarity)
    if not weighed:
        return None
    dense = sorted((hit.dense for hit in hits), reverse=True)
    later = dense[4:15]
    nearest = max(weighed, key=lambda one: one.meaning)
    return Features(
        top=dense[0],
        margin=dense[0] - fmean(later) if later else 0.0,
        meaning=nearest.meaning,
        reply=_reply(query, hits, weighed),
        agreement=1 / (1 + sum(hit.score > weighed[0].piece.hit.score for hit in hits)),
        is_paraphrase=_shares_nothing(query, nearest.piece),
    )


def _reply(query: str, hits: Sequence[Hit], weighed: Sequence[Weighed]) -> float:
    weights = _weights(query, hits)
    own = (frozenset(content_stems(f"{one.piece.header}\n{one.piece.own}")) for one in weighed)
    shares = (share_covered(weights, weights, words) for words in own)
    return max(share * one.meaning for share, one in zip(shares, weighed, strict=True))


def _shares_nothing(query: str, piece: Quotable) -> bool:
    wanted = frozenset(content_stems(query))
    return bool(wanted) and wanted.isdisjoint(content_stems(f"{piece.context}\n{piece.own}"))


def _covered(query: str, hits: Sequence[Hit]) -> list[float]:
    """The share of the query's words in each passage; rarer ones count more."""
    weights = _weights(query, hits)
    return [share_covered(weights, weights, frozenset(content_stems(_as_read(hit.passage)))) for hit in hits]


def _weights(query: str, hits: Sequence[Hit]) -> dict[str, float]:
    """What each word of the query counts, by how rare it is among the hits; in the order in which they were asked."""
    rarity = inverse_frequencies([_as_read(hit.passage) for hit in hits])
    rarest = math.log(2 * len(hits) + 2)
    return {word: 1 + rarity.get(word, rarest) for word in content_stems(query)}


def _as_read(passage: Passage) -> str:
    return "\n".join((passage.title, *passage.heading_path, passage.text))


def _log_odds(seen: Features) -> float:
    if seen.is_paraphrase:
        return _BASE_OF_PARAPHRASE + _NEARNESS_OF_PARAPHRASE * (seen.top + seen.meaning) / 2
    return _BASE + _TOP * seen.top + _MARGIN * seen.margin + _REPLY * seen.reply + _AGREEMENT * seen.agreement


def _by_names(query: str, hits: Sequence[Hit]) -> float:
    """What the identifiers in the query add: each must be met letter by letter."""
    names = identifiers(query)
    if not names:
        return 0.0
    texts = [_as_read(hit.passage).lower() for hit in hits]
    met = [any(re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) for text in texts) for name in names]
    return _NAME_IS_THERE if all(met) else _NAME_IS_MISSING


def _strongest(query: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits that are near the best, in their order, without repetitions."""
    worth = [_DENSE * hit.dense + _COVERED * covered for hit, covered in zip(hits, _covered(query, hits), strict=True)]
    kept: list[Hit] = []
    words: list[frozenset[str]] = []
    for hit, value in zip(hits, worth, strict=True):
        own = frozenset(content_stems(hit.passage.text))
        if len(kept) < MOST_PASSAGES and value >= max(worth) - _WEAKEST and not _is_repeated(own, words):
            kept.append(hit)
            words.append(own)
    return tuple(kept)


def _is_repeated(own: frozenset[str], earlier: Sequence[frozenset[str]]) -> bool:
    """Whether nearly all of the words stand in one earlier passage."""
    return any(len(own & other) >= _SAME_WORDS * max(len(own), 1) for other in earlier)
