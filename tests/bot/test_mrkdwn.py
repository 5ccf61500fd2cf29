"""Markdown in Slack's markup: what it looks like, and that it calls nobody, links nowhere and hides nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.escaping import escape, link
from bot.slack.mrkdwn import to_mrkdwn

LIMIT = 3000


def written(markdown: str) -> str:
    """The whole text where it is one piece."""
    (piece,) = to_mrkdwn(markdown, LIMIT)
    return piece


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a **b** c", "a *b* c"),
        ("a *b* _c_ ~~d~~", "a _b_ _c_ ~d~"),
        ("***both***", "_*both*_"),
        ("# A *title*", "*A title*"),
        ("`a < b && c`", "`a &lt; b &amp;&amp; c`"),
        ("```python\nif a < b:\n    pass\n```", "```\nif a &lt; b:\n    pass\n```"),
        ("    indented", "```\nindented\n```"),
        ("- a\n- b\n    - c", "• a\n• b\n    ◦ c"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("1. a\n\n   ```\n   code\n   ```\n2. b", "1. a\n```\ncode\n```\n2. b"),
        ("1. a\n   - b\n\n     more", "1. a\n    ◦ b\n       more"),
        ("> said\n> so", "> said\n> so"),
        ("| Plan | Price |\n|--|--|\n| Basic | 5 € |\n| Pro | |", "• *Plan:* Basic\n   *Price:* 5 €\n• *Plan:* Pro"),
        ("| **Plan** |\n|--|\n| `a` [b](https://c.d) |", "• *Plan:* `a` b"),
        ("above\n\n---\n\nbelow", "above\n\nbelow"),
        ("short\nlines stay", "short\nlines stay"),
        (f"{'w' * 70}\nwrapped lines join", f"{'w' * 70} wrapped lines join"),
        ("Rock &amp; Roll &lt;3", "Rock &amp; Roll &lt;3"),
        ("a@b.example, user_id, 2 * 3 * 4", "a@b.example, user_id, 2 * 3 * 4"),
    ],
)
def test_it_looks_the_same(markdown: str, expected: str) -> None:
    """Each kind of Markdown has its counterpart; what means nothing special stays letter by letter."""
    assert written(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("in**side**word", "insideword"),
        ("**a*b**", "a*b"),
        ("`` a`b ``", "a`b"),
        ("**one  \ntwo**", "one\ntwo"),
        ("**https://x.example/y**", "*https://x.example/y*"),
    ],
)
def test_what_slack_would_not_show_as_meant_loses_its_look_not_its_words(markdown: str, expected: str) -> None:
    """No stray marks: where Slack's markup has no way to say it, the words stand plain."""
    assert written(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("see [the page](https://evil.example/?q=secret)", "see the page"),
        ("see [the page][ref]\n\n[ref]: https://evil.example", "see the page"),
        ("see <https://evil.example>", "see https://evil.example"),
        ("see <https://evil.example|the page>", "see &lt;https://evil.example|the page&gt;"),
        ("see ![a picture](https://evil.example/pixel.png) here", "see  here"),
        ("see <a href='https://evil.example'>the page</a>", "see the page"),
        ("<img src='https://evil.example/pixel.png'>words", "words"),
        ("<div>\nwords <b>in</b> boxes\n</div>", "words in boxes"),
        ("<script>\nfetch('https://evil.example')\n</script>\n\nwords", "words"),
        ("a<br>b <!-- hidden --> c", "a\nb  c"),
        ("run `x` on <your-host> with Map<String, T>", "run `x` on &lt;your-host&gt; with Map&lt;String, T&gt;"),
    ],
)
def test_links_images_and_tags_leave_their_words(markdown: str, expected: str) -> None:
    """A document can make nobody follow a link or load a picture; placeholders are no tags."""
    assert written(markdown) == expected


