"""A workspace in which people decide what is read: the real parts on a sandbox in one thread, without an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot.app import Slack, open_slack
from bot.consenting import Consenting, build_consenting
from bot.settings import Settings
from bot.slack.inbox import Inbox, Lane
from bot.slack.interactions import Command, Press
from bot.slack.listeners import build_app
from bot.slack.pressing import Pressing
from bot.slack.socket import take
from bot.state.database import Database, open_database
from bot.types import Conversation
from retrieval.types import Place
from sandbox.seed import Seed
from sandbox.still import StillSandbox
from sandbox.types import Json

BACK_OFF_S = 5.0
"""Of the sandbox's time, after which an event that failed is taken up again."""


@dataclass(frozen=True)
class Shown:
    """A message of Footnote's, as it shows."""

    ts: str
    text: str
    blocks: Sequence[Mapping[str, object]]


@dataclass
class Firm:
    """The workspace, what people see in it, and what the parts had done to channels."""

    still: StillSandbox
    slack: Slack
    database: Database
    consenting: Consenting
    inbox: Inbox
    dropped: list[str] = field(default_factory=list)
    """Names of the channels that were taken out of the index."""
    to_read: list[str] = field(default_factory=list)
    """Names of those whose history is to be read."""
    rechecked: list[Place] = field(default_factory=list)
    """Channels because of which answers were looked at again."""
    failed: list[str] = field(default_factory=list)
    """Whoever was told that their press failed."""

    def id_of(self, name: str) -> str:
        """The id of a channel, or of somebody."""
        channel = self.still.workspace.channel_by_name(name)
        return channel.id if channel else f"U0{name.upper()}"

    def conversation(self, name: str) -> Conversation:
        return self.slack.workspace.conversation(self.id_of(name))

    def does(self, who: str, method: str, /, **arguments: object) -> Json:
        """Call a method of Slack's in somebody's name, and have the bot deal with what comes of it."""
        answer = self.still.call(method, self.id_of(who), **arguments)
        assert answer["ok"], answer
        self.settle()
        return answer

    def settle(self) -> None:
        """Have the bot deal with all that has reached it."""
        while self.still.deliver() or self.inbox.work_off():
            pass

    def comes_back(self) -> None:
        """Let the time pass after which what failed is taken up again."""
        self.still.advance(BACK_OFF_S)
        self.settle()

    def invite(self, name: str, by: str = "ann") -> None:
        """Invite Footnote to a channel."""
        self.does(by, "conversations.invite", channel=self.id_of(name), users=self.still.workspace.app.user_id)

    def posts(self, name: str) -> list[Shown]:
        """What Footnote has posted in a channel, oldest first."""
        messages = self.still.workspace.channels[self.id_of(name)].messages.values()
        own = [message for message in messages if message.user == self.still.workspace.app.user_id]
        return [Shown(message.ts, message.text, tuple(message.blocks)) for message in own if message.blocks]

    def whispers(self, who: str) -> list[Shown]:
        """What Footnote has said to somebody alone."""
        seen = self.still.call("sandbox.ephemerals", self.id_of(who))["messages"]
        assert isinstance(seen, list)
        return [Shown(str(said["ts"]), str(said["text"]), said["blocks"]) for said in seen]

    def press(self, who: str, name: str, action: str, ts: str = "") -> None:
        """Press a button on a message of a channel, the last of Footnote's own where none is named."""
        ts = ts or self.posts(name)[-1].ts
        self.does(who, "sandbox.pressButton", channel=self.id_of(name), ts=ts, action_id=action)

    def press_at_home(self, who: str, action: str, value: str = "") -> None:
        """Press a button in the Home tab."""
        self.does(who, "sandbox.pressHome", action_id=action, value=value)

    def forge(self, who: str, action: str, value: str, channel: str = "") -> None:
        """Have a press come that no button could have made."""
        press = Press("E9", "T0HOME", self.id_of(who), channel, "", None, action, value)
        self.consenting.acts[action](press)

    def calls_of(self, method: str) -> list[str]:
        """For whom Footnote called a method."""
        calls = self.still.call("sandbox.calls", "U0ANN", method=method)["calls"]
        assert isinstance(calls, list)
        return [str(call["arguments"]["user_id"]) for call in calls]

    def home(self, who: str) -> list[Json] | None:
        """The blocks of somebody's Home tab when they have opened it; None where they have none."""
        self.does(who, "sandbox.openHome")
        return self.seen_at_home(who)

    def seen_at_home(self, who: str) -> list[Json] | None:
        """What somebody's Home tab shows."""
        view = self.still.call("sandbox.home", self.id_of(who))["view"]
        return view["blocks"] if isinstance(view, dict) else None


def actions_in(blocks: Sequence[Mapping[str, object]]) -> list[str]:
    """The actions of the buttons in these blocks, in order."""
    return [str(element["action_id"]) for element in elements_in(blocks)]


def elements_in(blocks: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """The buttons in these blocks."""
    rows = [block["elements"] for block in blocks if block["type"] == "actions"]
    return [element for row in rows if isinstance(row, list | tuple) for element in row]


def words_in(blocks: Sequence[Mapping[str, object]]) -> str:
    """The words of the sections in these blocks."""
    texts = [block["text"] for block in blocks if block["type"] == "section"]
    return "\n".join(str(text["text"]) for text in texts if isinstance(text, dict))


@contextmanager
def open_firm(seed: Seed, folder: Path, model_host: str = "") -> Iterator[Firm]:
    """A workspace with these parts of the bot in it."""
    still = StillSandbox(seed)
    settings = Settings.from_env(
        {"FOOTNOTE_DATA": str(folder), "SLACK_BOT_TOKEN": still.bot_token, "SLACK_API_URL": still.api_url}
    )
    with still.reachable(), closing(open_database("sqlite://")) as database:
        dropped: list[str] = []
        to_read: list[str] = []
        rechecked: list[Place] = []
        failed: list[str] = []
        clock, slack = still.workspace.clock.now, open_slack(settings, database, still.workspace.clock.now)
        consenting = build_consenting(
            slack,
            database,
            model_host,
            lambda channel: dropped.append(channel.name),
            lambda channel: to_read.append(channel.name),
            rechecked.append,
            clock,
        )

        def apologise(done: Press | Command, _incident: str) -> None:
            failed.append(done.user)

        pressing = Pressing(slack.workspace.identity().team, consenting.acts, lambda _command: None, apologise)
        lanes = (Lane("actions", pressing), Lane("consent", consenting.arrivals))
        inbox = Inbox(database, lanes, back_offs_s=(BACK_OFF_S,) * 6, clock=clock)
        still.connect(partial(take, build_app(slack.client, inbox)))
        yield Firm(still, slack, database, consenting, inbox, dropped, to_read, rechecked, failed)
