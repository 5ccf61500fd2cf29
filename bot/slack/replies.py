"""Writes an outcome as the messages that Slack shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.slack.escaping import escape, link
from bot.slack.messages import Message
from bot.slack.mrkdwn import to_mrkdwn
from bot.slack.payloads import child, string
from bot.texts import HELP, REFUSAL, REMARKS, SOURCES
from bot.types import PARAGRAPH, Answer, Citation, Claim, Clarification, Help, Outcome, claim_joint
from retrieval.types import UnitKind

SECTION_LIMIT = 3000
"""Characters of one section's text."""
TEXT_LIMIT = 4000
"""Characters of a message's top-level text, which screen readers read; what is longer goes on in another message."""
BLOCK_LIMIT = 50
"""Blocks of one message."""
_MARKS_LIMIT = 150
"""Characters of the markers in a block's id, which has 255 for all that it says."""
_BUTTON_LIMIT = 75
"""Characters on a button."""
_MARKER_ROOM = 600
"""Characters of a section that are kept for its markers, each a link."""
_CHOICE_LIMIT = 300
"""Characters of a choice; the choices are meant to be a few words each."""

SOURCES_ID = "sources-"
"""Stands in the ids of the blocks that list the sources."""
MARKS_ID = "marks-"
"""Stands in the ids of the blocks that claim something, before the markers that they rest on."""
REMARK_ID = "remark"
REMOVED_ID = "removed"
"""On the block that says that something was removed."""
_NOT_SAID = (SOURCES_ID, REMARK_ID, REMOVED_ID)
"""On blocks that are no part of what an answer says."""

Block = Mapping[str, object]
"""A block as Slack takes it."""


@dataclass(frozen=True, slots=True)
class Post:
    """One message to be posted."""

    text: str
    """All of it in Slack's markup, for notifications and screen readers."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """Something that whoever sees a message can press."""

    action: str
    """What a press does, as its `action_id`."""
    value: str
    """An opaque id of ours; nothing that was written stands in it."""
    label: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A section and what is read out in its place."""

    shown: str
    read: str
    block_id: str = ""
    markers: frozenset[int] = frozenset()
    """What it rests on, whether or not it shows them."""


def render(outcome: Outcome, buttons: tuple[Button, ...] = ()) -> tuple[Post, ...]:
    """The messages of a reply, in order, more than one where it is too long for one; the buttons below the last."""
    match outcome:
        case Answer():
            remark = [_remark(REMARKS[outcome.remark])] if outcome.remark else []
            return _posts([*_claims(outcome), *remark, *_sources(outcome.citations)], buttons)
        case Clarification():
            return _posts(_same(_clarification(outcome)), buttons)
        case Help():
            return note(HELP, buttons)
        case _:
            return note(REFUSAL, buttons)


def note(text: str, buttons: tuple[Button, ...] = ()) -> tuple[Post, ...]:
    """A fixed text, written in Markdown."""
    return _posts(_same(to_mrkdwn(text, SECTION_LIMIT)), buttons)


def _clarification(clarification: Clarification) -> list[str]:
    choices = [f"• {escape(choice[:_CHOICE_LIMIT])}" for choice in clarification.choices]
    return [*to_mrkdwn(clarification.text, SECTION_LIMIT), *choices]


def _same(texts: Iterable[str]) -> list[_Piece]:
    return [_Piece(text, text) for text in texts]


def _remark(text: str) -> _Piece:
    """One of our own fixed sentences about an answer, which fits a section."""
    return _Piece(f"_{escape(text)}_", f"_{escape(text)}_", REMARK_ID)


def _claims(answer: Answer) -> list[_Piece]:
    """The claims' sections, each with an id that says what it rests on: all of it where a claim has no markers."""
    urls = {citation.marker: citation.url for citation in answer.citations}
    pieces: list[_Piece] = []
    for claim in answer.claims:
        *whole, last = to_mrkdwn(claim.text, SECTION_LIMIT - _MARKER_ROOM) or ("",)
        rests_on = frozenset(claim.markers or urls)
        pieces += [replace(piece, markers=rests_on) for piece in _same(whole)]
        piece = replace(_led(_marked(last, claim, urls), claim), markers=rests_on)
        joint = claim_joint(claim)
        if pieces and joint != PARAGRAPH and len(pieces[-1].shown) + len(piece.shown) + 1 <= SECTION_LIMIT:
            piece = _joined(pieces.pop(), joint, piece)
        pieces.append(piece)
    return [replace(piece, block_id=_marks_id(at, piece.markers)) for at, piece in enumerate(pieces)]


def _joined(before: _Piece, joint: str, after: _Piece) -> _Piece:
    shown, read = before.shown + joint + after.shown, before.read + joint + after.read
    return _Piece(shown, read, markers=before.markers | after.markers)


