"""Says how well passages support a sentence: by its words, its meaning, and what must be in them to the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from bot.answering.conditions import leaves_out_condition, leaves_out_whom
from bot.answering.facts import code, content, is_denied, names, names_held, numbers, numbers_held
from bot.answering.meaning import Similarity
from bot.answering.orders import is_order_to_machine
from bot.answering.words import inverse_frequencies, share_covered
from bot.types import Quote
from retrieval.chunking.sentences import sentences
from retrieval.chunking.units import units
from retrieval.types import Passage, UnitKind

SUPPORTED = 0.40
"""Mean of covered words and nearness from which on a sentence is supported. Source: docs/decisions/0023."""
_PART_WORDS = 12
"""Words of a part; what is shorter than two of them is judged as a whole."""
_PART_HELD = 0.12
"""Share of a part's words, weighted, from which on a source says something of it."""
_SAME_THING = 0.6
"""Share of a sentence's words in one of a source from which on both speak of the same, and "not" tells them apart."""
_SAME_MEANING = 0.6
"""Cosine likewise."""


class Fault(Enum):
    """Why a sentence is not supported."""

    NUMBER = "number"
    NAME = "name"
    CODE = "code"
    DENIED = "denied"
    """The source says the opposite."""
    CONDITION = "condition"
    """The source says it under a condition that is left out."""
    UNSUPPORTED = "unsupported"
    MARKER = "marker"
    """It cites a passage that there is not."""
    LEANS = "leans"
    """The sentence that it goes on from was dropped."""


@dataclass(frozen=True, slots=True)
class Support:
    """What was found for one sentence."""

    share: float
    """Of its words, weighted by how rare they are, in the two neighbouring sentences of a source that hold most."""
    nearness: float
    """Cosine similarity to the nearest sentence of a source."""
    fault: Fault | None

    @property
    def score(self) -> float:
        return (self.share + self.nearness) / 2


@dataclass(frozen=True)
class _Source:
    """A passage, laid out to be compared with."""

    above: str
    """What it is read under."""
    passage: Passage
    lines: tuple[tuple[int, str], ...]
    """Its sentences, list items, rows and blocks of code, each with its offset."""

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(line for _, line in self.lines)

    @cached_property
    def windows(self) -> tuple[frozenset[str], ...]:
        """The words of each two neighbours."""
        own = [content(sentence) for sentence in self.sentences]
        return tuple(own[at] | own[min(at + 1, len(own) - 1)] | content(self.above) for at in range(len(own)))

    @cached_property
    def whole(self) -> str:
        return f"{self.above}\n{self.passage.text}"


_LONGEST_COMPARED = 600
"""Characters of a source's sentence whose meaning is compared; as elsewhere, enough for a long one."""


