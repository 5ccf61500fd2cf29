"""Shows a private answer where it was asked, if by now everybody there may read all that it was made from."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from bot.errors import SlackDenied
from bot.slack.escaping import escape, link
from bot.slack.interactions import Press
from bot.slack.ledger import Ledger
from bot.slack.messages import Message, Names
from bot.slack.mrkdwn import to_mrkdwn
from bot.slack.offers import SHARE_S
from bot.slack.payloads import string
from bot.slack.posting import Poster, signed
from bot.slack.replies import BLOCK_LIMIT, TEXT_LIMIT, Block, Post, render, section
from bot.slack.sealing import Sealed, unseal
from bot.slack.telling import Telling
from bot.slack.threads import Threads
from bot.slack.workspace import Workspace
from bot.state.offers import Offers, Share
from bot.state.vault import Vault
from bot.texts import CANT_BE_SHARED, OFFER_IS_OLD, ONLY_FOR_THE_ASKER, SHARED, SHARED_BY, THERE
from bot.types import Admission, ConversationKind, Evidence, Question, Reply, Surface
from retrieval.types import Hit, Passage

_SHARED = "shared:"
_ASKED_LIMIT = 1000
"""Characters of a question that a command asked, above the answer."""

log = logging.getLogger(__name__)


class ReadAccess(Protocol):
    """Who may ask, and what may be shown to them."""

    def may_ask(self, question: Question) -> Admission: ...

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool: ...


def can_be_shown(workspace: Workspace, channel: str) -> bool:
    """Whether Footnote is in a place and may post there, and others are there too."""
    try:
        place = workspace.conversation(channel)
    except SlackDenied:
        return False
    return place.is_joined and not place.is_archived and place.kind is not ConversationKind.DM


@dataclass(frozen=True, slots=True)
class Sharing:
    """Each private answer is shared once at most, and only by whoever got it."""

    offers: Offers
    vault: Vault
    access: ReadAccess
    workspace: Workspace
    names: Names
    threads: Threads
    passages_of: Callable[[str], tuple[Passage, ...]]
    """All passages of a source, as they are indexed now."""
    telling: Telling
    poster: Poster
    ledger: Ledger
    clock: Callable[[], float] = time.time

    def share(self, press: Press) -> None:
        """Show the answer there, or tell whoever pressed that it can't be."""
        share = self.offers.share(press.value, self.clock())
        if share is None or share.team != press.team:
            self.telling.whisper(press, OFFER_IS_OLD)
        elif press.user != share.asker:
            self.telling.whisper(press, ONLY_FOR_THE_ASKER)
        elif share.shared_ts:
            self.telling.whisper(press, self._told(share))
        else:
            self._share(share, press)

    def _share(self, share: Share, press: Press) -> None:
        sealed = unseal(self.vault, share)
        passages = self._passages(sealed) if sealed else None
        if sealed is None or passages is None or not self._may_stand(share, sealed, passages):
            self._refuse(press)
        elif not self.offers.take_share(share.id, press.id):
            self.telling.whisper(press, self._told(share))
        elif shared_ts := self._posted(share, sealed, passages):
            self.offers.shared(share.id, shared_ts)
            self.telling.whisper(press, self._told(replace(share, shared_ts=shared_ts)))
            log.info("event %s: shared in %s", press.id, share.channel)
        else:
            self.offers.release(press.id)
            self._refuse(press)

    def _refuse(self, press: Press) -> None:
        self.telling.whisper(press, CANT_BE_SHARED)
        log.info("event %s: not shared", press.id)

    def _may_stand(self, share: Share, sealed: Sealed, passages: tuple[Passage, ...]) -> bool:
        """Whether its asker is in that place and may ask there, and everybody there may read all of its evidence."""
        there = _question(share, sealed.asked)
        try:
            return (
                self._stands(share, there)
                and self.access.may_ask(there) is Admission.ADMITTED
                and self.access.still_admits(there, passages)
            )
        except SlackDenied:
            return False

    def _stands(self, share: Share, there: Question) -> bool:
        """Whether the place and the question are there, and its asker in it."""
        is_open = can_be_shown(self.workspace, share.channel)
        is_asked = not share.root_ts or self.threads.message(there) is not None
        return is_open and is_asked and share.asker in self.workspace.members(share.channel)

    def _passages(self, sealed: Sealed) -> tuple[Passage, ...] | None:
        """All that it was made from, as it stands now; None where anything of it was edited or deleted."""
        found = {
            passage.id: passage
            for source_id in dict.fromkeys(source_id for source_id, _ in sealed.evidence)
            for passage in self.passages_of(source_id)
        }
        ids = [passage_id for _, passage_id in sealed.evidence]
        return tuple(found[id_] for id_ in ids) if ids and all(id_ in found for id_ in ids) else None

    def _posted(self, share: Share, sealed: Sealed, passages: tuple[Passage, ...]) -> str:
        """Post what doesn't stand yet; the first message's `ts`, empty where it may not stand after all.

        Where a command asked, a message opens the thread that says who asked what: the sharer's own words.
        """
        standing, header = dict(self._standing(share)), self._header(share, sealed)
        root_ts = share.root_ts or standing.get(0) or self.telling.post(share.channel, _signed(header, share, 0))
        there = _question(share, sealed.asked, root_ts)
        entry = self.ledger.begin(there, Reply(sealed.answer, evidence=_evidence(passages)), f"{_SHARED}{share.id}")
        if entry.reply.outcome != sealed.answer:
            self._take_back(share, standing | ({} if share.root_ts else {0: root_ts}))
            entry.cancel()
            return ""
        posts = render(sealed.answer)
        numbered = enumerate(_headed(posts, header)) if share.root_ts else enumerate(posts, 1)
        sent = [] if share.root_ts else [root_ts]
        for part, post in numbered:
            sent.append(standing.get(part) or self.telling.post(share.channel, _signed(post, share, part), root_ts))
            entry.posted(part, sent[-1])
        entry.finish()
        return sent[0]

    def _take_back(self, share: Share, standing: Mapping[int, str]) -> None:
        """Delete what an earlier attempt has posted."""
        for ts in standing.values():
            self.poster.delete(share.channel, ts)

    def _standing(self, share: Share) -> Mapping[int, str]:
        """The `ts` of what an earlier attempt has posted, by its number."""
        if share.root_ts:
            own = self.threads.own_posts(_question(share))
        else:
            roots = [message for message in self._recent(share) if _part(message, share) == 0]
            threads = [self.threads.own_posts(_question(share, root_ts=root.ts)) for root in roots]
            own = tuple(message for thread in threads for message in thread)
        return {part: message.ts for message in own if (part := _part(message, share)) is not None}

    def _recent(self, share: Share) -> Iterator[Message]:
        """Footnote's own messages outside threads since the answer can have been shared."""
        me, since = self.workspace.identity(), f"{self.clock() - SHARE_S:.6f}"
        return (message for message in self.workspace.history(share.channel, oldest=since) if me.wrote(message))

    def _header(self, share: Share, sealed: Sealed) -> Post:
        """Who shares it, and where no message asked it, what was asked."""
        by = escape(SHARED_BY.format(name=self.names.person(share.asker) or share.asker))
        line: Block = {"type": "context", "elements": [{"type": "mrkdwn", "text": by, "verbatim": True}]}
        if share.root_ts:
            return Post(by, (line,))
        asked = to_mrkdwn(sealed.asked, _ASKED_LIMIT)[0]
        return Post(f"{by}\n\n{asked}", (line, section(asked)))

    def _told(self, share: Share) -> str:
        """Where it stands; as long as that isn't known, its thread."""
        ts = share.shared_ts or share.root_ts
        if not ts:
            return SHARED.format(place=THERE)
        return SHARED.format(place=link(self.workspace.permalink(share.channel, ts, share.root_ts or None), THERE))


