"""Finds the terms of a text that exact search goes by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from retrieval.chunking.hidden import without_hidden
from retrieval.embedding.languages import COMPOUNDING, LANGUAGES, spelling, stemmer, stems_like
from retrieval.embedding.scripts import HAN, UNSPACED, UNSPACED_RUN
from retrieval.embedding.stopwords import stop_words
from retrieval.errors import EmbeddingError

_ALPHABETS = (*range(0x300, 0x2100), *range(0xA620, 0xAC00))
"""Where alphabets of living languages stand, Latin, Han and Hangul left out, which have neither of the following."""

_MARKS = "".join(chr(at) for at in _ALPHABETS if unicodedata.category(chr(at)).startswith("M"))
"""Vowel signs and accents, which are no letters to a regular expression and yet are parts of words."""

_AS_WRITTEN = {at: str(unicodedata.decimal(chr(at))) for at in _ALPHABETS if chr(at).isdecimal()}
_AS_WRITTEN |= {ord("’"): "'", ord("\u200d"): ""}
"""Digits of any script as Europeans write them, plain apostrophes, and no joiner between the letters of a word."""

_LETTERS = rf"[^\W{UNSPACED}](?:[^\W{UNSPACED}]|(?![{UNSPACED}])[{_MARKS}])*"
_WORD = re.compile(rf"{UNSPACED_RUN.pattern}|{_LETTERS}(?:(?:['.\-/:@\\]+|(?<=\d),(?=\d)){_LETTERS})*")
"""A run of unspaced script, or a word with its inner joints: `Accept-Ranges`, `user_id`, `crate::io`, `10,000`."""

_PARTS = re.compile(
    r"['.,\-/:@\\_]+"  # joints
    r"|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"  # camelCase, HTTPServer
    r"|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])"  # sha256
)
_PLURAL_OF_CAPITALS = re.compile(r"^([A-Z]{2,})s$")  # VPNs: no stemmer takes its s for a plural
_POSSESSIVE = re.compile(r"'s?$", re.IGNORECASE)
_LONGEST = 64
"""Characters of a term; longer ones are encoded data, which nobody asks for."""

_SHORTEST_PIECE = 4
"""Letters of what a compound may begin or end with; shorter ones are mostly prefixes and endings."""

_SHORTEST_COMPOUND = 9
"""Letters of a word that may be a compound."""


@dataclass(frozen=True, slots=True)
class TermRules:
    """Which rules make terms of words; each can be switched off, to see what it is worth."""

    stems: bool = True
    stop_words: bool = True
    """Whether words that tell nothing apart are left out."""
    parts: bool = True
    """Whether a compound gives its parts too, beside itself."""
    pieces: bool = True
    """Whether long words are met by what they begin and end with, in languages that write compounds as one word."""


EVERY_RULE = TermRules()


class TermExtractor:
    """Terms of passages and queries in one language."""

    def __init__(self, language: str, rules: TermRules = EVERY_RULE) -> None:
        if language not in LANGUAGES:
            raise EmbeddingError(f"LANGUAGE={language} is not known; it can be one of {', '.join(LANGUAGES)}.")
        base = stems_like(language)
        self._spelled = spelling(base)
        self._stem: Callable[[str], str] = stemmer(base) if rules.stems else str
        self._stop_words = frozenset(map(self._spelled, stop_words(base) if rules.stop_words else ()))
        self._has_parts = rules.parts
        self.has_pieces = rules.pieces and base in COMPOUNDING
        self._terms_of = lru_cache(maxsize=50_000)(self._of_word)  # natural text repeats its words
        self._pieces_of = lru_cache(maxsize=20_000)(self._cut)

    def terms(self, text: str) -> list[str]:
        """All terms in order, with repetitions; a question's are found as a passage's are, so that they can meet."""
        return list(self._terms(text))

    def pieces(self, text: str) -> list[str]:
        """What the text's long words begin and end with, as terms: `urlaub` and `antrag` of `Urlaubsantrag`.

        Most of them are no words at all, and nobody asks for those. Empty in languages that leave spaces in compounds.
        """
        if not self.has_pieces:
            return []
        parts = (part for word in _WORD.findall(_normalised(text)) for part in _PARTS.split(word))
        long = (part for part in parts if _SHORTEST_COMPOUND <= len(part) <= _LONGEST)
        return [piece for part in long for piece in self._pieces_of(part)]

    def _cut(self, part: str) -> tuple[str, ...]:
        word = self._spelled(part)
        if not word.isalpha() or word in self._stop_words:
            return ()
        cuts = range(_SHORTEST_PIECE, len(word) - _SHORTEST_PIECE + 1)
        return tuple(sorted({self._stem(piece) for at in cuts for piece in (word[:at], word[at:])}))

    def _terms(self, text: str) -> Iterator[str]:
        for word in _WORD.findall(_normalised(text)):
            if UNSPACED_RUN.match(word):
                yield from _grams(word)
            else:
                yield from self._terms_of(word) if len(word) <= _LONGEST else self._of_word(word)

    def _of_word(self, word: str) -> tuple[str, ...]:
        if self._is_stop_word(word):
            return ()
        bare = self._without_elision(_POSSESSIVE.sub("", word))
        return () if self._is_stop_word(bare) else tuple(self._identifier(bare))

    def _is_stop_word(self, word: str) -> bool:
        return self._spelled(word) in self._stop_words

    def _without_elision(self, word: str) -> str:
        """The word without what it has swallowed: `armoire` of `l'armoire`."""
        first, joint, rest = word.partition("'")
        return rest if joint and self._is_stop_word(first) else word

    def _identifier(self, word: str) -> Iterator[str]:
        """The word's stem; of a compound, itself as it stands and the stems of its parts."""
        parts = [part for part in _PARTS.split(word) if part]
        if len(parts) > 1 and len(word) <= _LONGEST:
            yield self._spelled(word).replace(",", "")
            if not self._has_parts:
                return
        for part in parts:
            spelled = self._spelled(_PLURAL_OF_CAPITALS.sub(r"\1", part))
            if spelled not in self._stop_words and len(part) <= _LONGEST:
                yield self._stem(spelled)


def _normalised(text: str) -> str:
    """The text with one form for what looks the same: composed letters, plain apostrophes and digits."""
    return unicodedata.normalize("NFKC", without_hidden(text)).translate(_AS_WRITTEN)


def _grams(run: str) -> list[str]:
    """Overlapping pairs of characters, and each Han character, which can be a word; or the one character."""
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)] + HAN.findall(run)
