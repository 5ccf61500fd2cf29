"""The commands that need Slack, on the sandbox: the served bot in a process of its own, and what is asked beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from slack_sdk import WebClient

from bot.cli import main
from bot.texts import REFUSAL
from sandbox.seed import Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson
from sandbox.server import Sandbox

FOOTNOTE = Path(sys.executable).with_name("footnote")
PATIENCE_S = 90  # a loaded machine needs a while to load the model

FILES = (SeedFile("glaze.txt", "The glaze is ash and clay."), SeedFile("kiln.png", "", mimetype="image/png"))
SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("bo", real_name="Bo Ek"), SeedPerson("gus", kind="guest")),
    channels=(
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann",)),
        SeedChannel("lounge", members=("ann", "bo", "gus")),
    ),
    messages={
        "shop": (SeedMessage("ann", "The kiln is fired on Tuesdays at seven in the morning.", files=FILES),),
        "board": (SeedMessage("ann", "The shop's rent rises to 4,200 euros in October."),),
        "lounge": (SeedMessage("bo", "The coffee machine is descaled on Fridays."),),
    },
)


@dataclass
class Workshop:
    """A small company on the sandbox, and Footnote's data folder."""

    sandbox: Sandbox
    environ: dict[str, str]

    def footnote(self, *words: str) -> tuple[int, str, str]:
        """Run a command in this process, which need not load everything anew: exit code, stdout, stderr."""
        with (
            pytest.MonkeyPatch.context() as patch,
            redirect_stdout(StringIO()) as out,
            redirect_stderr(StringIO()) as err,
        ):
            for name, value in self.environ.items():
                patch.setenv(name, value)
            code = main(words)
        return code, out.getvalue(), err.getvalue()

    def outcome(self, *words: str) -> tuple[str, str]:
        """The outcome of a question and its text."""
        code, out, err = self.footnote("ask", *words, "--json")
        assert (code, err) == (0, "")
        answer = json.loads(out)
        return answer["outcome"], answer["text"]


class Served:
    """`footnote serve`, seen from outside."""

    def __init__(self, environ: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [FOOTNOTE, "serve"], env={**os.environ, **environ}, stderr=file, stdout=file
            )

    def says(self, words: str) -> bool:
        """Whether it says so in time."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and self.process.poll() is None:
            if words in self._log.read_text(encoding="utf-8"):
                return True
            time.sleep(0.05)
        return words in self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """End it as a service manager does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """A company without any of it indexed."""
    folder = tmp_path_factory.mktemp("workshop")
    with Sandbox.running(SEED) as sandbox:
        environ = {
            "SLACK_API_URL": sandbox.api_url,
            "SLACK_BOT_TOKEN": sandbox.bot_token,
            "SLACK_APP_TOKEN": sandbox.app_token,
            "FOOTNOTE_DATA": str(folder / "data"),
        }
        yield Workshop(sandbox, environ)


