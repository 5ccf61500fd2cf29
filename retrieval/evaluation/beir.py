"""Reads a set of sources, queries and judgements in the BEIR layout."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from retrieval.errors import UnreadableSource
from retrieval.evaluation.documents import read_documents
from retrieval.evaluation.judged import JudgedSet, Qrels
from retrieval.types import WORKSPACE, Markup, Source


def read(folder: Path, queries: Path | None = None, qrels: Path | None = None) -> JudgedSet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/dev.tsv`, or the given files in place of the last two.

    Without `corpus.jsonl` the folder's own files are the sources, called by their paths; a page of a PDF is called
    `file.pdf#page=N`.

    Raises:
        UnreadableSource: a file is missing or not in this layout.
    """
    judgements = read_qrels(qrels or folder / "qrels" / "dev.tsv")
    texts = {id_: text for id_, _, text in _lines(queries or folder / "queries.jsonl")}
    sources, skipped = read_sources(folder)
    return JudgedSet(
        sources=sources,
        skipped=skipped,
        queries={id_: text for id_, text in texts.items() if judgements.get(id_)},
        qrels=judgements,
    )


def read_sources(folder: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The lines of `corpus.jsonl`, or the folder's own files, with why some of them could not be read.

    Raises:
        UnreadableSource: there are none.
    """
    corpus = folder / "corpus.jsonl"
    lines = [_source(*line) for line in _lines(corpus)] if corpus.exists() else None
    sources, skipped = read_documents(folder) if lines is None else (tuple(lines), ())
    if not sources:
        raise _unreadable(folder, FileNotFoundError(corpus))
    return sources, skipped


def read_qrels(path: Path) -> Qrels:
    """What answers each query.

    Raises:
        UnreadableSource: the file is missing or not in this layout.
    """
    judgements: dict[str, dict[str, float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if (gain := float(row["score"])) > 0:
                    judgements.setdefault(row["query-id"], {})[row["corpus-id"]] = gain
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error
    return judgements


def _source(id_: str, title: str, text: str) -> Source:
    """The id stays opaque: it is neither embedded nor read, and there is nothing to open."""
    return Source(
        id=id_, origin="corpus", title=title, url="", places=frozenset({WORKSPACE}), content=Markup(text or "")
    )


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


def _unreadable(path: Path, error: Exception) -> UnreadableSource:
    return UnreadableSource(
        f"{path} can't be read in the BEIR layout ({error!r}); it needs corpus.jsonl, queries.jsonl and qrels/dev.tsv."
    )
