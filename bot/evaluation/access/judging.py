"""Holds what people see against the truth: what is a leak, what is lag, and what should have gone by now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from bot.evaluation.access.oracle import Truth
from bot.evaluation.access.timeline import Change, Timeline
from bot.evaluation.access.watching import Item

GRACE_S = 60.0
"""What is true for so long is known, whatever events were lost."""


@dataclass
class Findings:
    """What a trial came to."""

    questions: int = 0
    answered: int = 0
    """Questions to which the canary that was asked for was owed, and given."""
    leaks: list[str] = field(default_factory=list)
    """Posts that showed somebody what they might not read, or that still stand a minute after they should have gone."""
    needless: list[str] = field(default_factory=list)
    """Questions whose answer everybody there might read, and that was withheld."""
    log_leaks: list[str] = field(default_factory=list)
    """Places in the code that logged words of a message or a question."""
    lag_s: float = 0.0
    """The longest age of a fact that an answer still rested on after its event was lost."""
    story: list[str] = field(default_factory=list)
    """What happened, without any of the words."""


class Judge:
    """Looks at everything that Footnote has put anywhere, after each step."""

    def __init__(self, timeline: Timeline, clock: Callable[[], float], findings: Findings) -> None:
        self._timeline = timeline
        self._clock = clock
        self._findings = findings
        self._judged: set[tuple[str, str, str]] = set()
        """Items, people and canaries of which nothing more is to be said."""
        self._seen: set[str] = set()
        self._allowed: set[str] = set()
        self._waiting: set[tuple[str, str]] = set()
        """People and canaries in items that may stand for a while yet."""

    def allow(self, room_id: str, is_allowed: bool) -> None:
        """A full member who is in a shared room has allowed answers there, or closed it again."""
        (self._allowed.add if is_allowed else self._allowed.discard)(room_id)

    def look(self, items: Iterable[Item]) -> None:
        """Judge what somebody sees and may not read."""
        truth = self._timeline.now
        for item in items:
            if item.id not in self._seen:
                self._seen.add(item.id)
                self._judge_silence(item)
            for person in truth.people:
                if item.is_seen_by(person, truth):
                    self._compare(item, person, truth)

    def _judge_silence(self, item: Item) -> None:
        """In a shared room nothing is said to all until somebody has allowed it."""

        def is_shared(truth: Truth) -> bool:
            return item.room in truth.rooms and truth.rooms[item.room].is_shared

        if item.only_for or item.room in self._allowed or not is_shared(self._timeline.now):
            return
        change = self._timeline.since(is_shared)
        if change is None or (change.at <= item.at and not self._is_lag(item.at - change.at, item, change)):
            self._findings.leaks.append(f"{item.id} stands in a shared room where nobody has allowed it")

    def account_for(self, person: str, canaries: Iterable[str]) -> None:
        """Hold what somebody can read, however they come to it, against what was judged when it was put there."""
        known = {canary for _, whose, canary in self._judged if whose == person}
        truth = self._timeline.now
        for canary in sorted(canaries):
            places = truth.stands.get(canary, frozenset())
            is_theirs = any(truth.may_see(person, canary, place) for place in places)
            if not (is_theirs or canary in known or (person, canary) in self._waiting):
                self._findings.leaks.append(f"{person} can read {canary}, and nobody saw how it came there")

    def _compare(self, item: Item, person: str, truth: Truth) -> None:
        for canary in sorted(item.canaries):
            if truth.may_see(person, canary, item.room) or (item.id, person, canary) in self._judged:
                continue
            if self._is_settled(item, person, canary):
                self._judged.add((item.id, person, canary))
            else:
                self._waiting.add((person, canary))

    def _is_settled(self, item: Item, person: str, canary: str) -> bool:
        """Whether what somebody sees without right has been judged for good."""

        def is_wrong(truth: Truth) -> bool:
            return item.is_seen_by(person, truth) and not truth.may_see(person, canary, item.room)

        change = self._timeline.since(is_wrong)
        if change is None or (change.at <= item.at and not self._is_lag(item.at - change.at, item, change)):
            since = f"for {item.at - change.at:.0f} s" if change else "from the start"
            self._findings.leaks.append(f"{item.id} shows {person} {canary}, which was not theirs {since}")
            return True
        return self._has_stood_too_long(item, person, canary, change)

    def _is_lag(self, age: float, item: Item, change: Change) -> bool:
        """Whether Footnote could not know yet when it posted: it was not told, and the change was young."""
        told_at = self._timeline.told_at(change)
        is_lag = age <= GRACE_S and (told_at is None or told_at > item.at)
        self._findings.lag_s = max(self._findings.lag_s, age if is_lag else 0.0)
        return is_lag

    def _has_stood_too_long(self, item: Item, person: str, canary: str, change: Change) -> bool:
        """It must go within a minute of being told, if Slack lets it go; whether no more is to be said of it."""
        if not item.can_go or self._is_their_own_loss(item, person, canary, change):
            return True
        told_at = self._timeline.told_at(change)
        if told_at is None or self._clock() - told_at <= GRACE_S or not self._can_footnote_act(item):
            return False
        self._findings.leaks.append(f"{item.id} still shows {person} {canary}, {self._clock() - told_at:.0f} s on")
        return True

    def _is_their_own_loss(self, item: Item, person: str, canary: str, change: Change) -> bool:
        """Whether they had read it by right, and only what they are or where they are in has changed since."""
        if not item.is_seen_by(person, change.before):
            return False
        rooms = {
            room_id: replace(room, members=_with(room.members, person, room_id, change.before))
            for room_id, room in change.after.rooms.items()
        }
        people = {**change.after.people, person: change.before.people[person]}
        return replace(change.after, people=people, rooms=rooms).may_read(person, canary)

    def _can_footnote_act(self, item: Item) -> bool:
        room = self._timeline.now.rooms.get(item.room)
        return room is None or (room.has_footnote and not room.is_archived)


def _with(members: frozenset[str], person: str, room_id: str, before: Truth) -> frozenset[str]:
    """The members of a room, with somebody among them if they were before."""
    room = before.rooms.get(room_id)
    return members | {person} if room and person in room.members else members - {person}
