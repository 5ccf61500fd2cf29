"""What `LANGUAGE` can be, and how words are written and inflected in each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # it ships no types

STEMMED = (
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

UNSPACED = ("burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai")
"""Languages in whose scripts words are found without a stemmer; what else stands beside them is read as English."""

LANGUAGES = tuple(sorted((*STEMMED, *UNSPACED)))

COMPOUNDING = frozenset({"danish", "dutch", "finnish", "german", "hungarian", "norwegian", "swedish"})
"""Languages that write what others write as several words as one: `Urlaubsantrag`."""

_LETTERS_OF_THEIR_OWN = frozenset({"danish", "finnish", "hungarian", "norwegian", "swedish", "turkish"})
"""Languages in which another mark makes another letter, and nobody leaves it out."""

_MARKS = re.compile("[\u0300-\u036f]+")
_UMLAUT = re.compile("(?<![aeiouyq])([aou])e")
_TURKISH_CAPITALS = str.maketrans("Iİ", "ıi")
_CEDILLAS = str.maketrans("șț", "şţ")


def stems_like(language: str) -> str:
    """The language whose stems and stop words a language's words have."""
    return "english" if language in UNSPACED else language


def stemmer(language: str) -> Callable[[str], str]:
    """Gives words of any spelling, as `spelling` writes them, their stem."""
    stem: Callable[[str], str] = SnowballStemmer(language).stem_word
    return stem if language in _LETTERS_OF_THEIR_OWN else lambda word: unmarked(stem(word))


def spelling(language: str) -> Callable[[str], str]:
    """Writes a word as all do who mean the same: in small letters, and in one of the ways that a language allows."""
    return _SPELLINGS.get(language, str.casefold)


def unmarked(word: str) -> str:
    """The word without accents and other marks on its letters, which many leave out."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))


def _plain(word: str) -> str:
    return unmarked(word.casefold())


def _german(word: str) -> str:
    """An umlaut may be written as two letters, as in addresses and file names, and ß as ss."""
    return _UMLAUT.sub(r"\1", _plain(word))


_SPELLINGS: dict[str, Callable[[str], str]] = {
    "dutch": _plain,
    "english": _plain,
    "german": _german,
    "greek": _plain,
    "romanian": lambda word: word.casefold().translate(_CEDILLAS),  # the stemmer knows the older of two letters
    "russian": lambda word: word.casefold().replace("ё", "е"),
    "turkish": lambda word: word.translate(_TURKISH_CAPITALS).casefold(),
}
