"""Files that people share in Slack, asked about in Slack: the whole bot with its own index, over a real port."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from slack_sdk import WebClient

from bot.app import open_retrieval, open_slack, open_state
from bot.live import LiveIndex
from bot.running import Bot, build_bot
from bot.settings import Settings
from bot.slack.listeners import build_app
from bot.slack.socket import Socket
from bot.texts import REFUSAL
from sandbox.seed import Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson
from sandbox.server import Sandbox
from tests.retrieval.printing import heading, lines, write_pdf
from tests.scenarios.office import eventually

SECONDS = 60.0
"""Within which a change must show."""
SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo")),
    channels=(
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann",)),
        SeedChannel("crew", kind="private", members=("ann", "bo")),
        SeedChannel("yard", members=("ann",)),
        SeedChannel("annex", members=("ann", "bo")),
    ),
    messages={
        "shop": (
            SeedMessage("bo", "Hello all."),
            SeedMessage("ann", "", files=(SeedFile("shelf.csv", "Shelf,Holds\nThe top shelf,porcelain bowls\n"),)),
        )
    },
)


@dataclass
class Workshop:
    """A small company with a running bot in it."""

    sandbox: Sandbox
    bot: Bot

    def client(self, name: str) -> WebClient:
        return WebClient(self.sandbox.token(name), base_url=self.sandbox.api_url)

    def channel(self, name: str) -> str:
        return self.sandbox.channel_id(name)

    def upload(self, name: str, channel: str, file: str, content: str | bytes) -> str:
        """Share a file in a channel; its id."""
        uploaded = self.client(name).files_upload_v2(channel=self.channel(channel), filename=file, content=content)
        return str(uploaded["files"][0]["id"])

    def control(self, method: str, /, **arguments: object) -> None:
        self.client("ann").api_call(f"sandbox.{method}", json=arguments)

    def asks(self, name: str, channel: str, question: str) -> str:
        """Mention Footnote in a channel, or write to it in a DM, and wait for the reply, as JSON of its blocks."""
        client = self.client(name)
        where, text = self.channel(channel) if channel else "", f"<@{self.sandbox.bot_user}> {question}"
        if not channel:
            where, text = str(client.conversations_open(users=self.sandbox.bot_user)["channel"]["id"]), question
        ts = str(client.chat_postMessage(channel=where, text=text)["ts"])
        thread = eventually(lambda: _thread(client, where, ts), lambda found: len(found) > 1, SECONDS)
        return json.dumps([message["blocks"] for message in thread[1:]], ensure_ascii=False)

    def hears(self, name: str, channel: str, question: str, words: str) -> str:
        """Ask until the reply has the words, for as long as a change may take; the reply."""
        return eventually(lambda: self.asks(name, channel, question), lambda reply: words in reply, SECONDS)


def _thread(client: WebClient, channel: str, ts: str) -> Sequence[Mapping[str, object]]:
    found = client.conversations_replies(channel=channel, ts=ts)["messages"]
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Iterator[Workshop]:
    """The bot as `footnote serve` joins it."""
    data = tmp_path_factory.mktemp("workshop")
    (data / "models").symlink_to(models_folder, target_is_directory=True)
    with Sandbox.running(SEED) as sandbox:
        environ = {"SLACK_BOT_TOKEN": sandbox.bot_token, "SLACK_APP_TOKEN": sandbox.app_token}
        settings = Settings.from_env({**environ, "SLACK_API_URL": sandbox.api_url, "FOOTNOTE_DATA": str(data)})
        with open_state(settings) as database:
            slack = open_slack(settings, database)
            with open_retrieval(settings, slack.workspace.identity().team, "test") as retrieval:
                index = LiveIndex(lambda _: nullcontext(retrieval), lambda: retrieval.collection)
                bot = build_bot(slack, database, index, lambda _: None)
                socket = Socket(build_app(slack.client, bot.inbox), sandbox.app_token)
                bot.files.start()
                bot.inbox.start()
                socket.open()
                bot.backfill.run(slack.workspace.joined(), lambda: False)
                yield Workshop(sandbox, bot)
                socket.close()
                bot.inbox.stop()
                bot.files.stop()


def test_a_file_of_the_history_answers(workshop: Workshop) -> None:
    """A table row comes with its header, and a link that opens the file in Slack."""
    reply = workshop.hears("bo", "shop", "What does the top shelf hold?", "porcelain bowls")
    assert f"{workshop.sandbox.url}files/U0ANN/" in reply
    assert "shelf.csv" in reply


def test_a_file_in_a_private_channel_is_for_its_members(workshop: Workshop) -> None:
    """Who is not there hears what everybody hears who asks for what does not exist."""
    workshop.upload("ann", "board", "lease.md", "# Lease\n\nThe lease of the workshop ends on 31 May 2031.\n")
    workshop.hears("ann", "board", "When does the lease of the workshop end?", "31 May 2031")
    workshop.hears("ann", "", "When does the lease of the workshop end?", "31 May 2031")
    for name, channel in (("bo", ""), ("bo", "shop"), ("ann", "shop"), ("ann", "crew")):
        reply = workshop.asks(name, channel, "When does the lease of the workshop end?")
        assert REFUSAL in reply
        assert "lease.md" not in reply


def test_a_deleted_file_is_gone(workshop: Workshop) -> None:
    """Nothing of it is quoted any more."""
    file_id = workshop.upload("ann", "shop", "glaze.txt", "The ash glaze takes two parts of ash and one part of clay.")
    workshop.hears("bo", "shop", "How many parts of ash does the ash glaze take?", "two parts of ash")
    workshop.client("ann").files_delete(file=file_id)
    workshop.hears("bo", "shop", "How many parts of ash does the ash glaze take?", REFUSAL)


def test_a_file_unshared_from_one_channel_stays_in_the_other(workshop: Workshop) -> None:
    """There alone it is found."""
    file_id = workshop.upload("ann", "crew", "alarm.txt", "The code of the alarm at the back door is 4417.")
    workshop.control("shareFile", file=file_id, channel=workshop.channel("board"))
    question = "What is the code of the alarm at the back door?"
    workshop.hears("bo", "crew", question, "4417")
    workshop.hears("ann", "board", question, "4417")
    workshop.control("unshareFile", file=file_id, channel=workshop.channel("crew"))
    workshop.hears("bo", "crew", question, REFUSAL)
    workshop.hears("bo", "", question, REFUSAL)
    workshop.hears("ann", "board", question, "4417")


def test_a_changed_file_says_what_it_says_now(workshop: Workshop) -> None:
    """The new words are quoted, and the old ones are not."""
    file_id = workshop.upload("bo", "shop", "opening.md", "# Opening hours\n\nOn Saturdays the shop opens at nine.\n")
    workshop.hears("ann", "shop", "When does the shop open on Saturdays?", "opens at nine")
    workshop.control("changeFile", file=file_id, content="# Opening hours\n\nOn Saturdays the shop opens at eleven.\n")
    assert "opens at nine" not in workshop.hears(
        "ann", "shop", "When does the shop open on Saturdays?", "opens at eleven"
    )


def test_a_pdf_is_cited_with_its_page(workshop: Workshop, tmp_path: Path) -> None:
    """Slack opens a file at its first page, so that the citation says which one to turn to."""
    printed = [
        [*heading("Kiln manual", 740), *lines("This manual is for everybody who fires the big kiln.")],
        [*heading("Cooling", 740), *lines("Let the big kiln cool for eighteen hours before you open its door.")],
    ]
    workshop.upload("ann", "shop", "kiln.pdf", write_pdf(tmp_path / "kiln.pdf", printed).read_bytes())
    reply = workshop.hears("bo", "shop", "For how many hours must the big kiln cool?", "eighteen hours")
    assert "kiln.pdf › Cooling › page 2" in reply


def test_a_file_goes_with_its_channel_when_that_is_converted(workshop: Workshop) -> None:
    """Made private, the channel keeps its file to itself; made public, it shows it to everybody."""
    workshop.upload("ann", "yard", "gate.txt", "The gate of the yard closes at half past six.")
    question = "When does the gate of the yard close?"
    workshop.hears("bo", "", question, "half past six")
    for to, words in (("private", REFUSAL), ("public", "half past six")):
        workshop.control("convertChannel", channel=workshop.channel("yard"), to=to)
        workshop.hears("bo", "", question, words)


def test_a_file_that_was_uploaded_and_shared_nowhere_answers_nobody(workshop: Workshop) -> None:
    """`file_created` says no more than that it exists, and is not subscribed to; `file_public` has it looked at."""
    client = workshop.client("ann")
    content = "The spare key hangs behind the clock."
    address = client.files_getUploadURLExternal(filename="key.txt", length=len(content))
    urlopen(Request(str(address["upload_url"]), content.encode(), method="POST"), timeout=SECONDS).close()
    client.files_completeUploadExternal(files=[{"id": address["file_id"]}])
    for kind in ("file_created", "file_public"):
        workshop.bot.inbox.keep(
            {
                "type": "event_callback",
                "event_id": f"Ev{kind}",
                "team_id": "T0HOME",
                "event": {"type": kind, "file_id": address["file_id"], "file": {"id": address["file_id"]}},
            }
        )
    assert REFUSAL in workshop.asks("ann", "", "Where does the spare key hang?")
    workshop.control("shareFile", file=str(address["file_id"]), channel=workshop.channel("crew"))
    workshop.hears("bo", "crew", "Where does the spare key hang?", "behind the clock")


def test_files_of_a_channel_that_footnote_was_taken_out_of_are_gone(workshop: Workshop) -> None:
    """As what was said there is; where else they are shared, they stay."""
    file_id = workshop.upload("ann", "annex", "wifi.txt", "The wireless network of the annex is called moss.")
    question = "What is the wireless network of the annex called?"
    workshop.control("shareFile", file=file_id, channel=workshop.channel("crew"))
    workshop.hears("ann", "shop", question, "moss")
    workshop.client("ann").conversations_kick(channel=workshop.channel("annex"), user=workshop.sandbox.bot_user)
    workshop.hears("ann", "shop", question, REFUSAL)
    workshop.hears("bo", "crew", question, "moss")