class Sources:
    """The passages that a draft may rest on, numbered from 1."""

    def __init__(self, passages: Sequence[Passage], similarity: Similarity) -> None:
        self._sources = [_laid_out(passage) for passage in passages]
        self._similarity = similarity
        self._rarity = inverse_frequencies([sentence for source in self._sources for sentence in source.sentences])

    def holds(self, number: int) -> bool:
        """Whether there is such a passage."""
        return 1 <= number <= len(self._sources)

    def likeliest(self, text: str) -> int | None:
        """The passage with most of the sentence's words; None where none has any."""
        shares = [self._share(text, source) for source in self._sources]
        best = max(shares, default=0.0)
        return shares.index(best) + 1 if best > 0 else None

    def quote(self, text: str, number: int) -> Quote:
        """The words of a passage that a sentence rests on most."""
        source = self._sources[number - 1]
        wanted = content(text)
        nearness = self._similarity(text, source.sentences)
        worth = [
            share_covered(wanted, self._rarity, content(line)) + near
            for line, near in zip(source.sentences, nearness, strict=True)
        ]
        start, line = source.lines[worth.index(max(worth))]
        return Quote(line, UnitKind.SENTENCE, source.passage, source.passage.anchor_at(start))

    def has_facts_of(self, text: str, markers: Sequence[int]) -> bool:
        """Whether the passages hold every number, name and piece of code that the words hold."""
        return _unheld(text, "\n".join(self._sources[number - 1].whole for number in markers)) is None

    def having(self, block: str) -> int | None:
        """The passage in which a block of code stands as it is; None where it stands in none."""
        found = (at for at, source in enumerate(self._sources, 1) if is_verbatim(block, source.passage))
        return next(found, None)

    def support(self, text: str, markers: Sequence[int], said: str = "") -> Support:
        """What the passages of these numbers have for a sentence; `said` is what its readers know besides."""
        cited = [self._sources[number - 1] for number in markers]
        lines = [line for source in cited for line in source.sentences]
        if not lines:
            return Support(0.0, 0.0, Fault.UNSUPPORTED)
        nearness = self._similarity(text, lines)
        share = max(self._share(text, source) for source in cited)
        support = Support(share, max(nearness), None)
        if support.score < SUPPORTED or not all(self._is_held(part, cited) for part in _parts(text)):
            return Support(share, support.nearness, Fault.UNSUPPORTED)
        whole = "\n".join(source.whole for source in cited)
        fault = _unheld(text, whole) or self._twisted(text, said, lines, nearness)
        if fault is None and all(leaves_out_whom(f"{said}\n{text}", source.above) for source in cited):
            fault = Fault.CONDITION
        return Support(share, support.nearness, fault)

    def _share(self, text: str, source: _Source) -> float:
        """Nothing of it where a source has words of the sentence in its headings alone: a title supports nothing."""
        wanted, above = content(text), content(source.above)
        windows = (window for window in source.windows if (wanted - above) & window)
        return max((share_covered(wanted, self._rarity, window) for window in windows), default=0.0)

    def _is_held(self, part: str, cited: Sequence[_Source]) -> bool:
        """Whether the sources say something of a part of a long sentence: the rest can't vouch for it."""
        return max(self._share(part, source) for source in cited) >= _PART_HELD

    def _twisted(self, text: str, said: str, lines: list[str], nearness: Sequence[float]) -> Fault | None:
        """Whether the sentences of the sources that say the same say it otherwise; one that agrees is enough."""
        wanted = content(text)
        shares = [share_covered(wanted, self._rarity, content(line)) for line in lines]
        same = [
            line
            for line, share, near in zip(lines, shares, nearness, strict=True)
            if share >= max(_SAME_THING, max(shares) - 0.1) and near >= _SAME_MEANING
        ]
        if not same:
            return None
        if all(is_denied(text, line) for line in same):
            return Fault.DENIED
        return Fault.CONDITION if all(leaves_out_condition(f"{said}\n{text}", line) for line in same) else None


def _parts(text: str) -> list[str]:
    """A long sentence in parts, the last of which reaches back to be whole; nothing where it is short."""
    words = text.split()
    starts = [*range(0, len(words) - _PART_WORDS, _PART_WORDS), len(words) - _PART_WORDS]
    return [" ".join(words[start : start + _PART_WORDS]) for start in starts] if len(words) >= 2 * _PART_WORDS else []


def _unheld(text: str, whole: str) -> Fault | None:
    """What must stand in a source to the letter, and doesn't."""
    if numbers(text) - numbers_held(whole):
        return Fault.NUMBER
    if names(text) - names_held(whole):
        return Fault.NAME
    bare = " ".join(whole.split())
    return None if all(part in bare for part in code(text)) else Fault.CODE


def is_verbatim(block: str, passage: Passage) -> bool:
    """Whether a block of code stands in a passage as it is, white space aside."""
    lines = block.strip().split("\n")
    bare = " ".join(" ".join(lines[1:-1] if lines[0].startswith("```") else lines).split())
    return bool(bare) and bare in " ".join(passage.text.split())


def _laid_out(passage: Passage) -> _Source:
    above = "\n".join((passage.title, *passage.heading_path))
    return _Source(above, passage, tuple((at, line[:_LONGEST_COMPARED]) for at, line in _lines(passage.text)))


def _lines(text: str) -> list[tuple[int, str]]:
    """The sentences, list items, rows and blocks of code that state something, with their offsets; all of the text
    where none does."""
    found: list[tuple[int, str]] = []
    for unit in units(text):
        if unit.kind is UnitKind.LIST:
            found += [(unit.start + start, unit.text[start:end]) for start, end in sentences(unit.text)]
        else:
            found.append((unit.start, unit.text))
    return [(start, line) for start, line in found if not is_order_to_machine(line)] or [(0, "")]
