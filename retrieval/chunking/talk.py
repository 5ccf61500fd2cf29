"""Cuts talk between messages; each window of a long thread opens with the question that it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from retrieval.chunking.blocks import BlockKind, parse
from retrieval.chunking.chunks import Chunk, Part
from retrieval.chunking.hidden import without_hidden
from retrieval.chunking.naming import asks
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
    """Parts in order, each window but the first behind the question; what is asked on the way goes with its answer."""
    sizes, repeated = [whole.size(part.text) for _, part in said], whole.size(root.text)
    start, size = 0, sizes[0]
    for at in range(1, len(said)):
        if size + sizes[at] > whole.target:
            takes_along = at - 1 > start and _answers(said[at][0], said[at - 1][0])
            end = at - 1 if takes_along and repeated + sizes[at - 1] + sizes[at] <= whole.target else at
            yield _window(said, root, start, end)
            start, size = end, repeated + sum(sizes[end:at])
        size += sizes[at]
    yield _window(said, root, start, len(said))


def _window(said: Sequence[tuple[Utterance, Part]], root: Part, start: int, end: int) -> list[Part]:
    return [*([root] if start else []), *(part for _, part in said[start:end])]


def _answers(message: Utterance, before: Utterance) -> bool:
    return asks(before.text) and message.author != before.author
