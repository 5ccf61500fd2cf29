"""Every command with its words and options; light, so that help and mistakes are told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bot.commands.arguments import Commands, Joined, Parser, add_command, add_json, port, positive, web_address
from bot.commands.measuring import (
    BenchStore,
    EvalAccess,
    EvalAnswers,
    EvalInjection,
    EvalRetrieval,
    EvalRewriting,
    add_bench,
    add_eval,
)

_DOCUMENTS = (
    "a folder of documents, or a document: Markdown, HTML, PDF, Word, PowerPoint, Excel, CSV, notebooks, source code, "
    "plain text"
)


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
    Serve
    | Check
    | Index
    | Reindex
    | Ask
    | Passages
    | EvalRetrieval
    | EvalRewriting
    | EvalAccess
    | EvalAnswers
    | EvalInjection
    | BenchStore
    | Status
    | RunSandbox
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


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="footnote",
        description="Answers a team's questions in Slack from what the team has already written, with citations.",
    )
    parser.set_defaults(debug=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_running(commands)
    _add_index(commands)
    add_command(commands, "reindex", Reindex)
    _add_ask(commands)
    _add_passages(commands)
    add_eval(commands)
    add_bench(commands)
    _add_sandbox(commands)
    return parser


def _add_running(commands: Commands) -> None:
    add_command(commands, "serve", Serve)
    add_command(commands, "check", Check)
    add_json(add_command(commands, "status", Status))


def _add_index(commands: Commands) -> None:
    parser = add_command(commands, "index", Index)
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


def _add_ask(commands: Commands) -> None:
    parser = add_command(commands, "ask", Ask)
    parser.add_argument("words", nargs="+", metavar="WORDS", action=Joined, help="the question")
    parser.add_argument("--as", dest="asker", metavar="USER", help="who asks, by name or id (needs Slack)")
    parser.add_argument("--in", dest="place", metavar="CHANNEL", help="where: a channel, or `dm` (the default)")
    parser.add_argument(
        "--thread",
        type=Path,
        metavar="FILE",
        help="the thread before it: JSON lines of author and text, or lines of text",
    )
    add_json(parser)


def _add_passages(commands: Commands) -> None:
    parser = add_command(commands, "passages", Passages)
    parser.add_argument("path", type=Path, metavar="PATH", help=_DOCUMENTS)
    parser.add_argument("--sample", type=positive, default=10, metavar="N", help="how many to show (default: 10)")


def _add_sandbox(commands: Commands) -> None:
    parser = add_command(commands, "sandbox", RunSandbox)
    parser.add_argument("--port", type=port, default=0, metavar="N", help="the port to listen on (default: a free one)")
    parser.add_argument("--seed", type=Path, metavar="FILE", help="the workspace as YAML (default: the sample)")
    parser.add_argument("--handbook", type=Path, metavar="DIR", help="a folder of Markdown pages to show")
