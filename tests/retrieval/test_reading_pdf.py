"""PDFs are read as people read them: pages of whole sentences under their headings, without what recurs."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.chunking import cut
from retrieval.errors import UnreadableSource
from retrieval.reading.pdf import read_pdf
from retrieval.reading.pdf_words import Vocabulary
from retrieval.reading.reading import Reading
from retrieval.types import WORKSPACE, Page, Pages, Passage, Source
from tests.conftest import WordHashEmbedder
from tests.retrieval.printing import Rule, Words, heading, lines, write_pdf

PUMPS = "The pumps start by themselves when the water rises above\nthe second mark, and stop at the first."
TIDE = "High water comes twice a day. The gate has to be shut\nan hour before it, by the person on duty."


def pages(path: Path) -> tuple[Page, ...]:
    """What the pages of a PDF say."""
    content = read_pdf(path).content
    assert isinstance(content, Pages)
    return content.pages


def passages(reading: Reading) -> tuple[Passage, ...]:
    """What is indexed of a PDF."""
    source = Source("a", "o", reading.title, "https://example.org/a.pdf", frozenset({WORKSPACE}), reading.content)
    return cut(source, "T0", WordHashEmbedder().count_tokens)


def test_a_page_is_markdown_with_headings_paragraphs_and_lists(tmp_path: Path) -> None:
    """Type that is larger makes a heading, distance a paragraph, and a mark an item."""
    words = [
        *heading("Harbour", 760, 20),
        *heading("Pumps", 720, 14),
        *lines(PUMPS, 700),
        *lines("Before a storm:", 650),
        *lines("• Fill the tanks of both pumps and look at what the\nmeter says.\n• Call the office.", 630),
        *heading("Gate", 560, 14),
        *lines(TIDE, 540),
    ]
    [page] = pages(write_pdf(tmp_path / "a.pdf", [words]))
    assert page.text == (
        "# Harbour\n\n## Pumps\n\nThe pumps start by themselves when the water rises above the second mark, "
        "and stop at the first.\n\nBefore a storm:\n\n- Fill the tanks of both pumps and look at what the meter says.\n"
        "- Call the office.\n\n## Gate\n\nHigh water comes twice a day. The gate has to be shut an hour before it, "
        "by the person on duty."
    )


def test_a_passage_opens_its_page_and_knows_its_headings(tmp_path: Path) -> None:
    """A page without a heading of its own stands under that of the page before it."""
    first = [*heading("Harbour", 760, 20), *heading("Pumps", 720, 14), *lines(PUMPS, 700)]
    second = [*lines(TIDE, 760)]
    found = passages(read_pdf(write_pdf(tmp_path / "a.pdf", [first, second])))
    assert [(one.title, one.heading_path, one.anchors[0].url) for one in found] == [
        ("Harbour", ("Pumps",), "https://example.org/a.pdf#page=1"),
        ("Harbour", ("Pumps",), "https://example.org/a.pdf#page=2"),
    ]


def test_a_sentence_over_the_end_of_a_page_stands_where_more_of_it_is(tmp_path: Path) -> None:
    """It is whole, and only once."""
    first = [*lines(PUMPS, 700), *lines("The spare key of the pump house hangs behind the", 650)]
    second = [*lines("door. Whoever takes it writes a line into the book,\nwith the hour at which it was taken.", 760)]
    one, other = pages(write_pdf(tmp_path / "a.pdf", [first, second]))
    assert one.text.endswith("The spare key of the pump house hangs behind the door.")
    assert other.text == "Whoever takes it writes a line into the book, with the hour at which it was taken."


def test_what_recurs_on_every_page_is_left_out(tmp_path: Path) -> None:
    """Running heads and feet and page numbers say nothing, wherever the words between them are the same."""
    texts = [f"Rule {word} is kept by all who work here, day and night." for word in ("one", "two", "three", "four")]
    printed = [
        [*lines("Harbour handbook", 810), *lines(text, 600), *lines(f"Page {at} of 4", 30)]
        for at, text in enumerate(texts, start=1)
    ]
    assert [page.text for page in pages(write_pdf(tmp_path / "a.pdf", printed))] == texts


def test_a_table_is_one_and_keeps_its_header_on_the_next_page(tmp_path: Path) -> None:
    """White space parts the columns; what goes on overleaf is the same table."""

    def row(cells: tuple[str, str, str], y: float) -> list[Words]:
        return [Words(text, y, x) for text, x in zip(cells, (72, 220, 380), strict=True)]

    first = [*lines(PUMPS, 760), *row(("Pump", "Power", "Checked"), 700), *row(("North", "4 kW", "in May"), 685)]
    second = [*row(("South", "7 kW", "in June"), 760), *row(("East", "2 kW", "never"), 745)]
    one, other = pages(write_pdf(tmp_path / "a.pdf", [first, second]))
    assert one.text.endswith("| Pump | Power | Checked |\n| --- | --- | --- |\n| North | 4 kW | in May |")
    assert other.text == (
        "| Pump | Power | Checked |\n| --- | --- | --- |\n| South | 7 kW | in June |\n| East | 2 kW | never |"
    )


def test_ruled_cells_are_read_cell_by_cell(tmp_path: Path) -> None:
    """However many lines each has, whatever order they are drawn in, and where a cell reaches over two columns."""
    words = [
        *lines(PUMPS, 700),
        *[Words(text, y, x) for text, x, y in (("Pump", 76, 650), ("Power", 156, 650), ("Remark", 236, 650))],
        *[Words(text, y, 76) for text, y in (("North", 630), ("basin", 617), ("South", 597))],
        *[Words(text, y, 156) for text, y in (("4 kW", 630), ("not used until the spring", 597))],
        *[Words(text, y, 236) for text, y in (("is looked at", 630), ("in May", 617))],
        *lines(TIDE, 560),
    ]
    rules = [Rule(72, y, 360, y) for y in (664, 644, 611, 588)]
    rules += [Rule(x, 664, x, 588) for x in (72, 152, 360)] + [Rule(232, 664, 232, 611)]
    [page] = pages(write_pdf(tmp_path / "a.pdf", [[*rules, *words]]))
    table = (
        "| Pump | Power | Remark |\n| --- | --- | --- |\n| North basin | 4 kW | is looked at in May |\n"
        "| South | not used until the spring |  |"
    )
    assert page.text.split("\n\n")[1:-1] == [table]


def test_a_list_that_goes_on_overleaf_keeps_its_lead_in(tmp_path: Path) -> None:
    """An item says little without what it is an item of."""
    first = [*lines("Never leave out:", 700), *lines("1. The first pump.\n2. The second pump.", 680)]
    second = [*lines("3. The gate at the end of the pier.", 760)]
    _, other = pages(write_pdf(tmp_path / "a.pdf", [first, second]))
    assert other.text == "Never leave out:\n\n3. The gate at the end of the pier."


@pytest.mark.parametrize(
    ("given", "first", "title"),
    [
        ("Harbour rules", heading("Something else", 700), "Harbour rules"),
        ("Microsoft Word - rules_v3.docx", heading("Rules of the harbour", 700), "Rules of the harbour"),
        ("", heading("Rules of the harbour", 700), "Rules of the harbour"),
        ("", lines(PUMPS), ""),
    ],
)
def test_a_title_is_what_the_file_or_its_first_page_says(
    tmp_path: Path, given: str, first: list[Words], title: str
) -> None:
    """What a program made up is none."""
    path = write_pdf(tmp_path / "a.pdf", [first, lines(PUMPS), lines(TIDE)], given)
    assert read_pdf(path).title == title


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Opening Hours", "**Opening Hours**\n\n"),
        ("Opening Hours:", "**Opening Hours**\n\n"),
        ("Opening hours of all", "Opening hours of all\n\n"),
        ("Last Updated: Monday", "Last Updated: Monday\n\n"),
        ("Ask For The Key.", "Ask For The Key.\n\n"),
    ],
)
def test_a_line_in_capitals_above_a_paragraph_is_its_label(tmp_path: Path, line: str, shown: str) -> None:
    """In bold, so that it stays with what it says; a line that could be anything stays what it is."""
    [page] = pages(write_pdf(tmp_path / "a.pdf", [[*lines(line, 740), *lines(TIDE, 700)]]))
    assert page.text == f"{shown}{' '.join(TIDE.split())}"


def test_what_is_raised_stays_in_its_line(tmp_path: Path) -> None:
    """A superscript begins no line, and the next line does."""
    raised = [Words("The mark is at 4 m", 700), Words("2", 704, x=165, size=7), Words("of the wall.", 700, x=172)]
    [page] = pages(write_pdf(tmp_path / "a.pdf", [[*raised, *lines("It is painted anew each year.", 686)]]))
    assert page.text == "The mark is at 4 m 2 of the wall. It is painted anew each year."


def test_what_looks_like_markup_stays_words(tmp_path: Path) -> None:
    """In a file that has none, a tag or a mark is what somebody wrote."""
    words = [*lines("# Press the key <b> twice.", 700), *lines("• Then <script> is shown.", 670)]
    [page] = pages(write_pdf(tmp_path / "a.pdf", [words]))
    assert page.text == "\\# Press the key &lt;b> twice.\n\n- Then &lt;script> is shown."


def test_a_contents_page_is_left_out(tmp_path: Path) -> None:
    """It leads elsewhere and says nothing."""
    contents = lines("Pumps .......................... 4\nGate . . . . . . . . . . . . . . . . . 17")
    assert [page.number for page in pages(write_pdf(tmp_path / "a.pdf", [contents, lines(PUMPS)]))] == [2]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("the out-of-\nnetwork rate", "the out-of-network rate"),
        ("an infor-\nmation desk", "an information desk"),
        ("a cutting\u00adedge tool", "a cutting-edge tool"),
        ("a long-\nterm plan", "a long-term plan"),
        ("an oﬃce", "an office"),
        ("range 3-\n5", "range 3- 5"),
    ],
)
def test_hyphens_at_line_ends_go_as_the_document_spells_elsewhere(text: str, joined: str) -> None:
    """A compound keeps its hyphen, a parted word loses it."""
    words = Vocabulary(["The cutting edge of a long-term loan, out-of-network or not; information is all."])
    assert words.joined(text) == joined


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html>no", "not a PDF"),
        (b"%PDF-1.7\nnothing else", "damaged"),
    ],
)
def test_what_is_no_pdf_is_one_clear_error(tmp_path: Path, content: bytes, reason: str) -> None:
    """Whatever its name says."""
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=reason):
        read_pdf(path)


def test_a_protected_pdf_is_one_clear_error(tmp_path: Path) -> None:
    """It says what to do."""
    with pytest.raises(UnreadableSource, match="A password protects it: save it without one"):
        read_pdf(write_pdf(tmp_path / "a.pdf", [lines(PUMPS)], password="secret"))
