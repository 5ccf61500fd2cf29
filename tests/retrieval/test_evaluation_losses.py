"""Each gold says at which stage it was lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import UnreadableSource
from retrieval.evaluation.documents import read_questions
from retrieval.evaluation.losses import GoldTrace, Lost, lost_at
from retrieval.evaluation.report import RetrievalReport
from retrieval.evaluation.runs import evaluate_retrieval
from retrieval.evaluation.variants import PRODUCT, SWITCHES
from retrieval.search import Stages
from tests.conftest import WordHashEmbedder
from tests.retrieval.printing import lines, write_pdf

FILLER = "The pump in this hall runs at night until the tide turns, and then it is switched off by hand. " * 8


@pytest.mark.parametrize(
    ("ranks", "is_indexed", "is_candidate", "lost"),
    [
        ({"hybrid": 10}, True, True, None),
        ({"hybrid": None}, False, False, Lost.CORPUS),
        ({"hybrid": None}, True, False, Lost.CANDIDATES),
        ({"hybrid": 40}, True, False, Lost.CANDIDATES),
        ({"bm25": 1, "hybrid": 11}, True, True, Lost.FUSION),
        ({"dense": 3, "hybrid": None}, True, True, Lost.FUSION),
        ({"hybrid": 4, "hybrid_rerank": 12}, True, True, Lost.RERANKING),
        ({"hybrid": 14, "hybrid_rerank": 12}, True, True, Lost.FUSION),
        ({"hybrid": 14, "hybrid_rerank": 2}, True, True, None),
    ],
)
def test_gold_is_lost_at_the_first_stage_that_it_does_not_pass(
    ranks: dict[str, int | None], is_indexed: bool, is_candidate: bool, lost: Lost | None
) -> None:
    """What the last stage ranks among the first ten is not lost, whatever the others thought."""
    assert lost_at(ranks, is_indexed=is_indexed, is_candidate=is_candidate) is lost


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A handbook of pages with sections, and a printed one."""
    folder = tmp_path_factory.mktemp("handbook")
    (folder / "rules").mkdir()
    sections = "".join(f"\n\n## Part {name}\n\nIt is about {name}. {FILLER}" for name in ("oars", "sails", "ropes"))
    (folder / "rules" / "boats.md").write_text(f"# Boats{sections}")
    for at in range(12):
        (folder / f"page-{at}.md").write_text(f"# Page {at}\n\nquiver quiver quiver number{at} {FILLER}")
    write_pdf(folder / "tides.pdf", [lines("They rise at noon."), lines("They fall at dusk.")])
    return folder


QUESTIONS = [
    {"id": "sails", "question": "What is said about sails?", "gold": "rules/boats.md#part-sails"},
    {"question": "When do they fall? dusk", "gold": ["tides.pdf#page=2"]},
    {"question": "number3", "gold": ["page-3.md", "gone.md#part"]},
    {"question": "quiver", "gold": ["rules/boats.md#part-ropes"]},
    {"question": "Nobody knows", "gold": []},
]


def asked(folder: Path, *, candidates: int = 50) -> RetrievalReport:
    """All questions that have gold, asked by words alone."""
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    stages = Stages(dense=False, candidates=candidates)
    return evaluate_retrieval(read_questions(folder, file), WordHashEmbedder(), Bm25Embedder(), stages=stages)


def test_sections_and_pages_of_documents_are_ranked(folder: Path) -> None:
    """Each gold has its rank at each stage; what no document holds is not in the corpus."""
    traces = asked(folder).traces
    assert traces[:4] == (
        GoldTrace("sails", "What is said about sails?", "rules/boats.md#part-sails", at(1), None),
        GoldTrace("2", "When do they fall? dusk", "tides.pdf#page=2", at(1), None),
        GoldTrace("3", "number3", "page-3.md", at(1), None),
        GoldTrace("3", "number3", "gone.md#part", at(None), Lost.CORPUS),
    )
    assert (traces[4].gold, traces[4].lost) == ("rules/boats.md#part-ropes", Lost.CANDIDATES)


def at(rank: int | None) -> dict[str, int | None]:
    """The ranks of what words alone rank there."""
    return {"bm25": rank, "dense": None, "hybrid": rank}


def test_what_was_lost_is_told_in_text_and_in_json(folder: Path) -> None:
    """A line for each lost gold under the counts; every gold with its ranks in JSON."""
    report = asked(folder)
    text = report.to_text(with_gold=True).splitlines()
    assert text[-3:] == [
        "Of 5 golds 2 are not among the first 10: 1 not in the corpus, 1 not among the candidates.",
        "not in the corpus: gone.md#part (bm25 –, dense –, hybrid –) · number3",
        "not among the candidates: rules/boats.md#part-ropes (bm25 –, dense –, hybrid –) · quiver",
    ]
    found = json.loads(json.dumps(report.to_json(with_gold=True, with_queries=True)))
    assert found["lost"] == {"corpus": 1, "candidates": 1}
    assert found["gold"][3] == {
        "query": "3",
        "question": "number3",
        "gold": "gone.md#part",
        "ranks": {"bm25": None, "dense": None, "hybrid": None},
        "lost": "corpus",
    }
    assert found["ndcg@10_by_query"]["sails"] == 1


@pytest.mark.parametrize(
    "line", ["no json", "[]", '{"question": "Where?"}', '{"gold": ["a.md"]}', '{"question": 1, "gold": 2}']
)
def test_questions_in_another_form_are_one_clear_error(folder: Path, tmp_path: Path, line: str) -> None:
    """The error names the line and says what it must hold."""
    (tmp_path / "questions.jsonl").write_text(f'{{"question": "Where?", "gold": "tides.pdf"}}\n{line}\n')
    with pytest.raises(UnreadableSource, match=r"Line 2 of .* `path#heading`"):
        read_questions(folder, tmp_path / "questions.jsonl")


def test_every_switch_changes_one_thing() -> None:
    """No two switches do the same, and none of them nothing."""
    variants = [PRODUCT.without([name]) for name in SWITCHES]
    assert all(variant != PRODUCT for variant in variants)
    assert all(variants.count(variant) == 1 for variant in variants)
