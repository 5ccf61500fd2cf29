"""A folder of documents becomes sources: each file once, under an id and an address that stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.sync.documents import Skipped, index_documents, read_documents
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import ReadingEnded
from retrieval.indexing import Indexer
from retrieval.reading import FileReader, Reading
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE, IndexReport, Markup, Source
from tests.conftest import TEAM, WordHashEmbedder
from tests.retrieval.printing import lines, write_pdf

EVERYBODY = frozenset({WORKSPACE})
WORDS = "The tide turns at nine, and the pumps are switched off by hand."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder called handbook."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    return folder


@pytest.fixture
def indexer(store: EdgeStore, bm25: Bm25Embedder) -> Indexer:
    """An indexer over the real store."""
    return Indexer(store, WordHashEmbedder(), bm25, TEAM)


def write(root: Path, name: str, content: str | bytes = f"# A page\n\n{WORDS}\n") -> Path:
    """A file in the folder."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(root: Path, base_url: str | None = "https://example.org/book/") -> list[Source | Skipped]:
    """What a folder gives."""
    return list(read_documents(root, EVERYBODY, base_url))


def sources(root: Path, base_url: str | None = "https://example.org/book/") -> list[Source]:
    """The sources that a folder gives."""
    return [item for item in read(root, base_url) if isinstance(item, Source)]


def test_a_file_becomes_a_source(root: Path) -> None:
    """All that is known of a file is in its source."""
    path = write(root, "harbour/pumps.md")
    os.utime(path, (1_000, 1_000))
    assert read(root) == [
        Source(
            id=f"doc:{root}/harbour/pumps.md",
            origin=f"docs:{root}",
            title="A page",
            url="https://example.org/book/harbour/pumps",
            places=EVERYBODY,
            content=Markup(f"# A page\n\n{WORDS}\n", "text/markdown"),
            updated_at=1_000.0,
        )
    ]


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("pumps.md", "https://example.org/book/pumps"),
        ("index.md", "https://example.org/book"),
        ("harbour/index.md", "https://example.org/book/harbour"),
        ("harbour/Night shift.md", "https://example.org/book/harbour/Night%20shift"),
        ("v1.2.md", "https://example.org/book/v1.2"),
        ("notes.txt", "https://example.org/book/notes.txt"),
    ],
)
def test_an_address_is_the_path_below_the_base(root: Path, name: str, url: str) -> None:
    """Pages lose their ending, an index opens its folder, and what an address can't hold is escaped."""
    write(root, name)
    assert [source.url for source in sources(root)] == [url]


def test_without_a_base_a_file_opens_itself(root: Path) -> None:
    """A citation still opens something."""
    path = write(root, "pumps.md")
    assert [source.url for source in sources(root, None)] == [path.as_uri()]


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", f"---\ntitle: From the head\n---\n# From the text\n\n{WORDS}", "From the head"),
        ("a.md", f"# From the *text*\n\n{WORDS}", "From the text"),
        ("a.md", f"## Small\n\n{WORDS}\n\n# Large\n\n{WORDS}", "Large"),
        ("night-shift_rota.md", WORDS, "Night shift rota"),
        ("harbour/index.md", WORDS, "Harbour"),
        ("rota.txt", f"# Not a heading\n\n{WORDS}", "Rota"),
    ],
)
def test_a_title_is_what_the_page_says_or_its_name(root: Path, name: str, content: str, title: str) -> None:
    """Front matter, then the highest heading, then the file's name."""
    write(root, name, content)
    assert [source.title for source in sources(root)] == [title]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("plan.odt", b"PK", ".odt is not a type that is read."),
        ("LICENSE", b"words", "A file without an ending is not a type that is read."),
        ("empty.md", " \n\t\n", "It is empty."),
        ("latin.md", "Caf\xe9".encode("latin-1"), "It is not text in UTF-8: save it in that encoding."),
        ("binary.md", b"a\x00b", "It is not text in UTF-8: save it in that encoding."),
        ("large.md", b"word " * 400_001, "It is larger than 2 MB: split it."),
    ],
)
def test_what_cannot_be_read_is_skipped_with_its_reason(root: Path, name: str, content: bytes, reason: str) -> None:
    """One line says why, and the rest is read."""
    write(root, name, content)
    write(root, "zebra.md")
    skipped, source = read(root)
    assert skipped == Skipped(f"doc:{root}/{name}", reason)
    assert isinstance(source, Source)


