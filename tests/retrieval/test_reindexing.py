"""A rebuilt index holds what the old one holds at the switch, however it was interrupted and whatever was written."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from qdrant_client import QdrantClient

from retrieval.chunking import Budget
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import CollectionMismatch
from retrieval.indexing import Indexer
from retrieval.reindexing import CARRIED, Rebuild, RebuildReport, Site
from retrieval.stores.beside import FolderSite
from retrieval.stores.collections import Collection
from retrieval.stores.protocol import PassageStore
from retrieval.stores.server_beside import ServerSite
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_opening import open_with
from retrieval.stores.server_switchboard import ServerSwitchboard, collection_name
from retrieval.stores.shared import open_store
from retrieval.stores.switchboard import FolderSwitchboard, Standing, Switchboard
from retrieval.types import WORKSPACE, Markup, Passage, Place, Source
from tests.conftest import TEAM, WordHashEmbedder
from tests.passages import scope_of

BUDGET = Budget(target=60, limit=80, least=10)
OLD = Collection(TEAM, WordHashEmbedder.model, WordHashEmbedder.dimension, "tests")
OTHER_MODEL = replace(OLD, model="tests/other", dimension=8)
OTHER_CUT = replace(OLD, chunking_version="next")
GERMAN = replace(OLD, language="german")
CALLS = Calls("memory", timeout_s=5.0)
CELLAR = frozenset({Place("cellar")})
SPARSE = Bm25Embedder()
STEPS = ("old", "embedding", "announce", "announced", "seal", "complete", "completed")
PAGES = 20
"""Of three passages each: more than are embedded at once."""
ALL = scope_of([WORKSPACE])


@dataclass
class OtherEmbedder(WordHashEmbedder):
    """Another model: half as many dimensions; remembers what it embedded, and does as it is told while it does."""

    model = OTHER_MODEL.model
    dimension = OTHER_MODEL.dimension
    embedded: list[str] = field(default_factory=list)
    meanwhile: Callable[[int], None] = lambda _embedded: None

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed, and remember it."""
        self.meanwhile(len(self.embedded))
        self.embedded += texts
        return super().embed_passages(texts)


class Home:
    """Where a team's passages stand: in a data folder, or on a server."""

    switchboard: Switchboard

    def name_of(self, collection: Collection) -> str:
        """As the switchboard says it."""
        raise NotImplementedError

    def open(self, collection: Collection = OLD) -> PassageStore:
        """As a command opens them."""
        raise NotImplementedError

    def site(self, new: Collection = OTHER_MODEL) -> FolderSite | ServerSite:
        """As a rebuild opens them."""
        raise NotImplementedError


class FolderHome(Home):
    """A data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.switchboard = FolderSwitchboard(data, TEAM)

    def name_of(self, collection: Collection) -> str:
        """Of its folder."""
        return collection.name

    def open(self, collection: Collection = OLD) -> PassageStore:
        """Whether or not it is open already."""
        one = collection
        return open_store(self.data, TEAM, one.model, one.dimension, one.chunking_version, language=one.language)

    def site(self, new: Collection = OTHER_MODEL) -> FolderSite:
        """Its new collection is locked."""
        return FolderSite(self.data, OLD, new, "footnote reindex")


class KeptClient(QdrantClient):
    """Qdrant's stand-in for a server, which outlives those who hang up."""

    def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        """Only the connection goes."""


class ServerHome(Home):
    """A server, as far as its client stands in for one."""

    def __init__(self) -> None:
        self.client = KeptClient(":memory:")
        self.switchboard = ServerSwitchboard(self.client, CALLS, TEAM)

    def name_of(self, collection: Collection) -> str:
        """Of the server's collection."""
        return collection_name(collection)

    def open(self, collection: Collection = OLD) -> PassageStore:
        """One of any number."""
        return open_with(self.client, CALLS, collection)

    def site(self, new: Collection = OTHER_MODEL) -> ServerSite:
        """Both collections there."""
        return ServerSite(self.client, CALLS, OLD, new)


