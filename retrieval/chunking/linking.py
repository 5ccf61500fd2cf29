"""Tells in talk that several people have at once which earlier message each one goes on from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, log1p

from retrieval.chunking.naming import asks, named_in
from retrieval.types import Utterance

Cues = Mapping[str, float]
"""What speaks for or against a choice, by name; a cue that is not there is 0."""

WEIGHTS: Cues = {
    "it names others": -1.36,
    "its author has spoken since": -0.68,
    "may answer it": 0.54,
    "messages between": -1.36,
    "minutes": -0.82,
    "names its author": 3.96,
    "names others": -1.95,
    "names the same": 2.94,
    "newcomer opens": 1.00,
    "newcomer opens asking": 0.81,
    "newcomer opens, by voices": 0.64,
    "next": 0.27,
    "next, by minutes": 0.56,
    "next, by voices": -0.72,
    "opens": -0.66,
    "opens asking": 1.04,
    "opens naming": -2.21,
    "same author": 0.36,
    "same author, names others": -1.18,
    "same author, next": 1.36,
    "shared words": 0.77,
    "was named by it": 1.10,
    "where its author spoke last": 2.47,
}
"""In log odds. Source: `python -m benchmarks.fit_linking FOLDER`, fitted on the links of ten IRC logs."""

_LOOKED_BACK = 30
"""Messages among which the one before is looked for; 97 % of the links in IRC are no longer."""
_RECENT = 10
"""Messages whose authors count as the voices of the moment."""
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to go on: from the message at a position, or by opening a matter."""

    goes_on_from: int | None
    cues: Cues

    def score(self, weights: Cues) -> float:
        """Log odds, higher is likelier."""
        return sum(weights[cue] * value for cue, value in self.cues.items())


@dataclass(frozen=True, slots=True)
class _Heard:
    """What of a message tells where it belongs."""

    author: str
    names: frozenset[str]
    """Authors so far whom it names."""
    words: frozenset[str]
    asks: bool
    minute: float


class Listening:
    """Hears talk message by message, and never looks ahead: what comes later changes no earlier choice."""

    def __init__(self) -> None:
        self._heard: list[_Heard] = []
        self._conversation: list[str] = []
        self._last_of: dict[str, str] = {}
        self._holding: Counter[str] = Counter()

    def choices(self, said: Utterance) -> list[Choice]:
        """All ways in which this message may go on, the nearest first, opening a matter last."""
        new = self._hear(said)
        nearest_first = range(len(self._heard) - 1, max(len(self._heard) - 1 - _LOOKED_BACK, -1), -1)
        passed: set[str] = set()
        choices = []
        for at in nearest_first:
            choices.append(Choice(at, dict(self._going_on(new, at, passed))))
            passed.add(self._heard[at].author)
        return [*choices, Choice(None, dict(self._opening(new)))]

    def take(self, said: Utterance, conversation: str) -> None:
        """Remember a message as part of a conversation."""
        new = self._hear(said)
        self._heard.append(new)
        self._conversation.append(conversation)
        self._last_of[new.author] = conversation
        self._holding.update(new.words)

    def conversation_of(self, at: int) -> str:
        """Where the message at a position was taken to belong."""
        return self._conversation[at]

    def _hear(self, said: Utterance) -> _Heard:
        author = said.author.casefold()
        names = named_in(said.text, self._last_of) - {author}
        words = frozenset(_WORD.findall(said.text.casefold())) - names
        return _Heard(author, names, words, asks(said.text), said.written_at / 60)

    def _going_on(self, new: _Heard, at: int, passed: set[str]) -> Iterator[tuple[str, float]]:
        old = self._heard[at]
        distance, minutes = len(self._heard) - at, log1p(new.minute - old.minute)
        yield "minutes", minutes
        yield "messages between", log(distance)
        if distance == 1:
            yield "next", 1
            yield "next, by minutes", minutes
            yield "next, by voices", self._voices()
        if old.author in passed:
            yield "its author has spoken since", 1
        if self._last_of.get(new.author) == self._conversation[at]:
            yield "where its author spoke last", 1
        yield "shared words", log1p(fsum(self._rarity(word) for word in new.words & old.words))
        yield from _between_people(new, old, is_next=distance == 1)

    def _opening(self, new: _Heard) -> Iterator[tuple[str, float]]:
        yield "opens", 1
        if new.asks:
            yield "opens asking", 1
        if new.names:
            yield "opens naming", 1
        if new.author not in self._last_of:
            yield "newcomer opens", 1
            yield "newcomer opens, by voices", self._voices()
            if new.asks:
                yield "newcomer opens asking", 1

    def _voices(self) -> float:
        return log1p(len({one.author for one in self._heard[-_RECENT:]}))

    def _rarity(self, word: str) -> float:
        """Of a word among the messages so far."""
        return log((len(self._heard) + 2) / (self._holding[word] + 1))


def _between_people(new: _Heard, old: _Heard, *, is_next: bool) -> Iterator[tuple[str, float]]:
    """Who says it to whom."""
    if new.names & old.names:
        yield "names the same", 1
    if new.author == old.author:
        yield "same author", 1
        if is_next:
            yield "same author, next", 1
        if new.names and not new.names & old.names:
            yield "same author, names others", 1
        return
    if new.names:
        yield "names its author" if old.author in new.names else "names others", 1
    if old.names:
        yield "was named by it" if new.author in old.names else "it names others", 1
    if old.asks and not new.asks:
        yield "may answer it", 1


def conversations(said: Sequence[Utterance], weights: Cues = WEIGHTS) -> list[tuple[int, ...]]:
    """The positions of each conversation's messages, oldest first, conversations by their first message."""
    listening = Listening()
    groups: dict[str, list[int]] = {}
    for at, one in enumerate(said):
        likeliest = max(listening.choices(one), key=lambda choice: choice.score(weights))
        from_ = likeliest.goes_on_from
        conversation = str(at) if from_ is None else listening.conversation_of(from_)
        listening.take(one, conversation)
        groups.setdefault(conversation, []).append(at)
    return [tuple(group) for group in groups.values()]
