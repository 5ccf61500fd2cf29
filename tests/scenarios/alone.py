"""What people do with buttons and commands in the office, and what they alone see of what comes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import MetaData, create_engine

from bot.errors import SlackError
from bot.slack.api import SlackApi, open_client
from bot.slack.interactions import as_event
from bot.slack.listeners import build_app
from bot.slack.payloads import Payload, children, string
from bot.slack.socket import take
from bot.types import FollowUps, Question, Surface
from retrieval.types import Anchor, Passage, Place
from sandbox.still import StillSandbox
from tests.scenarios.office import ANSWER, LEASE_S, SEED, Answers, Bot, Office, eventually

LOOK, SHARE = "look", "share"
DAY_S = 24 * 3600.0
PATIENCE = 100
"""Seconds of the sandbox's clock within which everything comes to an end; more than all tries take together."""
WORDS = "You can carry over"


class StillOffice(Office):
    """The office in one thread, by one clock: whatever somebody does, all that comes of it has come when it is done."""

    def __init__(self, still: StillSandbox, folder: Path) -> None:
        super().__init__(still, folder)
        self._still = still
        self._bot: Bot | None = None

    @contextmanager
    def bot(
        self,
        answers: Answers | None = None,
        follow_ups: FollowUps = FollowUps.ASKER,
        clock: object = None,
        lease_s: float = LEASE_S,
    ) -> Iterator[Bot]:
        """A bot that takes what comes until the block ends, and deals with it."""
        joined = self.joined(answers or Answers(), follow_ups, self._still.workspace.clock.now, lease_s)
        with self.taking(joined) as self._bot:
            self.settle()
            yield self._bot
            self.settle()
        self._bot = None

    @contextmanager
    def taking(self, bot: Bot) -> Iterator[Bot]:
        """A bot that takes what comes until the block ends, and lives no longer."""
        client = open_client(self.sandbox.bot_token, self.sandbox.api_url)
        self._still.connect(partial(take, build_app(client, bot.inbox)))
        yield bot
        self._still.connect(lambda _payload: False)

    def settle(self) -> None:
        """Have everything dealt with that has come, in the end what is tried again too, by a bot that does that."""
        for _ in range(PATIENCE):
            while any([self._still.deliver(), self._bot is not None and self._bot.inbox.work_off()]):
                pass
            if not self._bot or not any(map(self._bot.inbox.unfinished, ("questions", "actions", "answers"))):
                return
            self._still.advance(1.0)
        raise AssertionError("It is tried for ever.")

    def say(self, who: str, where: str, text: str, thread: str | None = None, **more: object) -> str:
        """Post something; its `ts`."""
        ts = super().say(who, where, text, thread, **more)
        self.settle()
        return ts

    def press(self, who: str, where: str, ts: str, action: str) -> bool:
        """Press a button that somebody sees on a message; whether the app took it."""
        was_taken = super().press(who, where, ts, action)
        self.settle()
        return was_taken

    def command_in(self, who: str, channel_id: str, text: str) -> bool:
        """Type the command in any conversation; whether the app took it."""
        given = {"channel": channel_id, "command": "/footnote", "text": text}
        was_taken = bool(self.client(who).api_call("sandbox.slashCommand", json=given)["acked"])
        self.settle()
        return was_taken

    def passes(self, seconds: float) -> None:
        """Time goes by."""
        self._still.advance(seconds)
        self.settle()


@contextmanager
def open_still_office(folder: Path) -> Iterator[StillOffice]:
    """An office that is there until the block ends."""
    still = StillSandbox(SEED)
    with still.reachable():
        yield StillOffice(still, folder)


def passage(place: Place, source: str = "s0") -> Passage:
    """Something that stands in a place."""
    anchors = (Anchor(0, "https://handbook.example/time-off"),)
    id_ = ANSWER.citations[0].passage_id if source == "s0" else f"p-{source}"
    return Passage(id_, source, "o", "Time off", (), f"{WORDS} five days.", anchors, frozenset({place}), 0)


