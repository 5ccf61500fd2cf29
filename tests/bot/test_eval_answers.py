"""What `footnote eval answers` counts, and what it takes out of a corpus before it asks."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.answering.evidence import ENOUGH
from bot.cli import main
from bot.evaluation.answers.asking import Asked, indexed
from bot.evaluation.answers.figures import Point, auroc, curve, figures
from bot.evaluation.answers.items import Item, Label, read_items
from bot.types import Turn
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import WORKSPACE, Markup, Source


def item(id_: str, label: Label = Label.ANSWERABLE, *gold: str) -> Item:
    """A question of which no more than this matters."""
    return Item(id_, (), "Who rings the bell?", label, frozenset(gold))


def asked(label: Label, confidence: float, is_answered: bool, *cited: str) -> Asked:
    """What became of a question whose gold is `bell`, if it has any."""
    gold = () if label is Label.UNANSWERABLE else ("bell",)
    return Asked(item("q", label, *gold), confidence, is_answered, cited)


ALL = [
    asked(Label.ANSWERABLE, 0.9, True, "bell"),
    asked(Label.UNANSWERABLE, 0.8, True, "boat"),
    asked(Label.ANSWERABLE, 0.7, True, "boat", "bell"),
    asked(Label.ANSWERABLE, 0.3, False, "boat"),
    asked(Label.UNANSWERABLE, 0.2, False),
    asked(Label.PARTIAL, 0.5, True, "bell"),
    asked(Label.UNDERSPECIFIED, 0.95, True, "boat"),
]


def test_every_share_counts_what_it_says() -> None:
    """Partial and underspecified questions are told apart, and count in nothing else."""
    counted = figures(ALL, 0.44)
    assert counted.items == {"answerable": 3, "unanswerable": 2, "partial": 1, "underspecified": 1}
    assert [counted.auroc, counted.auroc_partial, counted.auroc_underspecified] == pytest.approx([4 / 6, 1 / 2, 0])
    assert [counted.false_answers, counted.false_refusals] == pytest.approx([1 / 2, 1 / 3])
    assert [counted.answered, counted.risk] == pytest.approx([3 / 5, 1 / 3])
    assert [counted.citation_precision, counted.cites_gold] == pytest.approx([2 / 3, 1])
    assert counted.gold_citation_recall == 1.0
    assert counted.answered_by_label["underspecified"] == 1.0


def test_risk_and_coverage_are_counted_from_the_surest_on() -> None:
    """What could not be quoted is never covered, and is counted among all questions."""
    judged = [one for one in ALL if one.item.label in (Label.ANSWERABLE, Label.UNANSWERABLE)]
    assert curve(judged) == [
        Point(0.9, 1 / 5, 0.0),
        Point(0.8, 2 / 5, 1 / 2),
        Point(0.7, 3 / 5, 1 / 3),
        Point(0.3, 4 / 5, 2 / 4),
    ]


def test_questions_of_one_confidence_are_one_point() -> None:
    """No threshold lies between them."""
    assert curve([asked(Label.ANSWERABLE, 0.5, True, "bell"), asked(Label.UNANSWERABLE, 0.5, True, "boat")]) == [
        Point(0.5, 1.0, 0.5)
    ]


def test_equal_confidences_count_half_and_nothing_is_no_number() -> None:
    """A judgement that says the same of all knows nothing."""
    assert auroc([0.5, 0.5], [0.5]) == 0.5
    assert math.isnan(auroc([], [0.5]))
    assert math.isnan(figures([], 0.44).false_answers)


def test_both_layouts_are_read(tmp_path: Path) -> None:
    """Labelled questions with their thread, and queries of a judged set, asked with and without their gold."""
    labelled = {
        "id": "a",
        "history": [{"role": "user", "text": "The bell?"}, {"role": "assistant", "text": "It is loud."}],
        "question": "Who rings it?",
        "label": "partial",
        "gold": None,
    }
    file = tmp_path / "items.jsonl"
    file.write_text(
        "\n".join(map(json.dumps, (labelled, {"_id": 7, "text": "When?"}, {"_id": "x", "text": "No gold"})))
    )
    turns = (Turn("asker", "The bell?"), Turn("", "It is loud.", is_footnote=True))
    assert read_items(file, {"7": {"bell": 1.0}}) == [
        Item("a", turns, "Who rings it?", Label.PARTIAL, frozenset()),
        Item("7", (), "When?", Label.ANSWERABLE, frozenset({"bell"})),
        Item("7 without its gold", (), "When?", Label.UNANSWERABLE, frozenset(), frozenset({"bell"})),
    ]


@pytest.mark.parametrize("change", [{"label": "maybe"}, {"question": None, "history": 3}, {"gold": 5}])
def test_a_file_in_another_layout_is_an_error(tmp_path: Path, change: dict[str, object]) -> None:
    """Nothing is guessed."""
    file = tmp_path / "items.jsonl"
    line = {"id": "a", "history": [], "question": "Who?", "label": "answerable", "gold": ["bell"]} | change
    file.write_text(json.dumps(line))
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_items(file, {})


BELL = "The night watch rings the harbour bell when fog comes in, every two minutes."
TEXTS = {
    "bell": BELL,
    "copy": BELL,
    "boat": "The ferry leaves the eastern pier at seven, and carries forty people.",
    "rope": "Ropes are kept dry in the loft above the smithy, sorted by length.",
}
PAGES = [Source(id_, "pages", "Harbour notes", "", frozenset({WORKSPACE}), Markup(text)) for id_, text in TEXTS.items()]


def test_what_is_withheld_is_cited_no_more_and_neither_is_a_copy(packaged_embedder: FastEmbedder) -> None:
    """The question has an answer until its gold is taken out; the page that says the same word for word goes too."""
    question = "Who rings the harbour bell in fog?"
    with indexed(PAGES, packaged_embedder, Bm25Embedder(), lambda *_: None) as corpus:
        there = corpus.ask(Item("q", (), question, Label.ANSWERABLE, frozenset({"bell"})))
        gone = corpus.ask(Item("q", (), question, Label.UNANSWERABLE, frozenset(), frozenset({"bell"})))
        thanks = corpus.ask(Item("q", (), "Thanks!", Label.UNANSWERABLE, frozenset()))
    assert there.is_answered
    assert {*there.would_cite} <= {"bell", "copy"}
    assert not gone.is_answered
    assert {*gone.would_cite}.isdisjoint({"bell", "copy"})
    assert gone.confidence < there.confidence
    assert thanks == Asked(thanks.item, 0.0, False, ())


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder of its own, and logging as it was."""
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    before = {name: logging.getLogger(name).level for name in ("", "bot", "retrieval")}
    yield tmp_path
    for handler in logging.getLogger().handlers[:]:
        if not type(handler).__module__.startswith("_pytest"):
            logging.getLogger().removeHandler(handler)
            handler.close()
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def test_the_command_asks_a_judged_set_with_and_without_its_gold(
    data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every figure that is promised is there, and the threshold is the one that the product goes by."""
    (data_folder / "qrels").mkdir()
    (data_folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\tbell\t1\n")
    lines = [{"_id": id_, "title": "Harbour notes", "text": text} for id_, text in TEXTS.items()]
    (data_folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, lines)))
    queries = data_folder / "queries.jsonl"
    queries.write_text(json.dumps({"_id": "q", "text": "Who rings the harbour bell in fog?"}))

    assert main(["eval", "answers", str(queries), "--corpus", str(data_folder), "--json"]) == 0

    counted = json.loads(capsys.readouterr().out)
    assert counted["items"] == {"answerable": 1, "unanswerable": 1}
    assert (counted["auroc"], counted["threshold"], counted["auroc_partial"]) == (1.0, ENOUGH, None)
    assert (counted["false_answers"], counted["false_refusals"], counted["answered"]) == (0.0, 0.0, 0.5)
    assert {"citation_precision", "gold_citation_recall", "risk"} <= counted.keys()
    assert counted["curve"][0]["risk"] == 0.0


def test_what_can_not_be_read_is_one_sentence(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what to give instead."""
    assert main(["eval", "answers", "/nowhere", "--corpus", "/nowhere"]) == 2
    assert "There is no folder /nowhere" in capsys.readouterr().err
    assert main(["eval", "answers", "/nowhere", "--corpus", str(data_folder)]) == 2
    assert "/nowhere can't be read as JSON lines" in capsys.readouterr().err
