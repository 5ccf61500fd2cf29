"""Writes to the terminal: results to stdout, progress and remarks to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Advance(Protocol):
    """Moves a bar to where the work is."""

    def __call__(self, done: int, total: int | None = None, doing: str | None = None) -> None: ...


def say(text: str) -> None:
    """A result."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say_json(result: Mapping[str, object]) -> None:
    """A result as one JSON object."""
    say(json.dumps(result, ensure_ascii=False, indent=2))


def remark(text: str) -> None:
    """Something that is no result."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def counted(count: int, noun: str) -> str:
    """A number with its noun, `1 message` or `2 messages`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@contextmanager
def bar(doing: str, total: int | None = None) -> Iterator[Advance]:
    """A progress bar on stderr; without a terminal there, one line at the beginning."""
    console = Console(stderr=True)
    if not console.is_terminal:
        remark(f"{doing}…")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(doing, total=total)

        def advance(done: int, total: int | None = total, doing: str | None = doing) -> None:
            progress.update(task, completed=done, total=total, description=doing)

        yield advance
