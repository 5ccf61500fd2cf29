"""Finds what earlier turns are about: their noun phrases, weighed by how likely a follow-up means them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.answering.words import FUNCTION_WORDS, stem, tokens, word_list

_VERBS = word_list(
    """apply approve ask attract become began begin believe break bring buy call called came caused choose come compare
    connect consider consist contain create cut describe did die differ discuss eat expire extend feel file find found
    give go going grow handle happen happened hear heard host improve include increase invent invented involve join
    keep kept held bought told kill know known lead learn let lets live look lose lost made make makes manage mention
    motivate move originate
    own pay pick prevent prove provide put raise reach read recommend recorded reduce rename renew reset respond restart
    restore rotate running said see sell send sent serve sold speak spend start started stop submit suggest take taken
    talk taught teach tell think took treat try turn used using wait watch went win won wrote written elaborate affect
    affected influenced love loved cooked based related founded deploy install configure fix escalate log
    expense request report support cost change work open close run share sign set use play store drive end form help
    hold record trigger influence book order
    best better worse worst good bad important main possible available interesting different similar"""
)
"""Words that end a noun phrase although they mean something."""

_ALSO_NOUNS = word_list(
    """expense request report support cost change work share set store drive form help record trigger book order file
    fix host log call"""
)
"""Those of them that name a thing behind an article or another noun."""

_ARTICLES = word_list("a an the my our your their its his her this that these those new paid")

_RELATIONS = word_list(
    """advantage aim amount amounts application approach area aspect background behavior benefit cause challenge
    characteristic component con concept consequence cost danger definition description detail difference disadvantage
    drawback effect evidence example experience fact factor feature function goal health history idea impact importance
    influence information issue item kind length level limit list location meaning method name number option order
    origin outcome overview part people person place population price principle problem process pro product purpose
    question reason relation relationship result risk role rule side significance similarity size source stage step
    story structure style success summary symptom technique theme time topic type use value variety version way year day
    month week hour question answer bit difference"""
)
"""Nouns that say what about a thing is asked, and not which thing."""

_RELATION_STEMS = frozenset(stem(word) for word in _RELATIONS)
_WORD = re.compile(r"[\w][\w'’./+#-]*[\w+#]|\w")
_ARTICLE = re.compile(r"\b(?:the|our)\s+$", re.IGNORECASE)
_TAKEN_OFF = word_list("time day days week weeks hours")
_VERB_STEMS = frozenset(stem(word) for word in _VERBS - _ALSO_NOUNS)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A run of words that name one thing."""

    text: str
    start: int
    """Characters from the start of its text."""
    stems: frozenset[str]
    article: str = ""
    """The article in front of it, with its space."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_plural(self) -> bool:
        """Whether its last word looks like a plural."""
        last = self.text.split()[-1].lower()
        return len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is"))

    @property
    def is_name(self) -> bool:
        """Whether it has a capital letter, as names have."""
        return any(letter.isupper() for letter in self.text)

    @property
    def is_relation(self) -> bool:
        """Whether all that it says is what is asked about something."""
        return self.stems <= _RELATION_STEMS and not self.text.endswith(" off")


def phrases(text: str) -> tuple[Phrase, ...]:
    """The noun phrases of a text, in order."""
    found: list[Phrase] = []
    run: list[re.Match[str]] = []
    before, end = "", 0
    for match in _WORD.finditer(text):
        if run and not text[end : match.start()].isspace():
            found += _closed(text, run)
            run = []
        if _belongs(match.group(), before, in_run=bool(run)):
            run.append(match)
        else:
            found += _closed(text, run)
            run = []
        before, end = match.group().lower(), match.end()
    return (*found, *_closed(text, run))


def _belongs(word: str, before: str, *, in_run: bool) -> bool:
    """Whether a word goes into a noun phrase, given the word before it."""
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    if lower == "off":
        return before in _TAKEN_OFF
    if lower in FUNCTION_WORDS or (lower.endswith("ly") and not word[0].isupper()):
        return False
    if word[0].isupper() and before:
        return True
    if lower in _ALSO_NOUNS:
        return in_run or before in _ARTICLES
    if in_run and lower.endswith("ed"):
        return False
    return lower not in _VERBS and stem(lower) not in _VERB_STEMS


def _closed(text: str, run: list[re.Match[str]]) -> list[Phrase]:
    if not run:
        return []
    words = text[run[0].start() : run[-1].end()].removesuffix("'s").removesuffix("’s")
    article = _ARTICLE.search(text[: run[0].start()])
    stems = frozenset(stem(part) for part in tokens(words))
    return [Phrase(words, run[0].start(), stems, article.group().lower() if article else "")]


def ranked_topics(questions: Sequence[str], background: str = "") -> list[Phrase]:
    """What the questions, oldest first, are about, likeliest first; `background` (answers) tips the balance."""
    scores: dict[frozenset[str], float] = {}
    named: dict[frozenset[str], Phrase] = {}
    mentioned = frozenset(stem(word) for word in tokens(background))
    for age, question in enumerate(reversed(questions)):
        for phrase in phrases(question):
            if phrase.is_relation:
                continue
            scores[phrase.stems] = scores.get(phrase.stems, 0.0) + _weight(phrase, mentioned) * 0.6**age
            named.setdefault(phrase.stems, phrase)
    return sorted(named.values(), key=lambda phrase: -scores[phrase.stems])


def _weight(phrase: Phrase, mentioned: frozenset[str]) -> float:
    weight = 1.0 + 0.5 * phrase.is_name + 0.3 * (len(phrase.stems) > 1)
    return weight + 0.3 * bool(phrase.stems & mentioned)
