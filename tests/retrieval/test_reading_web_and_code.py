"""HTML pages, notebooks and source code are read for what people wrote in them."""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import pytest

from retrieval.reading.code import code_blocks
from retrieval.reading.html import read_html
from retrieval.reading.kinds import Kind, kind_of
from retrieval.reading.notebook import read_notebook
from retrieval.reading.reading import Reading
from retrieval.reading.text import read_text
from retrieval.types import Markup

PAGE = """<!doctype html><html><head><title>Pumps | Harbour</title><style>p {color: red}</style></head><body>
<header><a href="/">Home</a></header><nav><ul><li><a href="/a">All pages</a></li></ul></nav>
<main><h1 id="pumps">Pumps</h1><p>They start <b>by themselves</b> when
the water rises, see <a href="https://example.org/tide">the tide</a> and <a href="/gate">the gate</a>.</p>
<h2 id="before-a-storm">Before a storm</h2>
<ul><li>Fill the tanks.<ul><li>Both of them.</li></ul></li><li><p>Call.</p></li></ul>
<ol><li>One</li><li>Two</li></ol><pre class="highlight"><code class="language-sh">pump --dry-run
  # all of it</code></pre><p hidden>Nobody sees this.</p><p style="display: none">Nor this.</p><script>track()</script>
<table><thead><tr><th>Pump</th><th>Power</th></tr></thead><tbody><tr><td>North</td><td>4 kW</td></tr></tbody></table>
<blockquote><p>Better shut than sorry.</p></blockquote><p>Use <code>pump_id</code> &lt;b&gt; here.</p></main>
<aside>Related</aside><footer>© Harbour</footer></body></html>"""

MARKDOWN = """# Pumps

They start by themselves when the water rises, see [the tide](https://example.org/tide) and the gate.

## Before a storm

- Fill the tanks.
  - Both of them.
- Call.

1. One
2. Two

```sh
pump --dry-run
  # all of it
```

| Pump | Power |
| --- | --- |
| North | 4 kW |

> Better shut than sorry.

Use `pump_id` &lt;b> here."""


def html(path: Path, content: str | bytes) -> Reading:
    """A page that was written to a file."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_html(path)


def test_a_page_is_its_own_words_as_markdown(tmp_path: Path) -> None:
    """Navigation, scripts and what is hidden are left out; headings whose ids are their slugs can be opened."""
    assert html(tmp_path / "a.html", PAGE) == Reading(Markup(MARKDOWN, opens_sections=True), "Pumps")


def test_headings_without_such_ids_open_the_page(tmp_path: Path) -> None:
    """A fragment that is nowhere helps nobody."""
    reading = html(tmp_path / "a.html", PAGE.replace('id="before-a-storm"', 'id="s2"'))
    assert reading.content == Markup(MARKDOWN, opens_sections=False)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<p>Café", "Café"),
        ('<meta charset="windows-1252"><p>Café'.encode("cp1252"), "Café"),
        ("<p>Café".encode("utf-16"), "Café"),
        (b'<meta charset="utf-8"><p>Caf\xe9 ' + b"words " * 400, "Caf\ufffd " + "words " * 399 + "words"),
        ("<div>" * 5_000 + "Deep" + "</div>" * 5_000, "Deep"),
        ("<p>a<p>b<br>c", "a\n\nb\nc"),
        ("<table><tr><td><p>Layout</p></td></tr></table>", "Layout"),
        ("<article>Teaser</article><p>" + "Words. " * 20, "Teaser\n\n" + "Words. " * 19 + "Words."),
        ("<p># not a heading</p>", "\\# not a heading"),
    ],
)
def test_pages_are_read_as_they_are(tmp_path: Path, content: str | bytes, text: str) -> None:
    """In their encoding, however they are nested."""
    reading = html(tmp_path / "a.html", content)
    assert isinstance(reading.content, Markup)
    assert reading.content.text == text


def test_a_notebook_is_words_and_code_without_output(tmp_path: Path) -> None:
    """What running it printed is nobody's writing."""
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Read first."]},
        {"cell_type": "code", "source": "plot(tide)", "outputs": [{"text": "a picture"}]},
        {"cell_type": "raw", "source": "raw"},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}}))
    expected = "# Tides\n\nRead first.\n\n```python\nplot(tide)\n```"
    assert read_notebook(path) == Reading(Markup(expected, opens_sections=False), "Tides")


CODE = '''"""Pumps."""

import time

LIMIT = 3


def start(pump):
    wait()

    return pump


class Gate:
    def shut(self):
        pass
'''


def test_code_is_parted_between_definitions() -> None:
    """A blank line within one parts nothing."""
    blocks = code_blocks(CODE, "python", "gate.py").split("\n\n```python\n")
    assert [block.splitlines()[0] for block in blocks[1:]] == [
        "import time",
        "LIMIT = 3",
        "def start(pump):",
        "class Gate:",
    ]
    assert "    wait()\n\n    return pump" in blocks[3]


def test_a_long_class_is_parted_between_its_methods() -> None:
    """So that a passage holds whole methods."""
    methods = "".join(f"\n    def m{at}(self):\n        return {'x' * 200}\n" for at in range(8))
    blocks = code_blocks(f"import a\n\n\nclass Gate(Door):{methods}\n\nLIMIT = 3\n", "python", "gate.py").split("\n\n")
    firsts = [block.removeprefix("```python\n").splitlines()[0] for block in blocks]
    methods_of_it = [f"    def m{at}(self):" for at in range(1, 8)]
    assert firsts == [
        "import a",
        "## `class Gate(Door)`",
        "class Gate(Door):",
        *methods_of_it,
        "# `gate.py`",
        "LIMIT = 3",
    ]


def test_code_is_called_by_its_path_and_its_fences_hold() -> None:
    """Whatever ticks it holds."""
    reading = read_text(b'TEXT = """\n```\n"""\n', Kind.CODE, PurePath("harbour/pumps.py"))
    assert reading == Reading(
        Markup('````python\nTEXT = """\n```\n"""\n````', opens_sections=False), "harbour/pumps.py"
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.MD", Kind.MARKDOWN),
        ("a.rst", Kind.PLAIN),
        ("Dockerfile", Kind.CODE),
        ("a.rs", Kind.CODE),
        ("a.htm", Kind.HTML),
        ("a.tsv", Kind.SEPARATED),
        ("a.png", None),
        ("LICENSE", None),
    ],
)
def test_a_name_says_what_kind_a_file_is(name: str, kind: Kind | None) -> None:
    """Large letters or small."""
    assert kind_of(PurePath(name)) is kind
