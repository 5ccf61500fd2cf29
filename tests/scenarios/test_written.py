"""Answers that a language model writes, in Slack: the whole bot with its own index and a model on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from slack_sdk import WebClient

from bot.app import open_retrieval, open_slack, open_state
from bot.live import LiveIndex
from bot.models import open_writing_model
from bot.running import build_bot
from bot.settings import Settings
from bot.slack.listeners import build_app
from bot.slack.socket import Socket
from bot.texts import REFUSAL
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from sandbox.server import Sandbox
from tests.bot.model_server import served
from tests.scenarios.office import eventually

SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo")),
    channels=(
        SeedChannel("yard", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann",)),
    ),
    messages={
        "yard": (SeedMessage("bo", "The depot has three lifts. Each lift carries two tonnes."),),
        "board": (SeedMessage("ann", "The depot with its three lifts is to be sold in May, for nine million."),),
    },
)
QUESTION = "How many lifts has the depot?"


@dataclass
class Scribe:
    """A model that says what it is told to, and remembers its prompts."""

    says: str = ""
    prompts: list[str] = field(default_factory=list)

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.says


@dataclass
class Yard:
    """A small company with a running bot in it, and the model that writes for it."""

    sandbox: Sandbox
    scribe: Scribe

    def asks(self, name: str, channel: str, thread: str | None = None, text: str = QUESTION) -> tuple[str, str]:
        """Mention Footnote, and wait for its reply: the root of the thread, and the reply's blocks as JSON."""
        client, where = (
            WebClient(self.sandbox.token(name), base_url=self.sandbox.api_url),
            self.sandbox.channel_id(channel),
        )
        text = f"<@{self.sandbox.bot_user}> {text}"
        before = len(_thread(client, where, thread)) if thread else 0
        ts = str(client.chat_postMessage(channel=where, text=text, thread_ts=thread)["ts"])
        root, wanted = thread or ts, before + 2
        messages = eventually(lambda: _thread(client, where, root), lambda found: len(found) >= wanted, 60.0)
        return root, json.dumps(messages[-1]["blocks"], ensure_ascii=False)


def _thread(client: WebClient, channel: str, ts: str) -> Sequence[Mapping[str, object]]:
    found = client.conversations_replies(channel=channel, ts=ts)["messages"]
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Iterator[Yard]:
    """The bot as `footnote serve` joins it, with a model."""
    data = tmp_path_factory.mktemp("yard")
    (data / "models").symlink_to(models_folder, target_is_directory=True)
    scribe = Scribe()
    with served(scribe) as url, Sandbox.running(SEED) as sandbox:
        environ = {"SLACK_BOT_TOKEN": sandbox.bot_token, "SLACK_APP_TOKEN": sandbox.app_token, "LLM_URL": url}
        environ |= {"SLACK_API_URL": sandbox.api_url, "FOOTNOTE_DATA": str(data), "LLM_MODEL": "scribe"}
        settings = Settings.from_env(environ)
        with open_state(settings) as database:
            slack = open_slack(settings, database)
            with open_retrieval(settings, slack.workspace.identity().team, "test") as retrieval:
                index = LiveIndex(lambda _: nullcontext(retrieval), lambda: retrieval.collection)
                bot = build_bot(slack, database, index, lambda _: None, model=open_writing_model(settings))
                socket = Socket(build_app(slack.client, bot.inbox), sandbox.app_token)
                bot.inbox.start()
                socket.open()
                bot.backfill.run(slack.workspace.joined(), lambda: False)
                yield Yard(sandbox, scribe)
                socket.close()
                bot.inbox.stop()


def test_a_written_answer_is_posted_with_its_message_cited(yard: Yard) -> None:
    """The model's words, one section, its markers linked to the very message, whose author and day stand below."""
    yard.scribe.says = "There are three lifts at the depot [1]. Each of them carries two tonnes [1]."
    _, reply = yard.asks("ann", "yard")
    first, sources, *_buttons = json.loads(reply)
    assert first["text"]["text"].startswith("There are three lifts at the depot. <")
    assert "|[1]> Each of them carries two tonnes. <" in first["text"]["text"]
    assert "/archives/" in sources["text"]["text"]
    assert "bo" in sources["text"]["text"]


def test_what_not_every_reader_may_read_never_reaches_the_prompt(yard: Yard) -> None:
    """In the public channel the private one is neither shown nor sent, even to a model; in its own it is."""
    yard.scribe.says = "The depot is to be sold in May for nine million [1]."
    yard.scribe.prompts.clear()
    _, reply = yard.asks("ann", "yard")
    assert "nine million" not in "".join([reply, *yard.scribe.prompts])
    assert "three lifts" in reply
    yard.asks("ann", "board")
    assert "nine million" in yard.scribe.prompts[-1]


def test_a_models_refusal_is_posted_as_the_refusal(yard: Yard) -> None:
    """Nobody can tell who refused."""
    yard.scribe.says = f"{REFUSAL} Ask the boss."
    _, reply = yard.asks("bo", "yard")
    assert [block["text"]["text"] for block in json.loads(reply) if block["type"] == "section"] == [REFUSAL]


def test_a_follow_up_is_rewritten_by_the_model(yard: Yard) -> None:
    """The first call in a thread makes the question stand alone, the second is asked with it."""
    yard.scribe.says = "The depot has three lifts [1]."
    root, _ = yard.asks("ann", "yard")
    yard.scribe.says = "How many tonnes carries each lift of the depot?"
    yard.scribe.prompts.clear()
    yard.asks("ann", "yard", root, "and how many tonnes does each carry?")
    rewriting, writing = yard.scribe.prompts
    assert "<message>and how many tonnes does each carry?</message>" in rewriting
    assert "<question>\nHow many tonnes carries each lift of the depot?\n</question>" in writing
