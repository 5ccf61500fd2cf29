"""Reads folders of documents as sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.errors import UsageError
from retrieval.errors import ReadingEnded, UnreadableSource
from retrieval.indexing import Indexer
from retrieval.reading import FileReader, Reading, kind_of
from retrieval.types import IndexReport, Place, Source

PREFIX = "doc:"
"""Of the ids of sources that are files; their path follows."""

NOT_DOCUMENTS = frozenset({"__pycache__", "node_modules", "site-packages"})
"""Folders that programs fill, in which nobody of the team has written anything."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gives no source, or a folder that gives none."""

    source_id: str
    reason: str
    """One sentence."""
    may_come_back: bool = False
    """It could not be read this time: what was indexed of it before stays."""
    is_folder: bool = False
    """Nobody knows what stands in it."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """Where documents are read from and how they are addressed."""

    root: Path
    base: Path
    """What paths are relative to: the root itself, or the folder of a lone file."""
    places: frozenset[Place]
    base_url: str | None

    def id_of(self, path: Path) -> str:
        """The file's own path, so that equally named folders don't take each other's place."""
        return f"{PREFIX}{path.as_posix()}"

    def url_of(self, path: Path) -> str:
        """Where a reader opens it; an index page opens its folder."""
        if self.base_url is None:
            return path.as_uri()
        page = path.relative_to(self.base)
        if page.suffix.lower() in (".md", ".markdown"):
            page = page.parent if page.stem.lower() == "index" else page.with_suffix("")
        address = page.as_posix()
        return "/".join((self.base_url.rstrip("/"), *([] if address == "." else [quote(address)])))


def read_documents(root: Path, places: frozenset[Place], base_url: str | None) -> Iterator[Source | Skipped]:
    """Every document in a folder, or the one at a path; hidden folders and files are passed over.

    Raises:
        UsageError: there is nothing at `root`.
    """
    folder = _folder(root, places, base_url)
    with FileReader() as reader:
        for path in _files(folder):
            yield _read(path, folder, reader) if isinstance(path, Path) else path


def index_documents(
    indexer: Indexer,
    root: Path,
    places: frozenset[Place],
    base_url: str | None,
    on_progress: Callable[[int], None] | None = None,
) -> IndexReport:
    """Make the index hold a folder's documents as they are now, and none that have gone."""
    folder = _folder(root, places, base_url)
    skipped: list[Skipped] = []
    there: set[str] = set()

    def sources() -> Iterator[Source]:
        for item in read_documents(root, places, base_url):
            if isinstance(item, Source):
                there.add(item.id)
                yield item
                continue
            skipped.append(item)
            if item.may_come_back:
                there.add(item.source_id)

    report = indexer.put(sources(), on_progress)
    report += IndexReport(skipped=tuple((item.source_id, item.reason) for item in skipped))
    if any(item.is_folder for item in skipped):
        return report
    return report + indexer.keep_only(_origin(folder), there)


def _folder(root: Path, places: frozenset[Place], base_url: str | None) -> _Folder:
    absolute = root.absolute()
    if not absolute.exists():
        raise UsageError(f"There is nothing at {root}: give the path of a folder or a file.")
    return _Folder(absolute, absolute if absolute.is_dir() else absolute.parent, places, base_url)


def _origin(folder: _Folder) -> str:
    return f"docs:{folder.root}"


def _files(folder: _Folder) -> Iterator[Path | Skipped]:
    """Files in a steady order, and a word on each folder that can't be read."""
    if folder.root.is_file():
        yield folder.root
        return
    unreadable: list[OSError] = []
    for where, folders, names in os.walk(folder.root, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in NOT_DOCUMENTS)
        yield from (Path(where, name) for name in sorted(names) if not name.startswith("."))
    for error in unreadable:
        yield Skipped(folder.id_of(Path(error.filename)), f"It can't be opened: {error.strerror}.", is_folder=True)


def _read(path: Path, folder: _Folder, reader: FileReader) -> Source | Skipped:
    source_id = folder.id_of(path)
    try:
        reading = _reading(path, folder, reader)
        written_at = path.stat().st_mtime
    except OSError as error:
        return Skipped(source_id, f"It can't be read: {error.strerror}.", may_come_back=True)
    except ReadingEnded as error:
        return Skipped(source_id, str(error), may_come_back=True)
    except UnreadableSource as error:
        return Skipped(source_id if source_id.isprintable() else ascii(source_id), str(error))
    title = reading.title or _named(path)
    return Source(source_id, _origin(folder), title, folder.url_of(path), folder.places, reading.content, written_at)


def _reading(path: Path, folder: _Folder, reader: FileReader) -> Reading:
    """What a file says.

    Raises:
        UnreadableSource: it says nothing, or is none of the folder's documents.
    """
    name = path.relative_to(folder.base)
    if not str(name).isprintable():
        raise UnreadableSource("Its name holds what can't be shown: rename it.")
    kind = kind_of(path)
    if kind is None:
        raise UnreadableSource(f"{path.suffix or 'A file without an ending'} is not a type that is read.")
    if not _leads_within(path, folder.root):
        raise UnreadableSource("It is a link that leads out of the folder.")
    if not path.is_file():
        raise UnreadableSource("It is not a regular file.")
    return reader.read(path, kind, name)


def _leads_within(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except RuntimeError:  # a link that leads to itself, before Python 3.13
        return False


def _named(path: Path) -> str:
    """A title out of a file's name; an index page is called like its folder."""
    name = path.parent.name if path.stem.lower() in ("index", "readme") else path.stem
    return name.replace("-", " ").replace("_", " ").strip().capitalize()
