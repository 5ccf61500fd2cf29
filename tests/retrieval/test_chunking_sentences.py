"""Sentences end where readers see them end, and units are what can be quoted alone."""

from __future__ import annotations

import pytest

from retrieval.chunking import Budget, cut
from retrieval.chunking.sentences import sentences
from retrieval.chunking.units import units
from retrieval.types import WORKSPACE, Markup, Source, UnitKind


@pytest.mark.parametrize(
    "parts",
    [
        ["The pump runs.", "The tide turns!", "Does it?", "Yes…", "Good."],
        ["Use a tool, e.g. Calipers, or ask Dr. Brand (cf. No. 7).", "Then go."],
        ["Version v1.2.3 fixes foo.bar() and config.yaml.", "See https://example.org/a.b?c=d.", "It works."],
        ["It costs 1.5 kg. of salt, approx. 3 a day.", "The answer is no.", "We close at 5 p.m. every day."],
        ["J. K. Brand and A. Kim wrote it.", "I did not.", "We sail to the U.S. coast."],
        ["Run `make it. Now` first.", "Read [the guide](guide.md. x).", "**Never stop.**", "(Really.)", '"Ever."'],
        ["潮が変わる。", "ポンプは止まる！", "本当に？", "はい。"],
        [
            "「はい。行きます。」と彼は答えた。",
            "「止めて！」",
            "『注意。』って書いてある（必ず。）。",
            "幅は１．５メートル。",
        ],
        ["水泵晚上运行。", "“先开阀门。”", "然后等待！", "好吗？"],
        ["潮が変わる．", "次へ進む。"],
        ["Am 3. Mai gilt z. B. Abs. 2, ggf. Anlage 4.", "Sie kostet ca. 5 Euro.", "Im 2. Quartal sinkt der Preis."],
        ["Il dit : « Venez ! »", "Puis Mme. Brand part.", "Art. 5 du code, env. 3 jours.", "D'accord ?", "Oui."],
        ["هل يعمل المضخة؟", "نعم."],
        ["पंप चलता है।", "ठीक है।"],
        ["A line that is\nwrapped by hand goes on.", "So does\nthis one."],
    ],
)
def test_sentences_end_where_readers_see_them_end(parts: list[str]) -> None:
    """Abbreviations, numbers, names, code, addresses and wrapped lines don't end one."""
    text = ("" if parts[0].endswith(("。", "．")) else " ").join(parts)
    assert [text[start:end] for start, end in sentences(text)] == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Bring:\n- rope\n- oil, e.g. Ours\n1. Tie. Wait", ["Bring:", "- rope", "- oil, e.g. Ours", "1. Tie.", "Wait"]),
        ("No stop here\n\nnor here", ["No stop here", "nor here"]),
        ("First line  \nsecond line\\\nthird", ["First line", "second line", "third"]),
        ("", []),
        (" \n ", []),
        ("...", ["..."]),
    ],
)  # fmt: skip
def test_blank_lines_items_and_hard_breaks_end_sentences(text: str, parts: list[str]) -> None:
    """Structure ends a sentence that no stop ends."""
    assert [text[start:end].rstrip("\\") for start, end in sentences(text)] == parts


PASSAGE = """\
The pumps run at night. Before you start them:

1. Open the valve.
   - Slowly.
2. Wait.

| Hall | Starts |
| --- | --- |
| North | 20:00 |
| South | 21:00 |

```sh
pump --start
```

> Never alone.

### Afterwards

Close the valve."""


def test_units_are_sentences_whole_lists_rows_under_headers_and_code() -> None:
    """A list keeps its lead-in, a row its header, code its fences; headings are no units."""
    header = "| Hall | Starts |\n| --- | --- |\n"
    assert [(unit.kind, unit.text) for unit in units(PASSAGE)] == [
        (UnitKind.SENTENCE, "The pumps run at night."),
        (UnitKind.LIST, "Before you start them:\n\n1. Open the valve.\n   - Slowly.\n2. Wait."),
        (UnitKind.TABLE_ROW, f"{header}| North | 20:00 |"),
        (UnitKind.TABLE_ROW, f"{header}| South | 21:00 |"),
        (UnitKind.CODE, "```sh\npump --start\n```"),
        (UnitKind.SENTENCE, "> Never alone."),
        (UnitKind.SENTENCE, "Close the valve."),
    ]


def test_a_table_row_stands_at_its_own_place() -> None:
    """Offsets are those of the row, not of the header that is shown with it."""
    rows = [unit for unit in units(PASSAGE) if unit.kind is UnitKind.TABLE_ROW]
    assert [PASSAGE[row.start : row.end] for row in rows] == ["| North | 20:00 |", "| South | 21:00 |"]


def test_a_speaker_is_no_part_of_what_was_said() -> None:
    """A unit of talk starts behind the label, and a label leads into no list."""
    text = (
        "Ann\u00a0(2\u00a0Mar\u00a02026):\u00a0Who starts the pump? I can't.\n\n"
        "Bo\u00a0(3\u00a0Mar\u00a02026):\n\n- me\n- or Cy"
    )
    assert [(unit.kind, unit.text) for unit in units(text)] == [
        (UnitKind.SENTENCE, "Who starts the pump?"),
        (UnitKind.SENTENCE, "I can't."),
        (UnitKind.LIST, "- me\n- or Cy"),
    ]


def test_words_that_look_like_a_speaker_stay_words() -> None:
    """Only the cutter writes labels: plain spaces make none, so nobody can speak in another's name."""
    text = "Release (2 Mar 2026): it is faster."
    assert [unit.text for unit in units(text)] == [text]


def test_a_page_without_spaces_is_cut_though_a_model_takes_it_for_one_word() -> None:
    """Whatever the model knows, a passage stays readable; nothing of the page is lost."""
    text = "กุญแจห้องเก็บของอยู่ที่แผนกต้อนรับ" * 60
    source = Source("p", "o", "", "https://h.example", frozenset({WORKSPACE}), Markup(text))
    passages = cut(source, "T1", lambda text: len(text.split()), Budget(target=50, limit=60))
    assert "".join(passage.text for passage in passages) == text
    assert max(len(passage.text) for passage in passages) <= 4 * 61