def test_a_link_to_itself_is_skipped(root: Path) -> None:
    """It opens nothing, and costs the other files nothing."""
    (root / "loop.md").symlink_to(root / "loop.md")
    write(root, "zebra.md")
    assert [type(item) for item in read(root)] == [Skipped, Source]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(root: Path, encoding: str) -> None:
    """A byte order mark says what the encoding is, and is no part of the text."""
    write(root, "a.md", f"# Café\n\n{WORDS}".encode(encoding))
    assert [source.title for source in sources(root)] == ["Café"]


def test_hidden_files_and_folders_are_passed_over(root: Path) -> None:
    """What the system or a tool keeps for itself is no document, and not worth a line."""
    for name in (".git/HEAD.md", ".draft.md", "harbour/.obsidian/a.md", "seen.md"):
        write(root, name)
    assert [item.id if isinstance(item, Source) else item for item in read(root)] == [f"doc:{root}/seen.md"]


def test_no_link_leads_out_of_the_folder(root: Path, tmp_path: Path) -> None:
    """A link to a file or folder elsewhere shows nothing of it."""
    secret = write(tmp_path, "private/secret.md")
    (root / "file.md").symlink_to(secret)
    (root / "folder").symlink_to(secret.parent, target_is_directory=True)
    assert read(root) == [Skipped(f"doc:{root}/file.md", "It is a link that leads out of the folder.")]


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    """Reading something that never ends would stop the run."""
    os.mkfifo(root / "pipe.md")
    assert read(root) == [Skipped(f"doc:{root}/pipe.md", "It is not a regular file.")]


@pytest.mark.parametrize("name", [b"caf\xe9.md", b"line\nbreak.md"])
def test_a_name_that_cannot_be_shown_is_skipped(root: Path, name: bytes) -> None:
    """It could be neither an id nor an address."""
    write(root, os.fsdecode(name))
    [skipped] = read(root)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "Its name holds what can't be shown: rename it."


def test_a_lone_file_can_be_read(root: Path) -> None:
    """It has the same id and address as in its folder."""
    path = write(root, "pumps.md")
    write(root, "other.md")
    assert [(source.id, source.url) for source in sources(path)] == [
        (f"doc:{root}/pumps.md", "https://example.org/book/pumps")
    ]


def test_nothing_at_a_path_is_wrong_usage(root: Path) -> None:
    """A folder that isn't there is no empty folder: nothing may be deleted for it."""
    with pytest.raises(UsageError, match="There is nothing at"):
        list(read_documents(root / "gone", EVERYBODY, None))


def test_documents_of_every_kind_are_read_and_the_broken_ones_told(
    root: Path, indexer: Indexer, store: EdgeStore
) -> None:
    """One line for each that can't be read, and a page of a PDF opens by its number."""
    write_pdf(root / "rules.pdf", [lines(WORDS), lines("The gate is shut an hour before high water.")])
    write(root, "pumps.py", "def start():\n    return 1\n")
    write(root, "a.csv", "Pump,Power\nNorth,4 kW\n")
    write(root, "page.html", f"<h1>A page</h1><p>{WORDS}</p>")
    write(root, "broken.pdf", b"%PDF-1.7 nothing")
    write(root, "node_modules/x/README.md")
    report = index_documents(indexer, root, EVERYBODY, "https://example.org")
    reason = "It is damaged: its program may be able to save it anew."
    assert report == IndexReport(sources=4, added=5, skipped=((f"doc:{root}/broken.pdf", reason),))
    opened = {
        one.anchors[0].url for name in ("rules.pdf", "pumps.py") for one in store.passages_of(f"doc:{root}/{name}")
    }
    pages = {f"https://example.org/rules.pdf#page={number}" for number in (1, 2)}
    assert opened == pages | {"https://example.org/pumps.py"}


