"""The commands that measure: `footnote eval` and `footnote bench`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from bot.commands.arguments import Commands, Parser, add_command, add_json, positive

STAGES = ("dense", "sparse", "fill", "neighbours", "rerank", "excerpts", "headings", "stems", "stop-words", "parts")
FUSIONS = ("scores", "relative", "rrf")
"""Names of what `retrieval` has; a test holds them equal, so that telling them needs none of it."""


@dataclass(frozen=True, slots=True)
class EvalRetrieval:
    """Measure retrieval on a judged set."""

    folder: Path
    queries: Path | None
    qrels: Path | None
    questions: Path | None
    gold: bool
    by_query: bool
    without: tuple[str, ...]
    fusion: str | None
    passage_tokens: int | None
    json: bool


@dataclass(frozen=True, slots=True)
class EvalRewriting:
    """Measure how follow-ups are made to stand alone."""

    file: Path
    json: bool


@dataclass(frozen=True, slots=True)
class EvalAnswers:
    """Measure how well what can be answered is told from what can't."""

    file: Path
    corpus: Path
    json: bool


@dataclass(frozen=True, slots=True)
class EvalInjection:
    """Measure what orders that were planted in what is read bring about."""

    file: Path
    json: bool


@dataclass(frozen=True, slots=True)
class EvalAccess:
    """Prove who may read what in made-up workspaces."""

    trials: int
    seed: int
    json: bool


@dataclass(frozen=True, slots=True)
class BenchStore:
    """Measure how fast the embedded store is on made-up passages."""

    passages: int
    json: bool


def add_eval(commands: Commands) -> None:
    """`footnote eval` with its parts."""
    parser = commands.add_parser("eval", help="measure a part of Footnote", description="Measure a part of Footnote.")
    parts = parser.add_subparsers(metavar="PART", required=True)
    _add_eval_retrieval(add_command(parts, "retrieval", EvalRetrieval))
    _add_eval_access(add_command(parts, "access", EvalAccess))
    rewriting = add_command(parts, "rewriting", EvalRewriting)
    rewriting.add_argument("file", type=Path, metavar="FILE", help="JSON lines of id, history, question and rewrite")
    add_json(rewriting)
    _add_eval_answers(add_command(parts, "answers", EvalAnswers))
    injection = add_command(parts, "injection", EvalInjection)
    injection.add_argument("file", type=Path, metavar="FILE", help="JSON lines of pages or texts with planted orders")
    add_json(injection)


def _add_eval_answers(parser: Parser) -> None:
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="JSON lines of id, history, question, label and gold; or queries of a judged set, each asked as it is and "
        "with its gold taken out",
    )
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR", help="corpus.jsonl, or documents")
    add_json(parser)


def _add_eval_access(parser: Parser) -> None:
    parser.add_argument(
        "--trials", type=positive, default=150, metavar="N", help="how many workspaces (default: 150, a minute or two)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first; the next one has the next")
    add_json(parser)


def _add_eval_retrieval(parser: Parser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="corpus.jsonl or documents, queries.jsonl and qrels/")
    parser.add_argument("--queries", type=Path, metavar="FILE", help="instead of the folder's own")
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="instead of the folder's own")
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="questions about the documents in DIR: JSON lines of question and gold, which is a `path`, `path#heading` "
        "or `file.pdf#page=N`, or a list of them; implies --gold",
    )
    parser.add_argument(
        "--gold", action="store_true", help="the rank of each gold at each stage, and where it was lost"
    )
    parser.add_argument("--by-query", action="store_true", help="show each query's nDCG@10")
    parser.add_argument(
        "--without",
        type=_stages,
        default=(),
        metavar="STAGE,…",
        help=f"switch stages off: {', '.join(STAGES)}",
    )
    parser.add_argument("--fusion", choices=FUSIONS, help="how the legs are fused (default: scores)")
    parser.add_argument("--passage-tokens", type=positive, metavar="N", help="fill passages up to this (default: 220)")
    add_json(parser)


def add_bench(commands: Commands) -> None:
    """`footnote bench` with its parts."""
    parser = commands.add_parser("bench", help="measure how fast it is", description="Measure how fast Footnote is.")
    parts = parser.add_subparsers(metavar="PART", required=True)
    store = add_command(parts, "store", BenchStore)
    store.add_argument("--passages", type=positive, default=100_000, metavar="N", help="how many (default: 100000)")
    add_json(store)


def _stages(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in STAGES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no stage: give some of {','.join(STAGES)}")
    return names
