"""Reads the JSON files of a Slack export, a zip or a folder, in place and within limits."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.errors import UsageError
from bot.slack.payloads import Payload

LARGEST_FILE = 64_000_000
"""Bytes of one day of one channel, unpacked: some 50,000 messages. More is a mistake or a trap."""
MOST_FILES = 2_000_000
"""Some 5,000 channels over a year each."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")


class UnreadableFile(Exception):
    """One file of the export can't be taken; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The files of an export by their path inside it."""

    sizes: Mapping[str, int]
    """Bytes, unpacked."""
    _read: Callable[[str, int], bytes]

    def listed(self, name: str) -> tuple[Payload, ...]:
        """The objects of a file at the top, such as `channels.json`; none where there is no such file.

        Raises:
            UsageError: the file is there and can't be read.
        """
        if name not in self.sizes:
            return ()
        try:
            return self.objects(name)
        except UnreadableFile as error:
            raise UsageError(f"{name} of the export can't be read: {error}. Export it again.") from error

    def days(self, folder: str) -> tuple[str, ...]:
        """The files of a channel, oldest first."""
        return tuple(sorted(path for path in self.sizes if _folder(path) == folder))

    def folders(self) -> frozenset[str]:
        """The folders that hold days."""
        return frozenset(_folder(path) for path in self.sizes if _folder(path))

    def objects(self, path: str) -> tuple[Payload, ...]:
        """The objects of a JSON list.

        Raises:
            UnreadableFile: it is too large, damaged, or no list.
        """
        if self.sizes[path] > LARGEST_FILE:
            raise UnreadableFile("larger than 64 MB")
        try:
            found = json.loads(self._read(path, LARGEST_FILE + 1))
        except (ValueError, RecursionError, OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise UnreadableFile("damaged") from error  # RuntimeError: zipfile's word for an encrypted entry
        if not isinstance(found, list):
            raise UnreadableFile("not a list")
        return tuple(item for item in found if isinstance(item, dict))


def open_archive(path: Path) -> Archive:
    """A zip or a folder.

    Raises:
        UsageError: it is neither, or no Slack export.
    """
    archive = _of_folder(path) if path.is_dir() else _of_zip(path)
    if "channels.json" not in archive.sizes:
        raise UsageError(f"{path} is no Slack export: it has no channels.json.")
    return archive


def _of_folder(path: Path) -> Archive:
    root = path.resolve()
    inside = [file for file in root.rglob("*.json") if file.is_file() and file.resolve().is_relative_to(root)]
    sizes = {file.relative_to(root).as_posix(): file.stat().st_size for file in inside}
    return _bounded(sizes, lambda name, most: (root / name).read_bytes()[:most])


def _of_zip(path: Path) -> Archive:
    try:
        opened = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} can't be opened as a zip or a folder: give the export as Slack made it.") from error
    sizes = {entry.filename: entry.file_size for entry in opened.infolist() if entry.filename.endswith(".json")}

    def read(name: str, most: int) -> bytes:
        with opened.open(name) as file:
            return file.read(most)  # no more than that is unpacked, whatever the entry says of its size

    return _bounded(sizes, read)


def _bounded(sizes: Mapping[str, int], read: Callable[[str, int], bytes]) -> Archive:
    """The files below the folder that holds the lists; who packs an export anew often packs a folder around it."""
    if len(sizes) > MOST_FILES:
        raise UsageError(f"The export has more than {MOST_FILES:,} files: give Footnote a part of it.")
    lists = (PurePosixPath(path) for path in sizes if path.rpartition("/")[2] == "channels.json")
    top = min((path.parent for path in lists), key=lambda folder: len(folder.parts), default=PurePosixPath())
    prefix = "" if top == PurePosixPath() else f"{top}/"
    inside = {path.removeprefix(prefix): size for path, size in sizes.items() if path.startswith(prefix)}
    return Archive(inside, lambda name, most: read(prefix + name, most))


def _folder(path: str) -> str:
    """The channel's folder in which a day stands; empty for other files."""
    parts = PurePosixPath(path)
    return str(parts.parent) if len(parts.parts) == 2 and _DAY.fullmatch(parts.name) else ""