def only_alone(question: Question) -> bool:
    """As where only the asker may read what answers."""
    return question.surface is Surface.DM


def buttons(message: Mapping[str, object]) -> list[tuple[str, str]]:
    """The action and value of each button below a message."""
    elements = [e for block in children(message, "blocks") for e in children(block, "elements")]
    return [(string(e, "action_id"), string(e, "value")) for e in elements if string(e, "type") == "button"]


def asked(office: Office, who: str = "ann", where: str = "general", text: str = "how many days?") -> tuple[str, str]:
    """A question that was answered: its `ts`, and that of the last message of the reply."""
    ts = office.say(who, where, f"@footnote {text}")
    reply = eventually(lambda: office.below(who, where, ts))[-1]
    return ts, string(reply, "ts")


def dm_threads(office: Office, who: str) -> list[tuple[str, list[str]]]:
    """What Footnote has opened in somebody's DM, oldest first: the opening words, and what stands below them."""
    channel = f"dm of {who}"
    found = office.client(who).conversations_history(channel=office.channel(channel))["messages"]
    roots = [message for message in reversed(found) if message.get("user") == office.sandbox.bot_user]
    return [(str(root["text"]), office.replies(who, channel, root["ts"])[1:]) for root in roots]


def looked(office: Office, who: str, where: str, reply_ts: str) -> Mapping[str, object]:
    """What came of a first press: the answer in the DM."""
    before = len(dm_threads(office, who))
    assert office.press(who, where, reply_ts, LOOK)
    eventually(lambda: len(dm_threads(office, who)), lambda count: count > before)
    return answered(office, who)


def answered(office: Office, who: str) -> Mapping[str, object]:
    """The answer in the newest thread of somebody's DM, once there is one."""
    channel = f"dm of {who}"

    def found() -> list[Mapping[str, object]]:
        history = office.client(who).conversations_history(channel=office.channel(channel))["messages"]
        own = [message for message in history if message.get("user") == office.sandbox.bot_user]
        return office.below(who, channel, str(own[0]["ts"]))[1:] if own else []

    return eventually(found)[-1]


def arrives(office: StillOffice, bot: Bot, who: str, ts: str, action: str, value: str) -> None:
    """A press reaches the bot as it is, whatever has become of the message meanwhile."""
    body = {
        "type": "block_actions",
        "team": {"id": "T0HOME"},
        "user": {"id": who if who.startswith("U") else office.sandbox.user_id(who)},
        "trigger_id": f"{time.time()}",
        "container": {"message_ts": ts, "channel_id": office.channel("general")},
        "actions": [{"action_id": action, "value": value}],
    }
    event = as_event(body)
    assert event
    bot.inbox.keep(event)
    office.settle()


def break_once(monkeypatch: pytest.MonkeyPatch, method: str, nth: int, arrives: bool) -> None:
    """Have the bot's nth call of a method break off from now on, before or after it reached Slack."""
    calls = {"write": SlackApi.write, "read": SlackApi.read}
    seen: list[str] = []

    def broken(kind: str) -> object:
        def call(api: SlackApi, called: str, **arguments: object) -> Payload:
            seen.extend([called] if called == method else [])
            if called != method or len(seen) != nth:
                return calls[kind](api, called, **arguments)
            if arrives:
                calls[kind](api, called, **arguments)
            raise SlackError(called, "unreachable")

        return call

    for kind in calls:
        monkeypatch.setattr(SlackApi, kind, broken(kind))


def rows(folder: Path, table: str) -> list[dict[str, object]]:
    """What a table of the state holds."""
    engine = create_engine(f"sqlite:///{folder}/state.db")
    known = MetaData()
    known.reflect(engine)
    with engine.connect() as connection:
        found = [dict(row._mapping) for row in connection.execute(known.tables[table].select())]
    engine.dispose()
    return found


def everything(folder: Path) -> str:
    """Every byte of the state, as text, once what was erased is gone from the log of changes too."""
    engine = create_engine(f"sqlite:///{folder}/state.db")
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return "".join(file.read_bytes().decode("latin-1") for file in folder.glob("state.db*"))
