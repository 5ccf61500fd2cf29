"""A rebuild whose process is killed, at whatever moment, is completed by the next; nobody else notices."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import CollectionMismatch, StoreUnavailable
from retrieval.stores.beside import discard, discard_others
from retrieval.stores.collections import active
from retrieval.stores.protocol import PassageStore
from retrieval.types import WORKSPACE
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import scope_of
from tests.retrieval.test_reindexing import (
    OLD,
    OTHER_MODEL,
    PAGES,
    FolderHome,
    everything,
    indexer,
    page,
    rebuild,
    rebuilt,
)

KILLS = 5
LONGEST_S = 1.5
"""A run takes about a second: some are killed while they open, some while they embed, some at the switch."""
EVERYBODY = scope_of([WORKSPACE])
ABANDONED = replace(OTHER_MODEL, model="tests/abandoned")

REBUILDING = """
import os, signal, sys, time
from contextlib import closing
from pathlib import Path
from tests.retrieval.test_reindexing import FolderHome, OtherEmbedder, run

home = FolderHome(Path(sys.argv[1]))
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        with closing(home.site()) as site:
            run(site, OtherEmbedder(meanwhile=lambda _embedded: time.sleep(0.1)))
        os._exit(0)
    time.sleep(float(line))
    os.kill(child, signal.SIGKILL)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

ANNOUNCING = """
import sys
from pathlib import Path
from tests.retrieval.test_reindexing import OTHER_MODEL, FolderHome

FolderHome(Path(sys.argv[1])).switchboard.announce(OTHER_MODEL)
print("ready", flush=True)
sys.stdin.read()
"""


SERVING = """
import sys
from pathlib import Path
from retrieval.stores.shared import open_store
from tests.retrieval.test_reindexing import OLD

print("ready", flush=True)
store = open_store(
    Path(sys.argv[1]), OLD.team, OLD.model, OLD.dimension, OLD.chunking_version, must_own=True, command="footnote serve"
)
(Path(sys.argv[1]) / "owned").touch()
sys.stdin.read()
store.close()
"""


@contextmanager
def process(code: str, data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, from when it is ready until the end of the block."""
    command = [sys.executable, "-c", code, str(data)]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        yield other
        other.kill()


@pytest.fixture
def home(tmp_path: Path) -> FolderHome:
    """A data folder."""
    return FolderHome(tmp_path)


@pytest.fixture
def old(home: FolderHome) -> Iterator[PassageStore]:
    """The collection that answers, open as a running bot has it open."""
    with closing(home.open()) as store:
        indexer(store).put([page(f"page{number}") for number in range(PAGES)])
        yield store


def found(store: PassageStore) -> int:
    """How many passages a question finds in the old collection."""
    return len(store.search_dense(WordHashEmbedder().embed_query("the pump in hall 1"), EVERYBODY, 1000))


@pytest.mark.parametrize("seed", [1])
def test_killed_at_random_moments_the_next_run_completes(home: FolderHome, old: PassageStore, seed: int) -> None:
    """The old collection answers until the switch; edits and deletions between the runs are in the new one; there are
    no doubles and no orphans."""
    chance, index = random.Random(seed), indexer(old)
    with process(REBUILDING, home.data) as other:
        assert other.stdin is not None and other.stdout is not None  # noqa: PT018  # for the type checker alone
        for number in range(KILLS):
            other.stdin.write(f"{chance.uniform(0, LONGEST_S)}\n")
            other.stdin.flush()
            assert found(old) == old.count()
            if other.stdout.readline() == "0\n":
                break
            assert active(home.data, TEAM) == OLD
            index.put([page("page1", hour=f"{number}")])
            index.remove([f"doc:page{number + 4}"])
    before = everything(old)
    if active(home.data, TEAM) == OLD:
        rebuild(home)
    assert rebuilt(home) == before
    old.close()
    assert discard_others(home.data, TEAM, [OTHER_MODEL]) == ()
    left = {path.name for path in OLD.folder(home.data).parent.iterdir()}
    assert left == {"active.json", "switching", OTHER_MODEL.name}


def test_writers_do_not_wait_for_a_rebuild_that_was_killed(home: FolderHome, old: PassageStore) -> None:
    """An announcement counts as long as whoever made it lives."""
    with process(ANNOUNCING, home.data) as other:
        assert home.switchboard.read().is_announced
        other.kill()
        other.wait()
        begun = time.monotonic()
        indexer(old).put([page("page99")])
        assert time.monotonic() - begun < 10
    assert not home.switchboard.read().is_announced
    assert len(old.passages_of("doc:page99")) == 3


def test_a_second_rebuild_says_that_there_is_one(home: FolderHome, old: PassageStore) -> None:
    """The new collection is one process's alone, and the other is told whose; it goes on as if nothing had been."""
    with closing(home.site()), pytest.raises(StoreUnavailable, match=r"`footnote reindex` \(process \d+\) already"):
        home.site()
    rebuild(home)
    assert rebuilt(home) == everything(old)


def test_who_had_the_old_index_open_is_told_after_the_switch(home: FolderHome, old: PassageStore) -> None:
    """Whoever asked its owner, and would open it themselves when that one goes, does not bring it back."""
    with closing(home.open()) as asker:
        assert asker.count() == 3 * PAGES
        rebuild(home)
        old.close()
        with pytest.raises(CollectionMismatch, match="rebuilt meanwhile"):
            asker.count()
    assert discard(OLD.folder(home.data))
    assert not OLD.folder(home.data).exists()


def test_the_old_index_is_deleted_when_nobody_has_it_open(home: FolderHome, old: PassageStore) -> None:
    """Until then it stays, and whoever has it is named; what was begun for other settings goes too."""
    with closing(home.site(ABANDONED)) as site:
        assert site.new.count() == 0
    rebuild(home)
    (holder,) = discard_others(home.data, TEAM, [OTHER_MODEL])
    assert holder.startswith("`footnote` (process")
    assert not ABANDONED.folder(home.data).exists()
    assert found(old) == 3 * PAGES
    old.close()
    assert discard_others(home.data, TEAM, [OTHER_MODEL]) == ()


def test_a_process_that_must_own_the_store_gets_it_from_a_rebuild(home: FolderHome) -> None:
    """A bot can be started while an index is being rebuilt: the rebuild asks it for the old collection from then on."""
    with closing(home.open()) as store:
        indexer(store).put([page(f"page{number}") for number in range(PAGES)])
    with closing(home.site()) as site:
        site.give_way()
        with process(SERVING, home.data) as bot:
            while bot.poll() is None and not (home.data / "owned").exists():
                site.give_way()
            assert site.old.count() == 3 * PAGES
            bot.communicate()
        assert (bot.returncode, site.old.count()) == (0, 3 * PAGES)
