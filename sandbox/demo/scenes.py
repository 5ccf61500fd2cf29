"""What the demo shows: each scene asks something, and checks the reply as a person would."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import NamedTemporaryFile
from typing import Any

from sandbox.demo.opened import words_of, words_opened
from sandbox.demo.stage import Asked, Stage
from sandbox.demo.transcript import Link, buttons_of, lines_of, links_of, sections_of

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and the reply to it."""

    asked: Asked
    reply: dict[str, Any]
    query: str
    """What the question became."""

    @property
    def text(self) -> str:
        """The reply as it shows."""
        return "\n".join(lines_of(self.reply))

    @property
    def links(self) -> tuple[Link, ...]:
        return links_of(self.reply)


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must be true of a scene, and whether it is."""

    rule: str
    holds: bool


class Play:
    """Plays scenes on a stage and tells them."""

    def __init__(self, stage: Stage, say: Say) -> None:
        self._stage = stage
        self._say = say

    def in_channel(self, person: str, channel: str, text: str, thread: Exchange | None = None) -> Exchange:
        """Mention Footnote, and wait for its reply."""
        asked = self._stage.mention(person, channel, text, thread.asked.thread_ts if thread else None)
        where = f"in the same thread of #{channel}" if thread else f"in #{channel}"
        return self._told(f"{person} {where}:  @footnote {text}", asked, person, channel, text)

    def in_dm(self, person: str, text: str) -> Exchange:
        """Write to Footnote, and wait for its reply."""
        asked = self._stage.dm(person, text)
        return self._told(f"{person} in a DM:  {text}", asked, person, "dm", text)

    def look(self, exchange: Exchange, text: str) -> Exchange:
        """Press the button below a reply that offers its asker another look, and wait for the answer in their DM."""
        asked, label = exchange.asked, buttons_of(exchange.reply)["look"]
        self._stage.press(asked, exchange.reply, "look")
        in_dm = self._stage.opened_in_dm(asked.person, after=asked.ts)
        return self._told(f"{asked.person} presses “{label}” below that:", in_dm, asked.person, "dm", text)

    def share(self, exchange: Exchange) -> str:
        """Press the button below a private answer that shares it, and give what its asker alone is told."""
        asked, label = exchange.asked, buttons_of(exchange.reply)["share"]
        self._say(f"\n  {asked.person} presses “{label}” below that:")
        self._stage.press(asked, exchange.reply, "share")
        told = self._stage.told_alone(asked)
        self._say(f"    footnote, to {asked.person} alone:\n    │ {told}")
        return told

    def replies(self, exchange: Exchange) -> int:
        """How many times Footnote has replied below a question by now."""
        return self._stage.replies(exchange.asked)

    def well_marked(self, exchange: Exchange) -> Check:
        """Whether each claim has a marker, and each marker opens the very words that it stands behind."""
        faults = self._faults(exchange)
        return Check("each claim's marker opens its very words" + "".join(f"; {fault}" for fault in faults), not faults)

    def _faults(self, exchange: Exchange) -> list[str]:
        faults: list[str] = []
        for section in sections_of(exchange.reply):
            markers = [link for link in section.links if link.label.startswith("[")]
            if not section.is_sources and not markers:
                faults.append(f"no marker: {section.text}")
            for link in markers:
                if missing := self._missing(link, section.text, exchange.asked.person):
                    faults.append(f"{link.label} does not open {', '.join(sorted(missing))}")
        return faults

    def _missing(self, link: Link, claim: str, asker: str) -> set[str]:
        """The words of a claim that its marker does not open for the asker."""
        opened = words_opened(self._stage.opened(link.url, asker), link.url)
        return set(words_of(claim)) - set(words_of(link.label)) - opened

    def _told(self, line: str, asked: Asked, person: str, channel: str, text: str) -> Exchange:
        self._say(f"\n  {line}")
        reply = self._stage.reply_to(asked)
        exchange = Exchange(asked, reply, self._query(asked, person, channel, text))
        self._say(f"    query:  {exchange.query}" if exchange.query != text else "    query:  as asked")
        self._say("    footnote:")
        for shown in lines_of(reply):
            self._say(f"    │ {shown}")
        for link in dict.fromkeys(exchange.links):
            if not link.label.startswith("["):
                self._say(f"      {link.label}: {link.url}")
        return exchange

    def _query(self, asked: Asked, person: str, channel: str, text: str) -> str:
        """What the question became, by the same path from the terminal: the bot itself logs no words."""
        words = ["ask", text, "--as", person, "--in", channel]
        with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as thread:
            for message in self._stage.thread_before(asked):
                is_ours = message.get("bot_id") == self._stage.bot_id
                said = self._stage.as_read(str(message["text"]))
                thread.write(json.dumps({"author": "footnote" if is_ours else person, "text": said}) + "\n")
            thread.flush()
            return str(self._stage.footnote_json(*words, "--thread", thread.name)["query"] or text)


def cited_answer(play: Play) -> tuple[list[Check], Exchange]:
    """1. A mention in a public channel is answered in its thread, with citations."""
    first = play.in_channel("arvid", "people-ops", "How long is parental leave?")
    return [
        Check("it is answered in the thread of the question", first.reply["thread_ts"] == first.asked.ts),
        Check("the answer is right", "18 weeks" in first.text),
        Check("there is a link to click", bool(first.links)),
        play.well_marked(first),
    ], first


def follow_up(play: Play, first: Exchange) -> list[Check]:
    """2. A follow-up in the thread is made to stand alone."""
    second = play.in_channel("arvid", "people-ops", "what about contractors?", thread=first)
    query = second.query.casefold()
    return [
        Check("the query stands alone", "parental leave" in query and "contractors" in query),
        Check("the answer is the contractors' own", "26 weeks" in second.text),
        play.well_marked(second),
    ]


def private_fact(play: Play) -> tuple[list[Check], str]:
    """3. What stands only in a private channel reaches those who may read it, where only they read it."""
    words = "How much are we offering for Norvane?"
    in_public = play.in_channel("mirela", "general", words)
    alone = play.look(in_public, words)
    told = play.share(alone)
    for_member = play.in_dm("mirela", words)
    for_other = play.in_dm("jun", words)
    return [
        Check("a public channel learns nothing", "4.2" not in in_public.text and not in_public.links),
        Check("the member is answered in a DM", "€4.2 million" in for_member.text),
        play.well_marked(for_member),
        Check("somebody else is refused", "4.2" not in for_other.text and not for_other.links),
        Check("both refusals are the same words", in_public.text == for_other.text),
        Check("a look in private finds it, in the DM", "€4.2 million" in alone.text),
        Check("it can't be shared with those who may not read it", "4.2" not in told and play.replies(in_public) == 1),
    ], for_other.text


def nothing_answers(play: Play, refusal: str) -> list[Check]:
    """4. A question that nothing answers is refused."""
    reply = play.in_channel("arvid", "random", "What is the capital of France?")
    return [
        Check("it is refused, with no citations", "Paris" not in reply.text and not reply.links),
        Check("in the same words as what may not be read", reply.text == refusal),
    ]


def letters_and_meaning(play: Play) -> list[Check]:
    """5. An identifier is found by its letters, and a paraphrase by its meaning."""
    letters = play.in_channel("dylan", "support", "What does ERR_INGEST_42 mean?")
    meaning = play.in_channel("arvid", "general", "When's the influenza vaccination?")
    return [
        Check("the identifier is found", "more than 300 seconds off" in letters.text),
        Check("the paraphrase is found", "Flu jabs: Berlin 22 October" in meaning.text),
        play.well_marked(letters),
        play.well_marked(meaning),
    ]


def play_all(play: Play, say: Say) -> Sequence[tuple[str, list[Check]]]:
    """Play the five scenes in order; each with its checks."""
    played: list[tuple[str, list[Check]]] = []

    def told(title: str, checks: list[Check]) -> None:
        for check in checks:
            say(f"    {'✓' if check.holds else '✗'} {check.rule.strip()}")
        played.append((title, checks))

    say("\n1. A mention in a public channel, answered in the thread with citations")
    checks, first = cited_answer(play)
    told("cited answer", checks)
    say("\n2. A follow-up in that thread")
    told("follow-up", follow_up(play, first))
    say("\n3. A fact that stands only in a private channel")
    checks, refusal = private_fact(play)
    told("private fact", checks)
    say("\n4. A question that nothing answers")
    told("refusal", nothing_answers(play, refusal))
    say("\n5. An exact identifier, and a paraphrase with no word in common with its answer")
    told("letters and meaning", letters_and_meaning(play))
    return played
