"""The guards of who may read what: each stands where `benchmarks/guards.py` says, and its test exists.

That a test fails without its guard is shown by `python -m benchmarks.guards`, which takes some minutes.
"""

from __future__ import annotations

import ast

import pytest

from benchmarks.guards import GUARDS, ROOT, Guard, table


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_each_guard_stands_in_one_place_and_has_a_test(guard: Guard) -> None:
    """Code that was changed can't leave a guard behind that nobody takes out any more."""
    assert (ROOT / guard.file).read_text(encoding="utf-8").count(guard.stands) == 1
    file, _, name = guard.test.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name.partition("[")[0] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_table_is_on_the_page() -> None:
    """Whoever reads docs/access.md sees the guards that there are."""
    assert table() in (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
