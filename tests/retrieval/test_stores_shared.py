"""Several processes use one team's passages at once: whoever opened the folder shares it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.stores.collections import Collection, activate, active, team_folder
from retrieval.stores.ownership import owner_of
from retrieval.stores.shared import SharedStore, open_store
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import embedded, passage, scope_of

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
MODEL = (TEAM, DENSE.model, DENSE.dimension, "tests")
PUMP = passage("The pump runs at night", "harbour")

OTHER_PROCESS = """
import sys
from pathlib import Path
from retrieval.embedding.sparse import Bm25Embedder
from tests.conftest import WordHashEmbedder
from tests.passages import embedded, passage
from tests.retrieval.test_stores_shared import opened

store = opened(Path(sys.argv[1]), "footnote other")
for number in range(int(sys.argv[2])):
    text = f"{sys.argv[3]} {number}"
    store.upsert(embedded([passage(text, source=sys.argv[3], position=number)], WordHashEmbedder(), Bm25Embedder()))
print("ready", flush=True)
sys.stdin.read()
store.close()
"""


def opened(data: Path, command: str = "footnote test", wait_s: float = 10, must_own: bool = False) -> SharedStore:
    """The team's store as a command opens it."""
    store = open_store(data, *MODEL, command=command, wait_s=wait_s, must_own=must_own)
    assert isinstance(store, SharedStore)
    return store


@contextmanager
def other_process(data: Path, writes: int = 0, source: str = "other") -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open, and has written to it, until it is told to end."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(data), str(writes), source]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def end(process: subprocess.Popen[str]) -> None:
    """Let the other process close its store and end."""
    process.communicate(timeout=30)  # closes its input; it needs a fraction of a second
    assert process.returncode == 0


def shard(data: Path) -> Path:
    """The folder that is owned."""
    return Collection(*MODEL).folder(data)


def test_a_second_process_reads_and_writes_what_the_first_has_open(tmp_path: Path) -> None:
    """Both see each other's passages at once."""
    with other_process(tmp_path, writes=3, source="theirs") as process:
        store = opened(tmp_path)
        store.upsert(embedded([PUMP], DENSE, SPARSE))
        found = store.search_dense(DENSE.embed_query("pump at night"), scope_of(["harbour"]), 5)
        assert (store.is_owned, store.count(), len(store.passages_of("theirs"))) == (False, 4, 3)
        assert [candidate.passage for candidate in found] == [PUMP]
        store.close()
        end(process)
    again = opened(tmp_path)
    assert (again.is_owned, again.count()) == (True, 4)
    again.close()


def test_the_next_process_takes_over_when_the_owner_ends(tmp_path: Path) -> None:
    """A command that leaned on another goes on when that one is done, and shares the store from then on."""
    with other_process(tmp_path, writes=2) as process:
        store = opened(tmp_path)
        assert (store.is_owned, store.count()) == (False, 2)
        end(process)
        assert (store.count(), store.is_owned) == (2, True)
    with other_process(tmp_path, writes=1, source="third"):
        assert store.count() == 3
    store.close()


def test_the_next_process_takes_over_when_the_owner_is_killed(tmp_path: Path) -> None:
    """A socket and an announcement that a dead process left are no trouble to anybody."""
    with other_process(tmp_path, writes=2) as process:
        store = opened(tmp_path)
        process.kill()
        process.wait()
        left = owner_of(shard(tmp_path))
        assert left is not None
        assert Path(left.socket).exists()
        assert (store.count(), store.is_owned) == (2, True)
        assert owner_of(shard(tmp_path)) != left
        store.close()
    with other_process(tmp_path) as process:
        process.kill()
        process.wait()
    fresh = opened(tmp_path)
    assert (fresh.count(), fresh.is_owned) == (2, True)
    fresh.close()


def test_serve_waits_for_a_short_command(tmp_path: Path) -> None:
    """Where the store must be owned, a command that ends within the wait is waited for."""
    with other_process(tmp_path, writes=1) as process:
        assert process.stdin is not None
        process.stdin.close()
        store = opened(tmp_path, "footnote serve", must_own=True)
        assert (store.is_owned, store.count()) == (True, 1)
        store.close()


def test_serve_says_who_holds_the_store(tmp_path: Path) -> None:
    """A command that does not end is named, with its process."""
    with other_process(tmp_path) as process:
        started = time.monotonic()
        with pytest.raises(StoreUnavailable, match=rf"held by `footnote other` \(process {process.pid}\); stop it"):
            opened(tmp_path, "footnote serve", wait_s=0.3, must_own=True)
        assert time.monotonic() - started < 5


