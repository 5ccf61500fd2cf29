"""Reads a folder of documents, and questions whose answers stand in them."""

from __future__ import annotations

import json
from pathlib import Path

from retrieval.errors import UnreadableSource
from retrieval.evaluation.judged import JudgedSet
from retrieval.reading import FileReader, Reading, kind_of
from retrieval.types import WORKSPACE, Source


def read_questions(folder: Path, file: Path) -> JudgedSet:
    """A folder's documents with the questions of a file.

    The file has a JSON object a line: `question`, and `gold`, one place or a list of places. A place is a document's
    path in the folder, `path#heading` with the heading's slug, or `file.pdf#page=N`. A question without gold is left
    out; its id is `id`, or else the number of its line.

    Raises:
        UnreadableSource: the file is not in this form, or the folder holds no document.
    """
    sources, skipped = read_documents(folder, but=file)
    if not sources:
        raise UnreadableSource(f"{folder} holds no document that can be read: give a folder of documents.")
    queries: dict[str, str] = {}
    qrels: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_lines(file), start=1):
        try:
            row = json.loads(line)
            gold = [row["gold"]] if isinstance(row["gold"], str) else list(map(str, row["gold"]))
            id_, question = str(row.get("id", number)), str(row["question"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableSource(
                f"Line {number} of {file} is no JSON object with `question` and `gold`: a path, `path#heading` or "
                "`file.pdf#page=N`, or a list of them."
            ) from error
        if gold:
            queries[id_], qrels[id_] = question, dict.fromkeys(gold, 1.0)
    return JudgedSet(sources, queries, qrels, skipped, has_sections=True)


def read_documents(folder: Path, but: Path | None = None) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The files of a folder that aren't judgements, and what could not be read; a file is called by its path."""
    sources: list[Source] = []
    skipped: list[str] = []
    with FileReader() as reader:
        for path in sorted(folder.rglob("*")):
            name, kind = path.relative_to(folder), kind_of(path)
            if kind is None or not path.is_file() or name.parts[0] == "qrels" or path == but:
                continue
            try:
                sources.append(_document(name, reader.read(path, kind, name)))
            except UnreadableSource as error:
                skipped.append(f"{name}: {error}")
    return tuple(sources), tuple(skipped)


def _document(name: Path, reading: Reading) -> Source:
    title = reading.title or name.stem.replace("_", " ").replace("-", " ")
    return Source(name.as_posix(), "corpus", title, name.as_posix(), frozenset({WORKSPACE}), reading.content)


def _lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise UnreadableSource(f"{file} can't be read ({error}): give JSON lines of `question` and `gold`.") from error
