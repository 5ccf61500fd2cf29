"""Measures how well follow-ups are made to stand alone, against rewrites by people."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bot.answering.rewriting import rewrite
from bot.types import Turn

_TOKEN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question with the thread before it and, where there is one, how a person or a model made it stand alone."""

    id: str
    turns: tuple[Turn, ...]
    question: str
    rewrite: str | None


@dataclass(frozen=True, slots=True)
class RewritingFigures:
    """Means over the items that have a reference rewrite; nan where there are none."""

    items: int
    rouge1_recall: float
    rouge1_f: float
    rouge1_recall_identity: float
    """Of doing nothing."""
    rouge1_f_identity: float
    length_ratio: float
    """Mean length in words, of our rewrite to the reference."""
    kept_unchanged: float
    """The share of the questions that stand alone which are left alone, case and punctuation aside."""
    standing: int


def read_follow_ups(file: Path) -> list[FollowUp]:
    """One JSON object a line: `id`, `history` of `{role, text}`, `question`, `rewrite`."""
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    return [FollowUp(row["id"], _turns(row["history"]), row["question"], row["rewrite"]) for row in rows]


def _turns(history: Iterable[dict[str, str]]) -> tuple[Turn, ...]:
    return tuple(
        Turn("", said["text"], is_footnote=True) if said["role"] == "assistant" else Turn("asker", said["text"])
        for said in history
    )


def measure(items: Iterable[FollowUp]) -> RewritingFigures:
    """Rewrite every item that has a reference and compare."""
    pairs = [
        (_words(item.question), _words(rewrite(item.question, item.turns).text), _words(item.rewrite))
        for item in items
        if item.rewrite
    ]
    ours = [rouge1(made, reference) for _, made, reference in pairs]
    identity = [rouge1(asked, reference) for asked, _, reference in pairs]
    standing = [asked == made for asked, made, reference in pairs if asked == reference]
    return RewritingFigures(
        items=len(pairs),
        rouge1_recall=_mean(recall for recall, _ in ours),
        rouge1_f=_mean(f for _, f in ours),
        rouge1_recall_identity=_mean(recall for recall, _ in identity),
        rouge1_f_identity=_mean(f for _, f in identity),
        length_ratio=_mean(len(made) / max(len(reference), 1) for _, made, reference in pairs),
        kept_unchanged=_mean(standing),
        standing=len(standing),
    )


def rouge1(made: list[str], reference: list[str]) -> tuple[float, float]:
    """Recall and F1 of the reference's words. Source: Lin 2004, ROUGE."""
    shared = sum((Counter(made) & Counter(reference)).values())
    recall = shared / len(reference) if reference else 0.0
    precision = shared / len(made) if made else 0.0
    return recall, 2 * precision * recall / (precision + recall) if shared else 0.0


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else float("nan")
