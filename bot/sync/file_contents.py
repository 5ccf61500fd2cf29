"""Reads the words of one shared file, or says in one sentence why it has none that can be read."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Protocol

from bot.slack.downloads import too_large
from bot.slack.files import SharedFile
from retrieval.errors import UnreadableSource
from retrieval.reading import FileReader, Reading, kind_of
from retrieval.reading.limits import MOST_BYTES, MOST_TEXT_BYTES
from retrieval.types import Markup

TIME_LIMIT_S = 60.0
"""For parsing one file: half of what a document of a folder may take, since other people's files wait behind it."""

_SNIPPETS = {
    "c": ".c",
    "cpp": ".cpp",
    "csharp": ".cs",
    "csv": ".csv",
    "css": ".css",
    "go": ".go",
    "html": ".html",
    "java": ".java",
    "javascript": ".js",
    "json": ".json",
    "kotlin": ".kt",
    "markdown": ".md",
    "perl": ".pl",
    "php": ".php",
    "powershell": ".ps1",
    "python": ".py",
    "r": ".r",
    "ruby": ".rb",
    "rust": ".rs",
    "scala": ".scala",
    "shell": ".sh",
    "sql": ".sql",
    "swift": ".swift",
    "toml": ".toml",
    "tsv": ".tsv",
    "typescript": ".ts",
    "xml": ".xml",
    "yaml": ".yaml",
}
"""What Slack calls the languages of snippets, by the endings of their files; any other snippet is plain text."""

_NOT_READ = {
    "external": "It is kept outside of Slack: share the file itself.",
    "hidden_by_limit": "Slack's plan hides it.",
    "list": "Slack's lists are not read.",
    "post": "Slack's posts of old are not read: make a canvas of it.",
    "space": "Slack's posts of old are not read: make a canvas of it.",
}
"""Ways in which Slack keeps what is no file of its own."""
_MEDIA = ("image/", "audio/", "video/")


class Downloads(Protocol):
    """The part of Slack that gives a file's bytes for as long as they are read."""

    def content(self, file: SharedFile, most_bytes: int, ending: str) -> AbstractContextManager[Path]: ...


class Contents(Protocol):
    """What reads the words of files, one by one in one thread."""

    def read(self, file: SharedFile) -> Reading: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


class Interrupted(Exception):
    """The reading was stopped from outside; what it says of the file counts for nothing."""


class NotTaken(UnreadableSource):
    """By what Slack says of it a file is none that is read; its content was not asked for."""


class FileContents:
    """Reads files one by one, in one thread; to be closed there."""

    def __init__(self, downloads: Downloads, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._downloads = downloads
        self._reader = FileReader(time_limit_s)
        self._is_stopped = False

    def read(self, file: SharedFile) -> Reading:
        """What a file says.

        Raises:
            UnreadableSource: nothing that can be read.
            SlackError: Slack does not give it now.
            Interrupted: it was stopped meanwhile.
        """
        if file.mode == "email":
            return _email(file)
        name = known_as(file)
        kind = kind_of(name)
        if kind is None or file.mode in _NOT_READ:
            raise NotTaken(_why_not(file, name))
        most = MOST_TEXT_BYTES if kind.is_text else MOST_BYTES
        if file.size > most:
            raise NotTaken(too_large(most))
        try:
            with self._downloads.content(file, most, name.suffix) as path:
                return self._reader.read(path, kind, name)
        except UnreadableSource as error:
            if self._is_stopped:
                raise Interrupted from error
            raise

    def stop(self) -> None:
        """End what is being read, from any thread."""
        self._is_stopped = True
        self._reader.interrupt()

    def close(self) -> None:
        """End the parsing process."""
        self._reader.close()


def known_as(file: SharedFile) -> PurePath:
    """The name by whose ending a file is read: canvases and many snippets have none of their own."""
    if file.is_canvas:
        return PurePath(f"{file.id}.html")
    name = PurePath(file.name or file.id)
    if kind_of(name) is not None:
        return name
    if file.mode == "snippet":
        return PurePath(f"{name.stem or file.id}{_SNIPPETS.get(file.filetype, '.txt')}")
    typed = PurePath(f"{name.name}.{file.filetype}")
    return name if kind_of(typed) is None else typed


def _why_not(file: SharedFile, name: PurePath) -> str:
    if file.mode in _NOT_READ:
        return _NOT_READ[file.mode]
    if file.media_type.startswith(_MEDIA):
        return "Pictures, audio and video are not read."
    return f"{name.suffix or 'A file without an ending'} is not a type that is read."


def _email(file: SharedFile) -> Reading:
    if not file.plain_text.strip():
        raise UnreadableSource("It is an e-mail of which Slack gives no text.")
    return Reading(Markup(file.plain_text, "text/plain"))
