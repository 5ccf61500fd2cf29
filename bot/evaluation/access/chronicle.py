"""Writes down what happens in a trial: each change with the truth after it, the events that come, and the story."""

from __future__ import annotations

from collections.abc import Callable

from bot.evaluation.access.oracle import WORKSPACE, Kind
from bot.evaluation.access.timeline import Timeline
from bot.evaluation.access.trouble import Trouble
from bot.evaluation.access.watching import truth_of
from bot.evaluation.access.words import canaries_in, topics_in
from bot.evaluation.access.worlds import World
from sandbox.still import StillSandbox, Take
from sandbox.types import Json


class Chronicle:
    """What is known of one trial."""

    def __init__(self, still: StillSandbox, hand_over: Take, world: World, story: list[str]) -> None:
        self._still = still
        self._hand_over = hand_over
        self._story = story
        self._clock = still.workspace.clock.now
        self._began_at = self._clock()
        rooms = {room.name: room.id for room in still.workspace.channels.values()} | {"": WORKSPACE}
        self._documents = {c: rooms[page.visible_to] for page in world.documents for c in canaries_in(page.text)}
        self._texts = tuple(page.text for page in world.documents)
        self.topics: dict[str, str] = {}
        """The topic of each canary, of those too that have gone."""
        self.timeline = Timeline(truth_of(still.workspace, self._documents))
        self.events = 0
        """How many have come."""
        self.behind_s = 0.0
        """How late what comes now is known: while an answer is being made, it may come too late for it."""
        self._note_topics()
        still.connect(self._take)

    def change(self, act: Callable[[], str], trouble: Trouble) -> None:
        """Have something done, and write down what is so from then on."""
        sent = len(self._still.sent())
        with trouble.with_events() as what_becomes_of_them:
            done = act()
        if not done:
            return
        self.tell(f"{done}{what_becomes_of_them}")
        events = frozenset(str(payload["event_id"]) for payload in self._still.sent()[sent:])
        self._note_topics()
        self.timeline.add(self._clock(), truth_of(self._still.workspace, self._documents), events)
        if not what_becomes_of_them:
            trouble.tell_twice(sent)

    def tell(self, what: str) -> None:
        """A line of the story, without any of the words."""
        self._story.append(f"{self._clock() - self._began_at:7.1f} s  {what}")

    def name_of(self, user_id: str) -> str:
        """As the story calls somebody."""
        return self._still.workspace.people[user_id].name

    def place_of(self, room_id: str) -> str:
        """As the story calls a room."""
        room = self._still.workspace.channels[room_id]
        return f"#{room.name}" if room.name else "a DM with Footnote"

    def dm_of(self, user_id: str) -> str:
        """Somebody's DM with Footnote; empty where they have none."""
        channel = self._still.workspace.direct(frozenset({user_id, self._still.workspace.app.user_id}))
        return channel.id if channel else ""

    def is_full_member_in(self, user_id: str, room_id: str) -> bool:
        """Whether somebody could decide something for a room."""
        truth = self.timeline.now
        return user_id in truth.rooms[room_id].members and truth.people[user_id] is Kind.MEMBER

    def is_unique(self, canary: str) -> bool:
        """Whether no other canary has its topic."""
        return list(self.topics.values()).count(self.topics[canary]) == 1

    def _take(self, payload: Json) -> bool:
        """Hand over what Slack sends, and note that it came."""
        is_taken = self._hand_over(payload)
        self.events += 1
        if is_taken and "event_id" in payload:
            self.timeline.note_event(str(payload["event_id"]), self._clock() + self.behind_s)
        return is_taken

    def _note_topics(self) -> None:
        workspace = self._still.workspace
        said = [message.text for room in workspace.channels.values() for message in room.messages.values()]
        for text in (*self._texts, *said, *(file.content.decode() for file in workspace.files.values())):
            self.topics |= topics_in(text)
