"""Every command with its words and options; light, so that help and mistakes are told at once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn, TypeAlias

from bot.commands.arguments import Joined, port, positive, web_address
from bot.errors import UsageError

_DOCUMENTS = (
    "a folder of documents, or a document: Markdown, HTML, PDF, Word, PowerPoint, Excel, CSV, notebooks, source code, "
    "plain text"
)

STAGES = ("dense", "sparse", "fill", "neighbours", "rerank", "excerpts", "headings", "stems", "stop-words", "parts")
FUSIONS = ("scores", "relative", "rrf")
"""Names of what `retrieval` has; a test holds them equal, so that telling them needs none of it."""


@dataclass(frozen=True, slots=True)
class Serve:
    """Run the bot."""


@dataclass(frozen=True, slots=True)
class Check:
    """Say what is configured, reachable and missing."""


@dataclass(frozen=True, slots=True)
class Index:
    """Read documents, or a Slack export, into the index."""

    paths: tuple[Path, ...]
    visible_to: str | None
    url: str | None
    slack_export: Path | None
    private_channels: bool


@dataclass(frozen=True, slots=True)
class Reindex:
    """Rebuild the index for another model or language, while it goes on answering."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a question in the terminal."""

    words: str
    asker: str | None
    place: str | None
    thread: Path | None
    json: bool


@dataclass(frozen=True, slots=True)
class Passages:
    """Show how documents are cut."""

    path: Path
    sample: int


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
class BenchStore:
    """Measure how fast the embedded store is on made-up passages."""

    passages: int
    json: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Show what has been read and indexed."""

    json: bool


@dataclass(frozen=True, slots=True)
class RunSandbox:
    """Run Slack on loopback."""

    port: int
    seed: Path | None
    handbook: Path | None


Command = (
    Serve | Check | Index | Reindex | Ask | Passages | EvalRetrieval | EvalRewriting | BenchStore | Status | RunSandbox
)


def parse(argv: Sequence[str]) -> tuple[Command, bool]:
    """The command that these words give, and whether to tell everything of it (`--debug`).

    Raises:
        UsageError: they give none.
        SystemExit: help was asked for, and printed.
    """
    given = vars(build_parser().parse_args(argv))
    made: type[Command] = given["command"]
    words = {field.name: given[field.name] for field in fields(made)}
    return made(**words), bool(given["debug"])


def build_parser() -> _Parser:
    """The whole command line."""
    parser = _Parser(
        prog="footnote",
        description="Answers a team's questions in Slack from what the team has already written, with citations.",
    )
    parser.set_defaults(debug=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_running(commands)
    _add_index(commands)
    _add(commands, "reindex", Reindex)
    _add_ask(commands)
    _add_passages(commands)
    _add_eval(commands)
    _add_bench(commands)
    _add_sandbox(commands)
    return parser


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as every other error is said."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}; `{self.prog} --help` says how to call it.")


_Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"  # what `add_subparsers` returns; it has no public name


def _add(commands: _Commands, name: str, made: type[Command]) -> _Parser:
    """A command that is described by what it makes."""
    line = (made.__doc__ or "").rstrip(".")
    parser = commands.add_parser(name, help=line[:1].lower() + line[1:], description=made.__doc__)
    parser.set_defaults(command=made)
    parser.add_argument("--debug", action="store_true", help="write tracebacks and details to stderr")
    return parser


def _add_json(parser: _Parser) -> None:
    parser.add_argument("--json", action="store_true", help="write one JSON object")


def _add_running(commands: _Commands) -> None:
    _add(commands, "serve", Serve)
    _add(commands, "check", Check)
    _add_json(_add(commands, "status", Status))


def _add_index(commands: _Commands) -> None:
    parser = _add(commands, "index", Index)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=_DOCUMENTS)
    parser.add_argument(
        "--visible-to",
        metavar="CHANNEL",
        help="who may read the documents: `workspace` (every full member; the default) or the members of a channel",
    )
    parser.add_argument(
        "--url", type=web_address, metavar="BASE", help="where readers open the documents: BASE/<path without .md>"
    )
    parser.add_argument("--slack-export", type=Path, metavar="ZIP", help="a Slack export, as a zip or a folder")
    parser.add_argument(
        "--private-channels", action="store_true", help="take private channels and group messages of the export too"
    )


def _add_ask(commands: _Commands) -> None:
    parser = _add(commands, "ask", Ask)
    parser.add_argument("words", nargs="+", metavar="WORDS", action=Joined, help="the question")
    parser.add_argument("--as", dest="asker", metavar="USER", help="who asks, by name or id (needs Slack)")
    parser.add_argument("--in", dest="place", metavar="CHANNEL", help="where: a channel, or `dm` (the default)")
    parser.add_argument(
        "--thread",
        type=Path,
        metavar="FILE",
        help="the thread before it: JSON lines of author and text, or lines of text",
    )
    _add_json(parser)


def _add_passages(commands: _Commands) -> None:
    parser = _add(commands, "passages", Passages)
    parser.add_argument("path", type=Path, metavar="PATH", help=_DOCUMENTS)
    parser.add_argument("--sample", type=positive, default=10, metavar="N", help="how many to show (default: 10)")


def _add_eval(commands: _Commands) -> None:
    parser = commands.add_parser("eval", help="measure a part of Footnote", description="Measure a part of Footnote.")
    parts = parser.add_subparsers(metavar="PART", required=True)
    _add_eval_retrieval(_add(parts, "retrieval", EvalRetrieval))
    rewriting = _add(parts, "rewriting", EvalRewriting)
    rewriting.add_argument("file", type=Path, metavar="FILE", help="JSON lines of id, history, question and rewrite")
    _add_json(rewriting)


def _add_eval_retrieval(parser: _Parser) -> None:
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
    _add_json(parser)


def _add_bench(commands: _Commands) -> None:
    parser = commands.add_parser("bench", help="measure how fast it is", description="Measure how fast Footnote is.")
    parts = parser.add_subparsers(metavar="PART", required=True)
    store = _add(parts, "store", BenchStore)
    store.add_argument("--passages", type=positive, default=100_000, metavar="N", help="how many (default: 100000)")
    _add_json(store)


def _add_sandbox(commands: _Commands) -> None:
    parser = _add(commands, "sandbox", RunSandbox)
    parser.add_argument("--port", type=port, default=0, metavar="N", help="the port to listen on (default: a free one)")
    parser.add_argument("--seed", type=Path, metavar="FILE", help="the workspace as YAML (default: the sample)")
    parser.add_argument("--handbook", type=Path, metavar="DIR", help="a folder of Markdown pages to show")


def _stages(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in STAGES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no stage: give some of {','.join(STAGES)}")
    return names
