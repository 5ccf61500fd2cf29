"""The whole bot with its index: what people decide about their channels and messages holds for the next answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from bot.answering.meaning import Meaning
from bot.app import open_slack
from bot.live import LiveIndex, Retrieval
from bot.models import WritingModel
from bot.running import Bot, build_bot
from bot.settings import Settings
from bot.slack.decisions import LEAVE_MINE_OUT_ACTION, USE_MINE_ACTION, Decision
from bot.slack.listeners import build_app
from bot.slack.socket import take
from bot.state.database import open_database
from bot.texts import HELP, NOT_YOURS_TO_DECIDE, NOTICE_HELLO, REFUSAL, SHARED_OFFER, STAYS_SILENT
from bot.types import Conversation
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from sandbox.still import StillSandbox
from sandbox.types import Json
from tests.bot.chat import ScriptedModel

OTHER = SeedTeam("T0OTHER", "Other", "other")
SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("bo"), SeedPerson("eve", kind="outsider", team=OTHER)),
    channels=(
        SeedChannel("yard", members=("ann", "bo")),
        SeedChannel("general", members=("ann", "bo")),
        SeedChannel("partners", kind="shared", members=("ann", "bo", "eve")),
        SeedChannel("later", members=("ann", "bo"), footnote=False),
    ),
    messages={
        "yard": (
            SeedMessage("bo", "The Zorvex depot has three lifts. Each lift carries two tonnes."),
            SeedMessage("ann", "The Zorvex canteen opens at noon."),
        ),
        "partners": (SeedMessage("ann", "The Quillan ferry leaves at nine in the morning."),),
    },
    clock_stands=True,
)
LIFTS = "How many lifts has the Zorvex depot?"
FERRY = "When does the Quillan ferry leave?"
DRAFT = "The Zorvex depot has three lifts [1]."


@dataclass
class Company:
    """A company with the bot in it, all in one thread, and the model that writes its answers."""

    still: StillSandbox
    bot: Bot
    model: ScriptedModel
    unread: list[Conversation]

    def id_of(self, name: str) -> str:
        channel = self.still.workspace.channel_by_name(name)
        return channel.id if channel else f"U0{name.upper()}"

    def does(self, who: str, method: str, /, **arguments: object) -> Json:
        """Call a method of Slack's in somebody's name, and have the bot deal with what comes of it."""
        answer = self.still.call(method, self.id_of(who), **arguments)
        assert answer["ok"], answer
        self.settle()
        return answer

    def settle(self) -> None:
        """Have the bot deal with all that has reached it."""
        while self.still.deliver() or self.bot.inbox.work_off():
            pass

    def read(self) -> None:
        """Have it read what it was to read later."""
        while self.unread:
            self.bot.backfill.read(self.unread.pop(0))

    def ask(self, who: str, where: str, text: str = LIFTS, thread: str = "") -> tuple[str, str]:
        """Put a question; the thread that it opens, and what Footnote says in it as it stands now."""
        channel = self.dm_of(who) if where == "dm" else self.id_of(where)
        text = text if where == "dm" else f"<@{self.still.workspace.app.user_id}> {text}"
        more = {"thread_ts": thread} if thread else {}
        ts = str(self.does(who, "chat.postMessage", channel=channel, text=text, **more)["ts"])
        return thread or ts, self.said(channel, thread or ts)

    def dm_of(self, who: str) -> str:
        """The DM with Footnote, opened without opening a tab that would be answered."""
        opened = self.still.call("conversations.open", self.id_of(who), users=self.still.workspace.app.user_id)
        channel = opened["channel"]
        assert isinstance(channel, dict)
        return str(channel["id"])

    def said(self, channel: str, thread: str) -> str:
        """The last that Footnote says in a thread; nothing where it says nothing."""
        us = self.still.workspace.app.user_id
        posts = self.still.workspace.channels[channel].messages.values()
        own = [post.text for post in posts if post.user == us and post.thread_ts == thread]
        return own[-1] if own else ""

    def notice(self, name: str) -> str:
        """The `ts` of Footnote's own post outside threads."""
        us, posts = self.still.workspace.app.user_id, self.still.workspace.channels[self.id_of(name)].messages
        return next((ts for ts, post in posts.items() if post.user == us and not post.thread_ts and post.blocks), "")

    def press(self, who: str, where: str, action: str, ts: str = "") -> None:
        """Press a button on the notice of a channel, or on another message there or in the DM."""
        channel = self.dm_of(who) if where == "dm" else self.id_of(where)
        self.does(who, "sandbox.pressButton", channel=channel, ts=ts or self.notice(where), action_id=action)

    def whispers(self, who: str) -> list[Json]:
        """What Footnote has said to somebody alone."""
        seen = self.still.call("sandbox.ephemerals", self.id_of(who))["messages"]
        assert isinstance(seen, list)
        return seen

    @property
    def told_to_model(self) -> str:
        """Every byte that a model was sent."""
        return "".join(request.instructions + request.text for request in self.model.asked)


