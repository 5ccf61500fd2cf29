"""Seeds: what is written comes out of Slack's methods, and what doesn't fit is said."""

import signal
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import pytest
from slack_sdk import WebClient

from sandbox.__main__ import main
from sandbox.loading import load
from sandbox.manifest import CHECKOUT, read_manifest
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam, read_seed
from sandbox.server import Sandbox
from sandbox.types import SeedError

_TIMEOUT_S = 10  # for the command to end
WRITTEN = """
team: {id: T0KILN, name: Kiln, domain: kiln}
people:
  - {id: U0ANNANN1, name: ann, real_name: Ann Lee, kind: member, admin: true, title: Potter, tz: Europe/Lisbon}
  - {name: guest, kind: guest}
  - {name: olga, kind: outsider, team: {id: T0PARTNER, name: Partner}}
  - {name: pager, kind: bot}
channels:
  - {id: C0GENERAL1, name: general, kind: public, topic: News, purpose: All, members: all, footnote: true}
  - {name: joint, kind: shared, members: [ann, olga]}
messages:
  general:
    - at: "2026-03-02T09:14:00Z"
      from: ann
      text: "<@guest> see <#joint> and `<@U0ANNANN1>`"
      edited: "2026-03-02T09:20:00Z"
      reactions: {eyes: [ann, olga]}
      thread:
        - {at: "2026-03-02T10:00:00Z", from: pager, text: "ok", broadcast: true}
"""


def test_a_file_says_what_the_workspace_holds(tmp_path: Path) -> None:
    """Names become ids, times timestamps, and further messages come from the channels' own files."""
    (tmp_path / "workspace.yml").write_text(WRITTEN)
    (tmp_path / "channels").mkdir()
    (tmp_path / "channels" / "general.yml").write_text('- {at: "2026-03-03T09:00:00Z", from: ann, text: later}\n')
    with Sandbox.running(tmp_path / "workspace.yml") as sandbox:
        bot = WebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
        later, reply, first = bot.conversations_history(channel="C0GENERAL1")["messages"]
        joint = bot.conversations_info(channel=sandbox.channel_id("joint"))["channel"]
    assert (first["text"], first["user"]) == ("<@U0GUEST> see <#C0JOINT|joint> and `<@U0ANNANN1>`", "U0ANNANN1")
    assert first["ts"].startswith(str(int(datetime(2026, 3, 2, 9, 14, tzinfo=UTC).timestamp())))
    assert first["edited"]["ts"] == f"{int(datetime(2026, 3, 2, 9, 20, tzinfo=UTC).timestamp())}.000000"
    assert first["reactions"] == [{"name": "eyes", "users": ["U0ANNANN1", "U0OLGA"], "count": 2}]
    assert (reply["bot_id"], reply["subtype"], reply["thread_ts"]) == ("B0PAGER", "thread_broadcast", first["ts"])
    assert later["text"] == "later"
    assert (joint["is_ext_shared"], joint["connected_team_ids"]) == (True, ["T0PARTNER"])


ANN = SeedPerson("ann")
GENERAL = SeedChannel("general")


@pytest.mark.parametrize(
    ("seed", "problem"),
    [
        (Seed((ANN, ANN)), "'ann' .* twice"),
        (Seed((SeedPerson("x", kind="wizard"),)), "unknown kind 'wizard'"),
        (Seed((SeedPerson("x", kind="outsider"),)), "outsiders"),
        (Seed((SeedPerson("x", team=SeedTeam("T0OTHER")),)), "outsiders"),
        (Seed((ANN,), (GENERAL, GENERAL)), "'general' .* twice"),
        (Seed((ANN,), (SeedChannel("c", kind="hall"),)), "unknown kind 'hall'"),
        (Seed((ANN,), (SeedChannel("c", members=("bo",)),)), "names 'bo'"),
        (Seed((ANN,), (), {"general": ()}), "none of its channels"),
        (Seed((ANN,), (GENERAL,), {"general": (SeedMessage("bo", "x"),)}), "names 'bo'"),
        (Seed((ANN,), (GENERAL,), {"general": (SeedMessage("ann", "<@bo>"),)}), "names 'bo'"),
        (Seed((ANN,), (GENERAL,), {"general": (SeedMessage("ann", "<#hall>"),)}), "<#hall>"),
    ],
)
def test_what_does_not_fit_is_said(seed: Seed, problem: str) -> None:
    """A seed that names what it doesn't have is refused with the name."""
    with pytest.raises(SeedError, match=problem):
        load(seed, read_manifest())


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("people: [", "isn't YAML"),
        ("- a", "expected names with values"),
        ("people: {a: 1}", "expected a list"),
        ("people: [{name: a, shoe: 43}]", "shoe is not known"),
        ("people: [{real_name: a}]", "missing"),
        ("messages: {general: [{text: x}]}", "lacks `from`"),
        ("messages: {general: [{from: a, at: noon}]}", "isn't a time"),
    ],
)
def test_files_that_cannot_be_read_say_why(tmp_path: Path, written: str, problem: str) -> None:
    """A mistake in the file is named in one sentence."""
    (tmp_path / "seed.yml").write_text(written)
    with pytest.raises(SeedError, match=problem):
        read_seed(tmp_path / "seed.yml")


