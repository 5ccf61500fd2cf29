"""Scores passages by reading each together with the query, with a cross-encoder of fastembed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fastembed.rerank.cross_encoder import TextCrossEncoder
from tokenizers import Tokenizer

from retrieval.errors import RerankerError

_AT_ONCE = 2
"""Pairs read at the same time, each alone and on one thread, as passages are embedded: nothing is padded, memory is
that of one pair, and a score owes nothing to what else was scored."""


class CrossEncoder:
    """A fastembed cross-encoder as a `Reranker`.

    Nothing of a passage is cut off: one that is longer than what the model reads beside the query is read in pieces and
    counts by its best one. Of a query longer than half of what the model reads, the beginning and the end are read.

    Raises:
        RerankerError: the model is missing or damaged, or it failed.
    """

    def __init__(self, cache: Path, model: str, model_path: Path | None = None, at_once: int = _AT_ONCE) -> None:
        """Load a model.

        Args:
            cache: A folder that models are downloaded into.
            model: A name that fastembed knows.
            model_path: A folder that holds the model's files, so that nothing is downloaded.
            at_once: How many passages are scored at the same time.
        """
        self._model = model
        self._session = _load(cache, model, model_path)
        self._tokenizer, self._max_tokens = _tokenizer_of(self._session)
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="reranking")

    @property
    def model(self) -> str:
        return self._model

    @property
    def max_tokens(self) -> int:
        """How many tokens of query and passage together it reads at once, special tokens left out."""
        return self._max_tokens

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers, in order; higher is better, on a scale of the model's own."""
        asked = self._as_asked(query)
        room = self._max_tokens - len(self._offsets(asked))
        pieces = [(at, piece) for at, passage in enumerate(passages) for piece in self._pieces(passage, room)]
        best = [-math.inf] * len(passages)
        for (at, _), score in zip(pieces, self._pool.map(lambda one: self._score(asked, one[1]), pieces), strict=True):
            best[at] = max(best[at], score)
        return best

    def _as_asked(self, query: str) -> str:
        """What is read of a query."""
        offsets, quarter = self._offsets(query), max(self._max_tokens // 4, 1)
        if len(offsets) <= 2 * quarter:
            return query
        return f"{query[: offsets[quarter - 1][1]]}\n{query[offsets[-quarter][0] :]}"

    def _pieces(self, text: str, room: int) -> list[str]:
        """The text in halves of halves, until each fits."""
        offsets = self._offsets(text)
        if len(offsets) <= room or len(text) < 2:
            return [text]
        middle = offsets[len(offsets) // 2][0] or len(text) // 2
        return self._pieces(text[:middle], room) + self._pieces(text[middle:], room)

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token stands in the text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def _score(self, query: str, text: str) -> float:
        """The score of one pair; the session may be used by several threads at once."""
        try:
            score = float(next(iter(self._session.rerank(query, [text], batch_size=1))))
        except Exception as error:  # onnxruntime's errors have no public base class
            raise RerankerError(f"The reranker {self._model} failed ({error}): unset RERANKER_MODEL.") from error
        if not math.isfinite(score):
            raise RerankerError(f"The reranker {self._model} gave no number as a score: unset RERANKER_MODEL.")
        return score


def _load(cache: Path, model: str, model_path: Path | None) -> TextCrossEncoder:
    known = sorted(one["model"] for one in TextCrossEncoder.list_supported_models())
    if model.lower() not in {name.lower() for name in known}:
        raise RerankerError(f"There is no reranker {model}: RERANKER_MODEL can be one of {', '.join(known)}.")
    try:
        return TextCrossEncoder(
            model,
            cache_dir=str(cache),
            threads=1,
            cuda=False,
            specific_model_path=str(model_path) if model_path else None,
            local_files_only=model_path is not None,
        )
    except Exception as error:  # fastembed, onnxruntime and the hub's client share no base class
        raise RerankerError(
            f"The reranker {model} can't be loaded ({error}): put its files into a folder and set RERANKER_MODEL_PATH, "
            "or unset RERANKER_MODEL."
        ) from error


def _tokenizer_of(session: TextCrossEncoder) -> tuple[Tokenizer, int]:
    """A copy of the session's tokenizer that cuts and pads nothing, and how many tokens of a pair the session reads."""
    theirs: Tokenizer | None = getattr(session.model, "tokenizer", None)
    if theirs is None or theirs.truncation is None:
        raise RerankerError(f"{session.model_name} doesn't say how much it reads: choose another RERANKER_MODEL.")
    ours = Tokenizer.from_str(theirs.to_str())
    ours.no_truncation()
    ours.no_padding()
    return ours, int(theirs.truncation["max_length"]) - ours.num_special_tokens_to_add(is_pair=True)