@pytest.fixture(params=["folder", "server"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Each kind."""
    return FolderHome(tmp_path) if request.param == "folder" else ServerHome()


@pytest.fixture
def old(home: Home) -> Iterator[PassageStore]:
    """The collection that answers, with some pages in it, open as a running bot has it open."""
    with closing(home.open()) as store:
        indexer(store).put([page(f"page{number}") for number in range(PAGES)])
        yield store


def indexer(store: PassageStore) -> Indexer:
    """Writes as the old settings say."""
    return Indexer(store, WordHashEmbedder(), SPARSE, TEAM, BUDGET)


def page(name: str, hour: str = "eight", places: frozenset[Place] = frozenset({WORKSPACE})) -> Source:
    """A page of three sections, each of which makes one passage."""
    told = "The pump in hall {} of {} runs from {} until the tide turns again, and then it is switched off by hand. "
    body = "\n\n".join(f"## Hall {n}\n\n{told.format(n, name, hour) * 2}" for n in range(3))
    url = f"https://example.org/{name}"
    return Source(f"doc:{name}", "docs:/handbook", name.title(), url, places, Markup(body), 1_000.0)


def rebuild(home: Home, dense: OtherEmbedder | None = None, new: Collection = OTHER_MODEL) -> RebuildReport:
    """One run, from opening to closing."""
    with closing(home.site(new)) as site:
        return run(site, dense or OtherEmbedder(), new)


def run(site: Site, dense: OtherEmbedder, new: Collection = OTHER_MODEL) -> RebuildReport:
    """One run in a site."""
    return Rebuild(site, OLD, new, dense, SPARSE, BUDGET).run(lambda _done, _total: None)


def everything(store: PassageStore) -> dict[str, Passage]:
    """All that a store holds; what is carried over for the next reading is taken for what it was."""
    held = store.page("", 100_000)
    return {one.id: replace(one, fingerprint=one.fingerprint.removeprefix(CARRIED)) for one in held}


def rebuilt(home: Home, new: Collection = OTHER_MODEL) -> dict[str, Passage]:
    """What the new collection holds after the switch."""
    assert home.switchboard.read() == Standing(home.name_of(new), is_announced=False)
    with closing(home.open(new)) as store:
        return everything(store)


def test_everything_is_in_the_new_collection(home: Home, old: PassageStore) -> None:
    """Every passage with its words, places and times; embedded by the new model; the old one is left as it was."""
    before, dense = everything(old), OtherEmbedder()
    assert rebuild(home, dense) == RebuildReport(passages=3 * PAGES, embedded=3 * PAGES)
    assert rebuilt(home) == before
    assert everything(old) == before
    assert len(dense.embedded) == 3 * PAGES


@pytest.mark.parametrize(("new", "keeps"), [(OTHER_MODEL, False), (OTHER_CUT, False), (GERMAN, True)])
def test_what_was_cut_for_others_is_cut_anew_when_it_is_read(new: Collection, keeps: bool) -> None:
    """Another model or way of cutting carries passages over as they are, so that there is no gap, and takes each source
    for changed at its next reading; another language changes nothing of how a text is cut."""
    home = ServerHome()
    with closing(home.open()) as store:
        indexer(store).put([page("one")])
    dense = OtherEmbedder() if new == OTHER_MODEL else WordHashEmbedder()
    with closing(home.site(new)) as site:
        Rebuild(site, OLD, new, dense, SPARSE, BUDGET).run(lambda _done, _total: None)
    counting = OtherEmbedder()
    with closing(home.open(new)) as store:
        assert {one.fingerprint.startswith(CARRIED) for one in store.page("", 10)} == {not keeps}
        report = Indexer(store, counting, SPARSE, TEAM, BUDGET).put([page("one")])
        assert {one.fingerprint.startswith(CARRIED) for one in store.page("", 10)} == {False}
    assert (report.kept, report.added, counting.embedded) == (3, 0, [])


def test_the_sparse_vectors_speak_the_new_language() -> None:
    """What is found by stems is found by those of the language that the settings name."""
    home = ServerHome()
    text = "## Urlaub\n\nDie Mitarbeiterinnen beantragen ihre freien Tage im Portal, bevor die Saison beginnt. "
    with closing(home.open()) as store:
        indexer(store).put([replace(page("urlaub"), content=Markup(text))])
    german = Bm25Embedder("german")
    with closing(home.site(GERMAN)) as site:
        Rebuild(site, OLD, GERMAN, WordHashEmbedder(), german, BUDGET).run(lambda _done, _total: None)
    with closing(home.open(GERMAN)) as store:
        (found,) = store.page("", 10)
        scores = store.score([found.id], WordHashEmbedder().embed_query("x"), german.embed_query("Tagen"), ALL)
    assert scores[found.id].sparse > 0


# ---------------------------------------------------------------------------------- what others write meanwhile


class Interrupted(Exception):
    """The process is gone."""


@dataclass
class Watched:
    """A site, of which every step is told before it is taken."""

    site: FolderSite | ServerSite
    tell: Callable[[str], None]

    @property
    def old(self) -> PassageStore:
        """What answers."""
        self.tell("old")
        return self.site.old

    @property
    def new(self) -> PassageStore:
        """What is built."""
        self.tell("new")
        return self.site.new

    @property
    def switchboard(self) -> Switchboard:
        """Whose steps are told as well."""
        return WatchedBoard(self.site.switchboard, self.tell)

    def give_way(self) -> None:
        """No step."""

    def seal(self) -> None:
        """The last step but one."""
        self.tell("seal")
        self.site.seal()


@dataclass
class WatchedBoard:
    """A switchboard, of which every step is told before it is taken."""

    board: Switchboard
    tell: Callable[[str], None]

    def read(self) -> Standing:
        """No step."""
        return self.board.read()

    def announce(self, collection: Collection) -> None:
        """From here on, writers wait."""
        self.tell("announce")
        self.board.announce(collection)
        self.tell("announced")

    def withdraw(self) -> None:
        """No step: also done by who comes after."""
        self.board.withdraw()

    def complete(self) -> bool:
        """The last step."""
        self.tell("complete")
        done = self.board.complete()
        self.tell("completed")
        return done


def change(index: Indexer) -> None:
    """A page says something else, one is gone, fewer may read one, and one is new."""
    index.put([page("page3", hour="nine")])
    index.remove(["doc:page5"])
    index.put([page("page7", places=CELLAR)])
    index.put([page("page99")])


def changed_in_peace() -> set[tuple[str, str, frozenset[Place]]]:
    """What an index holds in which the same was changed while nothing else happened."""
    with closing(ServerHome().open()) as store:
        index = indexer(store)
        index.put([page(f"page{number}") for number in range(PAGES)])
        change(index)
        return {standing(one) for one in store.page("", 1000)}


def standing(passage: Passage) -> tuple[str, str, frozenset[Place]]:
    """What must be right of a passage, whichever way it came there."""
    return passage.source_id, passage.text, passage.places


@dataclass
class Writers:
    """Processes that each change something when a step is told; what is refused is done again on what answers then."""

    home: Home
    store: PassageStore
    step: str
    threads: list[threading.Thread] = field(default_factory=list)
    refused: list[bool] = field(default_factory=list)

    def __call__(self, step: str) -> None:
        if step == self.step and not self.threads:
            self.threads.append(threading.Thread(target=self._write))
            self.threads[0].start()
            self.threads[0].join(0.5)  # it has written by then; where a switch is announced, it waits for the outcome

    def _write(self) -> None:
        try:
            change(indexer(self.store))
            self.refused.append(False)
        except CollectionMismatch:
            self.refused.append(True)
            with closing(self.home.open(OTHER_MODEL)) as store:
                change(Indexer(store, OtherEmbedder(), SPARSE, TEAM, BUDGET))

    def join(self) -> bool:
        """Whether what was written had to be written again."""
        for thread in self.threads:
            thread.join(30)
        (refused,) = self.refused
        return refused


@pytest.mark.parametrize(
    ("home", "step"),
    [*(("server", step) for step in STEPS), *(("folder", step) for step in ("embedding", "announced", "completed"))],
    indirect=["home"],
)
def test_what_is_written_meanwhile_is_in_the_new_collection(home: Home, old: PassageStore, step: str) -> None:
    """At whatever step: what was written in time is carried over, and what came too late is refused, never lost."""
    writers = Writers(home, old, step)
    dense = OtherEmbedder(meanwhile=lambda embedded: writers("embedding") if embedded else None)
    with closing(home.site()) as site:
        run(Watched(site, writers), dense)
    assert writers.join() == (step in {"announced", "seal", "complete", "completed"})
    assert {standing(one) for one in rebuilt(home).values()} == changed_in_peace()


@pytest.mark.parametrize("seed", [4])
def test_whatever_is_written_all_the_time_is_in_the_new_collection(tmp_path: Path, seed: int) -> None:
    """Edits, deletions, narrowed places, new pages in any order: what was acknowledged is there, and nothing else."""
    home, chance = FolderHome(tmp_path), random.Random(seed)
    made: list[Callable[[Indexer], object]] = []
    is_over = threading.Event()
    embedder = OtherEmbedder(meanwhile=lambda _embedded: time.sleep(0.05))

    def write(store: PassageStore) -> None:
        """Until the switch; what is refused is made on what answers then."""
        with suppress(CollectionMismatch):
            while not is_over.wait(0.01):
                made.append(any_change(chance))
                made[-1](indexer(store))
        with closing(home.open(OTHER_MODEL)) as new:
            made[-1](Indexer(new, OtherEmbedder(), SPARSE, TEAM, BUDGET))

    with closing(home.open()) as old, closing(ServerHome().open()) as peaceful:
        indexer(old).put([page(f"page{number}") for number in range(PAGES)])
        indexer(peaceful).put([page(f"page{number}") for number in range(PAGES)])
        writer = threading.Thread(target=write, args=(old,))
        writer.start()
        rebuild(home, embedder)
        writer.join(5)
        is_over.set()
        writer.join(60)
        for change_made in made:
            change_made(indexer(peaceful))
        wanted = {standing(one) for one in everything(peaceful).values()}
    assert len(made) > 3
    assert {standing(one) for one in rebuilt(home).values()} == wanted


def any_change(chance: random.Random) -> Callable[[Indexer], object]:
    """An edit, a deletion, narrowed places, or a page that may be new."""
    name, hour = f"page{chance.randrange(PAGES + 5)}", f"{chance.randrange(24)}"
    narrowed = page(name, hour, CELLAR)
    return chance.choice(
        [
            lambda index: index.put([page(name, hour)]),
            lambda index: index.remove([f"doc:{name}"]),
            lambda index: index.put([narrowed]),
        ]
    )


# --------------------------------------------------------------------------------------------------- interruptions

INTERRUPTIONS = ("old", "new", "embedding", "announce", "announced", "seal", "complete")


def test_interrupted_anywhere_the_next_run_completes(home: Home, old: PassageStore) -> None:
    """The old collection answers until the switch, whole; what was embedded is not embedded again; there are no doubles
    and no orphans, also of what changed between the runs."""
    embedded: list[str] = []

    def interrupt_at(step: str) -> Callable[[str], None]:
        def tell(reached: str) -> None:
            if reached == step:
                raise Interrupted

        return tell

    for number, step in enumerate(INTERRUPTIONS):
        interrupt = interrupt_at(step)
        dense = OtherEmbedder(embedded, meanwhile=lambda done, tell=interrupt: tell("embedding") if done else None)  # type: ignore[misc]  # bound per turn
        with suppress(Interrupted), closing(home.site()) as site:
            run(Watched(site, interrupt), dense)
        assert home.switchboard.read() == Standing(home.name_of(OLD), is_announced=False)
        indexer(old).put([page("page1", hour=f"{number}")])
        indexer(old).remove([f"doc:page{number + 4}"])
    before = everything(old)
    rebuild(home, OtherEmbedder(embedded))
    assert rebuilt(home) == before
    assert len(embedded) <= 3 * PAGES + 3 * len(INTERRUPTIONS)
