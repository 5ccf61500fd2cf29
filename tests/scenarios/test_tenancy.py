"""Two workspaces in one database and one data folder, with equal ids of everything, share nothing.

tests/congruence/test_teams.py says the same of every kind of store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Table, UniqueConstraint

from bot.answering.meaning import Meaning
from bot.app import open_slack
from bot.evaluation.access.embedding import WordEmbedder
from bot.live import LiveIndex, Retrieval
from bot.running import Bot, build_bot
from bot.settings import Settings
from bot.slack.listeners import build_app
from bot.slack.socket import take
from bot.state.answers import Answers
from bot.state.choices import Choice, Choices, Chosen
from bot.state.database import Base, Database, open_database
from bot.state.departures import Departures
from bot.state.files import FilePost, Files
from bot.state.notices import Notice, Notices
from bot.state.offers import Offers
from bot.state.places import Places
from bot.state.posted import Cited
from bot.state.progress import ChannelProgress, Progress, ReadingState
from bot.state.questions import Questions
from bot.state.rebuilds import Rebuilds
from bot.state.suspensions import Suspensions
from bot.texts import REFUSAL
from bot.types import Question, Surface
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.shared import open_store
from retrieval.types import Place
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from sandbox.still import StillSandbox

ONE, TWO = "T0ONE", "T0TWO"
HERE = Place("the same place")
"""Our own ids are never equal; if they were, the team would still tell them apart."""

# ------------------------------------------------------------------------------------------------------ the database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one."""
    with closing(open_database(f"sqlite:///{tmp_path}/state.db")) as database:
        yield database


def asked(team: str) -> Question:
    """The same question, in each of them."""
    return Question(team, "U1", "C1", "2.0", "1.0", "q", Surface.CHANNEL)


Write = Callable[[Database, str], object]


def choose(database: Database, team: str) -> None:
    """Make every choice that there is."""
    for what in Choice:
        Choices(database).make(Chosen(team, what, "U1", True, "U1", 1.0, frozenset({"T9"})))


def offer(database: Database, team: str) -> None:
    """Offer another look, and open its thread in a DM."""
    look = Offers(database).offer_look(asked(team), until=9.0)
    Offers(database).opened(look.id, "D1", "3.0")


def answer(database: Database, team: str) -> None:
    """Post an answer, resting on a source."""
    answers = Answers(database, team)
    begun = answers.begin(asked(team), HERE, "answer", [Cited(1, "source", "passage", frozenset({HERE}))], at=1.0)
    answers.posted(begun.id, 0, "4.0")
    answers.finish(begun.id)


def rebuild(database: Database, team: str) -> None:
    """Have a rebuild cut off."""
    with pytest.raises(KeyboardInterrupt), Rebuilds(database).running(team, "another model"):
        raise KeyboardInterrupt


REMEMBERED: dict[str, tuple[Write, Write]] = {
    "questions": (
        lambda db, team: Questions(db).take(asked(team), "E1", 1.0),
        lambda db, team: (
            Questions(db).asked_in(team, "C1"),
            Questions(db).last_in_thread(team, "C1", "1.0"),
            Questions(db).is_open(asked(team), "E1"),
        ),
    ),
    "places": (
        lambda db, team: Places(db).place_of(team, "C1"),
        lambda db, team: Places(db).find(team, "C1") is not None,
    ),
    "progress": (
        lambda db, team: Progress(db, team).write(ChannelProgress(HERE, "C1", "general", ReadingState.DONE)),
        lambda db, team: (Progress(db, team).of(HERE), Progress(db, team).all()),
    ),
    "renewals": (
        lambda db, team: Progress(db, team).renew(HERE, 1.0),
        lambda db, team: Progress(db, team).renewal_of(HERE),
    ),
    "files": (
        lambda db, team: Files(db, team).replace_posts(HERE, (), (FilePost("F1", "1.0", "1.0"),)),
        lambda db, team: (
            Files(db, team).posts_in(HERE),
            Files(db, team).posts_of("F1"),
            Files(db, team).of("F1"),
            Files(db, team).ids(),
            Files(db, team).tally(),
        ),
    ),
    "choices": (
        choose,
        lambda db, team: (
            Choices(db).left_out_places(team),
            Choices(db).places_never_to_model(team),
            Choices(db).approved_places(team),
            Choices(db).unused_people(team),
            Choices(db).unused_and_still_indexed(team),
            Choices(db).last(team, Choice.LEFT_OUT, "U1") is not None,
        ),
    ),
    "departures": (
        lambda db, team: Departures(db, team).make_sure(HERE),
        lambda db, team: (Departures(db, team).places(), Departures(db, team).sure()),
    ),
    "notices": (
        lambda db, team: Notices(db, team).write(Notice(HERE, "mark", "1.0")),
        lambda db, team: Notices(db, team).of(HERE),
    ),
    "suspensions": (
        lambda db, team: Suspensions(db).suspend(team, "E1"),
        lambda db, team: Suspensions(db).holds(team),
    ),
    "offers": (offer, lambda db, team: Offers(db).look_below(team, "D1", "3.0") is not None),
    "answers": (
        answer,
        lambda db, team: (
            Answers(db, team).to_question(HERE, "2.0") is not None,
            Answers(db, team).by_post(HERE, "4.0") is not None,
            len(Answers(db, team).resting_on_source("source")),
            len(Answers(db, team).concerning(HERE)),
            len(Answers(db, team).read_by("U1", [HERE])),
            len(Answers(db, team).since(0.0)),
        ),
    ),
    "rebuilds": (rebuild, lambda db, team: Rebuilds(db).of(team) is not None),
}
"""What is remembered of a team, and all that can be learnt of that."""