@pytest.mark.parametrize(
    "call",
    [
        "<!channel>",
        "<!here|here>",
        "<!everyone>",
        "<!subteam^S012AB>",
        "<@U012AB>",
        "<@U012AB|Ann>",
        "<#C012AB|secret>",
        "&lt;!channel&gt;",
        "&#60;!channel&#62;",
        "\\<!channel\\>",
        "<\u200b!channel>",
        "<!chan\u200bnel>",
        "\u202e<!channel>",
    ],
)
@pytest.mark.parametrize(
    "frame",
    ["{}", "**{}**", "`{}`", "```\n{}\n```", "- {}", "> {}", "# {}", "[{}](x)", "| a |\n|--|\n| {} |", "<div>{}</div>"],
)
def test_nobody_is_called(call: str, frame: str) -> None:
    """However a call is spelt and whatever it stands in, it is shown as letters or not at all."""
    for piece in to_mrkdwn(frame.format(call), LIMIT):
        assert "<" not in piece
        assert ">" not in piece.removeprefix("> ")


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060", "\ufeff", "\u202e", "\u2066", "\U000e0041", "\x07"])
def test_nothing_is_hidden(unseen: str) -> None:
    """What no reader sees is taken out, so that a text is what it looks like."""
    assert written(f"a{unseen}b") == "ab"


def test_letters_that_need_joining_stay_joined() -> None:
    """Emoji and scripts that are written with joiners come through whole."""
    assert written("👩\u200d💻 می\u200cخواهم") == "👩\u200d💻 می\u200cخواهم"


def test_code_cant_end_its_own_block() -> None:
    """Backticks in code don't let what follows them out of it."""
    (piece,) = to_mrkdwn("````\n```\n<!channel>\n````", LIMIT)
    assert piece.count("```") == 2


@given(st.text(alphabet="ab *_~`<>&!@#|[]()-\n1.\\", max_size=400), st.integers(60, 120))
def test_whatever_is_written_fits_and_calls_nobody(markdown: str, limit: int) -> None:
    """No text makes a piece longer than its limit, an entity that is cut, or a bracket of Slack's own."""
    for piece in to_mrkdwn(markdown, limit):
        assert len(piece) <= limit
        assert "<" not in piece
        assert re.sub(r"&(amp|lt|gt);", "", piece).count("&") == 0


@pytest.mark.parametrize(
    "markdown",
    [
        "word " * 2000,
        "x&" * 3000,
        "**" + "bold " * 1000 + "end**",
        "```\n" + "line & line\n" * 900 + "```",
        "- item\n" * 1200,
        "| a | b |\n|--|--|\n" + "| 1 | 2 |\n" * 400,
    ],
)
def test_a_long_text_is_cut_and_nothing_is_lost(markdown: str) -> None:
    """A text that is too long for one piece comes whole in several, code as code in each."""
    pieces = to_mrkdwn(markdown, LIMIT)
    letters = re.compile(r"[a-z0-9]+")
    assert len(pieces) > 1
    assert all(len(piece) <= LIMIT and piece.count("```") % 2 == 0 for piece in pieces)
    for word in ("word", "bold", "end", "line", "item"):
        assert sum(letters.findall(piece).count(word) for piece in pieces) == letters.findall(markdown).count(word)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/p?q=1&r=2#s", "<https://a.example/p?q=1&amp;r=2#s|title>"),
        ("https://a.example/a|b>c d", "<https://a.example/a%7Cb%3Ec%20d|title>"),
        ("https://a.example/%C3%BC/ü", "<https://a.example/%C3%BC/%C3%BC|title>"),
        ("file:///home/ann/page.md", "title"),
        ("javascript:alert(1)", "title"),
        ("", "title"),
    ],
)
def test_a_link_of_ours_opens_its_address_and_nothing_else(url: str, expected: str) -> None:
    """An address can't end its link early, and only web addresses are links."""
    assert link(url, "title") == expected


def test_a_label_cant_end_its_link() -> None:
    """A title with brackets, calls or line breaks stays a title."""
    assert link("https://a.example/", "a > b\n<!channel>") == "<https://a.example/|a &gt; b &lt;!channel&gt;>"


def test_escaping_is_done_once() -> None:
    """What is escaped reads as what was written."""
    assert escape("a & b < c") == "a &amp; b &lt; c"
