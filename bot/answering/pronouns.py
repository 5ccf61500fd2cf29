"""Puts what a pronoun means in its place."""

from __future__ import annotations

import re

from bot.answering.kinds import names_people
from bot.answering.topics import Phrase, phrases
from bot.answering.words import FUNCTION_WORDS, stem

_PRONOUN = re.compile(
    r"\b(?P<word>its|their|his|her|it|this|that|they|them|these|those|he|she|him)\b(?P<short>['’](?:s|re))?",
    re.IGNORECASE,
)
_OF_PEOPLE = frozenset({"he", "she", "him", "his", "her"})
_OF_MANY = frozenset({"they", "them", "these", "those", "their"})
_OWNING = frozenset({"its", "their", "his", "her"})
_POINTING = frozenset({"this", "that", "these", "those"})
_IDLE_IT = re.compile(
    r"""\bit\s+(?:(?:is|be|takes?|would|make|makes|sense|really|still|even)\s+)*\w+\s+(?:to|that|if|for\s+\w+\s+to)\b
    |\bit\s+(?:rain|snow)s?\b|\bmake\s+it\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSE_BREAK = re.compile(
    r"[,.;:!?]|\b(?:and|if|when|while|because|but|or|so|before|after|that|who|which)\b", re.IGNORECASE
)
_TAKES_AN_OBJECT = re.compile(
    r"\b(?:is|was|are|were|does|did|do|can|could|will|would|should|has|about|of|to|for|with|in|at|on|from|by|after|before|during|like)\s+$",
    re.IGNORECASE,
)


def with_pronoun_replaced(sentence: str, topics: list[Phrase]) -> str | None:
    """The sentence with its first pronoun that means something earlier replaced; None where there is none."""
    for pronoun in _PRONOUN.finditer(sentence):
        if not _means_something_earlier(pronoun, sentence):
            continue
        if pronoun["word"].lower() in _POINTING and (noun := _noun_behind(pronoun, sentence)):
            return _with_noun_named(sentence, pronoun, noun, topics)
        meant = _antecedent(pronoun["word"].lower(), topics)
        return (
            sentence[: pronoun.start()] + meant.article + meant.text + _ending(pronoun) + sentence[pronoun.end() :]
            if meant
            else None
        )
    return None


def _ending(pronoun: re.Match[str]) -> str:
    if pronoun["short"]:
        return " are" if pronoun["short"].lower().endswith("re") else " is"
    return "'s" if pronoun["word"].lower() in _OWNING else ""


def _means_something_earlier(pronoun: re.Match[str], sentence: str) -> bool:
    """Whether it points out of its sentence, as far as its place tells."""
    word, before, after = pronoun["word"].lower(), sentence[: pronoun.start()], sentence[pronoun.end() :]
    clauses = [match.end() for match in _CLAUSE_BREAK.finditer(before)]
    if clauses and phrases(before[: clauses[-1]]):
        return False
    if word == "it":
        return not _IDLE_IT.match(sentence, pronoun.start()) and not re.search(r"\bmake\s+$", before)
    if word == "that" and re.match(r"\s+\w", after):
        return not before.strip() or bool(_TAKES_AN_OBJECT.search(before))
    return True


def _noun_behind(pronoun: re.Match[str], sentence: str) -> Phrase | None:
    """The noun that a "this" or "those" points at."""
    rest = sentence[pronoun.end() :]
    named = phrases(rest)
    return named[0] if named and not rest[: named[0].start].strip() and not pronoun["short"] else None


def _with_noun_named(sentence: str, pronoun: re.Match[str], noun: Phrase, topics: list[Phrase]) -> str | None:
    """A fuller name of the noun where a topic has one; the likeliest topic behind a noun that says little."""
    start, end = pronoun.end() + noun.start, pronoun.end() + noun.end
    last = stem(noun.text.split()[-1])
    for topic in topics:
        if last in topic.stems and len(topic.stems) > len(noun.stems):
            return f"{sentence[: pronoun.start()]}{topic.text}{sentence[end:]}"
    if noun.is_relation:
        return f"{sentence[:start]}{topics[0].text} {sentence[start:]}"
    return None


def _antecedent(word: str, topics: list[Phrase]) -> Phrase | None:
    """The likeliest topic that agrees with the pronoun; for a person only a name will do."""
    if word in _OF_PEOPLE:
        return next((topic for topic in topics if topic.is_name and not topic.is_plural), None)
    fitting = [topic for topic in topics if topic.is_plural == (word in _OF_MANY)] or topics
    people = [topic for topic in fitting if word in {"they", "them"} and names_people(topic.text)]
    return next(iter(people or fitting), None)


def stands_without_nouns(sentence: str) -> bool:
    """Whether nothing in the sentence says what it is about."""
    return all(phrase.is_relation for phrase in phrases(sentence)) and bool(
        set(sentence.lower().split()) & FUNCTION_WORDS
    )
