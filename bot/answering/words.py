"""The words of a text as they are compared: stemmed, without those that carry no meaning, identifiers whole."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # it ships no types


def word_list(words: str) -> frozenset[str]:
    """A list of words, written as people read them."""
    return frozenset(words.split())


FUNCTION_WORDS = word_list(
    """a an the this that these those there here it its itself they them their theirs he him his she her hers we us our
    ours you your yours i me my mine myself yourself one ones some any each every all both either neither no not nor
    none other another such same own and or but if then than so because as of at by for with about against between into
    through during before after above below to from up down in out on off over under again further once per via within
    without is are was were be been being am do does did doing done have has had having can could shall should will
    would may might must ought need cannot who whom whose which what when where why how whether just only also too very
    really please tell know there's it's i'm we're let's get gets got getting us again ever still yet much many more
    most thing things something anything someone anyone everybody everyone somebody anybody s t re ve ll d m don didn
    doesn isn aren wasn weren won wouldn couldn shouldn haven hasn hadn like want wants wanted give find explain show
    happen happens mean means way kind sort lot well ok okay hi hello hey thanks thank maybe actually exactly
    currently"""
)
"""Words that say what kind of sentence it is, not what it is about."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*(?:[-_./:@][^\W_]+)*|--?[a-z][\w-]*", re.IGNORECASE)
_PART = re.compile(r"[^\W_]+")
_stemmer = SnowballStemmer("english")


@lru_cache(maxsize=50_000)  # the words of a few thousand pages
def stem(word: str) -> str:
    """The word's stem, lower case."""
    return str(_stemmer.stem_word(word.lower()))


def tokens(text: str) -> list[str]:
    """Words as they stand, in order."""
    return _WORD.findall(text)


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order; what is joined by a hyphen or a dot is taken in parts."""
    parts = (part for token in tokens(text) for part in _PART.findall(token))
    return [stem(part) for part in parts if part.lower() not in FUNCTION_WORDS]


def inverse_frequencies(texts: Sequence[str]) -> dict[str, float]:
    """How rare each stem is among the texts, 0 or more."""
    counts = Counter(word for text in texts for word in set(content_stems(text)))
    return {word: math.log(1 + (len(texts) - count + 0.5) / (count + 0.5)) for word, count in counts.items()}


def is_identifier(token: str) -> bool:
    """Whether it is a name that somebody gave a thing, such as `ERR_42`, `--dry-run` or `user_id`."""
    has_digit, has_letter = any(c.isdigit() for c in token), any(c.isalpha() for c in token)
    joined = "_" in token or token.startswith("--")
    return has_letter and (joined or (has_digit and len(token) > 2 and any(c.isupper() or c in "-_" for c in token)))


def identifiers(text: str) -> frozenset[str]:
    """The names in the text that must be met letter by letter, lower case."""
    return frozenset(token.lower() for token in tokens(text) if is_identifier(token))


def share_covered(wanted: Iterable[str], weights: dict[str, float], present: frozenset[str]) -> float:
    """The weighted share of the wanted stems that are present, 0 to 1; stems without a weight count as the rarest."""
    rarest = max(weights.values(), default=1.0)
    weighed = {word: weights.get(word, rarest) for word in wanted}
    total = sum(weighed.values())
    return sum(weight for word, weight in weighed.items() if word in present) / total if total else 0.0
