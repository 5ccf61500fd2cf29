"""What a model wants before a text and how its tokens become a vector follow from its name, with local files alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from fastembed import TextEmbedding
from numpy.typing import NDArray
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.prefixes import prefixes_of

MEAN, FIRST = "intfloat/multilingual-e5-large", "BAAI/bge-small-en-v1.5"
VOCABULARY = {
    word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "pumpe"])
}


def vectors_of(dimension: int) -> NDArray[np.float32]:
    """A vector for each word of the vocabulary."""
    return np.random.default_rng(7).standard_normal((len(VOCABULARY), dimension)).astype(np.float32)


def write_model(folder: Path, model: str) -> Path:
    """A model that gives each token its word's vector, where fastembed looks for this model's files."""
    (known,) = [one for one in TextEmbedding.list_supported_models() if one["model"] == model]
    table = helper.make_tensor("table", TensorProto.FLOAT, (len(VOCABULARY), known["dim"]), vectors_of(known["dim"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", known["dim"]])
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], [output.name])], "words", inputs, [output], [table]
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8  # what goes with operators of version 13; the newest is unknown to older runtimes
    for name in (known["model_file"], *known["additional_files"]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    onnx.save_model(made, str(folder / known["model_file"]))
    _tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 32, "pad_token": "[PAD]"}))
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector at length 1."""
    return vector / np.float32(np.linalg.norm(vector))


def test_a_model_of_many_languages_is_one_setting(tmp_path: Path) -> None:
    """Its prefixes stand before the text, and the mean of all tokens is its vector."""
    embedder = FastEmbedder(tmp_path, MEAN, write_model(tmp_path, MEAN))
    table = vectors_of(embedder.dimension)
    words = {"query": [2, 4, 6, 7, 3], "passage": [2, 5, 6, 7, 3]}
    np.testing.assert_allclose(embedder.embed_query("pumpe"), unit(table[words["query"]].mean(axis=0)), atol=1e-5)
    np.testing.assert_allclose(
        embedder.embed_passages(["pumpe"])[0], unit(table[words["passage"]].mean(axis=0)), atol=1e-5
    )
    assert embedder.max_tokens == 32 - 2 - 2


def test_a_model_whose_first_token_stands_for_all_is_read_so(tmp_path: Path) -> None:
    """The vector is that of the first token, whatever follows."""
    embedder = FastEmbedder(tmp_path, FIRST, write_model(tmp_path, FIRST))
    np.testing.assert_allclose(
        embedder.embed_passages(["pumpe"])[0], unit(vectors_of(embedder.dimension)[2]), atol=1e-5
    )


def test_every_model_that_needs_prefixes_has_them() -> None:
    """fastembed says of each model whether it needs some; a new one of a family that we don't know fails here."""
    needy = [
        one["model"]
        for one in TextEmbedding.list_supported_models()
        if "Prefixes" in one["description"] and "not necessary" not in one["description"]
    ]
    assert MEAN in needy
    assert [model for model in needy if prefixes_of(model) == prefixes_of("a/b")] == []


@pytest.mark.parametrize(("name", "query"), [("baai/BGE-small-en-v1.5", "Represent this"), (MEAN, "query: ")])
def test_capitals_in_a_name_do_not_count(name: str, query: str) -> None:
    """fastembed takes any, so we do too."""
    assert prefixes_of(name).query.startswith(query)
