"""Pages are cut on their structure, and each passage knows what opens it."""

from __future__ import annotations

import re

import pytest

from retrieval.chunking import Budget, cut, text_to_embed
from retrieval.chunking.outline import slugger
from retrieval.errors import UnreadableSource
from retrieval.types import WORKSPACE, Anchor, Markup, Page, Pages, Passage, Source

BUDGET = Budget(target=50, limit=70, least=12)
URL = "https://example.org/pumps"
SENTENCE = "The pump in this hall runs at night until the tide turns, and then it is switched off by hand."
"""Of 20 tokens."""


def count(text: str) -> int:
    """Words and marks, as a stand-in for a model's tokens."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def passages(text: str, title: str = "Pumps", media_type: str = "text/markdown") -> tuple[Passage, ...]:
    """How a page is cut."""
    source = Source("page", "folder", title, URL, frozenset({WORKSPACE}), Markup(text, media_type), 5.0)
    return cut(source, "T1", count, BUDGET)


def texts(text: str) -> list[str]:
    """The texts that a page is cut into."""
    return [passage.text for passage in passages(text)]


# ---------------------------------------------------------------------------------------------------------- sections


def test_a_passage_stands_under_its_headings() -> None:
    """The path leads from the outermost heading, the page's title left out, and the heading's address opens it."""
    text = f"# Pumps\n\n{SENTENCE}\n\n## Halls\n\n### North hall\n\n{SENTENCE}\n\n### South hall\n\n{SENTENCE}"
    assert [(one.heading_path, one.text, one.anchors[0].url) for one in passages(text)] == [
        ((), SENTENCE, f"{URL}#pumps"),
        (("Halls", "North hall"), SENTENCE, f"{URL}#north-hall"),
        (("Halls", "South hall"), SENTENCE, f"{URL}#south-hall"),
    ]


def test_a_passage_knows_those_right_before_and_after_it() -> None:
    """In its source, at whose ends there is one only, and none where it is alone."""
    first, second, third = passages(f"# Pumps\n\n{SENTENCE}\n\n## North\n\n{SENTENCE}\n\n## South\n\n{SENTENCE}")
    neighbours = [one.neighbours for one in (first, second, third)]
    assert neighbours == [(second.id,), (first.id, third.id), (second.id,)]
    assert passages(SENTENCE)[0].neighbours == ()


def test_headings_that_no_address_opens_open_the_source() -> None:
    """A fragment that is nowhere would only mislead."""
    content = Markup(f"## One\n\n{SENTENCE} {SENTENCE}", opens_sections=False)
    source = Source("page", "folder", "Pumps", URL, frozenset({WORKSPACE}), content)
    [passage] = cut(source, "T1", count, BUDGET)
    assert (passage.heading_path, passage.anchors) == (("One",), (Anchor(0, URL),))


def test_a_passage_of_pages_stands_on_one_of_them() -> None:
    """The page that it stands on is the one that opens."""
    content = Pages((Page(1, f"## One\n\n{SENTENCE}"), Page(4, f"## One\n\n{SENTENCE}")))
    source = Source("page", "folder", "Pumps", URL, frozenset({WORKSPACE}), content)
    found = cut(source, "T1", count, BUDGET)
    assert [one.anchors for one in found] == [(Anchor(0, f"{URL}#page=1"),), (Anchor(0, f"{URL}#page=4"),)]
    assert {one.heading_path for one in found} == {("One",)}
    assert len({one.id for one in found}) == 2


def test_short_neighbours_are_joined_under_their_own_headings() -> None:
    """Each part of the joined passage still opens at its own heading."""
    [passage] = passages("# Pumps\n\n## North\n\nAt nine.\n\n## South\n\nAt ten, by hand.")
    assert passage.text == "## North\n\nAt nine.\n\n## South\n\nAt ten, by hand."
    assert passage.heading_path == ()
    assert passage.anchor_at(passage.text.index("nine")).url == f"{URL}#north"
    assert passage.anchor_at(passage.text.index("ten")).url == f"{URL}#south"


def test_headings_of_both_kinds_are_read() -> None:
    """Underlined headings are headings."""
    found = passages(f"Pumps\n=====\n\n{SENTENCE}\n\nNorth *hall*\n----------\n\n{SENTENCE}")
    assert [one.heading_path for one in found] == [(), ("North hall",)]


def test_a_heading_with_nothing_under_it_is_kept_as_words() -> None:
    """Somebody wrote it, so somebody may ask for it."""
    assert texts("# Pumps\n\n## Never run them dry\n\n## Never leave them alone") == [
        "## Never run them dry\n\n## Never leave them alone"
    ]


@pytest.mark.parametrize("text", ["# Pumps", "# Pumps\n\n<!-- soon -->", "# Pumps\n\n---\n", "Pumps\n====="])
def test_a_page_that_says_only_its_title_has_no_passage(text: str) -> None:
    """There is nothing in it to find, to quote or to open."""
    assert passages(text) == ()


def test_the_heading_path_is_embedded() -> None:
    """What "30 days" limits is in what is found."""
    [passage] = passages("# Pumps\n\n## Warranty\n\nIt ends after 30 days.")
    assert text_to_embed(passage) == "Pumps\nWarranty\nIt ends after 30 days."


def test_only_words_are_embedded() -> None:
    """Marks, targets of links and rules of tables are left out; code and placeholders stay."""
    text = (
        "**Bold** and [a guide](https://example.org/x) for `pump --start` at <HALL>.\n\n"
        "| Hall | Hour |\n| --- | --- |\n| North | 9 |\n\n> [!NOTE]\n> Never *alone*."
    )
    [passage] = passages(text)
    assert passage.text == text
    assert text_to_embed(passage).split("\n") == [
        "Pumps",
        "Bold and a guide for pump --start at <HALL>.",
        "Hall, Hour",
        "North, 9",
        "Never alone.",
    ]


@pytest.mark.parametrize(
    ("titles", "slugs"),
    [
        (["Night shift", "Night shift", "Night shift"], ["night-shift", "night-shift-1", "night-shift-2"]),
        (["What's `new` in 2.0?", "A & B"], ["whats-new-in-20", "a--b"]),
        (["Über uns", "潮の表", "snake_case"], ["über-uns", "潮の表", "snake_case"]),
        (["a", "a-1", "a"], ["a", "a-1", "a-2"]),
    ],
)
def test_addresses_of_headings_are_those_that_pages_have(titles: list[str], slugs: list[str]) -> None:
    """As GitHub makes them, numbered where they repeat."""
    slug = slugger()
    assert [slug(title.replace("`", "")) for title in titles] == slugs


# --------------------------------------------------------------------------------------------------------- structure


def test_long_text_is_cut_between_sentences() -> None:
    """A passage ends where a sentence ends."""
    assert texts(" ".join([SENTENCE] * 5)) == [f"{SENTENCE} {SENTENCE}", f"{SENTENCE} {SENTENCE}", SENTENCE]


def test_a_list_that_is_cut_keeps_its_lead_in() -> None:
    """Every piece says what its items are."""
    items = [f"- {SENTENCE}" for _ in range(4)]
    pieces = texts("Read this first. Before you start a pump:\n\n" + "\n".join(items))
    assert all("Before you start a pump:\n\n- The" in piece for piece in pieces)
    assert [piece.startswith("Read this first.") for piece in pieces] == [True, False, False, False]
    assert sum(piece.count("- The") for piece in pieces) == 4


def test_a_table_that_is_cut_keeps_its_header() -> None:
    """Every row stands under the names of its columns."""
    header = "| Hall | Rule |\n| --- | --- |"
    pieces = texts("\n".join([header, *(f"| {number} | {SENTENCE} |" for number in range(4))]))
    assert len(pieces) == 4
    assert all(piece.startswith(f"{header}\n| ") for piece in pieces)


def test_a_row_too_wide_for_a_passage_is_cut_between_its_cells() -> None:
    """Each piece has the row's first cell, some of the others, and their names."""
    row = f"| North | {SENTENCE} {SENTENCE} | {SENTENCE} |"
    assert texts(f"| Hall | Rule | Reason |\n| --- | --- | --- |\n{row}") == [
        f"| Hall | Rule |\n| --- | --- |\n| North | {SENTENCE} {SENTENCE} |",
        f"| Hall | Reason |\n| --- | --- |\n| North | {SENTENCE} |",
    ]