@pytest.mark.parametrize("what", REMEMBERED)
def test_what_is_remembered_of_one_team_is_nothing_to_the_other(database: Database, what: str) -> None:
    """With the same ids in both: nothing is found before it is written, and the same as if there were one alone."""
    write, read = REMEMBERED[what]
    nothing = read(database, TWO)
    write(database, ONE)
    alone = read(database, ONE)
    assert (read(database, TWO), alone != nothing) == (nothing, True)
    write(database, TWO)
    assert (read(database, TWO), read(database, ONE)) == (alone, alone)


BY_OWN_IDS = {
    "answer_posts": "belongs to an answer, whose id is ours",
    "answer_citations": "belongs to an answer",
    "answer_places": "belongs to a citation",
    "answer_messages": "belongs to a citation",
    "model_folders": "says where a model stands on the disk, which is no team's",
}
"""The tables that no team stands in, and why."""
WITHOUT_TEAM = {("inbox", "event_id"): "Slack's ids of events are never equal, and the app's stands beside them"}


def test_every_table_says_whose_a_row_is() -> None:
    """A table added tomorrow has the team in every key in which an id of Slack's stands, or is named here."""
    tables = Base.metadata.tables.values()
    assert {table.name for table in tables if "team" not in table.columns} == set(BY_OWN_IDS)
    assert [key for table in tables if "team" in table.columns for key in _keys_of_slack_without_team(table)] == []


def _keys_of_slack_without_team(table: Table) -> list[tuple[str, str]]:
    unique = [one for one in table.constraints if isinstance(one, UniqueConstraint)]
    keys = [frozenset(column.name for column in one.columns) for one in (table.primary_key, *unique)]
    of_slack = {"channel", "channel_id", "ts", "root_ts", "question_ts", "dm", "dm_ts", "file_id", "asker", "event_id"}
    found = [(table.name, name) for key in keys if "team" not in key for name in sorted(key & of_slack)]
    return [one for one in found if one not in WITHOUT_TEAM]


# ----------------------------------------------------------------------------------------------------- the whole bot


@dataclass
class Tenant:
    """A workspace with its bot."""

    still: StillSandbox
    bot: Bot

    def asks(self, text: str) -> str:
        """What Footnote replies to Bo's question in #general."""
        ts = self.hears(text)
        self.settle()
        return self.reply_to(ts)

    def hears(self, text: str) -> str:
        """Have Bo's question come in without anybody dealing with it; its `ts`."""
        with self.still.reachable():
            app = self.still.workspace.app.user_id
            asked = self.still.call("chat.postMessage", "U0BO", channel=self.general, text=f"<@{app}> {text}")
            self.still.deliver()
        return str(asked["ts"])

    def reply_to(self, ts: str) -> str:
        """What Footnote has replied, as Bo sees it; empty as long as that is nothing."""
        thread = self.still.call("conversations.replies", "U0BO", channel=self.general, ts=ts)["messages"]
        assert isinstance(thread, list)
        return "\n".join(str(one["text"]) for one in thread if one["user"] == self.still.workspace.app.user_id)

    @property
    def general(self) -> str:
        """The id of #general."""
        channel = self.still.workspace.channel_by_name("general")
        assert channel is not None
        return channel.id

    def does(self, who: str, method: str, /, **arguments: object) -> None:
        """Call a method of Slack's in somebody's name, and have the bot deal with what comes of it."""
        with self.still.reachable():
            assert self.still.call(method, f"U0{who.upper()}", **arguments)["ok"]
        self.settle()

    def settle(self) -> None:
        """Have the bot deal with all that has reached it."""
        with self.still.reachable():
            while self.still.deliver() or self.bot.inbox.work_off():
                pass