def test_seeds_load_the_same_twice() -> None:
    """Ids and timestamps of a seed are the same on every start."""
    seed = Seed((ANN,), (GENERAL,), {"general": tuple(SeedMessage("ann", f"m{n}") for n in range(5))})
    stamps = [list(load(seed, read_manifest()).channels["C0GENERAL"].messages) for _ in range(2)]
    assert stamps[0] == stamps[1] == sorted(set(stamps[0]))


def test_the_clock_starts_where_the_seed_says() -> None:
    """With `now` in the seed, new messages have its time."""
    now = datetime(2027, 5, 1, 12, tzinfo=UTC)
    with Sandbox.running(replace(Seed((ANN,), (GENERAL,)), now=now)) as sandbox:
        ann = WebClient(token=sandbox.token("ann"), base_url=sandbox.api_url)
        ts = ann.chat_postMessage(channel=sandbox.channel_id("general"), text="x")["ts"]
    assert 0 <= float(ts) - now.timestamp() < 60


def test_the_command_serves_until_interrupted(tmp_path: Path) -> None:
    """It says the address and the tokens, answers there, and ends with 0 on Ctrl-C."""
    (tmp_path / "seed.yml").write_text(WRITTEN)
    command = [sys.executable, "-m", "sandbox", "--seed", str(tmp_path / "seed.yml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(5)]
        told = dict(line.split("=", 1) for line in lines if "=" in line)
        me = WebClient(token=told["SLACK_BOT_TOKEN"], base_url=told["SLACK_API_URL"]).auth_test()
        process.send_signal(signal.SIGINT)
        assert process.wait(_TIMEOUT_S) == 0
    assert (me["user"], me["url"]) == ("footnote", lines[0].split()[-1])


def test_what_is_posted_is_newer_than_the_seed() -> None:
    """A seed that reaches into the future takes the clock with it."""
    late = SeedMessage("ann", "late", at=datetime(2090, 1, 1, tzinfo=UTC))
    with Sandbox.running(Seed((ANN,), (GENERAL,), {"general": (late,)})) as sandbox:
        ann = WebClient(token=sandbox.token("ann"), base_url=sandbox.api_url)
        ann.chat_postMessage(channel=sandbox.channel_id("general"), text="now")
        messages = ann.conversations_history(channel=sandbox.channel_id("general"))["messages"]
    assert [message["text"] for message in messages] == ["now", "late"]


def test_a_taken_port_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command names the port that it can't use."""
    (tmp_path / "seed.yml").write_text(WRITTEN)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--seed", str(tmp_path / "seed.yml"), "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"Port {port} can't be used (Address already in use); choose another.\n"


@pytest.mark.parametrize(("chosen", "shown"), [("", "Ann Lee"), ("annie", "annie")])
def test_who_chose_no_display_name_has_none(chosen: str, shown: str) -> None:
    """Slack leaves it empty, and its clients show the real name instead."""
    person = SeedPerson("ann", real_name="Ann Lee", display_name=chosen)
    with Sandbox.running(Seed((person,), (GENERAL,))) as sandbox:
        ann = WebClient(token=sandbox.token("ann"), base_url=sandbox.api_url)
        user = ann.users_info(user=sandbox.user_id("ann"))["user"]
        ann.chat_postMessage(channel=sandbox.channel_id("general"), text="hello")
        with urlopen(f"{sandbox.url}client/{sandbox.channel_id('general')}?as={user['id']}") as page:
            words = page.read().decode("utf-8")
    assert (user["name"], user["profile"]["display_name"], user["profile"]["real_name"]) == ("ann", chosen, "Ann Lee")
    assert shown in words


def test_a_seed_that_is_not_there_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    """The command says in one sentence which file is missing."""
    assert main(["--seed", "/nowhere/seed.yml"]) == 2
    assert capsys.readouterr().err == "There is no seed file /nowhere/seed.yml; name one that exists.\n"
