"""Reads folders of documents as sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.errors import UsageError
from retrieval.chunking import title_of
from retrieval.indexing import Indexer
from retrieval.types import IndexReport, Markup, Place, Source

_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
}
_LARGEST = 2_000_000
"""Bytes: what is larger is a log or a dump rather than a document, and would fill the answers."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that gives no source."""

    source_id: str
    reason: str
    """One sentence."""
    may_come_back: bool = False
    """It could not be read this time: what was indexed of it before stays."""


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
        return f"doc:{path.as_posix()}"

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
    for path in _files(folder):
        yield _read(path, folder) if isinstance(path, Path) else path


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
            if isinstance(item, Skipped):
                skipped.append(item)
            else:
                there.add(item.id)
                yield item

    report = indexer.put(sources(), on_progress)
    report += IndexReport(skipped=tuple((item.source_id, item.reason) for item in skipped))
    if any(item.may_come_back for item in skipped):
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
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(where, name) for name in sorted(names) if not name.startswith("."))
    for error in unreadable:
        yield Skipped(
            folder.id_of(Path(error.filename)), f"The folder can't be read: {error.strerror}.", may_come_back=True
        )


def _read(path: Path, folder: _Folder) -> Source | Skipped:
    source_id = folder.id_of(path)
    try:
        reason = _reason_against(path, folder)
        content = b"" if reason else path.read_bytes()
        written_at = None if reason else path.stat().st_mtime
    except OSError as error:
        return Skipped(source_id, f"It can't be read: {error.strerror}.", may_come_back=True)
    text = _decoded(content)
    if text is None:
        reason = "It is not text in UTF-8: save it in that encoding."
    elif not reason and not text.strip():
        reason = "It is empty."
    if text is None or reason:
        return Skipped(source_id if source_id.isprintable() else ascii(source_id), reason)
    markup = Markup(text, _MEDIA_TYPES[path.suffix.lower()])
    title = title_of(markup) or _named(path)
    return Source(source_id, _origin(folder), title, folder.url_of(path), folder.places, markup, written_at)


def _reason_against(path: Path, folder: _Folder) -> str:
    """Why a file's content is not even looked at; empty where it is."""
    if not str(path.relative_to(folder.base)).isprintable():
        return "Its name holds what can't be shown: rename it."
    if path.suffix.lower() not in _MEDIA_TYPES:
        return f"{path.suffix or 'A file without an ending'} is not a type that is read yet."
    if not path.resolve().is_relative_to(folder.root.resolve()):
        return "It is a link that leads out of the folder."
    if not path.is_file():
        return "It is not a regular file."
    return f"It is larger than {_LARGEST // 1_000_000} MB: split it." if path.stat().st_size > _LARGEST else ""


def _decoded(content: bytes) -> str | None:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text


def _named(path: Path) -> str:
    """A title out of a file's name; an index page is called like its folder."""
    name = path.parent.name if path.stem.lower() in ("index", "readme") else path.stem
    return name.replace("-", " ").replace("_", " ").strip().capitalize()
