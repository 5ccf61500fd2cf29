"""`footnote reindex` rebuilds the index as the settings ask for it, and every other command says when it is needed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from bot import app
from bot.cli import main
from bot.errors import StateError
from bot.indexes import active_collection, open_live
from bot.settings import Settings
from bot.state import rebuilds
from bot.state.database import Database, open_database
from bot.state.progress import ChannelProgress, Progress, ReadingState
from bot.state.rebuilds import Rebuilds
from retrieval.embedding import packaged
from retrieval.embedding.dense import FastEmbedder
from retrieval.stores import server_opening
from retrieval.stores.served import ServerAddress
from retrieval.types import Place

OTHER_MODEL = "sentence-transformers/all-MiniLM-L6-v2"

Run = Callable[..., tuple[int, str, str]]


class KeptClient(QdrantClient):
    """Qdrant's stand-in for a server, which outlives the commands that close their connection to it."""

    def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        """Only the connection goes."""


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder of its own, and no Slack."""
    for variable in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DATABASE_URL", "QDRANT_URL", "EMBEDDING_MODEL", "LANGUAGE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()


@pytest.fixture(scope="module", autouse=True)
def _loaded_once() -> Iterator[None]:
    """Each command loads its model anew; here they share those that are loaded already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "FastEmbedder", lru_cache(FastEmbedder))
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: its exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def indexed(tmp_path: Path, run: Run) -> str:
    """A folder of one page, which is indexed."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    page = "# Kiln\n\nThe kiln is fired on Tuesdays at six in the morning.\n"
    (folder / "kiln.md").write_text(page, encoding="utf-8")
    assert run("index", str(folder))[0] == 0
    return str(folder)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """What the commands remember."""
    with closing(open_database(f"sqlite:///{tmp_path}/data/state.db")) as database:
        yield database


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantClient]:
    """A server that every command reaches."""
    client = KeptClient(":memory:")

    def connect(_address: ServerAddress) -> QdrantClient:
        return client

    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(server_opening, "connect", connect)
    yield client
    super(KeptClient, client).close()


def goes_over_to_german(run: Run, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before, answered after, and then there is nothing to do."""
    monkeypatch.setenv("LANGUAGE", "german")
    for words in (("ask", "When is the kiln fired?"), ("index", folder)):
        code, out, err = run(*words)
        assert (code, out) == (1, "")
        assert err.splitlines()[-1] == (
            "footnote: The index of local was built with english and the settings ask for german: "
            "run `footnote reindex`, or set LANGUAGE to english again."
        )
    code, out, _ = run("reindex")
    assert code == 0
    assert out.startswith("local: 1 passage in the new index, 1 embedded now. It answers from now on, with ")
    assert "on Tuesdays at six" in run("ask", "When is the kiln fired?")[1]
    assert run("index", folder)[1] == "1 document: 0 passages added, 1 unchanged, 0 deleted.\n"
    assert run("reindex")[:2] == (0, "local: the index is as the settings ask for it.\n")


