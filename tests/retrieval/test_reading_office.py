"""Word, PowerPoint and Excel files, and separated values, keep their headings, lists and tables."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.util import Inches

from retrieval.errors import UnreadableSource
from retrieval.reading.reading import Reading
from retrieval.reading.sheets import read_separated, read_workbook
from retrieval.reading.slides import read_slides
from retrieval.reading.word import read_word
from retrieval.types import Markup


def text(reading: Reading) -> str:
    """What was read, of a file whose sections no address opens."""
    assert isinstance(reading.content, Markup)
    assert not reading.content.opens_sections
    return reading.content.text


def test_a_word_document_keeps_headings_lists_and_tables_in_order(tmp_path: Path) -> None:
    """What Word's own styles say is what the Markdown says."""
    document = docx.Document()
    document.add_heading("Harbour", 0)
    document.add_heading("Pumps", 1)
    document.add_paragraph("They start by themselves.")
    table = document.add_table(2, 2)
    for cell, words in zip(table._cells, ("Pump", "Power", "North|South", "4 kW"), strict=True):
        cell.text = words
    document.add_heading("Before a storm", 2)
    document.add_paragraph("Fill the tanks.", style="List Bullet")
    document.add_paragraph("Call the office.", style="List Bullet")
    document.add_paragraph("# no heading")
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.save(str(tmp_path / "a.docx"))
    reading = read_word(tmp_path / "a.docx")
    assert text(reading) == (
        "# Harbour\n\n# Pumps\n\nThey start by themselves.\n\n"
        "| Pump | Power |\n| --- | --- |\n| North\\|South | 4 kW |\n\n"
        "## Before a storm\n\n- Fill the tanks.\n- Call the office.\n\n\\# no heading"
    )
    assert reading.title == "Harbour"


@pytest.mark.parametrize(
    ("inner", "read"),
    [
        ("<w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", "kept"),
        ("<w:ins><w:r><w:t>added</w:t></w:r></w:ins>", "added"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>seen</w:t></w:r>", "seen"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>", "a b"),
        (
            "<w:r><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:r><w:r><w:t>a</w:t></w:r>",
            "a\n\nbox",
        ),
    ],
)
def test_of_word_what_a_reader_sees_is_read(tmp_path: Path, inner: str, read: str) -> None:
    """Insertions and boxes are, what was deleted or hidden isn't."""
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')}>{inner}</w:p>"))
    document.save(str(tmp_path / "a.docx"))
    assert text(read_word(tmp_path / "a.docx")) == read


def test_a_slide_is_a_section_with_its_notes(tmp_path: Path) -> None:
    """Its title is the heading; what stands higher comes first; a hidden slide is left out."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Pumps"
    low = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    low.text_frame.text = "Last checked in May."
    high = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    high.text_frame.text = "North"
    high.text_frame.add_paragraph().text = "South"
    slide.notes_slide.notes_text_frame.text = "Say who checks them."
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "Hidden"
    hidden.element.set("show", "0")
    untitled = deck.slides.add_slide(deck.slide_layouts[6])
    grid = untitled.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for at, words in enumerate(("Gate", "Shut", "Inner", "no")):
        grid.cell(at // 2, at % 2).text = words
    deck.save(str(tmp_path / "a.pptx"))
    reading = read_slides(tmp_path / "a.pptx")
    assert text(reading) == (
        "## Pumps\n\n- North\n- South\n\nLast checked in May.\n\nNotes: Say who checks them.\n\n"
        "## Slide 3\n\n| Gate | Shut |\n| --- | --- |\n| Inner | no |"
    )


def test_a_sheet_is_a_section_of_tables(tmp_path: Path) -> None:
    """Values are written as readers see them; empty rows part tables; a hidden sheet is left out."""
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Pumps", 0)
    for row in (
        ["Pumps of the harbour"],
        ["Pump", "Power", "Since"],
        ["North", 4.0, date(2026, 5, 1)],
        [],
        ["Gate", "Open"],
        ["Inner", 0.25],
    ):
        sheet.append(row)
    sheet["B6"].number_format = "0%"
    hidden = book.create_sheet("Old")
    hidden.append(["a", "b"])
    hidden.sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    assert text(read_workbook(tmp_path / "a.xlsx")) == (
        "## Pumps\n\nPumps of the harbour\n\n"
        "| Pump | Power | Since |\n| --- | --- | --- |\n| North | 4 | 2026-05-01 |\n\n"
        "| Gate | Open |\n| --- | --- |\n| Inner | 25% |"
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "Pump,Power\nNorth,4 kW\n"),
        ("a.csv", "Pump;Power\nNorth;4 kW\n"),
        ("a.csv", '"Pump","Power"\n"North","4 kW"\n'),
        ("a.tsv", "Pump\tPower\nNorth\t4 kW\n"),
    ],
)
def test_separated_values_are_a_table(tmp_path: Path, name: str, content: str) -> None:
    """Whatever parts them."""
    (tmp_path / name).write_text(content)
    assert text(read_separated(tmp_path / name)) == "| Pump | Power |\n| --- | --- |\n| North | 4 kW |"


def test_a_long_table_becomes_several_with_the_same_header(tmp_path: Path) -> None:
    """Each row keeps its header, however many there are."""
    (tmp_path / "a.csv").write_text("Pump,Power\n" + "".join(f"P{at},{at} kW\n" for at in range(150)))
    tables = text(read_separated(tmp_path / "a.csv")).split("\n\n")
    assert [table.count("\n") - 1 for table in tables] == [60, 60, 30]
    assert {table.split("\n")[0] for table in tables} == {"| Pump | Power |"}


@pytest.mark.parametrize("read", [read_word, read_slides, read_workbook])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "damaged, or not an Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "protected by a password"),
    ],
)
def test_what_is_no_office_file_is_one_clear_error(tmp_path: Path, read, content: bytes, reason: str) -> None:  # type: ignore[no-untyped-def]
    """Whatever its name says."""
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(UnreadableSource, match=reason):
        read(tmp_path / "a")
