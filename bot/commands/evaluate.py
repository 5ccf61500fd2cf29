"""`footnote eval`: measures a part of Footnote on judged material."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict

from bot.app import open_embedders, open_reranker
from bot.commands.measuring import EvalRetrieval, EvalRewriting
from bot.commands.terminal import bar, say, say_json
from bot.errors import UsageError
from bot.evaluation.rewriting import measure, read_follow_ups
from bot.settings import Settings
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.evaluation.beir import read
from retrieval.evaluation.documents import read_questions
from retrieval.evaluation.judged import JudgedSet
from retrieval.evaluation.report import RetrievalReport
from retrieval.evaluation.runs import evaluate_retrieval
from retrieval.evaluation.variants import PRODUCT


def run(command: EvalRetrieval | EvalRewriting, settings: Settings) -> int:
    """Measure, and print the figures."""
    if isinstance(command, EvalRewriting):
        return _rewriting(command)
    return _retrieval(command, settings)


def _retrieval(command: EvalRetrieval, settings: Settings) -> int:
    report = _measured(command, settings)
    shown = {"with_gold": command.gold or command.questions is not None, "with_queries": command.by_query}
    say_json(report.to_json(**shown)) if command.json else say(report.to_text(**shown))
    return 0


def _measured(command: EvalRetrieval, settings: Settings) -> RetrievalReport:
    judged = _judged(command)
    variant = PRODUCT.without(command.without).of(fusion=command.fusion, passage_tokens=command.passage_tokens)
    with bar("Measuring") as tell:
        return evaluate_retrieval(
            judged,
            open_embedders(settings).dense,
            Bm25Embedder(settings.language, variant.terms),
            stages=variant.stages,
            budget=variant.budget,
            reranker=open_reranker(settings),
            on_progress=lambda doing, done, total: tell(done, total, doing.capitalize()),
        )


def _judged(command: EvalRetrieval) -> JudgedSet:
    if not command.folder.is_dir():
        raise UsageError(f"There is no folder {command.folder}: give one with corpus.jsonl, queries.jsonl and qrels/.")
    if command.questions is None:
        return read(command.folder, command.queries, command.qrels)
    if command.queries or command.qrels:
        raise UsageError("--questions holds the gold too: leave out --queries and --qrels.")
    return read_questions(command.folder, command.questions)


def _rewriting(command: EvalRewriting) -> int:
    try:
        items = read_follow_ups(command.file)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{command.file} can't be read as JSON lines of id, history, question and rewrite.") from error
    figures = {name: _rounded(value) for name, value in asdict(measure(items)).items()}
    figures["retrieval"] = None  # it needs judgements, which this command is not given yet
    say_json(figures) if command.json else say(_table(figures))
    return 0


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _table(figures: Mapping[str, float | None]) -> str:
    return "\n".join(f"{name:24}{json.dumps(value):>10}" for name, value in figures.items() if name != "retrieval")
