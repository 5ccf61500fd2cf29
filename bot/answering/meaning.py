"""Compares what texts mean, and remembers the vectors of those that it has read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from retrieval.embedding.protocol import DenseEmbedder
from retrieval.stores.protocol import Vector

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How near each text is to the query in meaning, -1 to 1, in order."""

_MOST_REMEMBERED = 20_000
"""Vectors kept: about 30 MB of the packaged model's."""


class Meaning:
    """A `Similarity` by an embedder; what is remembered depends on the texts alone, never on who asks."""

    def __init__(self, embedder: DenseEmbedder, most_remembered: int = _MOST_REMEMBERED) -> None:
        self._embedder = embedder
        self._most = most_remembered
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def __call__(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Cosine similarities.

        Raises:
            EmbeddingError: the model failed.
        """
        if not texts:
            return []
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        embedded = dict(zip(missing, self._embedder.embed_passages([self._cut(text) for text in missing]), strict=True))
        self._remember(embedded)
        vectors = np.stack([known[text] if text in known else embedded[text] for text in texts])
        return [float(nearness) for nearness in vectors @ self._embedder.embed_query(query)]

    def count_tokens(self, text: str) -> int:
        """How many of the embedding model's tokens the text has."""
        return self._embedder.count_tokens(text)

    def _known(self, texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            return {text: self._vectors[text] for text in texts if text in self._vectors}

    def _remember(self, embedded: dict[str, Vector]) -> None:
        with self._lock:
            self._vectors.update(embedded)
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)

    def _cut(self, text: str) -> str:
        """As much of the text as the model reads; its beginning says what it is about."""
        while self._embedder.count_tokens(text) > self._embedder.max_tokens:
            text = text[: len(text) * 3 // 4]
        return text
