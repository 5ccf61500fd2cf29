"""Keeps vectors on disk by the text that they are of, so that what was embedded once is not embedded again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from retrieval.embedding.protocol import DenseEmbedder

_AT_ONCE = 64
"""Texts between two commits: an interrupted run loses no more."""

_COUNTED = 300_000
"""Texts whose tokens are counted once: about 100 MB, and what a few thousand passages ask for while they are cut."""


class RememberingEmbedder:
    """A `DenseEmbedder` that asks another one only for what it has not seen."""

    def __init__(self, embedder: DenseEmbedder, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._count = lru_cache(maxsize=_COUNTED)(embedder.count_tokens)
        self._known = sqlite3.connect(
            file,
            timeout=60,  # seconds; another run may be writing
            check_same_thread=False,  # passages are embedded on a thread of their own, and all calls take turns
        )
        self._turn = Lock()
        self._known.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return self._count(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [self._key("passage", text) for text in texts]
        known = {key: vector for key in keys if (vector := self._recall(key)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        wanted = list(new)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            vectors = self._embedder.embed_passages([new[key] for key in some])
            self._remember(dict(zip(some, vectors, strict=True)))
            known.update(zip(some, vectors, strict=True))
        return np.array([known[key] for key in keys], dtype=np.float32).reshape(-1, self.dimension)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        key = self._key("query", text)
        vector = self._recall(key)
        if vector is None:
            vector = self._embedder.embed_query(text)
            self._remember({key: vector})
        return vector

    def _key(self, role: str, text: str) -> bytes:
        return hashlib.sha256("\0".join((self.model, role, text)).encode()).digest()

    def _recall(self, key: bytes) -> NDArray[np.float32] | None:
        with self._turn:
            row = self._known.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32) if row else None

    def _remember(self, vectors: dict[bytes, NDArray[np.float32]]) -> None:
        with self._turn, self._known:
            rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
            self._known.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