def test_another_language_is_another_index(
    indexed: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command says in one sentence what to do; after it nothing of the old index is left."""
    goes_over_to_german(run, indexed, monkeypatch)
    (team,) = (tmp_path / "data" / "passages").iterdir()
    assert len([path for path in team.iterdir() if (path / "manifest.json").exists()]) == 1
    monkeypatch.delenv("LANGUAGE")
    assert "or set LANGUAGE to german again." in run("ask", "When is the kiln fired?")[2]


def test_another_language_is_another_index_on_a_server(
    server: QdrantClient, indexed: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same there."""
    goes_over_to_german(run, indexed, monkeypatch)
    assert len(server.get_collections().collections) == len(server.get_aliases().aliases) == 1


def test_a_running_bot_goes_over_to_a_model_that_its_settings_do_not_name(
    indexed: str, run: Run, database: Database, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the model's files where `reindex` found them, and other commands still go by their own settings."""
    assert indexed
    with closing(open_live(Settings.from_env(), database, "local", "footnote serve")) as index:
        index.watch(lambda: None)
        monkeypatch.setenv("EMBEDDING_MODEL", OTHER_MODEL)
        monkeypatch.setenv("EMBEDDING_MODEL_PATH", str(packaged.lay_out(models_folder)))
        assert f"or set EMBEDDING_MODEL to {packaged.NAME} again." in run("ask", "When is the kiln fired?")[2]
        code, out, err = run("reindex")
        assert (code, out.startswith("local: 1 passage in the new index")) == (0, True)
        assert "Passages stay cut as they were until their source is read again" in err
        deadline = time.monotonic() + 60  # a loaded machine needs a while to load the model
        while index.use(lambda it: it.collection.model) != OTHER_MODEL and time.monotonic() < deadline:
            time.sleep(0.05)
        assert index.use(lambda it: (it.collection.model, it.store.count())) == (OTHER_MODEL, 1)
        assert "on Tuesdays at six" in run("ask", "When is the kiln fired?")[1]


def test_another_way_of_cutting_reads_channels_from_their_start(
    indexed: str, run: Run, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was cut before answers at once, and is cut anew when it is read."""
    progress = Progress(database, "local")
    progress.write(ChannelProgress(Place("p"), "C1", "general", ReadingState.DONE, "1.0", "2.0", 2, 2))
    monkeypatch.setattr(app, "CHUNKING_VERSION", "next")
    assert run("ask", "When is the kiln fired?")[2].endswith("ask for chunking next: run `footnote reindex`.\n")
    code, _, err = run("reindex")
    assert (code, "`footnote serve` reads Slack's channels again" in err) == (0, True)
    assert [channel.state for channel in progress.all()] == [ReadingState.READING]
    assert "on Tuesdays at six" in run("ask", "When is the kiln fired?")[1]
    assert run("index", indexed)[1] == "1 document: 0 passages added, 1 unchanged, 0 deleted.\n"


def test_a_second_rebuild_says_that_there_is_one(
    indexed: str, run: Run, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One at a time, whatever is built; `status` shows how far it is, and how far one came that was cut off."""
    assert indexed
    monkeypatch.setenv("LANGUAGE", "german")
    with suppress(KeyboardInterrupt), Rebuilds(database).running("local", "a model, german") as tell:
        tell(3, 10)
        code, _, err = run("reindex")
        assert (code, "is being rebuilt by `footnote reindex` already (process" in err) == (1, True)
        assert "  being rebuilt with a model, german: 3 of 10 passages (process" in run("status")[1]
        raise KeyboardInterrupt
    monkeypatch.setattr(rebuilds, "_is_alive", lambda _pid: False)
    assert "was cut off at 3 of 10 passages: run `footnote reindex` to go on" in run("status")[1]
    (team,) = json.loads(run("status", "--json")[1])["teams"]
    assert (team["rebuild"]["done"], team["rebuild"]["running"]) == (3, False)
    assert run("reindex")[0] == 0
    (team,) = json.loads(run("status", "--json")[1])["teams"]
    assert team["rebuild"] is None


def test_who_was_taken_for_dead_stops(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two must not write to one new index: the first to come back finds that it has been taken over."""
    monkeypatch.setattr(rebuilds, "_is_alive", lambda _pid: False)
    both = Rebuilds(database)
    with (
        both.running("local", "one") as tell,
        both.running("local", "two"),
        pytest.raises(StateError, match="has taken over"),
    ):
        tell(10, 10)


def test_nothing_indexed_is_nothing_to_rebuild(run: Run) -> None:
    """It is no error."""
    assert run("reindex")[:2] == (0, "Nothing is indexed yet, so there is nothing to rebuild.\n")


def test_the_collection_that_answers_is_none_before_the_first(tmp_path: Path) -> None:
    """There is none of a team that nobody has indexed."""
    assert active_collection(Settings.from_env({"FOOTNOTE_DATA": str(tmp_path)}), "T0") is None
