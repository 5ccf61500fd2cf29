"""Who asks what and where, and whether the answer was owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from bot.evaluation.access.oracle import Kind, Truth
from bot.evaluation.access.timeline import Timeline
from bot.evaluation.access.words import question
from sandbox.state import Channel, ChannelKind
from sandbox.still import StillSandbox

_IN_A_DM, _IN_A_THREAD = 0.3, 0.25
"""How often."""


@dataclass(frozen=True, slots=True)
class Put:
    """A question that was put."""

    asker: str
    room: str
    ts: str
    root_ts: str
    canary: str
    """What is asked for, under a topic that no other canary has; empty where the topic is shared."""


def put_question(still: StillSandbox, random: Random, topics: Mapping[str, str], truth: Truth) -> Put | None:
    """Somebody asks for something somewhere; `topics` are those of all canaries. None where Slack refuses the post."""
    people = [person for person in still.workspace.people.values() if person.id != still.workspace.app.user_id]
    asker = random.choices(people, [6 if person.kind == "member" else 1 for person in people])[0].id
    room = _place(still, random, asker)
    if room is None:
        return None
    canary = _wanted(random, topics, truth, asker, room.id)
    mention = "" if room.kind is ChannelKind.DM else f"<@{still.workspace.app.user_id}> "
    root = _root(random, room)
    below = {"thread_ts": root} if root else {}
    text = mention + question(topics[canary])
    posted = still.call("chat.postMessage", asker, channel=room.id, text=text, **below)
    if not posted.get("ok"):
        return None
    ts = str(posted["ts"])
    is_unique = sum(other == topics[canary] for other in topics.values()) == 1
    return Put(asker, room.id, ts, root or ts, canary if is_unique else "")


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


def _wanted(random: Random, topics: Mapping[str, str], truth: Truth, asker: str, room: str) -> str:
    """A canary that could be given there, one that the asker alone might have, or any, those too that are gone."""
    everything = sorted(topics)
    theirs = [canary for canary in everything if truth.may_read(asker, canary)]
    owed = [canary for canary in theirs if truth.may_all_read(room, canary)]
    return random.choice(random.choice([choices for choices in (owed, theirs, everything) if choices]))


def _root(random: Random, room: Channel) -> str:
    """A message to ask below; empty where the question opens a thread."""
    roots = [ts for ts in room.timeline if not room.messages[ts].is_reply]
    return random.choice(roots) if roots and random.random() < _IN_A_THREAD else ""


def is_owed(put: Put, timeline: Timeline, at: float, known_s: float) -> bool:
    """Whether everybody who reads the reply may read the canary, Footnote has read it, and nothing of that is news."""
    if not put.canary:
        return False

    def may(truth: Truth) -> bool:
        room = truth.rooms.get(put.room)
        admitted = truth.people[put.asker] is Kind.MEMBER and room is not None and not room.is_shared
        return admitted and truth.may_all_read(put.room, put.canary)

    since = timeline.since(may)
    is_known = since is None or at - since.at > known_s
    return (
        may(timeline.now)
        and is_known
        and any(_is_read(place, put.canary, timeline) for place in _places(put, timeline))
    )


def _places(put: Put, timeline: Timeline) -> frozenset[str]:
    return timeline.now.stands.get(put.canary, frozenset())


def _is_read(place: str, canary: str, timeline: Timeline) -> bool:
    """Whether Footnote is there, has been told of it, and has been told that the canary stands there."""

    def stands(truth: Truth) -> bool:
        return place in truth.stands.get(canary, ())

    def is_in(truth: Truth) -> bool:
        return place not in truth.rooms or truth.rooms[place].has_footnote

    begun = [timeline.since(holds) for holds in (stands, is_in)]
    return is_in(timeline.now) and all(change is None or timeline.told_at(change) is not None for change in begun)


def reply_to(put: Put, still: StillSandbox) -> str:
    """What Footnote has said below a question; empty where it says nothing."""
    room = still.workspace.channels.get(put.room)
    below = [room.messages[ts] for ts in room.threads.get(put.root_ts, []) if ts > put.ts] if room else []
    return "\n".join(message.text for message in below if message.user == still.workspace.app.user_id)
