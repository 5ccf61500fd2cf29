"""The commands use the reranker that the settings name, and say so."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from bot.cli import main
from tests.retrieval.test_evaluation_beir import write
from tests.retrieval.tiny_reranker import KNOWN, write_reranker

PAGES = ["The kiln is fired on Tuesdays at six.", "The glaze dries for two days.", "Lunch is at noon."]


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder of its own, no Slack, the packaged embedding model and a tiny reranker."""
    for variable in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DATABASE_URL", "QDRANT_URL", "EMBEDDING_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RERANKER_MODEL", KNOWN)
    monkeypatch.setenv("RERANKER_MODEL_PATH", str(write_reranker(tmp_path / "reranker", PAGES)))


def test_check_names_the_reranker_and_that_nothing_is_fitted_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who set one reads that it is used, and what to measure."""
    main(["check"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == f"ok      reranker {KNOWN}, reads 509 tokens at once"
    assert lines[3].startswith("note    no score of a reranker is calibrated: `footnote eval retrieval`")


def test_check_says_that_the_reranker_cannot_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bot would not start, so it is missing and no note."""
    (tmp_path / "reranker" / "tokenizer.json").unlink()
    assert main(["check"]) == 1
    assert capsys.readouterr().out.splitlines()[2].startswith(f"missing The reranker {KNOWN} can't be loaded")


def test_the_evaluation_has_a_row_for_the_reranker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the hybrid's, in the JSON and in the table."""
    corpus = "".join(json.dumps({"_id": f"d{at}", "title": "", "text": text}) + "\n" for at, text in enumerate(PAGES))
    judged = write(tmp_path / "set", corpus, '{"_id": "q", "text": "When is the kiln fired?"}\n', "q\td0\t1\n")
    assert main(["eval", "retrieval", str(judged), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["retrievers"]
    assert list(figures) == ["bm25", "dense", "hybrid", "hybrid_rerank"]
    assert figures["hybrid_rerank"]["mrr@10"] == 1


def test_questions_are_put_to_the_reranker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reranker that fails is told in one sentence, and no answer in another order is given in its place."""
    write_reranker(tmp_path / "reranker", PAGES, worth=math.nan)
    (tmp_path / "kiln.md").write_text(f"{PAGES[0]}\n")
    assert main(["index", str(tmp_path / "kiln.md")]) == 0
    capsys.readouterr()
    assert main(["ask", "When is the kiln fired?"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.splitlines()[-1]) == (
        "",
        f"footnote: The reranker {KNOWN} gave no number as a score: unset RERANKER_MODEL.",
    )
