"""A shared file is read by what Slack says it is, and what can't be read is told in one sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.slack.files import SharedFile, parse_file
from bot.sync.file_contents import FileContents, Interrupted, known_as
from retrieval.errors import UnreadableSource
from retrieval.reading import Reading
from retrieval.types import Markup, Page, Pages
from tests.retrieval.printing import heading, lines, write_pdf

CANVAS = (
    '<div class="quip-canvas-content"><h1 id="temp:C:a">Open day</h1>'
    '<p id="temp:C:b" class="line">Doors open at nine, and close at <b>four</b>.</p>'
    "<ul><li>Bring cups</li><li>Bring water</li></ul></div>"
)


@dataclass
class Given:
    """Stands in for Slack's hosts: gives these bytes, and remembers which files it was asked for."""

    folder: Path
    content: bytes = b""
    asked: list[str] = field(default_factory=list)

    @contextmanager
    def content_of(self, ending: str) -> Iterator[Path]:
        path = self.folder / f"content{ending}"
        path.write_bytes(self.content)
        yield path
        path.unlink()


@dataclass
class Shelf:
    """What reads files, and where it gets them from."""

    given: Given
    contents: FileContents

    def read(self, content: bytes = b"", **payload: object) -> Reading:
        """What a file of Slack's says."""
        self.given.content, self.given.asked = content, []
        return self.contents.read(file(size=len(content), **payload))


class Downloads:
    """The shelf's bytes as Slack gives them."""

    def __init__(self, given: Given) -> None:
        self._given = given

    @contextmanager
    def content(self, file: SharedFile, most_bytes: int, ending: str) -> Iterator[Path]:
        self._given.asked.append(file.id)
        with self._given.content_of(ending) as path:
            yield path


def file(**payload: object) -> SharedFile:
    """A file as Slack describes it."""
    return parse_file({"id": "F1", "mode": "hosted", "url_private": "https://files.slack.com/F1", **payload})


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    """One parsing process for all of them."""
    given = Given(tmp_path_factory.mktemp("shelf"))
    contents = FileContents(Downloads(given))
    yield Shelf(given, contents)
    contents.close()


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        ({"name": "plan.pdf", "filetype": "pdf"}, "plan.pdf"),
        ({"name": "Plan", "filetype": "docx"}, "Plan.docx"),
        ({"name": "plan.v2", "filetype": "xlsx"}, "plan.v2.xlsx"),
        ({"name": "photo.heic", "filetype": "heic"}, "photo.heic"),
        ({"name": "-.py", "filetype": "python", "mode": "snippet"}, "-.py"),
        ({"name": "Untitled", "filetype": "python", "mode": "snippet"}, "Untitled.py"),
        ({"name": "Untitled", "filetype": "text", "mode": "snippet"}, "Untitled.txt"),
        ({"name": "Untitled", "filetype": "brainfuck", "mode": "snippet"}, "Untitled.txt"),
        ({"name": "Notes", "filetype": "quip", "mode": "quip"}, "F1.html"),
        ({}, "F1"),
    ],
)
def test_a_file_is_read_by_its_name_or_by_slacks_word_for_it(payload: dict[str, object], name: str) -> None:
    """Slack's word helps where a name has no ending that says more."""
    assert known_as(file(**payload)).as_posix() == name


def test_a_snippet_is_read_as_its_language(shelf: Shelf) -> None:
    """The whole of it, not the lines that its message shows."""
    reading = shelf.read(b"def fire(kiln):\n    return kiln.heat()\n", mode="snippet", filetype="python", name="Fire")
    assert isinstance(reading.content, Markup)
    assert "```python\ndef fire(kiln):" in reading.content.text


def test_a_canvas_is_read_as_the_page_that_it_is(shelf: Shelf) -> None:
    """Slack gives canvases as HTML."""
    reading = shelf.read(CANVAS.encode(), mode="quip", filetype="quip", name="Open_day")
    assert isinstance(reading.content, Markup)
    assert reading.content.text.split("\n\n") == [
        "# Open day",
        "Doors open at nine, and close at four.",
        "- Bring cups\n- Bring water",
    ]


def test_tables_and_pages_are_read_by_their_parsers(shelf: Shelf, tmp_path: Path) -> None:
    """In the process that may be ended."""
    table = shelf.read(b"Day,Who\nMonday,Bo\n", name="rota.csv").content
    assert isinstance(table, Markup)
    assert table.text.split("\n")[0] == "| Day | Who |"
    printed = write_pdf(
        tmp_path / "a.pdf", [[*heading("Kiln", 740), *lines("Fired at noon.")], lines("Cold by night.")]
    )
    pages = shelf.read(printed.read_bytes(), name="kiln.pdf").content
    assert isinstance(pages, Pages)
    assert [page.number for page in pages.pages] == [1, 2]
    assert pages.pages[0] == Page(1, "# Kiln\n\nFired at noon.")


def test_an_email_is_read_from_what_slack_says_of_it(shelf: Shelf) -> None:
    """Its words stand in its description, and nothing is fetched."""
    reading = shelf.read(mode="email", name="Re: clay", plain_text="The clay comes on Friday.")
    assert reading == Reading(Markup("The clay comes on Friday.", "text/plain"))
    assert shelf.given.asked == []


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({"name": "a.png", "mimetype": "image/png"}, "Pictures, audio and video are not read."),
        ({"name": "a.mp4", "mimetype": "video/mp4"}, "Pictures, audio and video are not read."),
        ({"name": "a.zip", "mimetype": "application/zip"}, ".zip is not a type that is read."),
        ({"name": "a"}, "A file without an ending is not a type that is read."),
        ({"name": "a.pdf", "is_external": True}, "It is kept outside of Slack: share the file itself."),
        ({"name": "a", "mode": "list"}, "Slack's lists are not read."),
        ({"name": "a", "mode": "space"}, "Slack's posts of old are not read: make a canvas of it."),
        ({"name": "a.pdf", "mode": "hidden_by_limit"}, "Slack's plan hides it."),
        ({"name": "a", "mode": "email"}, "It is an e-mail of which Slack gives no text."),
        ({"name": "a.pdf", "size": 60_000_000}, "It is larger than 50 MB: split it."),
        ({"name": "a.log.txt", "size": 3_000_000}, "It is larger than 2 MB: split it."),
    ],
)
def test_what_is_not_read_is_not_even_fetched(shelf: Shelf, payload: dict[str, object], reason: str) -> None:
    """One sentence says why."""
    shelf.given.asked = []
    with pytest.raises(UnreadableSource) as raised:
        shelf.contents.read(file(**payload))
    assert str(raised.value) == reason
    assert shelf.given.asked == []


def test_a_file_that_is_no_such_file_costs_one_sentence(shelf: Shelf) -> None:
    """Whatever its name says."""
    with pytest.raises(UnreadableSource, match="not a PDF file"):
        shelf.read(b"no PDF at all", name="a.pdf")


@pytest.mark.parametrize("is_warm", [True, False])
def test_a_reading_can_be_stopped(tmp_path: Path, is_warm: bool) -> None:
    """The process is ended in the middle of a file, or before it begins, and nothing is concluded from that."""
    given = Given(tmp_path, b"<p>Warm.</p>")
    contents = FileContents(Downloads(given))
    if is_warm:
        contents.read(file(name="a.html"))
    given.content = b"<table>" * 3_000_000
    stop = threading.Timer(0.2, contents.stop)
    stop.start()
    try:
        with pytest.raises(Interrupted):
            contents.read(file(name="a.html"))
    finally:
        stop.join()
        contents.close()
