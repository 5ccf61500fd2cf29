"""Turns texts into vectors of meaning with a fastembed model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import get_native_id

import numpy as np
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from fastembed.common.types import NumpyArray
from numpy.typing import NDArray
from tokenizers import Tokenizer

from retrieval.embedding import packaged
from retrieval.embedding.prefixes import prefixes_of
from retrieval.errors import EmbeddingError

_MOST_AT_ONCE = 8
"""Texts that are embedded at the same time, on machines with many cores: each needs up to 40 MB."""
_COUNTS_KEPT = 4_096
"""Texts whose tokens need not be counted again: a passage is counted while it is cut, and each of its texts when it is
embedded; 4 MB."""
_GIVES_WAY = 10
"""By how much embedding passages stands back behind everything else that this process does, as `nice` counts."""
_LAST = 19
"""The lowest priority that there is."""


class FastEmbedder:
    """A fastembed model as a `DenseEmbedder`.

    Raises:
        EmbeddingError: the model is missing or damaged, or a text is longer than the model reads.
    """

    def __init__(
        self, cache: Path, model: str = packaged.NAME, model_path: Path | None = None, at_once: int | None = None
    ) -> None:
        """Load a model.

        Args:
            cache: A folder for models; the packaged one is laid out in it, others are downloaded into it.
            model: A name that fastembed knows, or the packaged model's.
            model_path: A folder that holds the model's files, so that nothing is downloaded.
            at_once: How many passages are embedded at the same time, each alone and on one thread; by default as many
                as there are cores.
        """
        self._model = model
        self._prefixes = prefixes_of(model)
        self._session = _load(cache, model, model_path)
        self._pool = ThreadPoolExecutor(
            at_once or min(_cores(), _MOST_AT_ONCE), thread_name_prefix="embedding", initializer=_give_way
        )
        self._dimension = self._session.embedding_size
        self._tokenizer, self._max_tokens = _tokenizer_of(self._session)
        self._counted = lru_cache(maxsize=_COUNTS_KEPT)(self._count)

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        """What the model reads, less its special tokens and the longer of its prefixes."""
        return self._max_tokens - max(
            self.count_tokens(self._prefixes.query), self.count_tokens(self._prefixes.passage)
        )

    def count_tokens(self, text: str) -> int:
        return self._counted(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The passages' vectors in order; the longest are begun first, so that all threads end together.

        Each text is embedded alone: a batch is padded to its longest text, and the packaged model's numbers are 8 bits
        that are scaled over the whole batch, so that a text's vector would depend on its neighbours.
        """
        prefixed = [self._prefixes.passage + text for text in texts]
        lengths = [self._checked_length(text) for text in prefixed]
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)

        def embed(at: int) -> None:
            vectors[at] = self._vector(prefixed[at], self._session.passage_embed)

        for _ in self._pool.map(embed, sorted(range(len(texts)), key=lambda at: -lengths[at])):
            pass
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's vector; of one longer than the model reads, the mean of its pieces, so that no word is lost.

        It is made on the caller's thread, so that nobody who asks waits behind passages.
        """
        pieces = [self._prefixes.query + piece for piece in self._pieces(text)]
        for piece in pieces:
            self._checked_length(piece)
        return _unit(np.mean([self._vector(piece, self._session.query_embed) for piece in pieces], axis=0))

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _pieces(self, text: str) -> list[str]:
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        if len(offsets) <= self.max_tokens:
            return [text]
        step = self.max_tokens * 9 // 10  # what is left of a word that is cut can have more tokens than it had
        cuts = [0, *(offsets[at][0] for at in range(step, len(offsets), step)), len(text)]
        return [text[start:end] for start, end in pairwise(cuts)]

    def _checked_length(self, text: str) -> int:
        length = self.count_tokens(text)
        if length > self._max_tokens:
            raise EmbeddingError(
                f"A text of {length} tokens is longer than the {self._max_tokens} that {self._model} reads; "
                "it must be cut into smaller passages."
            )
        return length

    def _vector(self, text: str, embed: _Embed) -> NDArray[np.float32]:
        """One text's vector of length 1; the session may be used by several threads at once."""
        try:
            return _unit(next(iter(embed([text], batch_size=1))))
        except Exception as error:  # onnxruntime's errors have no public base class
            raise EmbeddingError(f"The embedding model {self._model} failed: {error}") from error


_Embed = Callable[..., Iterable[NumpyArray]]
"""A session's `passage_embed` or `query_embed`."""


def _cores() -> int:
    """How many this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _give_way() -> None:
    """Let the threads that answer go first; Linux gives each thread a priority of its own, others only processes."""
    if sys.platform == "linux":
        behind = min(os.getpriority(os.PRIO_PROCESS, get_native_id()) + _GIVES_WAY, _LAST)
        os.setpriority(os.PRIO_PROCESS, get_native_id(), behind)


def _load(cache: Path, model: str, model_path: Path | None) -> TextEmbedding:
    path = packaged.lay_out(cache) if model == packaged.NAME and model_path is None else model_path
    _register_packaged()
    try:
        return TextEmbedding(
            model,
            cache_dir=str(cache),
            threads=1,
            cuda=False,
            specific_model_path=str(path) if path else None,
            local_files_only=path is not None,
        )
    except Exception as error:  # fastembed, onnxruntime and the hub's client share no base class
        raise EmbeddingError(
            f"The embedding model {model} can't be loaded ({error}); choose another with EMBEDDING_MODEL, or unset it "
            "for the one that is installed with Footnote."
        ) from error


def _register_packaged() -> None:
    if all(known["model"] != packaged.NAME for known in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            packaged.NAME,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf="sentence-transformers/all-MiniLM-L6-v2"),
            dim=packaged.DIMENSION,
            model_file=packaged.MODEL_FILE,
        )


def _tokenizer_of(session: TextEmbedding) -> tuple[Tokenizer, int]:
    """A copy of the session's tokenizer that cuts and pads nothing, and how many tokens of a text the session reads."""
    theirs: Tokenizer | None = getattr(session.model, "tokenizer", None)
    if theirs is None or theirs.truncation is None:
        raise EmbeddingError(f"{session.model_name} doesn't say how much it reads; choose another EMBEDDING_MODEL.")
    ours = Tokenizer.from_str(theirs.to_str())
    ours.no_truncation()
    ours.no_padding()
    return ours, int(theirs.truncation["max_length"]) - ours.num_special_tokens_to_add(is_pair=False)


def _unit(vector: NumpyArray | NDArray[np.floating]) -> NDArray[np.float32]:
    """The vector at length 1; a vector of zeros stays as it is."""
    return (vector / (np.linalg.norm(vector) or 1.0)).astype(np.float32)
