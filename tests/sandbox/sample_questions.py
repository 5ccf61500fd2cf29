"""Reads the questions that come with the sample workspace."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "sandbox" / "sample"


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """One line of questions.jsonl."""

    id: str
    text: str
    asker: str
    place: str
    thread: tuple[tuple[str, str], ...]
    outcome: str
    gold: tuple[str, ...]
    must_contain: tuple[str, ...]
    kind: str


def _question(line: str) -> SampleQuestion:
    given = json.loads(line)
    return SampleQuestion(
        id=given["id"],
        text=given["question"],
        asker=given["as"],
        place=given["in"],
        thread=tuple((turn["author"], turn["text"]) for turn in given.get("thread", ())),
        outcome=given["outcome"],
        gold=tuple(given["gold"]),
        must_contain=tuple(given["must_contain"]),
        kind=given["kind"],
    )


def read_questions() -> tuple[SampleQuestion, ...]:
    """All of them, in the file's order."""
    return tuple(map(_question, (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()))
