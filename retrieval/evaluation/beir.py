"""Reads a set of sources, queries and judgements in the BEIR layout."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import UnreadableSource
from retrieval.reading import FileReader, Reading, kind_of
from retrieval.types import WORKSPACE, Markup, Passage, Source

Qrels = Mapping[str, Mapping[str, float]]
"""By query id: the gain of each source id that is gold, more than 0."""


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """What retrieval is measured on."""

    sources: tuple[Source, ...]
    queries: Mapping[str, str]
    """By id, those that have gold."""
    qrels: Qrels
    skipped: tuple[str, ...] = ()
    """Files that could not be read, and why, one sentence each."""

    def id_of(self, passage: Passage) -> str:
        """What the judgements call the place of a passage: its source, or the page that its citation opens."""
        url = passage.anchors[0].url
        return url if "#page=" in url else passage.source_id


def read(folder: Path, queries: Path | None = None, qrels: Path | None = None) -> JudgedSet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/dev.tsv`, or the given files in place of the last two.

    Without `corpus.jsonl` the folder's own files are the sources, called by their paths; a page of a PDF is called
    `file.pdf#page=N`.

    Raises:
        UnreadableSource: a file is missing or not in this layout.
    """
    judgements = _qrels(qrels or folder / "qrels" / "dev.tsv")
    texts = {id_: text for id_, _, text in _lines(queries or folder / "queries.jsonl")}
    corpus = folder / "corpus.jsonl"
    sources, skipped = (tuple(_source(*line) for line in _lines(corpus)), ()) if corpus.exists() else _documents(folder)
    return JudgedSet(
        sources=sources,
        skipped=skipped,
        queries={id_: text for id_, text in texts.items() if judgements.get(id_)},
        qrels=judgements,
    )


def _source(id_: str, title: str, text: str) -> Source:
    """The id stays opaque: it is neither embedded nor read, and there is nothing to open."""
    return Source(
        id=id_, origin="corpus", title=title, url="", places=frozenset({WORKSPACE}), content=Markup(text or "")
    )


def _documents(folder: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The files of a folder that aren't the set's own, and what could not be read."""
    sources: list[Source] = []
    skipped: list[str] = []
    with FileReader() as reader:
        for path in sorted(folder.rglob("*")):
            name, kind = path.relative_to(folder), kind_of(path)
            if kind is None or not path.is_file() or name.parts[0] == "qrels":
                continue
            try:
                sources.append(_document(name, reader.read(path, kind, name)))
            except UnreadableSource as error:
                skipped.append(f"{name}: {error}")
    if not sources:
        raise _unreadable(folder, FileNotFoundError(folder / "corpus.jsonl"))
    return tuple(sources), tuple(skipped)


def _document(name: Path, reading: Reading) -> Source:
    title = reading.title or name.stem.replace("_", " ").replace("-", " ")
    return Source(name.as_posix(), "corpus", title, name.as_posix(), frozenset({WORKSPACE}), reading.content)


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    """Id, title (empty where there is none) and text of each line."""
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                if line.strip():
                    fields = json.loads(line)
                    yield str(fields["_id"]), str(fields.get("title") or ""), str(fields["text"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error


def _qrels(path: Path) -> Qrels:
    judgements: dict[str, dict[str, float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if (gain := float(row["score"])) > 0:
                    judgements.setdefault(row["query-id"], {})[row["corpus-id"]] = gain
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error
    return judgements


def _unreadable(path: Path, error: Exception) -> UnreadableSource:
    return UnreadableSource(
        f"{path} can't be read in the BEIR layout ({error!r}); it needs corpus.jsonl, queries.jsonl and qrels/dev.tsv."
    )