@pytest.fixture
def company(tmp_path: Path, packaged_embedder: FastEmbedder, bm25: Bm25Embedder) -> Iterator[Company]:
    """The company after a start: its channels are read, and it was said in them what is read."""
    dense = packaged_embedder
    collection = Collection("T0HOME", dense.model, dense.dimension, CHUNKING_VERSION)
    still, model = StillSandbox(SEED), ScriptedModel([DRAFT])
    settings = Settings.from_env(
        {"FOOTNOTE_DATA": str(tmp_path), "SLACK_BOT_TOKEN": still.bot_token, "SLACK_API_URL": still.api_url}
    )
    with (
        still.reachable(),
        closing(EdgeStore(tmp_path / "store", collection)) as store,
        closing(open_database("sqlite://")) as database,
    ):
        retrieval = Retrieval(
            collection,
            store,
            Indexer(store, dense, bm25, "T0HOME"),
            Searcher(store, dense, bm25),
            Meaning(dense),
        )
        with closing(LiveIndex(lambda _: nullcontext(retrieval), lambda: None)) as index:
            clock = still.workspace.clock.now
            slack = open_slack(settings, database, clock)
            unread: list[Conversation] = []
            writing = WritingModel(model, 8000, "llm.example")
            bot = build_bot(slack, database, index, unread.append, model=writing, clock=clock)
            still.connect(partial(take, build_app(slack.client, bot.inbox)))
            joined = slack.workspace.joined()
            bot.backfill.run(joined, lambda: False)
            for found in bot.arrivals.untold(joined):
                bot.inbox.keep(found)
            company = Company(still, bot, model, unread)
            company.settle()
            yield company


def test_a_channel_that_is_left_out_answers_nothing_at_once(company: Company) -> None:
    """What stood is taken back, the next question finds nothing, new messages stay out; read again, all is back."""
    thread, said = company.ask("ann", "general")
    assert "three lifts" in said
    company.press("bo", "yard", Decision.LEAVE_OUT.value)
    assert "three lifts" not in company.said(company.id_of("general"), thread)
    company.does("bo", "chat.postMessage", channel=company.id_of("yard"), text="The Zorvex gate has two bells.")
    company.read()
    assert company.ask("ann", "general")[1] == company.ask("bo", "dm")[1] == REFUSAL
    assert company.ask("bo", "dm", "How many bells has the Zorvex gate?")[1] == REFUSAL
    company.press("bo", "yard", Decision.READ_AGAIN.value)
    company.read()
    assert "three lifts" in company.ask("ann", "general")[1]
    assert "two bells" in company.ask("bo", "dm", "How many bells has the Zorvex gate?")[1]


def test_messages_that_are_left_out_are_quoted_no_more(company: Company) -> None:
    """At once, before the channels were read again, and after that; what others wrote still answers, or does again."""
    assert "three lifts" in company.ask("ann", "general")[1]
    _, told = company.ask("bo", "dm", "help")
    assert told == HELP
    posts = company.still.workspace.channels[company.dm_of("bo")].messages
    company.press("bo", "dm", LEAVE_MINE_OUT_ACTION, max(posts))
    company.model.asked.clear()
    assert company.ask("ann", "general")[1] == REFUSAL
    assert "three lifts" not in company.told_to_model
    company.read()
    assert company.ask("ann", "general")[1] == REFUSAL
    assert "noon" in company.ask("ann", "general", "When does the Zorvex canteen open?")[1]
    company.does("bo", "sandbox.openHome")
    company.does("bo", "sandbox.pressHome", action_id=USE_MINE_ACTION)
    company.read()
    assert "three lifts" in company.ask("ann", "general")[1]


def test_a_channel_that_is_kept_from_models_is_quoted(company: Company) -> None:
    """No byte of it reaches the model: not as evidence, nor in a thread that quotes it, nor as a question put there."""
    company.press("ann", "yard", Decision.KEEP_FROM_MODEL.value)
    thread, said = company.ask("ann", "general", "How many lifts has the depot?")
    assert "three lifts" in said
    _, said = company.ask("ann", "general", "and how much does each carry?", thread)
    assert "two tonnes" in said
    thread, said = company.ask("bo", "yard", "How many lifts has the Zorvex depot?")
    company.ask("bo", "yard", "and how much does each carry?", thread)
    _, said = company.ask("bo", "dm", "How many lifts has the depot?")
    assert "three lifts" in said
    assert company.told_to_model == ""
    company.press("ann", "yard", Decision.GIVE_TO_MODEL.value)
    company.ask("ann", "general")
    assert "Zorvex" in company.told_to_model


def test_a_shared_channel_is_silent_until_a_member_allows_it_and_after_it_is_closed(company: Company) -> None:
    """Who asks is asked alone; nothing is posted for others to see before that, nor after it was taken back."""
    partners = company.still.workspace.channels[company.id_of("partners")]
    before = set(partners.messages)
    thread, said = company.ask("ann", "partners", FERRY)
    assert (said, set(partners.messages) - before) == ("", {thread})
    (offer,) = company.whispers("ann")
    assert offer["text"] == SHARED_OFFER
    company.press("ann", "partners", Decision.ALLOW.value, str(offer["ts"]))
    assert NOTICE_HELLO in partners.messages[company.notice("partners")].text
    assert "at nine" in company.ask("bo", "partners", FERRY)[1]
    company.press("eve", "partners", Decision.CLOSE.value)
    assert [said["text"] for said in company.whispers("eve")] == [NOT_YOURS_TO_DECIDE]
    company.press("bo", "partners", Decision.CLOSE.value)
    assert company.ask("ann", "partners", FERRY)[1] == ""
    assert company.whispers("ann")[-1]["text"] == STAYS_SILENT
    company.press("eve", "partners", Decision.ALLOW.value)
    assert len(company.whispers("eve")) == 1


def test_an_invitation_is_answered_by_the_notice_and_the_history(company: Company) -> None:
    """Once, however often the event comes; then what was written before it answers."""
    us = company.still.workspace.app.user_id
    company.does("bo", "chat.postMessage", channel=company.id_of("later"), text="The Brimtol shed has four doors.")
    company.does("ann", "conversations.invite", channel=company.id_of("later"), users=us)
    company.does("ann", "sandbox.repeatEvent", times=2)
    company.read()
    posts = company.still.workspace.channels[company.id_of("later")].messages.values()
    assert len([post for post in posts if post.user == us and post.blocks]) == 1
    assert "four doors" in company.ask("ann", "general", "How many doors has the Brimtol shed?")[1]
