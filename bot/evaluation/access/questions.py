"""Who asks what and where, and whether the answer was owed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from bot.evaluation.access.judging import GRACE_S
from bot.evaluation.access.oracle import Kind, Truth
from bot.evaluation.access.timeline import Timeline
from bot.evaluation.access.words import question
from sandbox.state import Channel, ChannelKind
from sandbox.still import StillSandbox

_IN_A_DM, _IN_A_THREAD, _POINTED = 0.3, 0.25, 0.5
"""How often."""
_RECENT = 3
"""Changes that are looked back at for something that was lost by them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants to know what, and where they ask."""

    asker: str
    room: str
    canary: str


@dataclass(frozen=True, slots=True)
class Put:
    """A question that was put, and where its answer is to be read."""

    wish: Wish
    ts: str
    """What Footnote says in the room after this is its answer."""


def wish_for_something(still: StillSandbox, random: Random, canaries: Sequence[str], timeline: Timeline) -> Wish | None:
    """Somebody who wants to know something, most often what they could know before."""
    wish = _for_what_was_lost(random, timeline) if random.random() < _POINTED else None
    return wish or _at_random(still, random, canaries, timeline.now)


def put_question(still: StillSandbox, random: Random, topics: Mapping[str, str], wish: Wish) -> Put | None:
    """Ask; `topics` are those of all canaries. None where Slack refuses the post."""
    room = still.workspace.channels.get(wish.room)
    if room is None:
        return None
    mention = "" if room.kind is ChannelKind.DM else f"<@{still.workspace.app.user_id}> "
    root = _root(random, room)
    below = {"thread_ts": root} if root else {}
    text = mention + question(topics[wish.canary])
    posted = still.call("chat.postMessage", wish.asker, channel=room.id, text=text, **below)
    if not posted.get("ok"):
        return None
    return Put(wish, str(posted["ts"]))


def _for_what_was_lost(random: Random, timeline: Timeline) -> Wish | None:
    """What could be given somewhere before one of the last changes and can't be given there now: where leaks begin."""
    now = timeline.now
    lost = [
        (room_id, canary)
        for change in timeline.latest(_RECENT)
        for room_id, room in sorted(now.rooms.items())
        if room.has_footnote and room_id in change.before.rooms
        for canary in sorted(change.before.stands)
        if change.before.may_all_read(room_id, canary) and not now.may_all_read(room_id, canary)
    ]
    if not lost:
        return None
    room_id, canary = random.choice(lost)
    askers = [person for person in sorted(now.rooms[room_id].members) if now.people[person] is Kind.MEMBER]
    return Wish(random.choice(askers), room_id, canary) if askers else None


def _at_random(still: StillSandbox, random: Random, canaries: Sequence[str], now: Truth) -> Wish | None:
    people = [person for person in still.workspace.people.values() if person.id != still.workspace.app.user_id]
    asker = random.choices(people, [6 if person.kind == "member" else 1 for person in people])[0].id
    room = _place(still, random, asker)
    return Wish(asker, room.id, _wanted(random, canaries, now, asker, room.id)) if room else None


def open_dms(still: StillSandbox) -> None:
    """Have everybody open their DM with Footnote, from which nothing can be read yet."""
    for person in [person for person in still.workspace.people.values() if not person.is_bot]:
        still.call("conversations.open", person.id, users=still.workspace.app.user_id)


def _place(still: StillSandbox, random: Random, asker: str) -> Channel | None:
    """A room that the asker is in, or their DM with Footnote."""
    mine = [room for room in still.workspace.channels.values() if asker in room.members]
    rooms = [room for room in mine if room.kind is not ChannelKind.DM]
    if random.random() < _IN_A_DM or not rooms:
        return next((room for room in mine if room.kind is ChannelKind.DM), None)
    return random.choices(rooms, [1 if room.is_shared else 3 for room in rooms])[0]


def _wanted(random: Random, canaries: Sequence[str], truth: Truth, asker: str, room: str) -> str:
    """One that could be given there, one that the asker alone might have, or any, those too that are gone."""
    theirs = [canary for canary in canaries if truth.may_read(asker, canary)]
    owed = [canary for canary in theirs if truth.may_all_read(room, canary)]
    return random.choice(random.choice([choices for choices in (owed, theirs, canaries) if choices]))


def _root(random: Random, room: Channel) -> str:
    """A message to ask below; empty where the question opens a thread."""
    roots = [ts for ts in room.timeline if not room.messages[ts].is_reply]
    return random.choice(roots) if roots and random.random() < _IN_A_THREAD else ""


def is_owed(wish: Wish, timeline: Timeline, at: float, admitted: Collection[Kind]) -> bool:
    """Whether everybody who reads the reply may read the canary, Footnote has read it, and nothing of that is news."""

    def may(truth: Truth) -> bool:
        room = truth.rooms.get(wish.room)
        is_answered_there = room is not None and room.has_footnote and not room.is_shared
        may_ask = is_answered_there and truth.people[wish.asker] in admitted
        return may_ask and truth.may_all_read(wish.room, wish.canary)

    since = timeline.since(may)
    is_known = since is None or at - since.at > GRACE_S
    places = timeline.now.stands.get(wish.canary, frozenset())
    is_read = any(_is_read(place, wish.canary, timeline) for place in places)
    return may(timeline.now) and is_known and is_read


def _is_read(place: str, canary: str, timeline: Timeline) -> bool:
    """Whether Footnote reads there, has been told of it, and has been told that the canary stands there."""

    def stands(truth: Truth) -> bool:
        return place in truth.stands.get(canary, ())

    def is_in(truth: Truth) -> bool:
        room = truth.rooms.get(place)
        return room is None or (room.has_footnote and not room.is_dm)  # what is said in a DM is never evidence

    begun = [timeline.since(holds) for holds in (stands, is_in)]
    return is_in(timeline.now) and all(change is None or timeline.told_at(change) is not None for change in begun)


def reply_to(put: Put, still: StillSandbox) -> str:
    """What Footnote has said there since; empty where it says nothing."""
    room = still.workspace.channels.get(put.wish.room)
    since = [message for ts, message in room.messages.items() if ts > put.ts] if room else []
    return "\n".join(message.text for message in since if message.user == still.workspace.app.user_id)
