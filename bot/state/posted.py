"""What is remembered of an answer that was posted: who reads it, and what each of its markers rests on."""

from __future__ import annotations

from dataclasses import dataclass

from bot.types import Question, Surface
from retrieval.types import Place


@dataclass(frozen=True, slots=True)
class Digest:
    """Some words, by which they are known again and can't be read."""

    sha256: str
    length: int
    """Words."""


@dataclass(frozen=True, slots=True)
class CitedMessage:
    """A message that a part of an answer rests on."""

    place: Place
    ts: str
    root_ts: str
    sha256: str = ""
    """Of all that was to be read in it; empty as long as it was not looked at."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What one marker of an answer rests on."""

    marker: int
    source_id: str
    passage_id: str
    places: frozenset[Place]
    messages: tuple[CitedMessage, ...] = ()
    """Of talk."""
    quotes: tuple[Digest, ...] = ()
    """Of documents and files, the words that are shown of them."""
    has_fallen: bool = False
    """Whether it may no longer stand."""


@dataclass(frozen=True, slots=True)
class PostedAnswer:
    """A reply of Footnote's, posted or about to be."""

    id: str
    """Opaque."""
    team: str
    asker: str
    channel: str
    """Slack's id of the conversation when it was posted."""
    place: Place
    question_ts: str
    root_ts: str
    surface: Surface
    outcome: str
    """Answer, refusal…; cancelled, where the question was taken back meanwhile."""
    cited: tuple[Cited, ...] = ()
    posts: tuple[str, ...] = ()
    """The `ts` of its messages, in order."""
    is_posting: bool = False
    is_settled: bool = True
    """Whether its messages show no more than may stand, as far as is known."""

    @property
    def fallen(self) -> frozenset[int]:
        """Markers that may no longer stand."""
        return frozenset(cited.marker for cited in self.cited if cited.has_fallen)

    @property
    def question(self) -> Question:
        """The question without its words; it still says who reads the answer."""
        thread_ts = self.root_ts if self.root_ts != self.question_ts else None
        return Question(self.team, self.asker, self.channel, self.question_ts, thread_ts, "", self.surface)
