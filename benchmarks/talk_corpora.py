"""Reads talk of which somebody has said what belongs together: IRC with links, Slack channels with conversations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from bot.slack.markup import from_mrkdwn
from retrieval.types import Utterance

_LINE = re.compile(r"\[(\d\d):(\d\d)\] +(?:<(?P<who>[^>]+)>|\* (?P<acts>\S+)) ?(?P<text>.*)")
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Channel:
    """Messages, oldest first, and what is known of their conversations. A message is known by its `url`."""

    name: str
    said: tuple[Utterance, ...]
    conversation: Mapping[str, str]
    """By message; those that nobody judged are left out."""
    links: tuple[tuple[str, str], ...] = ()
    """What was answered, and its answer."""

    def conversations(self) -> dict[str, list[Utterance]]:
        """The messages of each conversation, oldest first."""
        members: dict[str, list[Utterance]] = {}
        for one in self.said:
            if one.url in self.conversation:
                members.setdefault(self.conversation[one.url], []).append(one)
        return members

    def days(self) -> list[tuple[Utterance, ...]]:
        """The messages of each day in UTC."""
        days: dict[int, list[Utterance]] = {}
        for one in self.said:
            days.setdefault(int(one.written_at // _DAY_S), []).append(one)
        return [tuple(day) for day in days.values()]


class AsTyped:
    """Names where people are mentioned by name already."""

    def person(self, user_id: str) -> str:
        return user_id

    def channel(self, channel_id: str) -> str:
        return channel_id

    def group(self, group_id: str) -> str:
        return group_id


def irc(folder: Path) -> list[Channel]:
    """Each log with its annotation: `a b -` says that line b answers line a, or opens a matter where they are one."""
    logs = sorted(folder.glob("*.ascii.txt"))
    return [_log(log, log.with_name(log.name.replace(".ascii.", ".annotation."))) for log in logs]


def _log(log: Path, annotation: Path) -> Channel:
    said = dict(_spoken(log))
    pairs = [tuple(map(int, row.split()[:2])) for row in annotation.read_text(encoding="utf-8").splitlines()]
    links = [(min(pair), max(pair)) for pair in pairs]
    group = _components(links)
    judged = sorted({later for _, later in links if later in said})
    return Channel(
        log.name.partition(".")[0],
        tuple(said.values()),
        {said[line].url: str(group[line]) for line in judged},
        tuple((said[a].url, said[b].url) for a, b in links if a != b and a in said and b in said),
    )


def _spoken(log: Path) -> Iterator[tuple[int, Utterance]]:
    """By line, what people said, joins and the like left out. The log has minutes; they start anew at midnight."""
    day, last = 0, 0
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines()):
        if found := _LINE.fullmatch(line):
            minute = int(found[1]) * 60 + int(found[2])
            day, last = day + (minute < last), minute
            who = found["who"] or found["acts"]
            yield number, Utterance(who, found["text"], f"{log.name}:{number}", day * _DAY_S + minute * 60)


def _components(links: Sequence[tuple[int, int]]) -> dict[int, int]:
    """By line, the first line of all that is linked with it."""
    first: dict[int, int] = {}

    def root(line: int) -> int:
        while first.setdefault(line, line) != line:
            line = first[line]
        return line

    for pair in links:
        low, high = sorted(map(root, pair))
        first[high] = low
    return {line: root(line) for line in tuple(first)}


def disco(folder: Path) -> list[Channel]:
    """Slack channels whose messages a program has sorted into conversations."""
    return [_channel(path) for path in sorted(folder.glob("*.xml"))]


def _channel(path: Path) -> Channel:
    said: list[Utterance] = []
    conversation: dict[str, str] = {}
    for number, message in enumerate(ElementTree.parse(path).getroot().iterfind("message")):
        at = datetime.fromisoformat(message.findtext("ts", "")).replace(tzinfo=UTC).timestamp()
        text = from_mrkdwn(message.findtext("text", ""), AsTyped())
        one = Utterance(message.findtext("user", ""), text, f"{path.stem}:{number}", at)
        if text.strip():
            said.append(one)
            conversation[one.url] = f"{path.stem}:{message.get('conversation_id', '')}"
    return Channel(path.stem, tuple(sorted(said, key=lambda one: one.written_at)), conversation)
