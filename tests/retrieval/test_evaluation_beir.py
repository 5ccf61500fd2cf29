"""A judged set is read as its files say, and ids stay what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.chunking import cut
from retrieval.errors import UnreadableSource
from retrieval.evaluation.beir import read
from retrieval.evaluation.judged import JudgedSet
from retrieval.types import WORKSPACE, Markup, Source
from tests.conftest import WordHashEmbedder
from tests.retrieval.printing import lines, write_pdf

EVERYBODY = frozenset({WORKSPACE})


def write(folder: Path, corpus: str, queries: str, qrels: str) -> Path:
    """A set in the BEIR layout."""
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(corpus)
    (folder / "queries.jsonl").write_text(queries)
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)
    return folder


CORPUS = '{"_id": "a<::>1#x", "title": "Pumps", "text": "They *pump*."}\n{"_id": 2, "title": "", "text": ""}\n'
QUERIES = '{"_id": "q1", "text": "pumps?"}\n{"_id": "q2", "text": "no gold"}\n{"_id": "q3", "text": "gold of 0"}\n'
QRELS = "q1\ta<::>1#x\t2\nq1\t2\t0\nq3\t2\t0\nq9\t2\t1\n"


def test_each_line_is_a_source_and_queries_without_gold_are_left_out(tmp_path: Path) -> None:
    """The title is the source's, the text its Markdown; a judgement of 0 is no gold."""
    source = Source("a<::>1#x", "corpus", "Pumps", "", frozenset({WORKSPACE}), Markup("They *pump*."))
    empty = Source("2", "corpus", "", "", frozenset({WORKSPACE}), Markup(""))
    assert read(write(tmp_path / "set", CORPUS, QUERIES, QRELS)) == JudgedSet(
        sources=(source, empty),
        queries={"q1": "pumps?"},
        qrels={"q1": {"a<::>1#x": 2.0}, "q9": {"2": 1.0}},
    )


def test_other_queries_and_judgements_can_be_given(tmp_path: Path) -> None:
    """The corpus stays."""
    folder = write(tmp_path / "set", CORPUS, QUERIES, QRELS)
    other = write(tmp_path / "other", "", '{"_id": "q9", "text": "mine"}\n', QRELS)
    found = read(folder, other / "queries.jsonl", other / "qrels" / "dev.tsv")
    assert (len(found.sources), found.queries) == (2, {"q9": "mine"})


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels"),
    [
        ("not json\n", QUERIES, QRELS),
        ('{"title": "no id", "text": ""}\n', QUERIES, QRELS),
        (CORPUS, "[]\n", QRELS),
        (CORPUS, QUERIES, "q1\ta\tmany\n"),
        (CORPUS, QUERIES, "q1\n"),
    ],
)
def test_a_set_in_another_layout_is_one_clear_error(tmp_path: Path, corpus: str, queries: str, qrels: str) -> None:
    """The error names the file."""
    with pytest.raises(UnreadableSource, match=r"(corpus|queries)\.jsonl|dev\.tsv"):
        read(write(tmp_path / "set", corpus, queries, qrels))


def test_without_a_corpus_the_documents_are_the_sources(tmp_path: Path) -> None:
    """They are called by their paths; files of the set itself are none, and what can't be read is told."""
    folder = write(tmp_path / "set", "", QUERIES, QRELS)
    (folder / "corpus.jsonl").unlink()
    (folder / "rules").mkdir()
    (folder / "rules" / "pumps.md").write_text("# Pumps\n\nThey pump.")
    (folder / "tide.md").write_bytes(b"caf\xe9")
    found = read(folder)
    assert found.sources == (
        Source("rules/pumps.md", "corpus", "Pumps", "rules/pumps.md", EVERYBODY, Markup("# Pumps\n\nThey pump.")),
    )
    assert found.skipped == ("tide.md: It is not text in UTF-8: save it in that encoding.",)


def test_a_page_of_a_pdf_is_called_by_its_number(tmp_path: Path) -> None:
    """The page that a passage's citation opens is the one that is judged."""
    folder = write(tmp_path / "set", "", QUERIES, QRELS)
    (folder / "corpus.jsonl").unlink()
    write_pdf(folder / "a.pdf", [lines("They pump all night."), [], lines("They rest by day.")])
    found = read(folder)
    passages = cut(found.sources[0], "T0", WordHashEmbedder().count_tokens)
    assert [found.id_of(passage, "q1") for passage in passages] == ["a.pdf#page=1", "a.pdf#page=3"]


def test_a_folder_without_a_set_is_one_clear_error(tmp_path: Path) -> None:
    """The error says what a set needs."""
    with pytest.raises(UnreadableSource, match=r"it needs corpus\.jsonl, queries\.jsonl and qrels/dev\.tsv"):
        read(tmp_path)
