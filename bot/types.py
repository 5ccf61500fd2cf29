"""What the stages of an answer hand each other, in the order in which they are made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from retrieval.types import Anchor, Hit, Passage, Place, Scope, UnitKind

# ---------------------------------------------------------------------------------------------- people and places


class PersonKind(Enum):
    """What somebody is in the workspace; it decides what they may read."""

    MEMBER = "member"
    GUEST = "guest"
    OUTSIDER = "outsider"
    """Someone of another organisation, met in a shared channel."""
    NOBODY = "nobody"
    """A bot, a deactivated person, a stranger, or somebody of whom nothing is known: may read nothing."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, as `users.info` tells it."""

    id: str
    name: str
    """As Slack shows it."""
    kind: PersonKind
    handle: str = ""
    """What Slack calls a username; many don't know their own."""
    tz: str = "UTC"
    locale: str = "en-US"
    is_reader: bool = True
    """False for bots and deactivated people, who open nothing and so don't count among a reply's readers."""


class ConversationKind(Enum):
    """What Slack's flags say a conversation is; its id's first letter says nothing."""

    PUBLIC = "public"
    PRIVATE = "private"
    GROUP_DM = "group_dm"
    DM = "dm"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A channel, group DM or DM, as `conversations.info` tells it."""

    id: str
    """Slack's id, which a conversion or a share can change."""
    place: Place
    """Our own, which stays."""
    name: str
    kind: ConversationKind
    is_shared: bool = False
    """Shared with another organisation or another workspace, or about to be."""
    is_archived: bool = False
    is_joined: bool = True
    """Whether Footnote is in it."""
    shared_with: frozenset[str] = frozenset()
    """Ids of the other teams with which it is shared, or about to be, as far as Slack names them."""


# ---------------------------------------------------------------------------------------------------- a question


class FollowUps(Enum):
    """Which messages of a channel's thread are questions without a mention."""

    NONE = "none"
    ASKER = "asker"
    """What the asker asks right after Footnote's reply to them."""


class Guests(Enum):
    """Whether guests are answered."""

    REFUSE = "refuse"
    ANSWER = "answer"
    """Where they ask, from what they may open."""


class Surface(Enum):
    """Where a question was put, and so who reads the reply."""

    CHANNEL = "channel"
    """In a channel or group DM: everybody there, and everybody who joins later."""
    DM = "dm"
    """In a DM with Footnote: the asker."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, as it was asked."""

    team: str
    asker: str
    """A user id."""
    channel: str
    """Slack's id of the conversation in which it was asked and will be answered."""
    ts: str
    thread_ts: str | None
    """None when it opens a thread."""
    text: str
    """Markdown with names in place of ids; Footnote's own mention is taken out."""
    surface: Surface

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for every event of the same post."""
        return (self.team, self.channel, self.ts)

    @property
    def root_ts(self) -> str:
        """The thread in which the reply goes."""
        return self.thread_ts or self.ts


@dataclass(frozen=True, slots=True)
class AccessChange:
    """What an event says has changed about who may read what; empty where it says nothing of one."""

    channel: str = ""
    user: str = ""
    is_of_channel: bool = False
    """Whether the channel itself is another kind of channel now, and not only somebody's being in it."""


class Admission(Enum):
    """Whether somebody may put a question where they put it, and what they hear if not."""

    ADMITTED = "admitted"
    TOLD_NO = "told_no"
    """A guest: a fixed sentence, to them alone."""
    NEEDS_APPROVAL = "needs_approval"
    """A full member, where nobody has allowed yet that others see answers: they are asked, alone, whether they do."""
    OUTSIDER_TOLD_NO = "outsider_told_no"
    """Somebody of another organisation, where a shared channel is approved: a fixed sentence, to them alone."""
    SILENCE = "silence"
    """A bot, a stranger, somebody of another organisation elsewhere; anybody else in a channel that needs approval."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the thread in which a question was asked."""

    author: str
    """A name; empty for Footnote's own."""
    text: str
    is_footnote: bool = False
    cites: frozenset[Place] | None = None
    """Of Footnote's own, where the sources stand that it cites; None where nobody remembers."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question made to stand alone."""

    text: str
    asked: str
    """The asker's own words."""

    @property
    def is_rewritten(self) -> bool:
        return self.text != self.asked


# ------------------------------------------------------------------------------------------------------ evidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """The few passages that an answer may rest on, strongest first, and whether they are enough to answer at all."""

    hits: tuple[Hit, ...]
    confidence: float
    """0 to 1, calibrated: how likely it is that these passages answer the query."""
    is_enough: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage, verbatim."""

    text: str
    """Markdown; a table row comes with its header, a list with its lead-in."""
    kind: UnitKind
    passage: Passage
    anchor: Anchor
    """What its citation opens."""
    heading_path: tuple[str, ...] = ()
    """The headings above these words, which can be more than those above the whole passage."""


# -------------------------------------------------------------------------------------------------------- replies


@dataclass(frozen=True, slots=True)
class Citation:
    """What a marker opens."""

    marker: int
    """From 1, in order of first use."""
    passage_id: str
    title: str
    """Of the source, with the heading path where it has one."""
    url: str
    quote: str
    author: str
    """Empty for documents."""
    written_at: float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A piece of an answer and the markers that support it."""

    text: str
    """Markdown, without markers."""
    kind: UnitKind
    markers: tuple[int, ...]
    lead: str = ""
    """Of a list's item: its indentation and its bullet or number."""
    goes_on: bool = False
    """Whether it stands in one paragraph with the claim before it."""


PARAGRAPH = "\n\n"


def claim_joint(claim: Claim) -> str:
    """What stands between a claim and the one before it."""
    return " " if claim.goes_on else "\n" if claim.lead else PARAGRAPH


class Remark(Enum):
    """What is said below an answer about the answer itself."""

    MODEL_IS_DOWN = "model_is_down"
    """It was to be written, and is quoted because the language model failed."""
    PART_IS_MISSING = "part_is_missing"
    """The evidence answers only a part of the question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the evidence says, each claim with its markers, each marker with its citation."""

    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    remark: Remark | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing that every reader may read answers this: always the same words, whatever the reason."""


@dataclass(frozen=True, slots=True)
class Help:
    """A greeting, thanks or an empty mention: a short text about what to ask, and no search."""


@dataclass(frozen=True, slots=True)
class Clarification:
    """The question has several readings: one short question back, with choices taken from the evidence."""

    text: str
    choices: tuple[str, ...]


Outcome = Answer | Clarification | Refusal | Help


@dataclass(frozen=True, slots=True)
class Reply:
    """An outcome with how it came about; only `outcome` is ever shown in Slack."""

    outcome: Outcome
    query: Query | None = None
    scope: Scope | None = None
    evidence: Evidence | None = None
    ms: float = 0.0
