"""A running bot answers from the index that answers now, from the first question to the last, whatever is rebuilt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.answering.meaning import Meaning
from bot.live import LiveIndex, Retrieval
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch, EmbeddingError, StoreUnavailable
from retrieval.indexing import Indexer
from retrieval.reindexing import Rebuild
from retrieval.search import Searcher
from retrieval.stores.beside import FolderSite, discard
from retrieval.stores.collections import Collection, active
from retrieval.stores.shared import open_store
from retrieval.types import WORKSPACE, Markup, Source
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import scope_of

OLD = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
NEW = replace(OLD, model="tests/other", dimension=8)
EVERYBODY = scope_of([WORKSPACE])
SPARSE = Bm25Embedder()


class OtherEmbedder(WordHashEmbedder):
    """Another model."""

    model = NEW.model
    dimension = NEW.dimension


def page(name: str, text: str = "The pump runs at night.") -> Source:
    """A page of one passage."""
    url = f"https://example.org/{name}"
    return Source(f"doc:{name}", "docs:/handbook", name.title(), url, frozenset({WORKSPACE}), Markup(text), 1_000.0)


@dataclass
class Team:
    """A team's data folder, and how its index is opened."""

    data: Path
    opened: list[str] = field(default_factory=list)
    fault: Exception | None = None

    @contextmanager
    def open(self, collection: Collection | None) -> Iterator[Retrieval]:
        """As the settings say, or a collection whatever they say."""
        wanted = collection or OLD
        if self.fault and wanted == NEW:
            raise self.fault
        dense = OtherEmbedder() if wanted == NEW else WordHashEmbedder()
        store = open_store(self.data, TEAM, wanted.model, wanted.dimension, wanted.chunking_version, must_own=True)
        self.opened.append(wanted.model)
        with closing(store):
            indexer, searcher = Indexer(store, dense, SPARSE, TEAM), Searcher(store, dense, SPARSE)
            yield Retrieval(wanted, store, indexer, searcher, Meaning(dense))

    def live(self) -> LiveIndex:
        """The index of a bot that runs."""

        def delete(old: Collection) -> None:
            assert discard(old.folder(self.data))

        return LiveIndex(self.open, lambda: active(self.data, TEAM), delete, poll_s=0.05)

    def rebuild(self) -> None:
        """What `footnote reindex` does."""
        with closing(FolderSite(self.data, OLD, NEW, "footnote reindex")) as site:
            Rebuild(site, OLD, NEW, OtherEmbedder(), SPARSE).run(lambda _done, _total: None)


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """One with a page in its index."""
    team = Team(tmp_path)
    with team.open(None) as retrieval:
        retrieval.indexer.put([page("pumps")])
    return team


def never() -> None:
    """For an index that is not lost."""
    raise AssertionError("the index was lost")


def asked(index: LiveIndex) -> tuple[str, int]:
    """The model that answered, and how many passages it found."""
    return index.use(lambda it: (it.collection.model, len(it.searcher.search("pump at night", EVERYBODY).hits)))


def eventually(is_so: Callable[[], bool]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_running_bot_goes_over_without_a_failed_question(team: Team) -> None:
    """Questions are answered all the time, by the old model and then by the new one; the old index is deleted."""
    with closing(team.live()) as index:
        index.watch(never)
        answers: list[tuple[str, int]] = []
        rebuilding = threading.Thread(target=team.rebuild)
        rebuilding.start()
        while asked(index)[0] == OLD.model:
            answers.append(asked(index))
        rebuilding.join()
        assert {found for _, found in answers} == {1}
        assert asked(index) == (NEW.model, 1)
        eventually(lambda: not OLD.folder(team.data).exists())


def test_a_question_that_is_being_answered_is_finished_on_the_index_that_it_began_on(team: Team) -> None:
    """No question meets vectors of two models, and the old index stays until the last of its questions has ended."""
    begun, go_on = threading.Event(), threading.Event()
    seen: list[tuple[str, int]] = []

    def slow(retrieval: Retrieval) -> None:
        begun.set()
        assert go_on.wait(20)
        seen.append((retrieval.collection.model, len(retrieval.searcher.search("pump", EVERYBODY).hits)))

    with closing(team.live()) as index:
        index.watch(never)
        question = threading.Thread(target=lambda: index.use(slow))
        question.start()
        assert begun.wait(20)
        team.rebuild()
        eventually(lambda: asked(index)[0] == NEW.model)
        assert OLD.folder(team.data).exists()
        go_on.set()
        question.join()
    assert seen == [(OLD.model, 1)]


def test_what_is_written_at_the_switch_is_written_to_the_new_index(team: Team) -> None:
    """A write that the old index takes too late is made again on the new one."""
    with closing(team.live()) as index:
        index.put([page("valves")])
        team.rebuild()
        index.watch(never)
        index.put([page("leaks")])
        index.remove(["doc:valves"])
        assert index.sources_of("docs:/handbook") == {"doc:pumps", "doc:leaks"}
        assert asked(index) == (NEW.model, 2)


def test_a_deletion_that_the_old_index_needs_no_more_is_made_on_the_new_one(team: Team) -> None:
    """Another process has put it there: that the old index holds nothing of it says nothing."""
    with closing(team.live()) as index:
        team.rebuild()
        with team.open(NEW) as retrieval:
            retrieval.indexer.put([page("secret")])
        removing = threading.Thread(target=lambda: index.remove(["doc:secret"]))
        removing.start()
        removing.join(0.3)  # the old index has nothing to delete by then
        index.watch(never)
        removing.join(20)
        eventually(lambda: asked(index)[0] == NEW.model)
        assert index.sources_of("docs:/handbook") == {"doc:pumps"}


def test_a_bot_that_cannot_go_over_says_so_and_ends(team: Team) -> None:
    """It does not answer from an index that is kept true no more."""
    team.fault = EmbeddingError("The embedding model tests/other can't be loaded.")
    lost = threading.Event()
    index = team.live()
    team.rebuild()
    index.watch(lost.set)
    assert lost.wait(20)
    with pytest.raises(EmbeddingError, match="can't be loaded"):
        index.put([page("leaks")])
    with pytest.raises(EmbeddingError, match="can't be loaded"):
        index.close()


def test_a_bot_of_another_version_must_be_started_again(team: Team) -> None:
    """An index that was cut otherwise is none that it knows how to keep."""
    team.fault = CollectionMismatch("start again")
    index = team.live()
    team.rebuild()
    lost = threading.Event()
    index.watch(lost.set)
    assert lost.wait(20)
    with pytest.raises(CollectionMismatch, match="start again"):
        index.close()


def test_what_may_pass_is_tried_again(team: Team) -> None:
    """A new index that can't be opened yet is opened later; the old one answers meanwhile."""
    team.fault = StoreUnavailable("held by `footnote reindex`")
    with closing(team.live()) as index:
        index.watch(never)
        team.rebuild()
        assert asked(index) == (OLD.model, 1)
        team.fault = None
        eventually(lambda: asked(index) == (NEW.model, 1))


def test_a_failure_that_has_nothing_to_do_with_a_switch_is_told(team: Team) -> None:
    """It is not tried for ever."""

    def fail(_retrieval: Retrieval) -> None:
        raise StoreUnavailable("Searching the store failed.")

    with closing(team.live()) as index:
        index.watch(never)
        with pytest.raises(StoreUnavailable, match="Searching"):
            index.use(fail)