def _marks_id(at: int, markers: frozenset[int]) -> str:
    """Without the markers where they are too many: it then rests on any."""
    known = ".".join(map(str, sorted(markers)))
    return f"{MARKS_ID}{at}:{known if len(known) <= _MARKS_LIMIT else ''}"


def _led(piece: _Piece, claim: Claim) -> _Piece:
    """A list's item with its bullet or number."""
    lead = claim.lead.replace("-", "•")
    return _Piece(lead + piece.shown, lead + piece.read)


def _marked(text: str, claim: Claim, urls: Mapping[int, str]) -> _Piece:
    """The last piece of a claim with its markers, on a line of their own where the claim ends in a block."""
    between = "\n" if claim.kind in (UnitKind.CODE, UnitKind.LIST) or text.endswith("```") else " "
    labels = " ".join(f"[{marker}]" for marker in claim.markers)
    links = " ".join(link(urls[marker], f"[{marker}]") for marker in claim.markers)
    shown = links if len(links) < _MARKER_ROOM else labels  # the sources are linked as well
    return _Piece((text + between + shown).strip(), (text + between + labels).strip())


def _sources(citations: tuple[Citation, ...]) -> list[_Piece]:
    lines = [_Piece(f"*{SOURCES}*", SOURCES)] if citations else []
    lines += [_Piece(_source(citation, is_linked=True), _source(citation)) for citation in citations]
    packed = enumerate(_packed(lines))
    return [replace(section, block_id=f"{SOURCES_ID}{at}") for at, section in packed]


def _source(citation: Citation, is_linked: bool = False) -> str:
    title = _shortened(citation.title)
    shown = link(citation.url, title) if is_linked else escape(title)
    if len(shown) > SECTION_LIMIT // 2:  # an address that no reader would open
        shown = escape(title)
    said = ", ".join(part for part in (citation.author, _date(citation)) if part)
    return f"[{citation.marker}] {shown}" + (f" — {escape(_shortened(said))}" if said else "")


def _shortened(text: str) -> str:
    """A title or a name on one line, as long as one can be read at a glance."""
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:199] + "…"


def _date(citation: Citation) -> str:
    if not citation.author or citation.written_at is None:  # a page's own date is when its file was copied, often
        return ""
    day = datetime.fromtimestamp(citation.written_at, UTC)
    return f"{day.day} {day:%b %Y}"


def _packed(lines: list[_Piece]) -> list[_Piece]:
    """Lines joined into as few sections as hold them."""
    packed: list[_Piece] = []
    for line in lines:
        if packed and len(packed[-1].shown) + 1 + len(line.shown) <= SECTION_LIMIT:
            packed[-1] = _Piece(f"{packed[-1].shown}\n{line.shown}", f"{packed[-1].read}\n{line.read}")
        else:
            packed.append(line)
    return packed


def _posts(pieces: list[_Piece], buttons: tuple[Button, ...]) -> tuple[Post, ...]:
    messages: list[list[_Piece]] = [[]]
    for piece in pieces:
        if messages[-1] and not _fits([*messages[-1], piece]):
            messages.append([])
        messages[-1].append(piece)
    *posts, last = [Post(_read(message), tuple(map(_section, message))) for message in messages]
    return (*posts, replace(last, blocks=(*last.blocks, actions(buttons))) if buttons else last)


def _fits(message: list[_Piece]) -> bool:
    """Whether it can be one message; there is always room for buttons, so that they move no words."""
    return len(message) < BLOCK_LIMIT and len(_read(message)) <= TEXT_LIMIT


def _read(message: list[_Piece]) -> str:
    return "\n\n".join(piece.read for piece in message)


def _section(piece: _Piece) -> Block:
    return section(piece.shown, piece.block_id)


def section(text: str, block_id: str = "") -> Block:
    """A section of a message."""
    # Verbatim, or Slack would make links and channel names of what is quoted.
    shown = {"type": "mrkdwn", "text": text, "verbatim": True}
    return {"type": "section", "text": shown, **({"block_id": block_id} if block_id else {})}


def actions(buttons: tuple[Button, ...]) -> Block:
    """The block that holds buttons, side by side."""
    return {"type": "actions", "elements": [_element(button) for button in buttons]}


def _element(button: Button) -> Block:
    label = {"type": "plain_text", "text": button.label[:_BUTTON_LIMIT]}
    return {"type": "button", "action_id": button.action, "value": button.value, "text": label}


_MARKER = re.compile(r"\s*<[^<>|]*\|\[\d+\]>|\s\[\d+\](?=\s|$)")


def words_of(message: Message) -> Message:
    """What one of Footnote's own posts says, without its markers and the list of its sources."""
    sections = [block for block in message.blocks if not any(id_ in string(block, "block_id") for id_ in _NOT_SAID)]
    said = (text for block in sections if (text := string(child(block, "text"), "text")))
    return replace(message, text=_MARKER.sub("", "\n\n".join(said)), blocks=())