def _question(share: Share, words: str = "", root_ts: str = "") -> Question:
    """The question as if it were answered where it was asked; a command's at the message that opens its thread."""
    ts = share.question_ts if share.root_ts else root_ts
    thread_ts = share.root_ts if share.root_ts not in ("", ts) else None
    return Question(share.team, share.asker, share.channel, ts, thread_ts, words, Surface.CHANNEL)


def _evidence(passages: tuple[Passage, ...]) -> Evidence:
    """What the answer rests on, as it stands now; how well it answers was judged when it was made."""
    hits = tuple(Hit(passage, 0.0, rank, 0.0, 0.0) for rank, passage in enumerate(passages, 1))
    return Evidence(hits, confidence=1.0, is_enough=True)


def _headed(posts: tuple[Post, ...], header: Post) -> tuple[Post, ...]:
    """The header above the first message, or a message of its own where that has no room."""
    first, *rest = posts
    text, blocks = f"{header.text}\n\n{first.text}", (*header.blocks, *first.blocks)
    if len(text) > TEXT_LIMIT or len(blocks) > BLOCK_LIMIT:
        return (header, *posts)
    return (Post(text, blocks), *rest)


def _signed(post: Post, share: Share, part: int) -> Post:
    """The message with an id on its first block by which another attempt knows it."""
    return replace(post, blocks=tuple(signed(post.blocks, f"{_SHARED}{share.id}:{part}")))


def _part(message: Message, share: Share) -> int | None:
    """Which message of what is shared this is; None where it is none of them."""
    block_id = string(message.blocks[0], "block_id") if message.blocks else ""
    part = block_id.removeprefix(f"{_SHARED}{share.id}:").partition(":")[0]
    return int(part) if block_id.startswith(f"{_SHARED}{share.id}:") and part.isdecimal() else None
