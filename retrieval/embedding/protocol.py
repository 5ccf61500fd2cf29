"""What an embedder must do; `dense.py` and `sparse.py` do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.types import SparseVector


class TokenCounter(Protocol):
    """Counts in the embedding model's own tokens, its special tokens left out."""

    def __call__(self, text: str) -> int: ...


class DenseEmbedder(Protocol):
    """Meaning as vectors of length 1. Raises `EmbeddingError`."""

    @property
    def model(self) -> str:
        """The model's name, part of the collection's."""
        ...

    @property
    def dimension(self) -> int:
        """How long its vectors are."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens it reads, special tokens left out; more would be cut off silently."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many of the model's tokens the text has, special tokens left out."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[n, dimension], in the order of the texts."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32[dimension]."""
        ...


class SparseEmbedder(Protocol):
    """Words as weighted terms for BM25; the store multiplies by inverse document frequencies."""

    def embed_passages(self, texts: Sequence[str]) -> list[SparseVector]:
        """One vector a text, in order."""
        ...

    def embed_query(self, text: str) -> SparseVector:
        """Terms of a query; empty when it is all stop words."""
        ...