def test_a_file_that_can_no_longer_be_read_leaves_the_index(root: Path, indexer: Indexer, store: EdgeStore) -> None:
    """What it said before is not what it says now."""
    path = write_pdf(root / "rules.pdf", [lines(WORDS)])
    index_documents(indexer, root, EVERYBODY, None)
    path.write_bytes(b"%PDF-1.7 nothing")
    assert index_documents(indexer, root, EVERYBODY, None).sources_deleted == 1
    assert store.count() == 0


def test_a_second_run_follows_the_folder(root: Path, indexer: Indexer, store: EdgeStore) -> None:
    """What is new is added, what is only touched is kept, and what went is gone."""
    stays, goes = write(root, "stays.md"), write(root, "goes.md")
    assert index_documents(indexer, root, EVERYBODY, None) == IndexReport(sources=2, added=2)
    os.utime(stays, (5, 5))
    goes.unlink()
    write(root, "comes.md")
    expected = IndexReport(sources=2, added=1, kept=1, deleted=1, sources_deleted=1)
    assert index_documents(indexer, root, EVERYBODY, None) == expected
    assert store.sources_of(f"docs:{root}") == {f"doc:{root}/stays.md", f"doc:{root}/comes.md"}
    assert [passage.updated_at for passage in store.passages_of(f"doc:{root}/stays.md")] == [5.0]


def test_another_folder_is_left_alone(tmp_path: Path, indexer: Indexer, store: EdgeStore) -> None:
    """A run deletes and replaces only what it read from the same folder before, however alike the two are named."""
    for team in ("sales", "people"):
        write(tmp_path, f"{team}/handbook/a.md", f"# Handbook of {team}\n\n{WORDS}")
        index_documents(indexer, tmp_path / team / "handbook", EVERYBODY, None)
    assert store.count() == 2


def test_an_emptied_file_leaves_the_index(root: Path, indexer: Indexer, store: EdgeStore) -> None:
    """A file that can be read and holds nothing says nothing any more."""
    path = write(root, "a.md")
    index_documents(indexer, root, EVERYBODY, None)
    path.write_text("")
    report = index_documents(indexer, root, EVERYBODY, None)
    assert report == IndexReport(deleted=1, sources_deleted=1, skipped=((f"doc:{root}/a.md", "It is empty."),))
    assert store.count() == 0


def test_what_ran_out_of_time_stays_in_the_index(
    root: Path, indexer: Indexer, store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine deletes nothing of a document, and keeps nothing of one that is gone."""
    write(root, "slow.md")
    goes = write(root, "goes.md")
    index_documents(indexer, root, EVERYBODY, None)
    goes.unlink()

    def read(*_: object) -> Reading:
        raise ReadingEnded("Reading it took more than 120 s.")

    monkeypatch.setattr(FileReader, "read", read)
    report = index_documents(indexer, root, EVERYBODY, None)
    assert (report.sources_deleted, report.skipped) == (
        1,
        ((f"doc:{root}/slow.md", "Reading it took more than 120 s."),),
    )
    assert store.sources_of(f"docs:{root}") == {f"doc:{root}/slow.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_now_stays_in_the_index(root: Path, indexer: Indexer, store: EdgeStore) -> None:
    """A fault of the disk or of its permissions is no deletion."""
    write(root, "closed/a.md")
    index_documents(indexer, root, EVERYBODY, None)
    (root / "closed").chmod(0)
    try:
        index_documents(indexer, root, EVERYBODY, None)
    finally:
        (root / "closed").chmod(0o700)
    assert store.count() == 1
