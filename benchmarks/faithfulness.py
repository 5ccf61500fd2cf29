"""Measures how well the check of written answers tells made-up statements from supported ones.

`python -m benchmarks.faithfulness FILE`

FILE has JSON lines of question, passages (id and text), response and faithfulness (what people gave it, 1 to 4). The
responses cite nothing, so each statement may rest on every passage. A response counts as unfaithful when people gave it
less than 3 in the mean, and is told as unfaithful when the product would not show it: more than a third of its claims
is dropped, or it claims nothing and does not say that it found nothing.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from bot.answering.checking import Checker, Verdict
from bot.answering.meaning import Meaning, Similarity
from bot.answering.statements import DraftReader, Statement
from bot.answering.support import Sources
from bot.answering.writing import MOST_DROPPED
from retrieval.embedding.dense import FastEmbedder
from retrieval.types import WORKSPACE, Anchor, Passage

_FAITHFUL = 3.0
_WELL_SUPPORTED = 3.6
"""People's mean from which on hardly anything may be dropped."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A response, what people gave it, and what became of its statements."""

    rated: float
    verdicts: tuple[Verdict, ...]
    says_something_is_missing: bool

    @property
    def dropped(self) -> int:
        return sum(verdict.fault is not None for verdict in self.verdicts)

    @property
    def is_told_unfaithful(self) -> bool:
        claims = sum(verdict.is_claim for verdict in self.verdicts)
        return self.dropped > MOST_DROPPED * claims if claims else not self.says_something_is_missing


def judged(file: Path, similarity: Similarity) -> Iterator[Judged]:
    """Every response of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        passages = [_passage(given["id"], given["text"]) for given in row["passages"]]
        checker = Checker(Sources(passages, similarity), row["question"])
        verdicts = tuple(
            verdict for statement in _statements(row["response"], len(passages)) for verdict in checker.judge(statement)
        )
        yield Judged(fmean(row["faithfulness"]), verdicts, checker.says_something_is_missing)


def _statements(response: str, passages: int) -> Iterator[Statement]:
    reader = DraftReader()
    every = tuple(range(1, passages + 1))
    yield from (replace(one, markers=every) for one in [*reader.feed(response), *reader.end()])


def _passage(id_: str, text: str) -> Passage:
    return Passage(id_, id_, "benchmark", "", (), text, (Anchor(0, "https://h.example"),), frozenset({WORKSPACE}), 0)


def main(arguments: list[str]) -> None:
    """Print the figures of one file."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(judged(Path(arguments[0]), Meaning(FastEmbedder(Path(folder)))))
    unfaithful = [one.is_told_unfaithful for one in found if one.rated < _FAITHFUL]
    faithful = [one.is_told_unfaithful for one in found if one.rated >= _FAITHFUL]
    good = [verdict for one in found if one.rated >= _WELL_SUPPORTED for verdict in one.verdicts]
    faults = Counter(verdict.fault.value for verdict in good if verdict.fault)
    told, wrongly = fmean(unfaithful), fmean(faithful)
    lines = [
        f"{len(found)} responses, {len(unfaithful)} unfaithful",
        f"balanced accuracy {(told + 1 - wrongly) / 2:.3f}",
        f"told as unfaithful: {told:.3f} of the unfaithful, {wrongly:.3f} of the others",
        f"dropped of {len(good)} statements rated from {_WELL_SUPPORTED}: {faults.total() / len(good):.3f}",
        f"  by {dict(faults)}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
