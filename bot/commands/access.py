"""`footnote eval access`: proves who may read what, in a checkout."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.commands.measuring import EvalAccess
from bot.commands.terminal import bar, remark, say, say_json
from bot.errors import UsageError
from bot.settings import Settings


def run(command: EvalAccess, settings: Settings) -> int:  # noqa: ARG001  # a trial has a workspace and a folder of its own
    """Run the trials and print what they came to; 1 where anything leaked or was withheld without need."""
    if find_spec("sandbox") is None:
        raise UsageError("The sandbox is part of Footnote's source, not of the package: run this in a checkout.")
    from bot.evaluation.access.report import run_trials  # here: it needs the sandbox, which a package lacks

    seeds = range(command.seed, command.seed + command.trials)
    with TemporaryDirectory(prefix="footnote-") as folder, bar("Trying", command.trials) as tell:
        report = run_trials(Path(folder), seeds, tell)
    for story in report.stories:
        remark(story)
    say_json(report.to_json()) if command.json else say(report.to_text())
    return 0 if report.has_passed else 1
