"""Where the demo plays: the sandbox, the bot beside it in a process of its own, and people with stock Slack clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from slack_sdk import WebClient

from sandbox.seed import Seed
from sandbox.server import Sandbox

T = TypeVar("T")

SAMPLE = Path(__file__).parent.parent / "sample"
FOOTNOTE = Path(sys.executable).with_name("footnote")

ANSWER_TIMEOUT_S = 60  # far more than an answer takes, so that a slow machine fails no scene
READY_TIMEOUT_S = 240  # reading and embedding the sample workspace takes 20 to 60 s on two cores


class DemoFailed(Exception):
    """The demo can't go on; the message says what did not happen."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that a person has posted."""

    person: str
    channel: str
    ts: str
    thread_ts: str


class Stage:
    """A running sandbox with the sample workspace and a running bot."""

    def __init__(self, sandbox: Sandbox, seed: Seed, environ: Mapping[str, str]) -> None:
        self.sandbox = sandbox
        self.environ = environ
        self._people = {person.name: person.id for person in seed.people}
        self._channels = {channel.name: channel.id for channel in seed.channels}
        identity = WebClient(token=sandbox.bot_token, base_url=sandbox.api_url).auth_test()
        self.bot_user = str(identity["user_id"])
        self.bot_id = str(identity["bot_id"])

    def client(self, person: str) -> WebClient:
        """A stock Slack client that acts as this person."""
        return WebClient(token=f"xoxp-{self._people[person]}", base_url=self.sandbox.api_url)

    def mention(self, person: str, channel: str, text: str, thread_ts: str | None = None) -> Asked:
        """Mention Footnote in a channel, as this person."""
        return self._post(person, self._channels[channel], f"<@{self.bot_user}> {text}", thread_ts)

    def dm(self, person: str, text: str) -> Asked:
        """Write to Footnote in a direct message, as this person."""
        opened = self.client(person).conversations_open(users=[self.bot_user])
        return self._post(person, str(opened["channel"]["id"]), text, None)

    def reply_to(self, asked: Asked) -> dict[str, Any]:
        """Footnote's reply in the thread of what was asked, as the asker's client shows it.

        Raises:
            DemoFailed: there is none in time.
        """
        client = self.client(asked.person)
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while time.monotonic() < deadline:
            thread = client.conversations_replies(channel=asked.channel, ts=asked.thread_ts)["messages"]
            for message in thread:
                if message.get("bot_id") == self.bot_id and float(message["ts"]) > float(asked.ts):
                    return dict(message)
            time.sleep(0.2)
        raise DemoFailed(f"No reply within {ANSWER_TIMEOUT_S} s.")

    def press(self, asked: Asked, message: Mapping[str, Any], action: str) -> None:
        """Press a button below a reply, as whoever asked."""
        pressed = {"channel": asked.channel, "ts": message["ts"], "action_id": action}
        self.client(asked.person).api_call("sandbox.pressButton", json=pressed)

    def opened_in_dm(self, person: str, after: str) -> Asked:
        """The thread that Footnote has opened in a person's DM since something was said elsewhere.

        Raises:
            DemoFailed: there is none in time.
        """
        client = self.client(person)
        dm = str(client.conversations_open(users=[self.bot_user])["channel"]["id"])

        def roots() -> list[str]:
            found = client.conversations_history(channel=dm, oldest=after)["messages"]
            return [str(message["ts"]) for message in found if message.get("bot_id") == self.bot_id]

        ts = _awaited(roots, "No thread in the DM")[0]
        return Asked(person, dm, ts, ts)

    def told_alone(self, asked: Asked) -> str:
        """What Footnote has told a person alone in a conversation, in words that pass.

        Raises:
            DemoFailed: nothing, in time.
        """
        given = {"user": self._people[asked.person], "channel": asked.channel}
        client = self.client(asked.person)
        told = _awaited(lambda: client.api_call("sandbox.ephemerals", json=given)["messages"], "No word")
        return str(told[-1]["text"])

    def replies(self, asked: Asked) -> int:
        """How many messages of Footnote's stand in the thread of what was asked."""
        thread = self.client(asked.person).conversations_replies(channel=asked.channel, ts=asked.thread_ts)["messages"]
        return sum(message.get("bot_id") == self.bot_id for message in thread)

    def thread_before(self, asked: Asked) -> list[dict[str, Any]]:
        """The messages of the thread before the one that was asked, oldest first."""
        thread = self.client(asked.person).conversations_replies(channel=asked.channel, ts=asked.thread_ts)["messages"]
        return [message for message in thread if float(message["ts"]) < float(asked.ts)]

    def as_read(self, text: str) -> str:
        """A message's text without the mention of Footnote."""
        return text.replace(f"<@{self.bot_user}>", "").strip()

    def opened(self, url: str, person: str) -> str:
        """The page that a link opens in this person's browser, as HTML."""
        address, _, _ = url.partition("#")
        glue = "&" if "?" in address else "?"
        with urllib.request.urlopen(f"{address}{glue}as={self._people[person]}", timeout=10) as page:
            return str(page.read().decode("utf-8"))

    def footnote(self, *words: str) -> str:
        """Run a command of Footnote's as an operator would, and give what it printed.

        Raises:
            DemoFailed: it exited with an error.
        """
        done = subprocess.run([FOOTNOTE, *words], env=self.environ, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise DemoFailed(f"`footnote {' '.join(words[:2])} …` exited with {done.returncode}.")
        return done.stdout

    def footnote_json(self, *words: str) -> dict[str, Any]:
        """Run a command with `--json`, and give its object."""
        return dict(json.loads(self.footnote(*words, "--json")))

    def _post(self, person: str, channel: str, text: str, thread_ts: str | None) -> Asked:
        posted = self.client(person).chat_postMessage(channel=channel, text=text, thread_ts=thread_ts)
        ts = str(posted["ts"])
        return Asked(person, channel, ts, thread_ts or ts)


def _awaited(look: Callable[[], list[T]], missing: str) -> list[T]:
    """What is there as soon as something is."""
    deadline = time.monotonic() + ANSWER_TIMEOUT_S
    while not (found := look()):
        if time.monotonic() > deadline:
            raise DemoFailed(f"{missing} within {ANSWER_TIMEOUT_S} s.")
        time.sleep(0.2)
    return found


@contextmanager
def running_bot(environ: Mapping[str, str]) -> Iterator[BotProcess]:
    """`footnote serve` in a process of its own, stopped as an operator would stop it."""
    process = subprocess.Popen([FOOTNOTE, "serve"], env=environ, stderr=subprocess.PIPE, text=True)
    bot = BotProcess(process)
    try:
        yield bot
    finally:
        process.terminate()
        process.wait(timeout=30)


class BotProcess:
    """The served bot, seen from outside: what it says on its standard error."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._said: list[str] = []
        self._news = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_until_it_says(self, words: str) -> str:
        """The first line with these words.

        Raises:
            DemoFailed: it ended, or did not say so in time.
        """
        with self._news:
            self._news.wait_for(lambda: self._line_with(words) or self._process.poll() is not None, READY_TIMEOUT_S)
            line = self._line_with(words)
        if line is None:
            raise DemoFailed("`footnote serve` did not get ready. It said:\n" + "\n".join(self._said[-20:]))
        return line

    def _line_with(self, words: str) -> str | None:
        return next((line for line in self._said if words in line), None)

    def _listen(self) -> None:
        for line in self._process.stderr or ():
            with self._news:
                self._said.append(line.rstrip())
                self._news.notify_all()


def environment(sandbox: Sandbox, data: Path) -> dict[str, str]:
    """What an operator sets, with the sandbox's address and tokens in Slack's place."""
    return {
        **os.environ,
        "SLACK_API_URL": sandbox.api_url,
        "SLACK_BOT_TOKEN": sandbox.bot_token,
        "SLACK_APP_TOKEN": sandbox.app_token,
        "FOOTNOTE_DATA": str(data),
    }
