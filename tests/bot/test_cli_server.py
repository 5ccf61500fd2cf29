"""The commands do the same where passages stand in a Qdrant server, and say so when they can't reach it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from bot.cli import main
from retrieval.stores import server_opening
from retrieval.stores.served import ServerAddress


class KeptClient(QdrantClient):
    """Qdrant's stand-in for a server, which outlives the commands that close their connection to it."""

    def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        """Only the connection goes."""


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder of its own, no Slack, and a server at a port where nothing listens."""
    for variable in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DATABASE_URL", "QDRANT_API_KEY", "QDRANT_GRPC_PORT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("QDRANT_TIMEOUT_S", "1")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ServerAddress]]:
    """A server that every command reaches; the addresses at which they look for it."""
    client, addresses = KeptClient(":memory:"), list[ServerAddress]()

    def connect(address: ServerAddress) -> QdrantClient:
        addresses.append(address)
        return client

    monkeypatch.setattr(server_opening, "connect", connect)
    yield addresses
    super(KeptClient, client).close()


@pytest.fixture
def handbook(tmp_path: Path) -> str:
    """One page."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "kiln.md").write_text(
        "# Kiln\n\nThe kiln is fired on Tuesdays at six in the morning.\n", encoding="utf-8"
    )
    return str(folder)


def test_documents_are_indexed_and_asked_on_a_server(
    server: list[ServerAddress], handbook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What one command writes there, the next finds; nothing of it is in the data folder."""
    assert main(["index", handbook]) == 0
    capsys.readouterr()
    assert main(["status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert main(["ask", "When is the kiln fired?", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (status["passages"], [team["team"] for team in status["teams"]]) == (1, ["local"])
    assert (answer["outcome"], "on Tuesdays at six" in answer["text"]) == ("answer", True)
    assert not (tmp_path / "data" / "passages").exists()
    assert set(server) == {ServerAddress("http://127.0.0.1:9", timeout_s=1)}


def test_check_says_which_server_it_reaches(
    server: list[ServerAddress], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version, its address, and how it is asked."""
    monkeypatch.setenv("QDRANT_GRPC_PORT", "6334")
    main(["check"])
    assert " at http://127.0.0.1:9, over gRPC at port 6334\n" in capsys.readouterr().out
    assert set(server) == {ServerAddress("http://127.0.0.1:9", grpc_port=6334, timeout_s=1)}


def test_a_server_that_is_away_is_one_sentence(handbook: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No command takes it for an empty index."""
    for words in (["index", handbook], ["ask", "When is the kiln fired?"], ["status"]):
        assert main(words) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.splitlines()[-1].endswith("can't be reached; see that it runs, and check QDRANT_URL.")
    assert main(["check"]) == 1
    assert capsys.readouterr().out.count("missing Reaching the store failed: the Qdrant server at") == 1
