"""A broken, protected, endless or hostile file costs one clear line, bounded time and memory, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from retrieval.errors import UnreadableSource
from retrieval.reading import FileReader, kind_of
from retrieval.reading.messages import answer_in, line_of
from retrieval.reading.reading import Reading
from retrieval.types import Markup, Page, Pages
from tests.retrieval.printing import lines, write_pdf

WORDS = "The tide turns at nine, and the pumps are switched off by hand."


@pytest.fixture(scope="module")
def reader() -> Iterator[FileReader]:
    """One reader for all of them, as a run over a folder has."""
    with FileReader() as reader:
        yield reader


def read(reader: FileReader, path: Path) -> Reading:
    """What a file says, by its name."""
    kind = kind_of(path)
    assert kind is not None
    return reader.read(path, kind)


def refused(reader: FileReader, path: Path) -> str:
    """Why a file can't be read."""
    with pytest.raises(UnreadableSource) as refusal:
        read(reader, path)
    return str(refusal.value)


def archive(path: Path, parts: dict[str, bytes]) -> Path:
    """A zip archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return path


def bomb_of_entities(levels: int = 12) -> bytes:
    """XML of a few lines that means millions of words, if somebody follows it."""
    entities = "".join(f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">' for at in range(1, levels))
    return f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a0 "word ">{entities}]><d>&a{levels - 1};</d>'.encode()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"", "It is empty."),
        ("a.html", b"  \n", "It is empty."),
        ("a.html", b"<script>x()</script>", "It is empty."),
        ("a.html", b"\x00\x01\x02", "It is not text in UTF-8: save it in that encoding."),
        ("a.html", b'<meta charset="klingon">words', "It is not in the encoding that it says: save it in UTF-8."),
        ("a.html", b'<meta charset="utf-8">caf\xe9', "It is not in the encoding that it says: save it in UTF-8."),
        ("a.csv", b"caf\xe9;1\n", "It is not text in UTF-8: save it in that encoding."),
        (
            "a.csv",
            b'a,b\n"' + b"x" * 200_000,
            "It can't be read as separated values (field larger than field limit (131072)).",
        ),
        ("a.ipynb", b"{}", "It is not a Jupyter notebook, whatever its name says."),
        ("a.ipynb", b"[" * 100_000, "It is not a Jupyter notebook, whatever its name says."),
        ("a.pdf", b"MZ\x90", "It is not a PDF file, whatever its name says."),
        ("a.docx", b"%PDF-1.7", "It is damaged, or not an Office document, whatever its name says."),
        ("a.md", b"caf\xe9", "It is not text in UTF-8: save it in that encoding."),
    ],
)
def test_what_is_broken_is_one_clear_line(
    reader: FileReader, tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    """Of whatever kind it claims to be."""
    (tmp_path / name).write_bytes(content)
    assert refused(reader, tmp_path / name) == reason


@pytest.mark.parametrize(
    ("name", "parts", "reason"),
    [
        ("a.docx", {"xl/workbook.xml": b"<a/>"}, "It is another kind of file than its name says."),
        ("a.docx", {"word/document.xml": b"<broken"}, "damaged"),
        ("a.docx", {"word/document.xml": bomb_of_entities()}, "damaged"),
        ("a.xlsx", {"xl/workbook.xml": bomb_of_entities()}, "damaged"),
        ("a.pptx", {"ppt/presentation.xml": b"\x00" * 400_000_000}, "unpacks to more than 300 MB"),
        (
            "a.docx",
            {"word/document.xml": b"", **{f"a{at}": b"" for at in range(10_001)}},
            "too large, or made to do harm",
        ),
    ],
    ids=["another kind", "broken", "entities in Word", "entities in Excel", "bomb", "many parts"],
)
def test_hostile_archives_are_one_clear_line(
    reader: FileReader, tmp_path: Path, name: str, parts: dict[str, bytes], reason: str
) -> None:
    """They are not unpacked further than a document would be."""
    assert reason in refused(reader, archive(tmp_path / name, parts))


def test_a_file_that_is_too_large_is_not_opened(reader: FileReader, tmp_path: Path) -> None:
    """Its size alone says so."""
    for name, size in (("a.pdf", 50_000_001), ("a.py", 2_000_001)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
        assert refused(reader, tmp_path / name).startswith("It is larger than ")


def test_endless_pages_are_one_clear_line(reader: FileReader, tmp_path: Path) -> None:
    """A page tree of a few hundred bytes can claim a million pages."""
    levels = [
        f"{at} 0 obj<</Type/Pages/Count {10 ** (8 - at)}/Kids[{f'{at + 1} 0 R ' * 10}]>>endobj" for at in range(2, 8)
    ]
    page = "8 0 obj<</Type/Page/MediaBox[0 0 9 9]>>endobj"
    body = "\n".join(
        ["%PDF-1.4", "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj", *levels, page, "trailer<</Root 1 0 R>>"]
    )
    (tmp_path / "a.pdf").write_text(body)
    assert refused(reader, tmp_path / "a.pdf") == "It has more than 5000 pages: split it."


def test_a_pdf_without_words_says_what_to_do(reader: FileReader, tmp_path: Path) -> None:
    """A scan has to be recognised first."""
    assert "pictures of pages and no words" in refused(reader, write_pdf(tmp_path / "a.pdf", [[], []]))


def test_a_sheet_of_endless_cells_is_one_clear_line(reader: FileReader, tmp_path: Path) -> None:
    """It is a database rather than a document."""
    book = openpyxl.Workbook()
    for at in range(1, 80):
        book.active.cell(at, 16_384, "x")  # type: ignore[union-attr]  # a new book has a sheet
    book.save(tmp_path / "a.xlsx")
    assert (
        refused(reader, tmp_path / "a.xlsx")
        == "It has more than 1,000,000 cells: it is a database rather than a document."
    )


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that takes seconds to read."""
    path = tmp_path_factory.mktemp("slow") / "slow.html"
    path.write_text("<p>" + "<i>" * 200 + "<b>x</b>" * 1_000_000)
    return path


