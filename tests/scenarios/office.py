"""A small company on the sandbox with a real bot in it: what people do there, and what they see."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from slack_sdk import WebClient

from bot.access.certain import CertainAccess
from bot.access.membership import Membership
from bot.alone import Alone
from bot.app import Slack
from bot.remembering import Remembering, build_remembering
from bot.slack.api import open_client
from bot.slack.asking import Asking
from bot.slack.directory import Directory
from bot.slack.events import Event, access_change
from bot.slack.files import SlackFiles
from bot.slack.hearing import Hearing
from bot.slack.inbox import Inbox, Lane
from bot.slack.listeners import build_app
from bot.slack.posting import Poster
from bot.slack.socket import Socket
from bot.slack.telling import Telling
from bot.slack.threads import Threads
from bot.slack.workspace import Workspace
from bot.state.choices import Choices
from bot.state.database import Database, open_database
from bot.state.offers import Offers
from bot.state.places import Places
from bot.state.questions import Questions
from bot.state.vault import open_vault
from bot.types import Answer, Citation, Claim, Evidence, FollowUps, Question, Refusal, Reply
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, Place, UnitKind
from sandbox.delivery import Timing
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from sandbox.server import Sandbox
from sandbox.still import StillSandbox

T = TypeVar("T")

_people_log = logging.getLogger("people")
_people_log.setLevel(logging.WARNING)  # what people's own clients say is not the bot's log

SEED = Seed(
    people=(
        SeedPerson("ann"),
        SeedPerson("bo"),
        SeedPerson("gus", kind="guest"),
        SeedPerson("eve", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other")),
        SeedPerson("deploybot", kind="bot"),
    ),
    channels=(
        SeedChannel("general", members=("ann", "bo", "deploybot")),
        SeedChannel("secret", kind="private", members=("ann",)),
        SeedChannel("guests", members=("ann", "gus")),
        SeedChannel("partners", kind="shared", members=("ann", "eve")),
        SeedChannel("elsewhere", members=("ann", "bo"), footnote=False),
    ),
    messages={"general": (SeedMessage("bo", "The new office opens in May."),)},
)
HASTE = Timing(ack_timeout_s=0.5, retry_delays_s=(0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0))
"""Slack's times are seconds and minutes. Here it tries more often, and for half a minute, so that nothing is lost while
a bot takes long to start again on a busy machine; a test that goes well waits for none of it."""
LEASE_S = 1.0
"""So short that what a dead bot held is taken up soon; on a busy machine a living one can lose it, too."""
ANSWER = Answer(
    (Claim("You can carry over *five* days.", UnitKind.SENTENCE, (1,)),),
    (Citation(1, "p1", "Time off", "https://handbook.example/time-off", "q", "", None),),
)
HANDBOOK = Passage(
    id="p1",
    source_id="doc:time-off",
    origin="doc:/",
    title="Time off",
    heading_path=(),
    text="You can carry over *five* days.",
    anchors=(Anchor(0, "https://handbook.example/time-off"),),
    places=frozenset({WORKSPACE}),
    position=0,
)
"""What `ANSWER` quotes, which every member may read."""
ANSWER_TEXT = "You can carry over _five_ days. [1]\n\nSources\n[1] Time off"


@dataclass
class Answers:
    """Stands in for search and answering: says one thing to everybody, and fails as it is told."""

    failures: list[Exception] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    delay_s: float = 0.0
    answer: Answer = ANSWER
    decide: Callable[[Question], bool] = lambda _question: True
    passages: list[Passage] = field(default_factory=lambda: [HANDBOOK])
    """What is indexed; all of it is the evidence of each answer."""

    def __call__(self, question: Question) -> Reply:
        self.asked.append(question)
        time.sleep(self.delay_s)
        if self.failures:
            raise self.failures.pop(0)
        hits = tuple(Hit(passage, 1.0, rank, 1.0, 1.0) for rank, passage in enumerate(self.passages, 1))
        return Reply(self.answer if self.decide(question) else Refusal(), evidence=Evidence(hits, 1.0, is_enough=True))

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        """What is indexed of a source now."""
        return tuple(passage for passage in self.passages if passage.source_id == source_id)


@dataclass
class Bot:
    """A running bot, joined as the product joins it."""

    answers: Answers
    inbox: Inbox
    socket: Socket
    access: Membership
    threads: Threads
    places: Mapping[str, Place]
    asked: Questions
    database: Database
    alone: Alone
    remembering: Remembering


@dataclass
class Seen:
    """A message as somebody sees it."""

    user: str
    text: str
    ts: str


class Office:
    """The sandbox, seen by its people."""

    def __init__(self, sandbox: Sandbox | StillSandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self._folder = folder

    def client(self, name: str) -> WebClient:
        """A stock Slack client in somebody's name."""
        return WebClient(self.sandbox.token(name), base_url=self.sandbox.api_url, logger=_people_log)

    def channel(self, name: str) -> str:
        """The id of a channel; of the DM with Footnote for `dm of NAME`."""
        if not name.startswith("dm of "):
            return self.sandbox.channel_id(name)
        opened = self.client(name.removeprefix("dm of ")).conversations_open(users=self.sandbox.bot_user)
        return str(opened["channel"]["id"])

    def say(self, who: str, where: str, text: str, thread: str | None = None, **more: object) -> str:
        """Post something; `@footnote` is a mention. Its `ts`."""
        text = text.replace("@footnote", f"<@{self.sandbox.bot_user}>")
        client, channel = self.client(who), self.channel(where)
        return str(client.chat_postMessage(channel=channel, text=text, thread_ts=thread, **more)["ts"])  # type: ignore[arg-type]  # any argument of Slack's

    def replies(self, who: str, where: str, ts: str) -> list[str]:
        """What Footnote has said in a thread, as somebody sees it."""
        thread = self.client(who).conversations_replies(channel=self.channel(where), ts=ts)["messages"]
        return [str(message["text"]) for message in thread if message.get("user") == self.sandbox.bot_user]

    def below(self, who: str, where: str, ts: str) -> list[Mapping[str, object]]:
        """Footnote's messages in a thread, as somebody sees them."""
        thread = self.client(who).conversations_replies(channel=self.channel(where), ts=ts)["messages"]
        return [message for message in thread if message.get("user") == self.sandbox.bot_user]

    def press(self, who: str, where: str, ts: str, action: str) -> bool:
        """Press a button that somebody sees on a message; whether the app took it."""
        person = self.sandbox.user_id(who)
        given = {"channel": self.channel(where), "ts": ts, "action_id": action, "user": person}
        return bool(self.control("pressButton", **given)["acked"])

    def command(self, who: str, where: str, text: str) -> bool:
        """Type the command with a text; whether the app took it."""
        return self.command_in(who, self.channel(where), text)

    def command_in(self, who: str, channel_id: str, text: str) -> bool:
        """Type the command in any conversation; whether the app took it. Slack says at once where no app is there."""
        eventually(lambda: self.control("pending")["connections"])
        given = {"channel": channel_id, "command": "/footnote", "text": text}
        return bool(self.client(who).api_call("sandbox.slashCommand", json=given)["acked"])

    def channel_posts(self, who: str, where: str) -> list[str]:
        """What stands in a channel outside its threads, newest first."""
        found = self.client(who).conversations_history(channel=self.channel(where))["messages"]
        return [str(message["text"]) for message in found]

    def whispers(self, who: str) -> list[str]:
        """What Footnote has said to somebody alone."""
        seen = self.control("ephemerals", user=self.sandbox.user_id(who))["messages"]
        assert isinstance(seen, list)
        return [str(message["text"]) for message in seen]

    def control(self, method: str, /, **arguments: object) -> Mapping[str, object]:
        """Do something that Slack has no method for."""
        answer = self.client("ann").api_call(f"sandbox.{method}", json={"_": "", **arguments}).data
        assert isinstance(answer, dict)
        return answer

    def calls(self, method: str) -> list[Mapping[str, object]]:
        """The arguments of every call of a method that the bot made."""
        calls = self.control("calls", method=method)["calls"]
        assert isinstance(calls, list)
        return [call["arguments"] for call in calls if call["user"] == self.sandbox.bot_user]

    @contextmanager
    def bot(
        self,
        answers: Answers | None = None,
        follow_ups: FollowUps = FollowUps.ASKER,
        clock: Callable[[], float] = time.time,
        lease_s: float = LEASE_S,
    ) -> Iterator[Bot]:
        """A bot that runs until the block ends; a second one after it finds the first one's state."""
        bot = self.joined(answers or Answers(), follow_ups, clock, lease_s)
        bot.inbox.start()
        bot.socket.open()
        try:
            yield bot
        finally:
            bot.socket.close()
            bot.inbox.stop()

    def joined(
        self,
        answers: Answers,
        follow_ups: FollowUps = FollowUps.ASKER,
        clock: Callable[[], float] = time.time,
        lease_s: float = LEASE_S,
    ) -> Bot:
        """A bot that is not started yet."""
        client = open_client(self.sandbox.bot_token, self.sandbox.api_url)
        database = open_database(f"sqlite:///{self._folder}/state.db")
        places, asked = Places(database), Questions(database)
        workspace = Workspace(client, places)
        names = Directory(workspace)
        access = Membership(workspace, places.places_of, clock)
        certain = CertainAccess(workspace, lambda people: Membership(people, places.places_of, clock))
        files = SlackFiles(client, self._folder / "incoming")
        slack = Slack(client, workspace, places, names, access, files, Choices(database), certain)
        remembering = build_remembering(slack, database, answers.passages_of, clock)
        threads = Threads(workspace, names, cited=remembering.cited, may_repeat=remembering.may_repeat)
        hearing = Hearing(workspace, names, threads, asked, follow_ups)
        place_of = partial(places.place_of, workspace.identity().team)
        vault, offers = open_vault("", self._folder), Offers(database)
        telling, poster, ledger = Telling(client), Poster(client), remembering.ledger
        alone = Alone(workspace, names, access, threads, telling, poster, ledger, offers, vault, place_of, clock)
        asking = Asking(hearing, asked, access, answers, threads, poster, alone.offering.buttons, ledger=ledger)
        pressing = alone.pressing(asked, asking, answers.passages_of)
        lanes = [
            Lane("answers", remembering.withdrawing),
            Lane("questions", asking, workers=3),
            Lane("actions", pressing, workers=2),
        ]

        def hear(event: Event) -> None:
            access.forget(access_change(event))
            remembering.hear(event)
            asking.notice(event)

        inbox = Inbox(
            database,
            lanes,
            hear,
            back_offs_s=(0.05,) * 6,
            lease_s=lease_s,
            poll_s=0.05,
            clock=clock,
            tidy=offers.forget,
        )
        socket = Socket(build_app(client, inbox), self.sandbox.app_token)
        known = places.places_of(workspace.identity().team, [self.channel(c.name) for c in SEED.channels])
        by_name = {c.name: known[self.channel(c.name)] for c in SEED.channels}
        return Bot(answers, inbox, socket, access, threads, by_name, asked, database, alone, remembering)


@contextmanager
def open_office(folder: Path, seed: Seed = SEED) -> Iterator[Office]:
    """An office that is there until the block ends."""
    with Sandbox.running(seed, timing=HASTE) as sandbox:
        yield Office(sandbox, folder)


def eventually(read: Callable[[], T], is_so: Callable[[T], bool] = bool, patience_s: float = 30.0) -> T:
    """What is read, as soon as it is so."""
    deadline = time.monotonic() + patience_s
    while not is_so(found := read()):
        assert time.monotonic() < deadline, f"it never came to be so: {found!r}"
        time.sleep(0.02)
    return found


def settled(bot: Bot) -> None:
    """Wait until the bot has dealt with everything that came, and a moment longer for what is still on its way."""
    for _ in range(3):
        time.sleep(0.06)
        for lane in ("answers", "questions", "actions"):
            eventually(lambda lane=lane: bot.inbox.unfinished(lane), lambda unfinished: unfinished == 0)  # type: ignore[misc]  # bound per turn
