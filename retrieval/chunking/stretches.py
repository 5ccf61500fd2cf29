"""Sorts a channel's unthreaded messages into stretches of talk: what people say to each other before they turn away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval.chunking.linking import conversations
from retrieval.chunking.naming import asks, called_in
from retrieval.types import Utterance

PAUSE_S = 10 * 60
"""Talk that rests for longer has ended, unless somebody takes it up."""

TAKEN_UP_S = 60 * 60
"""Within this somebody of it can say more, or be called, or what one person said alone can get its first reply."""

ANSWERED_S = 120 * 60
"""Within this a question that nobody has replied to can get its first answer. The figures: docs/talk-grouping.md."""

CROWD = 15
"""People in one stretch, from whom on their conversations are told apart. Of fewer, when they speak tells more than
what they say."""

_DAY_S = 86_400


def stretches(said: Sequence[Utterance]) -> list[tuple[int, ...]]:
    """The positions of each stretch's messages, given oldest first. None crosses midnight in UTC."""
    parts = _between_pauses(said)
    return [tuple(start + at for at in group) for start, part in parts for group in _told_apart(part)]


def _between_pauses(said: Sequence[Utterance]) -> Iterator[tuple[int, Sequence[Utterance]]]:
    """Each part with the position where it starts."""
    start = 0
    for at in range(1, len(said)):
        if not _goes_on(said, start, at):
            yield start, said[start:at]
            start = at
    if said:
        yield start, said[start:]


def _goes_on(said: Sequence[Utterance], start: int, at: int) -> bool:
    before, message = said[at - 1], said[at]
    if message.written_at // _DAY_S != before.written_at // _DAY_S:
        return False
    pause = message.written_at - before.written_at
    return pause <= PAUSE_S or (pause <= ANSWERED_S and _takes_up(said[start:at], message, pause))


def _takes_up(talk: Sequence[Utterance], message: Utterance, pause: float) -> bool:
    """Whether it goes on with talk that has rested for so many seconds."""
    people, author = {one.author.casefold() for one in talk}, message.author.casefold()
    is_alone = len(people) == 1
    waits = is_alone and any(asks(one.text) for one in talk)
    if waits and author not in people:
        return True
    if pause > TAKEN_UP_S:
        return False
    if called_in(message.text, people - {author}):
        return True
    says_more = author in people and (waits or not is_alone)  # what one says without asking, as alerts do, is done
    is_first_reply = is_alone and author not in people
    return (says_more or is_first_reply) and not asks(message.text)


def _told_apart(part: Sequence[Utterance]) -> list[tuple[int, ...]]:
    is_crowd = len({one.author for one in part}) >= CROWD
    return conversations(part) if is_crowd else [tuple(range(len(part)))]
