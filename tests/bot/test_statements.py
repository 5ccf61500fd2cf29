"""A model's text as statements, whole however it comes, and harmless whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.statements import DraftReader, Statement
from bot.texts import ADDRESS_IN_SOURCE
from retrieval.types import UnitKind

DRAFT = """The depot has three lifts [1]. Each carries two tonnes. [1][2] It opens at 7 a.m. on weekdays【3】.

To book one:

1. Open the *planner*, then choose a lift [2].
2. Press `Save` [1, 2].
   - The yard is told [4]

| lift | tonnes |
|---|---|
| A | 2 [1] |
| B | 3 [2] |

```
planner book --lift A
```
The crew reads this
every morning [^1].
"""


def read(text: str, size: int = 10_000) -> list[Statement]:
    """The statements of a draft that comes in pieces of a size."""
    reader = DraftReader()
    found = [one for at in range(0, len(text), size) for one in reader.feed(text[at : at + size])]
    return [*found, *reader.end()]


def test_a_draft_is_taken_apart() -> None:
    """Each sentence, item, row and block of code is a statement with its own markers."""
    assert read(DRAFT) == [
        Statement("The depot has three lifts.", (1,)),
        Statement("Each carries two tonnes.", (1, 2), opens=False),
        Statement("It opens at 7 a.m. on weekdays.", (3,), opens=False),
        Statement("To book one:"),
        Statement("Open the *planner*, then choose a lift.", (2,), lead="1. "),
        Statement("Press `Save`.", (1, 2), lead="2. "),
        Statement("The yard is told", (4,), lead="  - "),
        Statement("lift: A; tonnes: 2", (1,), UnitKind.TABLE_ROW, "- "),
        Statement("lift: B; tonnes: 3", (2,), UnitKind.TABLE_ROW, "- "),
        Statement("```\nplanner book --lift A\n```", (), UnitKind.CODE),
        Statement("The crew reads this every morning.", (1,)),
    ]


@given(st.integers(min_value=1, max_value=60))
def test_how_a_draft_comes_changes_nothing(size: int) -> None:
    """Pieces of any size make the same statements."""
    assert read(DRAFT, size) == read(DRAFT)


def test_a_sentence_comes_as_soon_as_it_is_whole() -> None:
    """Nobody waits for the end of a paragraph; markers behind a full stop are waited for."""
    reader = DraftReader()
    assert list(reader.feed("The depot has three lifts. [1")) == []
    assert list(reader.feed("] Each c")) == [Statement("The depot has three lifts.", (1,))]


def test_a_list_in_one_line_is_a_list() -> None:
    """What a model numbers in running text is taken apart, and no number is taken for a word of its item."""
    assert read("Do this: 1. Open it [1]. 2. Close it [2].") == [
        Statement("Do this:"),
        Statement("Open it.", (1,), lead="1. "),
        Statement("Close it.", (2,), lead="2. "),
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [the page](https://evil.example/?q=secret) now [1].", "See the page now."),
        ("See <https://evil.example> now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("See https://evil.example/a(b)c now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("See http&#58;//evil.example now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("See ht\u200btps://evil.example now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("See \\[x\\](https://evil.example) now.", f"See [x]({ADDRESS_IN_SOURCE}) now."),
        ("See evil.com or www.evil.org/x?q=1 now.", f"See {ADDRESS_IN_SOURCE} or {ADDRESS_IN_SOURCE} now."),
        (
            "Run main.py, then setup.sh, and write to hr@acme.com.",
            "Run main.py, then setup.sh, and write to hr@acme.com.",
        ),
        ("See //evil.example/x now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("See slack://open?team=1 now.", f"See {ADDRESS_IN_SOURCE} now."),
        ("Write to mailto:a@evil.example now.", f"Write to {ADDRESS_IN_SOURCE} now."),
        ("![pixel](https://evil.example/p.png)It is open.", "It is open."),
        ("See [the page][ref] now.\n\n[ref]: https://evil.example", "See [the page][ref] now."),
        ("<img src=https://evil.example/p.png>It is open.", "It is open."),
        ("<a href='https://evil.example'>Log in</a> now.", "Log in now."),
        ("<!channel> it is open.", ""),
        ("Now <!channel> it is open, <@U0ANN> and <!subteam^S1>.", "Now it is open, and ."),
        ("&lt;!channel&gt; it is open.", "it is open."),
        ("@here and @channel: it is open.", "here and channel: it is open."),
    ],
)
def test_nothing_links_calls_or_hides(written: str, shown: str) -> None:
    """A link's words stay, its address goes; HTML, images and calls go, however they are written or encoded."""
    assert " ".join(one.text for one in read(written)) == shown


@pytest.mark.parametrize("written", ["<script>alert(1)</script>", "<!-- hidden -->", "# A heading", "---", "[1]", ""])
def test_what_says_nothing_is_no_statement(written: str) -> None:
    """Blocks of HTML, rules, headings and bare markers are left out."""
    assert read(written) == []


@given(st.text(alphabet="ab .\n-1[]()<>!@#*`|:/&;x", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever a model writes, reading it ends, and no address is left."""
    assert all("://" not in one.text or one.kind is UnitKind.CODE for one in read(text, 3))