def test_code_longer_than_the_target_is_not_cut() -> None:
    """Up to what the model reads, code stays whole."""
    code = "```sh\n" + "\n".join(f"pump --start {number}" for number in range(11)) + "\n```"
    assert texts(f"{SENTENCE}\n\n{SENTENCE}\n\n{code}") == [f"{SENTENCE}\n\n{SENTENCE}", code]


def test_code_too_long_for_a_passage_is_cut_between_lines_and_fenced_again() -> None:
    """Each piece is code of the same language."""
    lines = [f"pump --start {number}" for number in range(30)]
    pieces = texts("~~~sh\n" + "\n".join(lines) + "\n~~~")
    assert all(piece.startswith("~~~sh\n") and piece.endswith("\n~~~") for piece in pieces)
    assert [line for piece in pieces for line in piece.split("\n")[1:-1]] == lines


def test_a_quote_that_is_cut_stays_a_quote() -> None:
    """Each piece is marked as somebody's words."""
    pieces = texts("> " + f"\n> {SENTENCE}" * 5)
    assert len(pieces) == 3
    assert all(line.startswith("> ") for piece in pieces for line in piece.split("\n"))


def test_an_item_too_long_for_a_passage_keeps_its_number() -> None:
    """Its own paragraphs follow at the margin, so that none becomes code."""
    pieces = texts(f"7. {SENTENCE} {SENTENCE}\n\n   {SENTENCE} {SENTENCE}")
    assert pieces == [f"7. {SENTENCE} {SENTENCE}", f"{SENTENCE} {SENTENCE}"]


