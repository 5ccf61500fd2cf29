"""Reads questions of which it is known whether a corpus answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from bot.types import Turn
from retrieval.evaluation.judged import Qrels

Row = dict[str, Any]  # what a line of JSON holds


class Label(Enum):
    """What a corpus has for a question."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    PARTIAL = "partial"
    UNDERSPECIFIED = "underspecified"
    """It has several readings: the right reply is to ask back."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question with the thread before it."""

    id: str
    turns: tuple[Turn, ...]
    question: str
    label: Label
    gold: frozenset[str]
    """Ids of the sources or pages that answer it."""
    withheld: frozenset[str] = frozenset()
    """Ids of the sources or pages that are taken out for it, with word-for-word copies of them."""


def read_items(file: Path, qrels: Qrels) -> list[Item]:
    """One JSON object a line: `id`, `history` of `{role, text}`, `question`, `label`, `gold`.

    Lines of `_id` and `text` are queries of a judged set: each is asked as it is, and with its gold taken out.

    Args:
        file: What to read.
        qrels: The gold of such queries; those that have none are left out.

    Raises:
        OSError, ValueError, KeyError, TypeError: the file can't be read so.
    """
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [item for row in rows for item in (_both_ways(row, qrels) if "_id" in row else [_labelled(row)])]


def _labelled(row: Row) -> Item:
    gold, turns = row["gold"] or (), tuple(map(_turn, row["history"]))
    return Item(str(row["id"]), turns, str(row["question"]), Label(row["label"]), frozenset(gold))


def _both_ways(row: Row, qrels: Qrels) -> Iterator[Item]:
    id_, text = str(row["_id"]), str(row["text"])
    if gold := frozenset(qrels.get(id_, {})):
        yield Item(id_, (), text, Label.ANSWERABLE, gold)
        yield Item(f"{id_} without its gold", (), text, Label.UNANSWERABLE, frozenset(), gold)


def _turn(said: Row) -> Turn:
    is_footnote = said["role"] == "assistant"
    return Turn("" if is_footnote else "asker", str(said["text"]), is_footnote)
