"""A company on a sandbox whose clock stands, with the whole bot in it in one thread: what people do, ask and hear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from bot.evaluation.access.stage import Stage, Theatre
from bot.evaluation.access.words import Words
from bot.evaluation.access.worlds import World
from retrieval.types import Passage, Place
from sandbox.faults import EventFault
from sandbox.seed import Seed
from sandbox.state import Channel, Message
from sandbox.types import Json

MANY = 1_000
NIGHT_S = 12 * 3600.0


@dataclass
class Company:
    """What happens in the workspace, step by step: nothing is dealt with before somebody waits for it."""

    stage: Stage

    def channel(self, name: str) -> Channel:
        found = self.stage.still.workspace.channel_by_name(name)
        assert found, name
        return found

    def place(self, name: str) -> Place:
        """Our id of a channel, by the id that Slack gives it now."""
        return self.stage.slack.places.place_of(self.team, self.channel(name).id)

    @property
    def team(self) -> str:
        return self.stage.still.workspace.team.id

    def user(self, name: str) -> str:
        return next(person.id for person in self.stage.still.workspace.people.values() if person.name == name)

    def does(self, who: str, method: str, /, **arguments: object) -> Json:
        """A call in somebody's name that Slack allows, and all that comes of it until nothing is left to do."""
        answer = self.stage.still.call(method, self.user(who), **arguments)
        assert answer["ok"], answer
        self.stage.settle()
        return answer

    def says(self, who: str, where: str, text: str, **more: object) -> str:
        """Post something; its `ts`."""
        return str(self.does(who, "chat.postMessage", channel=self.channel(where).id, text=text, **more)["ts"])

    def asks(self, who: str, topic: str, where: str = "") -> str:
        """What Footnote says when it is asked for a code word, in a channel or in a DM; empty where it is silent."""
        me = self.stage.still.workspace.app.user_id
        room, text = self.dm(who), question(topic)
        if where:
            room, text = self.channel(where), f"<@{me}> {text}"
        ts = str(self.does(who, "chat.postMessage", channel=room.id, text=text)["ts"])
        below = [room.messages[reply] for reply in room.threads.get(ts, [])]
        return "\n".join(reply.text for reply in below if reply.user == me)

    def dm(self, who: str) -> Channel:
        """Somebody's DM with Footnote."""
        opened = self.stage.still.call(
            "conversations.open", self.user(who), users=self.stage.still.workspace.app.user_id
        )
        assert isinstance(opened["channel"], dict)
        return self.stage.still.workspace.channels[str(opened["channel"]["id"])]

    def happens(self, event: Mapping[str, object], number: int = 1) -> bool:
        """Have Slack send an event that the sandbox can't make; whether it is acknowledged."""
        return self.hears(
            {
                "type": "event_callback",
                "event_id": f"EvMADE{number}",
                "team_id": self.team,
                "api_app_id": self.stage.still.workspace.app.id,
                "authorizations": [{"team_id": self.team}],
                "event": dict(event),
            }
        )

    def hears(self, body: Mapping[str, object]) -> bool:
        """Have the bot take a whole request of Slack's."""
        is_taken = self.stage.take(dict(body))
        self.stage.settle()
        return is_taken

    def appears(self, where: str, text: str, subtype: str = "") -> Message:
        """A message of a kind for which nobody has a method, without its event."""
        message = Message(self.stage.still.workspace.clock.next_ts(), self.user("ann"), text, subtype)
        self.channel(where).add(message)
        return message

    @contextmanager
    def losing_events(self, event: str = "") -> Iterator[None]:
        """Slack sends none of these."""
        dropped = self.stage.still.faults.dropped
        dropped.append(EventFault(event, MANY))
        yield
        dropped.clear()

    def passes(self, seconds: float) -> None:
        """Time goes by."""
        self.stage.still.advance(seconds)
        self.stage.settle()

    def sleeps(self) -> None:
        """A night goes by, and everything is compared."""
        self.stage.still.advance(NIGHT_S)
        self.stage.bot.nightly.run_now()
        self.stage.settle()

    def indexed(self, place: Place) -> tuple[Passage, ...]:
        """What the index holds of a place."""
        found = self.stage.index.use(lambda retrieval: retrieval.store.page("", MANY))
        return tuple(passage for passage in found if place in passage.places)


def sentence(topic: str, word: str) -> str:
    """What somebody writes."""
    return f"The code word for {topic} is {word}."


def question(topic: str) -> str:
    """What somebody asks."""
    return f"What is the code word for {topic}?"


@contextmanager
def open_company(theatre: Theatre, seed: Seed) -> Iterator[Company]:
    """A company with a bot that has read what is there."""
    with theatre.stage(World(seed, (), Words(Random(1)), (), answers_guests=False)) as stage:
        company = Company(stage)
        stage.still.connect(stage.take)
        yield company
