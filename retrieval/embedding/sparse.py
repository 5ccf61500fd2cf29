"""Turns texts into weighted terms for BM25: stems, and identifiers whole and in parts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from retrieval.embedding.languages import stems_like
from retrieval.embedding.terms import EVERY_RULE, TermExtractor, TermRules
from retrieval.types import SparseVector

_K = 1.2
_B = 0.75
"""Source: Robertson & Zaragoza 2009, the usual k1 and b; Lucene's defaults."""

_TYPICAL_LENGTH = 85.0
"""Terms in a passage as passages are cut: 79 to 102 in four sets' means. A constant and not the collection's mean,
so that what is outside a scope can't change a score inside it."""

_INSIDE = "~"
"""Marks a term as one that stands inside a longer word; no term holds it."""

_WORTH_OF_PIECE = 0.5
_WORTH_INSIDE = 0.2
"""What it is worth to meet a piece of the query's compound as a word, and a word of the query inside a compound. Less
than a whole word: some pieces are words by chance. Source: docs/decisions/0016."""


class Bm25Embedder:
    """Term frequencies as BM25 saturates them; the store multiplies by inverse document frequency.

    Source: https://en.wikipedia.org/wiki/Okapi_BM25, the part without IDF.
    """

    def __init__(self, language: str = "english", rules: TermRules = EVERY_RULE) -> None:
        """Prepare for a language.

        Raises:
            EmbeddingError: this language is not known.
        """
        self._extractor = TermExtractor(language, rules)
        self._language = stems_like(language)

    @property
    def language(self) -> str:
        """Whose stems its terms are; another language, or `CHUNKING_VERSION`, means other terms and another build."""
        return self._language

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        return [_passage_vector(self._extractor.terms(text), self._extractor.pieces(text)) for text in texts]

    def embed_query(self, text: str) -> SparseVector:
        """Each term once; where compounds are written as one word, less for what is only a piece of one."""
        terms, pieces = self._extractor.terms(text), self._extractor.pieces(text)
        weights = {term_id(piece): _WORTH_OF_PIECE for piece in pieces} | {term_id(term): 1.0 for term in terms}
        if self._extractor.has_pieces:
            weights |= {term_id(_INSIDE + term): _WORTH_INSIDE for term in terms}
        indices = sorted(weights)
        return SparseVector(tuple(indices), tuple(weights[index] for index in indices))


def _passage_vector(terms: Sequence[str], pieces: Sequence[str]) -> SparseVector:
    """Pieces add nothing to the length: they repeat what is there."""
    length_norm = _K * (1 - _B + _B * len(terms) / _TYPICAL_LENGTH)
    counts = Counter(term_id(term) for term in (*terms, *(_INSIDE + piece for piece in pieces)))
    weights = {index: count * (_K + 1) / (count + length_norm) for index, count in sorted(counts.items())}
    return SparseVector(tuple(weights), tuple(weights.values()))


@lru_cache(maxsize=100_000)  # about 10 MB; natural text repeats its words
def term_id(term: str) -> int:
    """The term's index in sparse vectors, 32 bits, the same in every process."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
