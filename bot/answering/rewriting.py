"""Makes a follow-up stand alone, by rules and without a model."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.answering.contrast import contrasted
from bot.answering.pronouns import stands_without_nouns, with_pronoun_replaced
from bot.answering.topics import Phrase, ranked_topics
from bot.answering.words import stem, tokens
from bot.types import Query, Turn

_GREETING = re.compile(
    r"""^(?:\s*(?:@?footnote|hi(?:\s+(?:there|all|team|folks))?|hello|hey|good\s+(?:morning|afternoon|evening))
    \b[\s,.!:–—-]*)+""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*\s*|[.!?]+\s*")
_ASKS = re.compile(
    r"""^(?:(?:and|but|so|ok(?:ay)?|then|now|also|hmm|yes|no|well)[\s,]+)*(?:who|whom|whose|what|which|when|where|why|how|
    is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may|tell|show|explain|describe|give|list|
    compare)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HANDED_ON = re.compile(
    r"""(?:(?:and|so|ok(?:ay)?|well|hmm|please)[\s,]+)*(?:
    (?:do|would|might)\s+you\s+(?:happen\s+to\s+)?know(?:\s+(?:this|that|it|the\s+answer))?(?:\s+(?:one|too))?|
    (?:can|could|will|would)\s+you\s+(?:please\s+)?(?:help(?:\s+(?:us|me|him|her|them|out|here|with\s+(?:this|that|it)))*|
    (?:answer|take|look\s+(?:at|into))(?:\s+(?:this|that|it|the\s+question))?(?:\s+one)?)|
    (?:please\s+)?answer(?:\s+(?:this|that|it|the\s+question))?(?:\s+one)?|
    (?:any|an|no)\s+(?:idea|ideas|clue|thoughts|answer)|thoughts|
    what\s+(?:do|would)\s+you\s+(?:think|say)|over\s+to\s+you
    )(?:[\s,]+please)?[\s?.!]*""",
    re.IGNORECASE | re.VERBOSE,
)
"""Somebody calls Footnote to a question that another person has asked in the thread."""
_MOST_WORDS = 80
"""A longer text tells a story around what it asks."""
_MOST_TURNS = 12
"""Earlier turns further back are not looked at: what a follow-up leans on stands near."""

Rewrite = Callable[[str, tuple[Turn, ...]], Query]
"""Makes a follow-up stand alone: a text, and the turns before it, oldest first."""


def rewrite(text: str, turns: tuple[Turn, ...]) -> Query:
    """The question with what it leaves out taken from the earlier turns; one that stands alone is left as it is."""
    return Query(text=_focused(_stand_alone(text, turns[-_MOST_TURNS:])), asked=text)


def _stand_alone(text: str, turns: tuple[Turn, ...]) -> str:
    """The text, resolved against the turns, each of which is resolved against those before it."""
    questions: list[str] = []
    said = ""
    for turn in turns:
        if turn.is_footnote:
            said = turn.text
        else:
            questions.append(_resolved(_bare(turn.text), questions, said))
    return _resolved(_bare(text), questions, said)


def _bare(text: str) -> str:
    """Without a greeting in front."""
    return _GREETING.sub("", text.strip()) or text.strip()


def _focused(text: str) -> str:
    """Of a long text the sentences that ask, each with the one before it where it says nothing by itself."""
    if len(text.split()) <= _MOST_WORDS:
        return text
    sentences = _SENTENCE.findall(text)
    asking = [at for at, sentence in enumerate(sentences) if sentence.rstrip().endswith("?")]
    kept = set(asking) | {at - 1 for at in asking if at and stands_without_nouns(sentences[at])}
    return "".join(sentences[at] for at in sorted(kept)).strip() or text


def _resolved(text: str, questions: list[str], said: str) -> str:
    if not questions:
        return text
    if _HANDED_ON.fullmatch(text):
        return next((question for question in reversed(questions) if is_asking(question)), text)
    whole = contrasted(text, questions[-1])
    if whole:
        return whole
    named = {stem(word) for word in tokens(text)}
    topics = [topic for topic in ranked_topics(questions, said) if not topic.stems <= named]
    sentences = _SENTENCE.findall(text)
    asking = next((at for at, sentence in enumerate(sentences) if is_asking(sentence)), None)
    if not topics or asking is None or _names_its_topic(sentences[:asking]):
        return text
    sentences[asking] = _completed(sentences[asking], topics)
    return "".join(sentences)


def is_asking(sentence: str) -> bool:
    """Whether a sentence asks something, by its mark or its first word."""
    return sentence.rstrip().endswith("?") or bool(_ASKS.match(sentence))


def _names_its_topic(sentences: list[str]) -> bool:
    """Whether what was said before the question, in the same message, says what it is about."""
    return any(len(sentence.split()) > 3 and not stands_without_nouns(sentence) for sentence in sentences)


def _completed(sentence: str, topics: list[Phrase]) -> str:
    replaced = with_pronoun_replaced(sentence, topics)
    if replaced:
        return replaced
    if not stands_without_nouns(sentence):
        return sentence
    bare = sentence.rstrip(" ?!.")
    return f"{bare} for {topics[0].article}{topics[0].text}{sentence[len(bare) :] or '?'}"
