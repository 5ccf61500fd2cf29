"""Cuts talk between messages; each window of a long thread opens with the question that it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from retrieval.chunking.blocks import BlockKind, parse
from retrieval.chunking.chunks import Chunk, Part
from retrieval.chunking.hidden import without_hidden
from retrieval.chunking.room import Room
from retrieval.chunking.sizes import Budget
from retrieval.chunking.splitting import head_of, split
from retrieval.types import Anchor, Talk, Utterance

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ROOT_SHARE = 4
"""Of a window: a quarter of it at most repeats the question."""


def label(utterance: Utterance) -> str:
    """Who speaks and when. Its no-break spaces occur nowhere else in a passage, so no message can forge one."""
    day = datetime.fromtimestamp(utterance.written_at, UTC)
    author = " ".join(without_hidden(utterance.author).split()) or "?"
    return f"{author}\u00a0({day.day}\u00a0{_MONTHS[day.month - 1]}\u00a0{day.year}):"


def cut_talk(talk: Talk, budget: Budget, count: Callable[[str], int]) -> list[Chunk]:
    """The chunks of a thread or a stretch of talk, in order."""
    whole = budget.room(count)
    said = [(utterance, part) for utterance in talk.utterances for part in _parts(utterance, whole)]
    if not said:
        return []
    root = _head(*said[0], whole)
    return [Chunk((), tuple(window)) for window in _windows(said, root, whole)]


def _parts(utterance: Utterance, whole: Room) -> list[Part]:
    """What somebody said, in pieces that leave room for the question."""
    speaker = label(utterance)
    room = whole.less(whole.count(speaker) + whole.target // _ROOT_SHARE)
    opens = Anchor(0, utterance.url, utterance.author, utterance.written_at)
    return [Part(_spoken(speaker, piece), opens) for piece in split(without_hidden(utterance.text), room)]


def _spoken(speaker: str, piece: str) -> str:
    """The words behind the label, on its line where they are running text."""
    blocks = parse(piece)
    is_running = not blocks or blocks[0].kind is BlockKind.PARAGRAPH
    return f"{speaker}\u00a0{piece}" if is_running else f"{speaker}\n\n{piece}"


def _head(utterance: Utterance, root: Part, whole: Room) -> Part:
    """The question, as much of it as a quarter of a window holds."""
    speaker = label(utterance)
    most = whole.target // _ROOT_SHARE
    if whole.size(root.text) <= most:
        return root
    tight = Room(most, most, 1, whole.count).less(whole.count(speaker))
    return Part(_spoken(speaker, head_of(root.text[len(speaker) :].strip(), tight)), root.opens)


def _windows(said: Sequence[tuple[Utterance, Part]], root: Part, whole: Room) -> Iterator[list[Part]]:
    window: list[Part] = []
    size = 0
    for _, part in said:
        added = whole.size(part.text)
        if window and size + added > whole.target:
            yield window
            window, size = [root], whole.size(root.text)
        window.append(part)
        size += added
    yield window