@pytest.fixture(scope="module")
def served(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The bot, which has read every channel."""
    served = Served(workshop.environ, tmp_path_factory.mktemp("served") / "stderr")
    try:
        assert served.says("Footnote has read 3 channels: ")  # and how much, its own notices among it
        yield served
    finally:
        served.process.kill()
        served.process.wait()


@pytest.mark.usefixtures("served")
def test_a_mention_is_answered_in_its_thread(workshop: Workshop) -> None:
    """The whole way: an event over the websocket, a search inside the scope, a reply with a link to the message."""
    sandbox = workshop.sandbox
    client, shop = WebClient(sandbox.token("bo"), base_url=sandbox.api_url), sandbox.channel_id("shop")
    asked = client.chat_postMessage(channel=shop, text=f"<@{sandbox.bot_user}> when is the kiln fired?")["ts"]
    deadline = time.monotonic() + PATIENCE_S
    thread: list[dict[str, object]] = []
    while len(thread) < 2 and time.monotonic() < deadline:
        thread = client.conversations_replies(channel=shop, ts=asked)["messages"]
        time.sleep(0.05)
    shown = json.dumps(thread[1]["blocks"])
    assert "The kiln is fired on Tuesdays at seven in the morning." in shown
    assert f"{sandbox.url}archives/{shop}/p" in shown


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (("how much is the rent of the shop?", "--as", "ann"), "answer"),
        (("how much is the rent of the shop?", "--as", "ann", "--in", "board"), "answer"),
        (("how much is the rent of the shop?", "--as", "ann", "--in", "shop"), "refusal"),
        (("how much is the rent of the shop?", "--as", "bo"), "refusal"),
        (("how much is the rent of the shop?",), "refusal"),
        (("when is the kiln fired?", "--as", "@bo", "--in", "#shop"), "answer"),
        (("when is the kiln fired?", "--as", "Bo Ek", "--in", "#shop"), "answer"),
        (("when is the kiln fired?", "--as", "bo", "--in", "lounge"), "refusal"),
        (("when is the kiln fired?",), "answer"),
    ],
)
def test_the_terminal_answers_inside_what_every_reader_may_read(
    workshop: Workshop, words: tuple[str, ...], outcome: str
) -> None:
    """A fact of a private channel is for its members' eyes; where a guest reads, only what the guest may open."""
    given, text = workshop.outcome(*words)
    assert given == outcome
    assert ("4,200 euros" in text, "on Tuesdays" in text) == ("rent" in words[0], "kiln" in words[0]) or text == REFUSAL


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("why?", "--as", "nobody"), 2, "Nobody in the workspace is called nobody"),
        (("why?", "--as", "ann", "--in", "nowhere"), 2, "Footnote is in no channel nowhere"),
        (("why?", "--in", "shop"), 2, "say who with --as"),
        (("why?", "--as", "gus"), 1, "I can only answer full members"),
        (("why?", "--as", "bo", "--in", "board"), 1, "they are not in #board"),
    ],
)
def test_who_asks_and_where_must_be_known(workshop: Workshop, words: tuple[str, ...], code: int, sentence: str) -> None:
    """An unknown name is an error, never a wider scope."""
    failed, out, err = workshop.footnote("ask", *words)
    assert (failed, out) == (code, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("served")
def test_documents_for_one_channel_are_for_its_members(workshop: Workshop, tmp_path: Path) -> None:
    """`--visible-to` a channel puts documents where that channel's messages stand; `serve` runs meanwhile."""
    (tmp_path / "lease.md").write_text("# Lease\n\nThe lease ends on 31 May 2031.\n", encoding="utf-8")
    code, out, _ = workshop.footnote("index", str(tmp_path), "--visible-to", "board")
    assert (code, out) == (0, "1 document: 1 passage added, 0 unchanged, 0 deleted.\n")
    assert workshop.outcome("when does the lease end?", "--as", "ann")[0] == "answer"
    assert workshop.outcome("when does the lease end?", "--as", "bo") == ("refusal", REFUSAL)


@pytest.mark.usefixtures("served")
def test_check_and_status_tell_how_things_are(workshop: Workshop) -> None:
    """Beside the served bot, one sees that all is well and what was read."""
    code, out, err = workshop.footnote("check")
    assert (code, err) == (0, "")
    assert {line.split()[0] for line in out.splitlines()} == {"ok"}
    (team,) = json.loads(workshop.footnote("status", "--json")[1])["teams"]
    assert {(channel["name"], channel["state"], channel["indexed"]) for channel in team["channels"]} == {
        ("shop", "done", 1),
        ("board", "done", 1),
        ("lounge", "done", 1),
    }


@pytest.mark.usefixtures("served")
def test_status_counts_shared_files(workshop: Workshop) -> None:
    """What was read, what was not, and why; files come after the messages that carry them."""
    deadline = time.monotonic() + PATIENCE_S
    while "waiting" in workshop.footnote("status")[1] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (
        "  shared files: 1 read, 1 skipped\n    1 skipped: Pictures, audio and video are not read.\n"
        in (workshop.footnote("status")[1])
    )
    (team,) = json.loads(workshop.footnote("status", "--json")[1])["teams"]
    assert team["files"] == {
        "waiting": 0,
        "read": 1,
        "skipped": 1,
        "reasons": [{"state": "skipped", "reason": "Pictures, audio and video are not read.", "files": 1}],
    }


@pytest.mark.parametrize(
    ("variable", "value", "code", "sentence"),
    [
        ("SLACK_BOT_TOKEN", "xoxb-wrong", 2, "Slack refuses SLACK_BOT_TOKEN"),
        ("SLACK_APP_TOKEN", "xapp-wrong", 2, "Slack refuses SLACK_APP_TOKEN"),
        ("SLACK_API_URL", "http://127.0.0.1:9/api/", 1, "Slack can't be reached"),
    ],
)
def test_what_keeps_the_bot_from_starting_is_told_in_one_sentence(
    workshop: Workshop, tmp_path: Path, variable: str, value: str, code: int, sentence: str
) -> None:
    """One reads what to do, and nothing of the packages below."""
    environ = {**workshop.environ, variable: value, "FOOTNOTE_DATA": str(tmp_path)}
    failed, out, err = Workshop(workshop.sandbox, environ).footnote("serve")
    assert (failed, out) == (code, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_a_stop_finishes_and_says_so(workshop: Workshop, served: Served) -> None:
    """Whoever runs it ends it with SIGTERM, and it ends well."""
    assert served.says("Footnote is connected to")
    assert served.stop() == 0
    assert served.says("Footnote has stopped.")
