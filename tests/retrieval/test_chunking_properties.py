"""Whatever a source looks like: nothing is lost, nothing is too long, nothing is cut where it must not be."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.chunking import Budget, cut, text_to_embed, title_of
from retrieval.chunking.blocks import parse
from retrieval.chunking.sentences import sentences
from retrieval.chunking.units import units
from retrieval.types import WORKSPACE, Markup, Passage, Source, Talk, UnitKind, Utterance

SMALL = Budget(target=40, limit=60, least=12)


def count(text: str) -> int:
    """Words and marks, as a stand-in for a model's tokens."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def page(text: str, media_type: str = "text/markdown") -> Source:
    """A page of that text."""
    url = "https://example.org/page"
    return Source("page", "folder", "Page", url, frozenset({WORKSPACE}), Markup(text, media_type), 1.0)


def passages_of(text: str, budget: Budget = SMALL) -> tuple[Passage, ...]:
    """How a Markdown page is cut."""
    return cut(page(text), "T1", count, budget)


def letters(text: str) -> Counter[str]:
    """The words of a text, whatever stands around them."""
    return Counter(re.findall(r"\w+", text))


VOWELS = "aeiou"
WORD_LIST = [f"{a}{v}{b}{w}{c}" for a in "bdfgk" for v in VOWELS for b in "lmnr" for w in VOWELS for c in "stz"]
WORDS = st.sampled_from(WORD_LIST)


def phrase(first: int, length: int) -> str:
    """So many words; drawn as two numbers, which is quicker than word by word."""
    return " ".join(WORD_LIST[(first + 7 * index) % len(WORD_LIST)] for index in range(length))


