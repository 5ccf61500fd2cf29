"""`footnote passages`: shows how documents are cut."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bot.app import LOCAL_TEAM, open_embedders
from bot.commands.parsing import Passages
from bot.commands.terminal import remark, say
from bot.errors import UsageError
from bot.settings import Settings
from bot.sync.documents import Skipped, read_documents
from retrieval.chunking import Budget, cut, text_to_embed
from retrieval.embedding.protocol import TokenCounter
from retrieval.errors import UnreadableSource
from retrieval.types import WORKSPACE, Passage, Source


def run(command: Passages, settings: Settings) -> int:
    """Cut every document and show some passages, the same ones each time."""
    dense = open_embedders(settings).dense
    budget = Budget().within(dense.max_tokens)
    passages = [passage for source in _sources(command) for passage in _cut(source, dense.count_tokens, budget)]
    if not passages:
        raise UsageError(f"Nothing at {command.path} can be cut: give a folder of documents.")
    shown = sorted(random.Random(0).sample(range(len(passages)), min(command.sample, len(passages))))
    for at in shown:
        say(_described(passages[at], dense.count_tokens(text_to_embed(passages[at]))))
    say(f"{len(shown)} of {len(passages)} passages")
    return 0


def _sources(command: Passages) -> Iterator[Source]:
    for source in read_documents(command.path, frozenset({WORKSPACE}), None):
        if isinstance(source, Skipped):
            remark(f"Skipped {source.source_id}: {source.reason}")
        else:
            yield source


def _cut(source: Source, count_tokens: TokenCounter, budget: Budget) -> tuple[Passage, ...]:
    try:
        return cut(source, LOCAL_TEAM, count_tokens, budget)
    except UnreadableSource as error:
        remark(f"Skipped {source.id}: {error}")
        return ()


def _described(passage: Passage, tokens: int) -> str:
    path = " > ".join((passage.title, *passage.heading_path))
    return f"── {path} ({passage.source_id}, no. {passage.position + 1}, {tokens} tokens) ──\n{passage.text}\n"
