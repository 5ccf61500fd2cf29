"""Runs trials, and tells what they came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bot.evaluation.access.judging import Findings
from bot.evaluation.access.stage import Theatre
from bot.evaluation.access.trials import run_trial


@dataclass
class Report:
    """What trials came to."""

    trials: int = 0
    questions: int = 0
    answers_owed: int = 0
    """Questions whose answer everybody there might read and Footnote had to know."""
    leaks: int = 0
    needless_refusals: int = 0
    log_leaks: int = 0
    lag_seconds: float = 0.0
    stories: list[str] = field(default_factory=list)
    """What happened in the trials that failed, without any of the words."""

    @property
    def has_passed(self) -> bool:
        return not (self.leaks or self.needless_refusals or self.log_leaks)

    def add(self, seed: int, found: Findings) -> None:
        """Count a trial."""
        self.trials += 1
        self.questions += found.questions
        self.answers_owed += found.answered + len(found.needless)
        self.leaks += len(found.leaks)
        self.needless_refusals += len(found.needless)
        self.log_leaks += len(found.log_leaks)
        self.lag_seconds = max(self.lag_seconds, found.lag_s)
        if story := _story(seed, found):
            self.stories.append(story)

    def to_json(self) -> dict[str, object]:
        """What `--json` promises."""
        return {
            "trials": self.trials,
            "questions": self.questions,
            "answers_owed": self.answers_owed,
            "leaks": self.leaks,
            "needless_refusals": self.needless_refusals,
            "log_leaks": self.log_leaks,
            "lag_seconds": round(self.lag_seconds, 1),
        }

    def to_text(self) -> str:
        """The same, a line each."""
        return "\n".join(f"{name.replace('_', ' '):18} {value}" for name, value in self.to_json().items())


def run_trials(folder: Path, seeds: Iterable[int], on_progress: Callable[[int], None]) -> Report:
    """The trials of some seeds, one after the other."""
    report, theatre = Report(), Theatre(folder)
    try:
        for done, seed in enumerate(seeds, start=1):
            report.add(seed, run_trial(theatre, seed))
            on_progress(done)
    finally:
        theatre.close()
    return report


def _story(seed: int, found: Findings) -> str:
    """How a trial went that failed; empty for one that didn't."""
    kinds = {
        "leak": found.leaks,
        "withheld": found.needless,
        "logged": found.log_leaks,
    }
    failures = [f"  {kind}: {failure}" for kind, failures in kinds.items() for failure in failures]
    if not failures:
        return ""
    head = f"Seed {seed} (footnote eval access --trials 1 --seed {seed}):"
    return "\n".join([head, *(f"  {line}" for line in found.story), *failures])
