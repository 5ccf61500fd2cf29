"""Writes a cross-encoder of a few hundred bytes, so that its loading is tested without a model hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

KNOWN = "Xenova/ms-marco-MiniLM-L-6-v2"
"""A name that fastembed knows, whose files are laid out as ours are."""

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def write_reranker(folder: Path, texts: Iterable[str], worth: float = 1.0, reads: int = 512) -> Path:
    """A model that counts the query's words which the passage has, times `worth`.

    Args:
        folder: Where its files are written; made if need be.
        texts: What its vocabulary is made of; any other word is unknown to it.
        worth: What a shared word is worth: below 0 for a model that prefers passages about something else.
        reads: How many tokens it reads, special ones included.
    """
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save_model(_overlap(worth), str(folder / "onnx" / "model.onnx"))
    _tokenizer(texts).save(str(folder / "tokenizer.json"))
    configuration = {"model_max_length": reads, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(configuration))
    return folder


def _tokenizer(texts: Iterable[str]) -> Tokenizer:
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text.lower())})
    vocabulary = {token: at for at, token in enumerate((*_SPECIAL, *words))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(list(_SPECIAL))
    return tokenizer


def _overlap(worth: float) -> onnx.ModelProto:
    """A word is one of the query's where its segment is 0, one of the passage's where it is 1, none where special."""
    nodes = [
        helper.make_node("Greater", ["input_ids", "last_special"], ["is_word"]),
        helper.make_node("Equal", ["token_type_ids", "asked"], ["in_query"]),
        helper.make_node("Equal", ["token_type_ids", "read"], ["in_passage"]),
        helper.make_node("And", ["is_word", "in_query"], ["query_word"]),
        helper.make_node("And", ["is_word", "in_passage"], ["passage_word"]),
        helper.make_node("Unsqueeze", ["input_ids", "two"], ["rows"]),
        helper.make_node("Unsqueeze", ["input_ids", "read"], ["columns"]),
        helper.make_node("Equal", ["rows", "columns"], ["same"]),
        helper.make_node("Unsqueeze", ["query_word", "two"], ["query_rows"]),
        helper.make_node("Unsqueeze", ["passage_word", "read"], ["passage_columns"]),
        helper.make_node("And", ["query_rows", "passage_columns"], ["pairs"]),
        helper.make_node("And", ["same", "pairs"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["ones"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["ones"], ["met"], axes=[2], keepdims=0),
        helper.make_node("ReduceSum", ["met", "read"], ["count"], keepdims=1),
        helper.make_node("Mul", ["count", "worth"], ["logits"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])]
    factor = helper.make_tensor("worth", TensorProto.FLOAT, [1], [worth])
    numbers = {"asked": 0, "read": 1, "two": 2, "last_special": len(_SPECIAL) - 1}
    constants = [factor, *(helper.make_tensor(name, TensorProto.INT64, [1], [at]) for name, at in numbers.items())]
    graph = helper.make_graph(nodes, "overlap", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8  # what goes with operators of version 13; the newest is unknown to older runtimes
    onnx.checker.check_model(model)
    return model
