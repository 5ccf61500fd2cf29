"""Names of people and channels: asked of Slack rarely, and never of a channel that not everybody may know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.api import open_client
from bot.slack.directory import FRESH_S, RETRY_S, Directory
from bot.slack.workspace import Workspace
from bot.state.database import open_database
from bot.state.places import Places
from bot.types import Conversation, Person
from sandbox.seed import Seed, SeedChannel, SeedPerson, SeedTeam
from sandbox.server import Sandbox

SEED = Seed(
    people=(SeedPerson("ann"), SeedPerson("eve", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other"))),
    channels=(
        SeedChannel("general"),
        SeedChannel("elsewhere", footnote=False),
        SeedChannel("secret", kind="private", members=("ann",)),
        SeedChannel("partners", kind="shared", members=("ann", "eve")),
    ),
)


class Counting(Workspace):
    """A real workspace that counts what it is asked, and can be broken."""

    calls = 0
    is_broken = False

    def _count(self) -> None:
        self.calls += 1
        if self.is_broken:
            raise SlackError("users.list", "unreachable")

    def person(self, user_id: str) -> Person:
        self._count()
        return super().person(user_id)

    def people(self) -> tuple[Person, ...]:
        self._count()
        return super().people()

    def public_channels(self) -> tuple[Conversation, ...]:
        self._count()
        return super().public_channels()


class Clock:
    """Time that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A workspace with a public, an unjoined, a private and a shared channel."""
    with Sandbox.running(SEED) as sandbox:
        yield sandbox


@pytest.fixture
def workspace(sandbox: Sandbox, tmp_path: Path) -> Iterator[Counting]:
    """The workspace, counting."""
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield Counting(open_client(sandbox.bot_token, sandbox.api_url), Places(database))
    database.close()


@pytest.mark.parametrize(("channel", "expected"), [("general", "general"), ("elsewhere", "elsewhere"), ("secret", "")])
def test_only_public_channels_have_names(sandbox: Sandbox, workspace: Workspace, channel: str, expected: str) -> None:
    """Not even that a private channel is called what it is called comes into a text that others read."""
    assert Directory(workspace).channel(sandbox.channel_id(channel)) == expected


def test_people_are_named_by_one_list(sandbox: Sandbox, workspace: Counting) -> None:
    """Everybody of the workspace costs one call, somebody of another organisation one more, each once in a while."""
    clock = Clock()
    directory = Directory(workspace, clock)
    for _ in range(3):
        assert directory.person(sandbox.user_id("ann")) == "ann"
        assert directory.person(sandbox.user_id("eve")) == "eve"
        assert directory.person("U0UNKNOWN") == ""
    assert workspace.calls == 3
    clock.now += FRESH_S
    assert directory.person(sandbox.user_id("ann")) == "ann"
    assert workspace.calls == 4


def test_a_name_that_cant_be_read_is_asked_for_again_after_a_while(sandbox: Sandbox, workspace: Counting) -> None:
    """While Slack is away names are empty, it isn't asked at every message, and afterwards they come back."""
    clock = Clock()
    directory = Directory(workspace, clock)
    workspace.is_broken = True
    assert [directory.channel(sandbox.channel_id("general")) for _ in range(3)] == ["", "", ""]
    assert workspace.calls == 1
    workspace.is_broken = False
    clock.now += RETRY_S
    assert directory.channel(sandbox.channel_id("general")) == "general"


def test_a_directory_that_insists_says_that_a_name_cant_be_read(sandbox: Sandbox, workspace: Counting) -> None:
    """What is kept must not take a fault for a person without a name; what was read before goes on to hold."""
    clock = Clock()
    directory = Directory(workspace, clock, insists=True)
    workspace.is_broken = True
    for named in (directory.person, directory.channel):
        with pytest.raises(SlackError):
            named(sandbox.user_id("ann"))
    workspace.is_broken = False
    assert (directory.person(sandbox.user_id("ann")), directory.person("U0UNKNOWN")) == ("ann", "")
    workspace.is_broken = True
    with pytest.raises(SlackError):
        directory.person(sandbox.user_id("eve"))
    clock.now += FRESH_S
    assert directory.person(sandbox.user_id("ann")) == "ann"