def test_two_processes_that_start_together_both_work(tmp_path: Path) -> None:
    """Whoever is first owns the store; neither fails and no write is lost."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path), "20"]
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([*command, name], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("one", "two")
    ]
    for process in processes:
        end(process)
    store = opened(tmp_path)
    assert [len(store.passages_of(name)) for name in ("one", "two")] == [20, 20]
    store.close()


def test_errors_cross_as_themselves(tmp_path: Path) -> None:
    """Who asks over the socket gets the error that the owner's store raised."""
    owner, asker = opened(tmp_path), opened(tmp_path)
    for store in (owner, asker):
        with pytest.raises(StoreUnavailable, match="Searching the store failed"):
            store.search_dense(DENSE.embed_query("pump")[:3], scope_of(["harbour"]), 5)
    asker.close()
    owner.close()


def test_the_socket_and_its_key_are_the_owners_alone(tmp_path: Path) -> None:
    """Nobody else on the machine can read the key or reach the socket."""
    store = opened(tmp_path)
    owner = owner_of(shard(tmp_path))
    assert owner is not None
    private = [Path(owner.socket), shard(tmp_path) / "owner.json", shard(tmp_path) / "lock", shard(tmp_path)]
    assert [oct(stat.S_IMODE(path.stat().st_mode)) for path in private] == ["0o600", "0o600", "0o600", "0o700"]
    store.close()
    assert not Path(owner.socket).exists()


def test_a_connection_that_sends_nonsense_ends_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The store goes on for everybody else, and the log says that something was wrong."""
    store, asker = opened(tmp_path), opened(tmp_path)
    owner = owner_of(shard(tmp_path))
    assert owner is not None
    with Client(owner.socket, "AF_UNIX", authkey=bytes.fromhex(owner.key)) as connection:
        connection.send_bytes(b"nonsense")
        with pytest.raises(EOFError):
            connection.recv()
    assert (store.count(), asker.count()) == (0, 0)
    assert [record.message for record in caplog.records] == ["A connection from another process failed."]
    asker.close()
    store.close()


@pytest.mark.parametrize("depth", [0, 120])
def test_the_socket_stands_in_the_data_folder_where_the_kernel_takes_its_path(depth: int) -> None:
    """Socket paths must be short; a deep folder's socket stands elsewhere, in a folder that goes with it."""
    with TemporaryDirectory() as short:
        data = Path(short) / ("d" * depth) if depth else Path(short)
        owner, asker = opened(data), opened(data)
        announced = owner_of(shard(data))
        assert announced is not None
        folder = Path(announced.socket).parent
        assert (folder == shard(data).resolve(), asker.is_owned, asker.count()) == (depth == 0, False, 0)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        asker.close()
        owner.close()
        assert folder.exists() == (depth == 0)


def test_who_does_not_have_the_key_is_not_answered(tmp_path: Path) -> None:
    """A connection must prove that it could read the announcement; the store goes on for the others."""
    store, asker = opened(tmp_path), opened(tmp_path)
    owner = owner_of(shard(tmp_path))
    assert owner is not None
    with pytest.raises(Exception, match="digest sent was rejected"):  # multiprocessing.AuthenticationError
        Client(owner.socket, "AF_UNIX", authkey=b"guess")
    assert asker.count() == 0
    asker.close()
    store.close()


@pytest.mark.parametrize("method", ["close", "__init__", "_shard", "unknown"])
def test_only_what_a_store_does_can_be_asked(tmp_path: Path, method: str) -> None:
    """Even with the key: an asker can neither close the owner's store nor reach into it."""
    store = opened(tmp_path)
    owner = owner_of(shard(tmp_path))
    assert owner is not None
    with Client(owner.socket, "AF_UNIX", authkey=bytes.fromhex(owner.key)) as connection:
        connection.send((method, ()))
        assert isinstance(connection.recv(), StoreUnavailable)
    assert store.count() == 0
    store.close()


def test_another_model_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    """The team's first collection answers until another is made active; each then refuses the other's settings."""
    opened(tmp_path).close()
    with pytest.raises(
        CollectionMismatch,
        match=r"run `footnote reindex`, or set EMBEDDING_MODEL to tests/word-hash again",
    ):
        open_store(tmp_path, TEAM, "another/model", 16, "tests")
    rebuilt = Collection(TEAM, "another/model", 16, "tests")
    activate(tmp_path, rebuilt)
    assert active(tmp_path, TEAM) == rebuilt
    with pytest.raises(CollectionMismatch):
        opened(tmp_path)


@pytest.mark.parametrize(("one", "other"), [("T1", "t1"), ("T/1", "T-1"), ("../T1", "T1"), ("", "T")])
def test_each_team_has_a_folder_of_its_own(tmp_path: Path, one: str, other: str) -> None:
    """Whatever a team is called, its folder is inside the data folder and nobody else's, whatever the file system."""
    folders = {str(team_folder(tmp_path, team)).casefold() for team in (one, other)}
    assert len(folders) == 2
    assert {Path(folder).parent for folder in folders} == {Path(str(tmp_path / "passages").casefold())}


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    """The error names it."""
    (tmp_path / "passages").write_text("")
    with pytest.raises(StoreUnavailable, match=str(os.fspath(tmp_path / "passages"))):
        opened(tmp_path)
