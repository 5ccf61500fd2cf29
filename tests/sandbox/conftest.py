"""A running sandbox with the small company, its clients and an app that listens."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from slack_sdk import WebClient

from sandbox.manifest import Manifest, read_manifest
from sandbox.server import Sandbox
from tests.sandbox.company import company
from tests.sandbox.listening import ListeningApp

ClientFor = Callable[[str], WebClient]

_MORE_SCOPES = frozenset(
    {
        "channels:join",
        "channels:manage",
        "groups:write",
        "im:write",
        "mpim:write",
        "reactions:read",
        "reactions:write",
        "team:read",
        "files:read",
        "files:write",
        "pins:read",
        "pins:write",
    }
)
_MORE_EVENTS = frozenset(
    {
        "reaction_added",
        "reaction_removed",
        "file_shared",
        "file_deleted",
        "channel_created",
    }
)


def generous() -> Manifest:
    """The project's manifest with more scopes and events, to reach what Footnote doesn't ask for."""
    manifest = read_manifest()
    return replace(
        manifest,
        scopes=manifest.scopes | _MORE_SCOPES,
        events=manifest.events | _MORE_EVENTS,
        interactive=True,
        commands=frozenset({"/footnote"}),
    )


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """The small company, running, with the generous manifest."""
    with Sandbox.running(company(), manifest=generous()) as running:
        yield running


@pytest.fixture
def client(sandbox: Sandbox) -> ClientFor:
    """A client for a person by their handle, or for the `bot`."""

    def client_for(name: str) -> WebClient:
        token = sandbox.bot_token if name == "bot" else sandbox.token(name)
        return WebClient(token=token, base_url=sandbox.api_url)

    return client_for


@pytest.fixture
def app(sandbox: Sandbox) -> Iterator[ListeningApp]:
    """An app that listens and acks."""
    listening = ListeningApp(sandbox.api_url, sandbox.app_token)
    yield listening
    listening.close()
