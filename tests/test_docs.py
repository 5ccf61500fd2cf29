"""The papers against the code: what the README promises must be what the code has."""

from __future__ import annotations

import re
from pathlib import Path

from bot.commands.parsing import build_parser
from bot.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_settings_table_is_the_codes() -> None:
    """Every setting stands in the README with its default and its meaning, and none that does not exist."""
    rows = [
        f"| `{row.variable}` | {f'`{row.default}`' if row.default else ''} | {row.meaning} |"
        for row in Settings.table()
    ]
    table = README.partition("| variable | default | meaning |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == rows


def test_every_command_stands_in_the_readme() -> None:
    """The README names each command that exists, and no other."""
    named = set(re.findall(r"^\| `footnote ([a-z]+)", README, flags=re.MULTILINE))
    offered = re.findall(r"^    ([a-z]+) ", build_parser().format_help(), flags=re.MULTILINE)
    assert named == set(offered)


def test_the_readme_begins_with_two_commands() -> None:
    """Somebody who has just cloned it sees within 25 lines what to type, and the whole fits in 150."""
    lines = README.splitlines()
    assert {"scripts/demo", "scripts/test"} <= set(" ".join(lines[:25]).split())
    assert len(lines) <= 150


def test_links_between_papers_lead_somewhere() -> None:
    """A relative link opens a file that exists."""
    papers = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{paper.name}: {target}"
        for paper in papers
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", paper.read_text(encoding="utf-8"))
        if not (paper.parent / target).exists()
    ]
    assert broken == []


def test_modules_that_papers_name_exist() -> None:
    """A path in backticks that looks like one of our modules is one."""
    papers = [ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"]
    named = {
        path
        for paper in papers
        for path in re.findall(r"`((?:bot|retrieval|sandbox|tests|docs)/[\w/.-]+)`", paper.read_text(encoding="utf-8"))
    }
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_locks_name_no_address() -> None:
    """The lock files pin versions and hashes, and leave where they come from to whoever installs."""
    locks = [(ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-dev.txt")]
    assert [line for lock in locks for line in lock.splitlines() if "://" in line or line.startswith("-")] == []