def test_a_sentence_too_long_for_a_passage_is_cut_behind_a_clause() -> None:
    """Nothing of it is lost."""
    clauses = [f"when the tide in hall {number} turns," for number in range(20)]
    pieces = texts(" ".join(clauses))
    assert len(pieces) > 1
    assert " ".join(pieces) == " ".join(clauses)
    assert all(piece.endswith("turns,") for piece in pieces)


# ------------------------------------------------------------------------------------------------------------- noise


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("---\ntitle: Pumps\ntags: [a]\n---\nWords.", "Words."),
        ("---\n\nA rule above is no front matter.\n\n---", "A rule above is no front matter."),
        ("Some <!-- hidden\nstill --> words.", "Some  words."),
        ("<script>alert(1)</script>\n\nWords.\n\n<style>\np { x: y }\n</style>", "Words."),
        ("[![build](https://x/b.svg)](https://x) ![cover](c.png)\n\nWords.", "Words."),
        ("Press the ![gear](gear.png) icon.", "Press the gear icon."),
        ("Press <kbd>Ctrl</kbd> and `<kbd>`.", "Press Ctrl and `<kbd>`."),
        ("Go <a href=\"https://x/y\">there</a> with <YOUR_NAME>.", "Go [there](https://x/y) with <YOUR_NAME>."),
        ("<div align=\"center\">\n    <p>Words <b>here</b>.</p>\n</div>", "Words here."),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("```html\n<div><!-- kept --></div>\n![x](y)\n```", "```html\n<div><!-- kept --></div>\n![x](y)\n```"),
        ("{{toc}}\n\nUse `{{name}}` here.", "Use `{{name}}` here."),
        ("Zero\u200bwidth\u00a0space\u202e.", "Zerowidth space."),
        ("An <!-- that never ends", "An <!-- that never ends"),
        ("| A      | B |\n| ------ | - |\n| one    | 2 |", "| A | B |\n| --- | - |\n| one | 2 |"),
    ],
)  # fmt: skip
def test_markup_noise_is_no_part_of_a_passage(text: str, kept: str) -> None:
    """Readers don't read it, so nobody finds or quotes it; code shows what it shows."""
    assert texts(text) == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "- [North](#north)\n- [South](#south)",
        "On this page:\n\n1. [North](#north)\n   - [Pumps](#pumps)\n2. [South](#south)",
        "- [Night shift](../shifts/night.md)\n- [Day shift](../shifts/day.md)",
        "[Home](index.md) | [Next](next.md)",
        "This page explains all of the following:\n\n- [North](#north)",
    ],
)
def test_navigation_is_no_part_of_a_passage(text: str) -> None:
    """A list of links within the site leads to words and holds none; its heading goes with it."""
    assert texts(f"{SENTENCE}\n\n## Contents\n\n{text}") == [SENTENCE]