def seed(team: str, floor: str) -> Seed:
    """The same people, channels, ids and times in each workspace; only what was written differs."""
    said = SeedMessage("bo", f"The ledger of the depot stands on the {floor} floor.")
    told = SeedMessage("ann", f"The keys of the depot are with the {floor} guard.")
    people = (SeedPerson("ann"), SeedPerson("bo"))
    channels = (SeedChannel("general"), SeedChannel("vault", kind="private", members=("ann",)))
    now = datetime(2026, 3, 9, 9, tzinfo=UTC)
    return Seed(
        people, channels, {"general": (said,), "vault": (told,)}, team=SeedTeam(team, team, team.lower()), now=now
    )


@pytest.fixture
def tenants(tmp_path: Path, database: Database) -> Iterator[list[Tenant]]:
    """Two workspaces that one operator runs Footnote for, in one folder and one database."""
    with ExitStack() as stack:
        yield [opened(seed(team, floor), tmp_path, database, stack) for team, floor in ((ONE, "upper"), (TWO, "lower"))]


def opened(seed: Seed, folder: Path, database: Database, stack: ExitStack) -> Tenant:
    """A workspace of which the bot has read all."""
    team, dense, sparse = seed.team.id, WordEmbedder(), Bm25Embedder()
    store = stack.enter_context(closing(open_store(folder, team, dense.model, dense.dimension, "tests")))
    indexer, searcher = Indexer(store, dense, sparse, team), Searcher(store, dense, sparse)
    collection = Collection(team, dense.model, dense.dimension, "tests")
    retrieval = Retrieval(collection, store, indexer, searcher, Meaning(dense))
    index = stack.enter_context(closing(LiveIndex(lambda _: nullcontext(retrieval), lambda: None)))
    still = StillSandbox(seed)
    environ = {"FOOTNOTE_DATA": str(folder), "SLACK_BOT_TOKEN": still.bot_token, "SLACK_API_URL": still.api_url}
    with still.reachable():
        slack = open_slack(Settings.from_env(environ), database, still.workspace.clock.now)
        bot = build_bot(slack, database, index, lambda _: None, clock=still.workspace.clock.now)
        still.connect(partial(take, build_app(slack.client, bot.inbox)))
        bot.backfill.run(slack.workspace.joined(), lambda: False)
    return Tenant(still, bot)


QUESTION = "On which floor does the ledger of the depot stand?"


def test_each_workspace_is_answered_from_its_own_words(tenants: list[Tenant]) -> None:
    """The same person in the same channel asks the same: each hears what was written in their own workspace."""
    one, two = tenants
    for _ in range(2):
        replies = [tenant.asks(QUESTION) for tenant in (one, two)]
        assert ["upper" in reply for reply in replies] == [True, False]
        assert ["lower" in reply for reply in replies] == [False, True]


def test_what_came_for_one_workspace_is_not_dealt_with_by_the_other(tenants: list[Tenant]) -> None:
    """Each bot leaves in the inbox what is not its own, for the one whose it is."""
    one, two = tenants
    asked = [tenant.hears(QUESTION) for tenant in (one, two)]
    two.settle()
    assert ["floor" in tenant.reply_to(ts) for tenant, ts in zip(tenants, asked, strict=True)] == [False, True]
    one.settle()
    assert ["upper" in one.reply_to(asked[0]), "lower" in two.reply_to(asked[1])] == [True, True]


def test_what_one_workspace_is_told_is_not_heard_in_the_other(tenants: list[Tenant]) -> None:
    """An event that comes to the other's bot, as it may where they are one app, takes nothing from that one."""
    one, two = tenants
    left = {"type": "channel_deleted", "channel": one.general}
    two.bot.inbox.keep({"type": "event_callback", "event_id": "E9", "api_app_id": "A0", "team_id": ONE, "event": left})
    assert "lower" in two.asks(QUESTION)


def test_what_happens_in_one_workspace_changes_nothing_in_the_other(tenants: list[Tenant]) -> None:
    """A message that is deleted in one, at a `ts` that both have, is quoted in the other as before."""
    one, two = tenants
    messages = one.still.workspace.channels[one.general].messages.values()
    ts = next(message.ts for message in messages if "ledger" in message.text)
    one.does("bo", "chat.delete", channel=one.general, ts=ts)
    assert one.asks(QUESTION) == REFUSAL
    assert "lower" in two.asks(QUESTION)