def test_what_takes_too_long_is_ended(slow: Path) -> None:
    """The limit is kept, however busy the parser is."""
    with FileReader(time_limit_s=0.2) as reader:
        assert refused(reader, slow) == "Reading it took more than 0.2 s: it is too large, or made to do harm."


def test_what_takes_too_much_memory_is_one_clear_line(tmp_path: Path) -> None:
    """The parsing process is bounded, and reads the next file."""
    (tmp_path / "a.csv").write_text("x,y\n" + f"{'a' * 45},{'b' * 45}\n" * 490_000)
    (tmp_path / "b.csv").write_text("x,y\na,b\n")
    with FileReader(address_space_bytes=400_000_000) as reader:
        reason = refused(reader, tmp_path / "a.csv")
        assert reason in (
            "Reading it takes too much memory: it is too large, or made to do harm.",
            "It broke its parser: it is damaged, too large, or made to do harm.",
        )
        assert read(reader, tmp_path / "b.csv").content == Markup(
            "| x | y |\n| --- | --- |\n| a | b |", opens_sections=False
        )


def test_a_parser_that_dies_costs_its_file_alone(slow: Path, tmp_path: Path) -> None:
    """The next file gets a process of its own, as it does after one that ended by itself."""
    (tmp_path / "a.html").write_text(f"<p>{WORDS}</p>")
    words = Markup(WORDS, opens_sections=False)
    with FileReader() as reader:
        assert read(reader, tmp_path / "a.html").content == words
        threading.Timer(0.1, os.kill, (process_of(reader).pid, signal.SIGKILL)).start()
        assert refused(reader, slow) == "It broke its parser: it is damaged, too large, or made to do harm."
        assert read(reader, tmp_path / "a.html").content == words
        process_of(reader).kill()
        process_of(reader).wait()
        assert read(reader, tmp_path / "a.html").content == words


def process_of(reader: FileReader) -> subprocess.Popen[bytes]:
    """The parsing process, which no file of a test can be relied on to break."""
    assert reader._worker is not None
    return reader._worker._process


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    """Closing a reader ends what it started."""
    (tmp_path / "a.html").write_text(f"<p>{WORDS}</p>")
    reader = FileReader()
    read(reader, tmp_path / "a.html")
    pid = process_of(reader).pid
    reader.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_file_that_is_gone_is_told_apart_from_a_broken_one(reader: FileReader, tmp_path: Path) -> None:
    """What can't be opened may come back."""
    with pytest.raises(FileNotFoundError):
        read(reader, tmp_path / "a.pdf")


@pytest.mark.parametrize(
    "answer",
    [
        "It is broken.",
        Reading(Markup("a\nb\ud800", opens_sections=False), "t"),
        Reading(Pages((Page(1, "a"), Page(3, "b"))), ""),
    ],
)
def test_answers_of_the_parsing_process_are_what_was_said(answer: Reading | str) -> None:
    """Lines of JSON, whatever the words are."""
    line = line_of(answer)
    assert line.count(b"\n") == 1
    assert answer_in(line) == answer


@pytest.mark.parametrize("line", [b"\n", b"[]\n", b'{"title": "t"}\n', b'{"title": "t", "pages": [1]}\n'])
def test_nonsense_of_a_broken_process_is_one_clear_error(line: bytes) -> None:
    """It is taken for nothing else."""
    with pytest.raises(UnreadableSource, match="It broke its parser"):
        answer_in(line)


def test_pages_of_lines_are_read_by_the_process(reader: FileReader, tmp_path: Path) -> None:
    """A PDF comes back as its pages."""
    path = write_pdf(tmp_path / "a.pdf", [lines(WORDS), lines(WORDS)])
    assert read(reader, path) == Reading(Pages((Page(1, WORDS), Page(2, WORDS))), "")
