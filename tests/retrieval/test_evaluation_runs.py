"""The evaluation runs the product's own indexing and search, and counts sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.beir import read
from retrieval.evaluation.report import RetrievalReport
from retrieval.evaluation.runs import evaluate_retrieval
from tests.conftest import WordHashEmbedder
from tests.retrieval.test_evaluation_beir import write


def judged_set(folder: Path, sources: int = 70) -> Path:
    """Sources of several passages each, every one with a word of its own that a query asks for."""
    lines = [
        {
            "_id": f"id {at}",
            "title": "Pumps",
            "text": "\n\n".join([f"# Part {part}\n\nword{at} " * 40 for part in range(3)]),
        }
        for at in range(sources)
    ]
    queries = [{"_id": f"q{at}", "text": f"What is word{at}?"} for at in range(sources)]
    return write(
        folder,
        "".join(json.dumps(line) + "\n" for line in lines),
        "".join(json.dumps(line) + "\n" for line in queries),
        "".join(f"q{at}\tid {at}\t1\n" for at in range(0, sources, 2)),
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> RetrievalReport:
    """One run, with its progress checked."""
    told: list[tuple[str, int, int]] = []
    report = evaluate_retrieval(
        read(judged_set(tmp_path_factory.mktemp("set") / "set")),
        WordHashEmbedder(),
        Bm25Embedder(),
        on_progress=lambda stage, done, total: told.append((stage, done, total)),
    )
    assert told[-1] == ("searching", 35, 35)
    assert ("indexing", 70, 70) in told
    return report


def test_every_retriever_is_measured_on_queries_with_gold(report: RetrievalReport) -> None:
    """Half of the queries have gold; exact words find it, whatever the dense leg thinks."""
    assert report.queries == 35
    assert list(report.retrievers) == ["bm25", "dense", "hybrid"]
    assert report.retrievers["bm25"].mrr_at_10 == 1
    assert 0 < report.retrievers["dense"].ndcg_at_10 < 1


def test_passages_are_counted_as_they_are_cut(report: RetrievalReport) -> None:
    """The product's own chunking applies."""
    assert report.passages > 70


def test_the_json_has_the_shape_that_the_commands_promise(report: RetrievalReport) -> None:
    """Field by field."""
    found = json.loads(json.dumps(report.to_json()))
    assert set(found) == {"retrievers", "passages", "queries", "index_seconds", "query_ms"}
    assert set(found["query_ms"]) == {"p50", "p95"}
    assert list(found["retrievers"]) == ["bm25", "dense", "hybrid"]
    for row in found["retrievers"].values():
        assert list(row) == ["ndcg@10", "recall@5", "recall@10", "mrr@10"]


def test_the_table_has_a_row_for_each_retriever(report: RetrievalReport) -> None:
    """For the terminal, with the same figures."""
    lines = report.to_text().splitlines()
    assert [line.split()[0] for line in lines] == ["ndcg@10", "bm25", "dense", "hybrid", str(report.passages)]
    assert lines[1].split()[-1] == "1.000"


def test_ids_are_opaque(tmp_path: Path) -> None:
    """Whatever sources are called, the figures are the same: an id that repeats a query's words helps nobody."""
    runs = []
    for name in ("plain", "telling"):
        folder = judged_set(tmp_path / name, sources=12)
        if name == "telling":
            for path in (folder / "corpus.jsonl", folder / "qrels" / "dev.tsv"):
                path.write_text(path.read_text().replace("id ", "What is word1? #"))
        runs.append(evaluate_retrieval(read(folder), WordHashEmbedder(), Bm25Embedder()).retrievers["bm25"])
    assert runs[0] == runs[1]
