"""The packaged model turns texts into vectors of meaning, and cuts nothing off."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import get_native_id

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.embedding.dense import FastEmbedder
from retrieval.errors import EmbeddingError

TEXTS = [
    "The pump stops when the tank is full.",
    "Invoices go out on the first working day of each month, and reminders two weeks later.",
    "Cats sleep.",
    "",
    "Restart the gateway before you rotate its certificate; afterwards both old and new clients can connect again.",
]


def words(count: int) -> str:
    """A text of so many tokens."""
    return " ".join(["pump"] * count)


def test_vectors_come_in_the_order_of_the_texts(packaged_embedder: FastEmbedder) -> None:
    """Texts are embedded longest first, and no caller can tell."""
    together = packaged_embedder.embed_passages(TEXTS)
    one_by_one = np.vstack([packaged_embedder.embed_passages([text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), packaged_embedder.dimension)
    assert together.dtype == np.float32
    np.testing.assert_array_equal(together, one_by_one)


def test_vectors_have_length_one(packaged_embedder: FastEmbedder) -> None:
    """So that their products are cosines."""
    vectors = [*packaged_embedder.embed_passages(TEXTS), packaged_embedder.embed_query("Why?")]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_no_texts_make_no_vectors(packaged_embedder: FastEmbedder) -> None:
    """Nothing in, nothing out."""
    assert packaged_embedder.embed_passages([]).shape == (0, packaged_embedder.dimension)


def test_a_paraphrase_is_nearer_than_shared_words(packaged_embedder: FastEmbedder) -> None:
    """Meaning decides, not letters."""
    query = packaged_embedder.embed_query("How do I take a day off?")
    near, far = packaged_embedder.embed_passages(["Request vacation in the leave tool.", "Take the lid off the paint."])
    assert query @ near > query @ far


def test_threads_get_what_they_asked_for(packaged_embedder: FastEmbedder) -> None:
    """Several askers at once share the sessions and never each other's vectors."""
    expected = [packaged_embedder.embed_query(text) for text in TEXTS]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(packaged_embedder.embed_query, TEXTS * 4))
    np.testing.assert_array_equal(found, expected * 4)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("Cats sleep.", 3), ("unaffableness", 4), (words(2000), 2000), ("[CLS]", 1)]
)
def test_tokens_are_the_models_own(packaged_embedder: FastEmbedder, text: str, tokens: int) -> None:
    """Special tokens are not counted and nothing is cut off before it is counted."""
    assert packaged_embedder.count_tokens(text) == tokens


def test_the_packaged_model_reads_510_tokens(packaged_embedder: FastEmbedder) -> None:
    """Its 512 positions less the two special tokens; what is one longer is refused and not cut off."""
    assert packaged_embedder.max_tokens == 510
    packaged_embedder.embed_passages([words(510)])
    with pytest.raises(EmbeddingError, match="511 tokens is longer than the 510"):
        packaged_embedder.embed_passages(["short", words(511)])


def test_the_last_word_of_the_longest_passage_counts(packaged_embedder: FastEmbedder) -> None:
    """The model really reads as far as it says."""
    same, other = packaged_embedder.embed_passages([words(510), f"{words(509)} horse"])
    assert np.abs(same - other).max() > 1e-4


def test_no_word_of_a_long_question_is_lost(packaged_embedder: FastEmbedder) -> None:
    """A question with a pasted log is embedded in pieces, and what stands at its end still counts."""
    paste = "error: connection refused by upstream " * 150
    plain, asking = packaged_embedder.embed_query(paste), packaged_embedder.embed_query(f"{paste} Is the horse fed?")
    np.testing.assert_allclose(np.linalg.norm(asking), 1, rtol=1e-5)
    horse = packaged_embedder.embed_query("horse")
    assert horse @ asking > horse @ plain


@settings(max_examples=50, deadline=None)  # the first example may load the model
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=20), st.sampled_from(["", " ", "\n"]))
def test_pieces_of_a_long_question_fit_and_lose_nothing(
    packaged_embedder: FastEmbedder, words: list[str], between: str
) -> None:
    """Whatever is pasted, each piece can be read whole, and together they are the question."""
    text = between.join(words * 60)
    pieces = packaged_embedder._pieces(text)
    assert "".join(pieces) == text
    assert all(packaged_embedder.count_tokens(piece) <= packaged_embedder.max_tokens for piece in pieces)


def test_an_unknown_model_is_one_clear_error(tmp_path: Path) -> None:
    """The error says which setting to change."""
    with pytest.raises(EmbeddingError, match=r"no/such-model can't be loaded .* EMBEDDING_MODEL"):
        FastEmbedder(tmp_path, "no/such-model")


def test_a_model_folder_without_the_model_is_one_clear_error(tmp_path: Path) -> None:
    """With a path of its own nothing is downloaded; what is not there is an error."""
    with pytest.raises(EmbeddingError, match="can't be loaded"):
        FastEmbedder(tmp_path, "BAAI/bge-small-en-v1.5", model_path=tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_passages_give_way_to_questions(packaged_embedder: FastEmbedder) -> None:
    """The threads that embed passages stand back; the one that asks does not."""
    (behind,) = packaged_embedder._pool.map(lambda _: os.getpriority(os.PRIO_PROCESS, get_native_id()), [0])
    assert behind > os.getpriority(os.PRIO_PROCESS, get_native_id())
