"""Finds the terms of a text that exact search goes by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # it ships no types

from retrieval.embedding.stopwords import STOP_WORDS
from retrieval.errors import EmbeddingError

LANGUAGES = (
    "arabic",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "greek",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
)
"""Languages that have a Snowball stemmer."""

# Scripts written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han, and the planes of rarer Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_LETTERS = rf"[^\W{_UNSPACED}]+"
_WORD = re.compile(rf"{_UNSPACED_RUN.pattern}|{_LETTERS}(?:(?:['.\-/:@\\]+|(?<=\d),(?=\d)){_LETTERS})*")
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


@dataclass(frozen=True, slots=True)
class TermRules:
    """Which rules make terms of words; each can be switched off, to see what it is worth."""

    stems: bool = True
    stop_words: bool = True
    """Whether words that tell nothing apart are left out."""
    parts: bool = True
    """Whether a compound gives its parts too, beside itself."""


EVERY_RULE = TermRules()


class TermExtractor:
    """Terms of passages and queries in one language."""

    def __init__(self, language: str, rules: TermRules = EVERY_RULE) -> None:
        if language not in LANGUAGES:
            raise EmbeddingError(
                f"There are no stems for LANGUAGE={language}; it can be one of {', '.join(LANGUAGES)}."
            )
        self._stem: Callable[[str], str] = SnowballStemmer(language).stem_word if rules.stems else str
        self._stop_words = STOP_WORDS.get(language, frozenset()) if rules.stop_words else frozenset()
        self._has_parts = rules.parts

    def terms(self, text: str) -> list[str]:
        """All terms in order, with repetitions; a question's are found as a passage's are, so that they can meet."""
        return list(self._terms(text))

    def _terms(self, text: str) -> Iterator[str]:
        for word in _WORD.findall(unicodedata.normalize("NFKC", text).replace("’", "'")):
            if _UNSPACED_RUN.match(word):
                yield from _bigrams(word)
            elif word.casefold() not in self._stop_words:
                yield from self._identifier(_POSSESSIVE.sub("", word))

    def _identifier(self, word: str) -> Iterator[str]:
        """The word's stem; of a compound, itself as it stands and the stems of its parts."""
        parts = [part for part in _PARTS.split(word) if part]
        if len(parts) > 1 and len(word) <= _LONGEST:
            yield word.casefold().replace(",", "")
            if not self._has_parts:
                return
        for part in parts:
            lowered = _PLURAL_OF_CAPITALS.sub(r"\1", part).casefold()
            if lowered not in self._stop_words and len(part) <= _LONGEST:
                yield self._stem(lowered)


def _bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters, or the one character."""
    return [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
