"""Turns texts into weighted terms for BM25: stems, and identifiers whole and in parts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from retrieval.embedding.terms import EVERY_RULE, TermExtractor, TermRules
from retrieval.types import SparseVector

_K = 1.2
_B = 0.75
"""Source: Robertson & Zaragoza 2009, the usual k1 and b; Lucene's defaults."""

_TYPICAL_LENGTH = 85.0
"""Terms in a passage as passages are cut: 79 to 102 in four sets' means. A constant and not the collection's mean,
so that what is outside a scope can't change a score inside it."""


class Bm25Embedder:
    """Term frequencies as BM25 saturates them; the store multiplies by inverse document frequency.

    Source: https://en.wikipedia.org/wiki/Okapi_BM25, the part without IDF.
    """

    def __init__(self, language: str = "english", rules: TermRules = EVERY_RULE) -> None:
        """Prepare for a language.

        Raises:
            EmbeddingError: there are no stems for this language.
        """
        self._terms_of = TermExtractor(language, rules).terms

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return [_passage_vector(self._terms_of(text)) for text in texts]

    def embed_query(self, text: str) -> SparseVector:
        indices = sorted({term_id(term) for term in self._terms_of(text)})
        return SparseVector(tuple(indices), (1.0,) * len(indices))


def _passage_vector(terms: Sequence[str]) -> SparseVector:
    length_norm = _K * (1 - _B + _B * len(terms) / _TYPICAL_LENGTH)
    counts = Counter(term_id(term) for term in terms)
    weights = {index: count * (_K + 1) / (count + length_norm) for index, count in sorted(counts.items())}
    return SparseVector(tuple(weights), tuple(weights.values()))


@lru_cache(maxsize=100_000)  # about 10 MB; natural text repeats its words
def term_id(term: str) -> int:
    """The term's index in sparse vectors, 32 bits, the same in every process."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
