"""`footnote eval answers`: measures how well Footnote knows what it can answer, and what its answers cite."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from bot.answering.evidence import ENOUGH
from bot.app import open_embedders
from bot.commands.measuring import EvalAnswers
from bot.commands.terminal import bar, say, say_json
from bot.errors import UsageError
from bot.evaluation.answers.asking import indexed
from bot.evaluation.answers.figures import AnswerFigures, figures
from bot.evaluation.answers.items import Item, read_items
from bot.settings import Settings
from retrieval.evaluation.beir import read_qrels, read_sources


def run(command: EvalAnswers, settings: Settings) -> int:
    """Measure, and print the figures."""
    items = _items(command)
    sources, _ = read_sources(command.corpus)
    by = open_embedders(settings)
    with (
        bar("Measuring") as tell,
        indexed(sources, by.dense, by.sparse, lambda doing, done, total: tell(done, total, doing)) as corpus,
    ):
        asked = []
        for done, item in enumerate(items, start=1):
            asked.append(corpus.ask(item))
            tell(done, len(items), "Asking")
    measured = to_json(figures(asked, ENOUGH))
    say_json(measured) if command.json else say(_table(measured))
    return 0


def to_json(measured: AnswerFigures) -> dict[str, object]:
    """As `--json` prints it; null where there is nothing to count."""
    return {name: _rounded(value) for name, value in asdict(measured).items()}


def _items(command: EvalAnswers) -> list[Item]:
    if not command.corpus.is_dir():
        raise UsageError(f"There is no folder {command.corpus}: give the one that the questions are about.")
    judgements = command.corpus / "qrels" / "dev.tsv"
    try:
        return read_items(command.file, read_qrels(judgements) if judgements.exists() else {})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{command.file} can't be read as JSON lines of id, history, question, label and gold, or of _id and text."
        ) from error


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 4)
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(inner) for inner in value]
    return value


def _table(measured: dict[str, object]) -> str:
    return "\n".join(f"{name:24}{json.dumps(value)}" for name, value in measured.items() if name != "curve")
