"""Words that are planted and looked for: canaries, and the topics that they are asked for by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

_CANARY = re.compile(r"qz[a-z]{8}")
_MARKED = re.compile(r"(?:qz|vx)[a-z]{8}")
_LETTERS = "bcdfghklmnprtw"  # no vowels, so that no stemmer cuts them and no real word looks like one


@dataclass
class Words:
    """Makes up words, none of them twice."""

    random: Random
    _made: set[str] = field(default_factory=set)

    def canary(self) -> str:
        """A word that stands in one place alone."""
        return self._new("qz")

    def topic(self) -> str:
        """A word that a canary is asked for by."""
        return self._new("vx")

    def _new(self, prefix: str) -> str:
        while (word := prefix + "".join(self.random.choices(_LETTERS, k=8))) in self._made:
            pass
        self._made.add(word)
        return word


def sentence(topic: str, canary: str) -> str:
    """What a place says."""
    return f"The code word for {topic} is {canary}."


def question(topic: str) -> str:
    """What is asked."""
    return f"What is the code word for {topic}?"


def canaries_in(text: str) -> frozenset[str]:
    """The canaries that stand in a text."""
    return frozenset(_CANARY.findall(text))


def has_marked_word(text: str) -> bool:
    """Whether a text holds a canary, or a word of a question."""
    return bool(_MARKED.search(text))


def topics_in(text: str) -> dict[str, str]:
    """The topic of each canary that a text gives."""
    return {canary: topic for topic, canary in re.findall(r"code word for (vx[a-z]{8}) is (qz[a-z]{8})", text)}