@pytest.mark.parametrize(
    "text",
    [
        "These teams run the pumps at night:\n\n- [North](north.md)\n- [South](south.md)",
        "- [The maker's manual](https://example.com/manual)",
        "- [North](north.md): starts at nine",
        "See [the rota](rota.md).",
    ],
)
def test_links_that_say_something_stay(text: str) -> None:
    """What a sentence leads into, what leads elsewhere and what has words of its own is no navigation."""
    assert texts(text) == [text]


def test_an_html_table_becomes_rows_under_a_header() -> None:
    """Cells over several rows stand in each of them; markup within cells is reduced to words."""
    html = (
        "<table>\n<tr><th>Hall</th><th>Rule</th></tr>\n\n<tr><td rowspan=2>North</td><td><p>Slowly</p><ul><li>wait</li>"
        "<li>watch | listen</li></ul></td></tr>\n<tr><td><a href='x.md'>Never</a> alone</td></tr></table>"
    )
    assert texts(f"Rules.\n\n{html}\n\nEnd.") == [
        "Rules.\n\n| Hall | Rule |\n| --- | --- |\n| North | Slowly • wait • watch \\| listen |\n"
        "| North | [Never](x.md) alone |\n\nEnd."
    ]


def test_links_by_name_get_their_address() -> None:
    """What a name stands for is written elsewhere on the page, so it is put where the link is; code is left alone."""
    text = f"Read [the guide][g], [Rota] or [x] and `[g]`.\n\n{SENTENCE}\n\n[g]: guide.md 'A'\n[rota]: <rota.md>"
    assert texts(text)[0].startswith("Read [the guide](guide.md), [Rota](rota.md) or [x] and `[g]`.")
    assert "[g]:" not in " ".join(texts(text))


def test_a_page_of_noise_has_no_passages() -> None:
    """Nothing to read is nothing to find."""
    assert passages("---\ntitle: x\n---\n<!-- soon -->\n\n![a](b.png)\n\n- [x](y.md)") == ()


# ------------------------------------------------------------------------------------------------------- other kinds


def test_plain_text_is_cut_between_paragraphs_and_has_no_markup() -> None:
    """A hash in it is a hash."""
    text = f"# not a heading\n\n{SENTENCE}\n\n    {SENTENCE}\n\n{SENTENCE}"
    found = passages(text, media_type="text/plain")
    assert [one.text for one in found] == [f"# not a heading\n\n{SENTENCE}\n\n{SENTENCE}", SENTENCE]
    assert {one.heading_path for one in found} == {()}


def test_front_matter_titles_a_page_that_has_no_other_title() -> None:
    """A page that nobody named names itself."""
    assert [one.title for one in passages("---\ntitle: Tides\n---\nWords.", title="")] == ["Tides"]


def test_an_unknown_type_is_refused() -> None:
    """It isn't read as something that it is not."""
    with pytest.raises(UnreadableSource, match="can't be read yet"):
        passages("x", media_type="application/x-odd")


def test_equal_passages_of_a_page_have_ids_of_their_own() -> None:
    """The second of two equal passages is its second occurrence."""
    text = "\n\n".join(f"# Same\n\n{SENTENCE}" for _ in range(2))
    first, second = passages(text)
    assert (first.text, first.heading_path) == (second.text, second.heading_path)
    assert first.id != second.id
    assert [one.position for one in (first, second)] == [0, 1]
