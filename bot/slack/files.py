"""What Slack says of a file that was shared, and its content for as long as it is being read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from slack_sdk import WebClient

from bot.errors import SlackError
from bot.slack.api import SlackApi
from bot.slack.downloads import Downloader, Fetched, Limits
from bot.slack.payloads import Payload, child, children, flag, number, string, strings

_GONE = frozenset({"file_deleted", "file_not_found"})
_CANVASES = frozenset({"canvas", "docs", "quip"})
_CANVAS_ROOT = b"quip-canvas-content"
"""In the first element of every canvas, and in no other page of Slack's."""
_PAGES = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class Share:
    """One message that Slack says shares a file."""

    channel_id: str
    root_ts: str


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file, as `files.info` tells it."""

    id: str
    name: str
    title: str
    mode: str
    """How Slack keeps it: `hosted`, `snippet`, `email`, `quip` (a canvas), `external`…"""
    filetype: str
    media_type: str
    size: int
    """Bytes; what comes is counted all the same."""
    url: str
    """Where its content is, for the token."""
    permalink: str
    """What a person opens."""
    plain_text: str
    """An e-mail's words."""
    channels: frozenset[str]
    """Where Slack says it is shared, as far as Footnote is there; DMs left out."""
    shares: tuple[Share, ...]
    version: str
    """Another one whenever its content, name or title may be another."""
    changed_at: float | None

    @property
    def is_canvas(self) -> bool:
        return self.mode in _CANVASES


class SlackFiles:
    """The files of one workspace. Raises `SlackDenied` and `SlackError`."""

    def __init__(self, client: WebClient, incoming: Path, limits: Limits | None = None) -> None:
        self._api = SlackApi(client)
        self._downloads = Downloader(client.token or "", client.base_url, client.proxy or "", limits)
        self._incoming = incoming

    def describe(self, file_id: str) -> SharedFile | None:
        """A file; None where it was deleted, or stands nowhere that Footnote is."""
        try:
            return parse_file(child(self._api.read("files.info", file=file_id), "file"))
        except SlackError as error:
            if error.code not in _GONE:
                raise
            return None

    def clear(self) -> None:
        """Delete what a process that was killed has left behind."""
        shutil.rmtree(self._incoming, ignore_errors=True)

    @contextmanager
    def content(self, file: SharedFile, most_bytes: int, ending: str) -> Iterator[Path]:
        """The file's bytes in a file of our own, whose name has this ending, and which is gone at the end.

        Raises:
            UnreadableSource: it is too large, or kept outside of Slack.
            SlackError: Slack does not give it now.
        """
        self._incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(dir=self._incoming) as folder:
            path = Path(folder) / f"content{ending}"
            fetched = self._downloads.fetch(file.url, path, most_bytes)
            if is_page_to_sign_in(file, fetched):
                raise SlackError("the download of a file", "a_page_to_sign_in")
            yield path


def parse_file(payload: Payload) -> SharedFile:
    """A file as Slack describes it, whatever is missing."""
    mode = "external" if flag(payload, "is_external") else string(payload, "mode")
    addresses = ("url_private", "url_private_download")  # a canvas's page is at the first, a file to keep at the second
    urls = [string(payload, name) for name in (addresses if mode in _CANVASES else addresses[::-1])]
    shared = child(payload, "shares")
    by_kind = (child(shared, "public"), child(shared, "private"))
    shares = tuple(share for of_kind in by_kind for share in _shares(of_kind))
    channels = {*strings(payload, "channels"), *strings(payload, "groups"), *(share.channel_id for share in shares)}
    times = [number(payload, name) for name in ("timestamp", "updated", "edit_timestamp")]
    return SharedFile(
        id=string(payload, "id"),
        name=string(payload, "name"),
        title=string(payload, "title") or string(payload, "name"),
        mode=mode,
        filetype=string(payload, "filetype"),
        media_type=string(payload, "mimetype"),
        size=number(payload, "size"),
        url=next(filter(None, urls), ""),
        permalink=string(payload, "permalink"),
        plain_text=string(payload, "plain_text"),
        channels=frozenset(channel for channel in channels if not channel.startswith("D")),
        shares=shares,
        version=_version(payload, times),
        changed_at=float(max(times)) or None,
    )


def is_page_to_sign_in(file: SharedFile, fetched: Fetched) -> bool:
    """Whether Slack gave a page, with status 200, in place of a file that the token may not have.

    A file that is a page itself, whatever its name, is told by its size.
    """
    if file.is_canvas:
        return _CANVAS_ROOT not in fetched.head
    is_page = fetched.media_type == "text/html" or fetched.head.lstrip().lower().startswith(_PAGES)
    return is_page and fetched.size != file.size


def _shares(of_kind: Payload) -> Iterator[Share]:
    for channel_id in of_kind:
        for share in children(of_kind, channel_id):
            yield Share(channel_id, string(share, "thread_ts") or string(share, "ts"))


def _version(payload: Payload, times: Sequence[int]) -> str:
    words = [string(payload, name) for name in ("name", "title", "mode", "filetype", "mimetype", "permalink")]
    return hashlib.sha256(repr((words, times, number(payload, "size"))).encode()).hexdigest()