PHRASE = st.builds(phrase, st.integers(0, len(WORD_LIST) - 1), st.integers(1, 14))
SENTENCE = PHRASE.map(lambda words: f"{words.capitalize()}.")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=9).map(" ".join)
WRAPPED = st.lists(SENTENCE, min_size=1, max_size=6).map("\n".join)
HEADING = st.builds(lambda level, words: f"{'#' * level} {words}", st.integers(1, 6), PHRASE)
ITEMS = st.lists(st.one_of(PHRASE, PARAGRAPH), min_size=1, max_size=12)
LIST = ITEMS.map(lambda items: "\n".join(f"- {item}" for item in items))
NUMBERED = ITEMS.map(lambda items: "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)))
LED_LIST = st.builds(lambda lead, items: f"{lead}:\n\n{items}", PHRASE, LIST)
NESTED = st.builds(lambda item, inner: f"- {item}\n" + re.sub("^", "  ", inner, flags=re.M), PHRASE, LIST)
ROWS = st.lists(st.tuples(PHRASE, PHRASE, st.one_of(WORDS, PARAGRAPH)).map(" | ".join), min_size=1, max_size=8)
HEADER = ("| One | Two | Three |", "| --- | --- | --- |")
TABLE = ROWS.map(lambda rows: "\n".join((*HEADER, *(f"| {row} |" for row in rows))))
CODE = st.lists(st.one_of(PHRASE, st.just("")), max_size=30).map(lambda lines: "\n".join(["```sh", *lines, "```"]))
QUOTE = WRAPPED.map(lambda text: re.sub("^", "> ", text, flags=re.M))
BLOCK = st.one_of(PARAGRAPH, WRAPPED, HEADING, LIST, NUMBERED, LED_LIST, NESTED, TABLE, CODE, QUOTE)
DOCUMENT = st.lists(BLOCK, max_size=14).map("\n\n".join)

FEW = settings(max_examples=40, deadline=None)  # the suite has to stay quick, and so may a slow machine


@FEW
@given(DOCUMENT)
def test_no_word_of_a_page_is_lost(text: str) -> None:
    """Every word of the source stands in some passage, its text or its headings, at least as often as in the source."""
    kept: Counter[str] = Counter()
    for passage in passages_of(text):
        kept += letters(" ".join((passage.text, *passage.heading_path)))
    assert letters(text) - kept == Counter()


@FEW
@given(DOCUMENT)
def test_no_passage_is_longer_than_the_limit(text: str) -> None:
    """What is embedded of a passage, title and headings included, fits into what the model reads."""
    assert [passage for passage in passages_of(text) if count(text_to_embed(passage)) > SMALL.limit] == []


@FEW
@given(st.text(max_size=600))
def test_no_passage_of_any_text_is_longer_than_the_limit(text: str) -> None:
    """It holds for what no writer would write, too."""
    assert [passage for passage in passages_of(text) if count(text_to_embed(passage)) > SMALL.limit] == []


@FEW
@given(DOCUMENT)
def test_every_code_fence_is_closed_in_its_passage(text: str) -> None:
    """A passage opens and closes the same number of fences."""
    for passage in passages_of(text):
        assert passage.text.count("```") % 2 == 0


@FEW
@given(DOCUMENT)
def test_every_table_row_stands_under_a_header(text: str) -> None:
    """No line of a table stands in a passage without the two lines that say what its columns are."""
    for passage in passages_of(text):
        for part in re.split(r"\n\n", passage.text):
            if part.startswith("|"):
                assert re.fullmatch(r"[| -]+", part.split("\n")[1])


@FEW
@given(DOCUMENT)
def test_ids_are_distinct_and_the_same_from_run_to_run(text: str) -> None:
    """Equal words get different ids within a page, and the same ones in the next run."""
    ids = [passage.id for passage in passages_of(text)]
    assert len(set(ids)) == len(ids)
    assert [passage.id for passage in passages_of(text)] == ids


@FEW
@given(DOCUMENT, PARAGRAPH, PARAGRAPH)
def test_an_edit_in_one_section_leaves_the_others_alone(text: str, before: str, after: str) -> None:
    """Passages of a section keep their ids when a section of another chapter is rewritten."""
    untouched = f"# Untouched\n\n{text.replace('#', '')}\n\n{'Enough words to stand alone. ' * 4}"
    old = passages_of(f"# Edited\n\n{'Enough words to stand alone. ' * 3}{before}\n\n{untouched}")
    new = passages_of(f"# Edited\n\n{'Enough words to stand alone. ' * 3}{after}\n\n{untouched}")
    ids_of = [[p.id for p in ps if p.heading_path[:1] == ("Untouched",)] for ps in (old, new)]
    assert ids_of[0] == ids_of[1]
    assert ids_of[0]


@FEW
@given(DOCUMENT)
def test_anchors_start_at_the_text_and_rise(text: str) -> None:
    """Whatever offset is asked for, one anchor opens it, also where a heading repeats the page's title."""
    titled = replace(page(text), title=title_of(Markup(text)))
    for passage in (*passages_of(text), *cut(titled, "T1", count, SMALL)):
        offsets = [anchor.offset for anchor in passage.anchors]
        assert offsets[0] == 0
        assert offsets == sorted(set(offsets))
        assert offsets[-1] < max(len(passage.text), 1)


@FEW
@given(DOCUMENT)
def test_units_stand_where_they_say_and_miss_no_word(text: str) -> None:
    """Each unit is cut out of the passage as it stands there, and together they hold all but its headings."""
    for passage in passages_of(text):
        found = units(passage.text)
        held = " ".join(unit.text for unit in found)
        for unit in found:
            own = passage.text[unit.start : unit.end]
            assert unit.text.endswith(own) if unit.kind is UnitKind.TABLE_ROW else unit.text == own
        without_headings = re.sub(r"^#+ .*$", "", passage.text, flags=re.M)
        assert set(letters(without_headings)) <= set(letters(held))


@given(st.text(alphabet="a#-`>|~ \r\n\t\x0b\u2028", max_size=60))
def test_blocks_of_any_text_stand_within_it_in_order(text: str) -> None:
    """Whatever ends its lines, a text's blocks follow one another and leave out no line with words."""
    blocks = parse(text)
    assert all(before.end <= after.start for before, after in pairwise(blocks))
    assert sum(block.text_in(text).count("a") for block in blocks) == text.count("a")


@FEW
@given(st.one_of(DOCUMENT, st.text(max_size=400)))
def test_sentences_hold_every_letter_in_order(text: str) -> None:
    """Sentences never overlap, and between them stands nothing but white space."""
    position = 0
    for start, end in sentences(text):
        assert position <= start < end
        assert not text[position:start].strip()
        position = end
    assert not text[position:].strip()


BLOCK_MARKS = ["# ", "- ", "1. ", "|", "---", "```", "~~~", "=", "> ", "\n", "\n\n", "    ", "\t", ":", "{{", "}}"]
TAGS = [
    "<",
    ">",
    "<!--",
    "-->",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<b>",
    "<script>",
    "<pre>",
    "<br/>",
    "<details>",
]
INLINE_MARKS = ["[", "](", ")", "![", "*", "_", "`", "\\", "&amp;", "word", "a.b()", "x", "title: x"]
ODD = ["\u200b", "\u202e", "ﷺ", "漢字。", "\x00", "\ud800"]
MARKUP = st.lists(st.sampled_from(BLOCK_MARKS + TAGS + INLINE_MARKS + ODD), max_size=60).map("".join)


@settings(max_examples=120, deadline=None)  # cheap, and the widest net
@given(MARKUP, st.sampled_from(["text/markdown", "text/plain"]))
def test_malformed_markup_is_cut_like_any_other(text: str, media_type: str) -> None:
    """Half-open marks, tags and tables neither raise nor make a passage too long or empty."""
    for passage in cut(page(text, media_type), "T1", count, SMALL):
        assert passage.text.strip()
        assert count(text_to_embed(passage)) <= SMALL.limit
        units(passage.text)


TALK = st.lists(
    st.builds(
        Utterance,
        author=st.sampled_from(["Ann Kim", "Bo", "名前"]),
        text=st.one_of(DOCUMENT, st.text(max_size=200), MARKUP),
        url=st.integers(0, 99).map(lambda number: f"https://example.org/p{number}"),
        written_at=st.floats(0, 2e9),
    ),
    max_size=8,
).map(tuple)


@FEW
@given(TALK)
def test_talk_of_any_kind_fits_and_says_who_speaks(utterances: tuple[Utterance, ...]) -> None:
    """No window is too long, and each opens with somebody's name and an anchor to their message."""
    source = Source("t", "c", "#general", "https://example.org/t", frozenset({WORKSPACE}), Talk(utterances), None)
    for passage in cut(source, "T1", count, SMALL):
        assert count(text_to_embed(passage)) <= SMALL.limit
        assert passage.text.startswith(passage.anchors[0].author)
        assert all(passage.text[anchor.offset :].startswith(anchor.author) for anchor in passage.anchors)
