"""The rooms and who may import what, held against the code itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path.relative_to(ROOT) for room in ("bot", "retrieval", "sandbox") for path in (ROOT / room).rglob("*.py")
)

HOMES = {
    "slack_bolt": ("bot/slack/", "bot/app.py"),
    "slack_sdk": ("bot/slack/", "bot/app.py", "sandbox/demo/"),
    "qdrant_client": ("retrieval/stores/server",),
    "grpc": ("retrieval/stores/server_calls.py",),
    "qdrant_edge": ("retrieval/stores/edge",),
    "fastembed": ("retrieval/embedding/", "retrieval/reranking.py"),
    "tokenizers": ("retrieval/embedding/", "retrieval/reranking.py"),
    "pypdfium2": ("retrieval/reading/pdf_lines.py", "retrieval/reading/pdf_rules.py"),
    "docx": ("retrieval/reading/word.py",),
    "pptx": ("retrieval/reading/slides.py",),
    "openpyxl": ("retrieval/reading/sheets.py",),
    "selectolax": ("retrieval/reading/html.py",),
    "httpx": ("bot/llm/",),
    "sqlalchemy": ("bot/state/",),
    "cryptography": ("bot/state/vault.py",),
    "rich": ("bot/cli.py", "bot/commands/"),
    "sandbox": ("sandbox/", "bot/cli.py", "bot/commands/", "bot/evaluation/access/"),
    "werkzeug": ("sandbox/",),
    "simple_websocket": ("sandbox/",),
    "bot": ("bot/",),
    "retrieval": ("retrieval/", "bot/"),
}
"""Each package of weight and the only places that may import it."""


def _imports_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every module of the project, parsed once."""
    return {str(path): ast.parse((ROOT / path).read_text(encoding="utf-8")) for path in MODULES}


@pytest.mark.parametrize("package", HOMES)
def test_each_outside_package_has_one_home(package: str, trees: dict[str, ast.Module]) -> None:
    """A package is imported only where DESIGN says that its adapter lives, so that it can be replaced there."""
    strays = [
        path
        for path, tree in trees.items()
        if any(name.split(".")[0] == package for name in _imports_of(tree)) and not path.startswith(HOMES[package])
    ]
    assert strays == []


def test_every_home_has_somebody_living_in_it(trees: dict[str, ast.Module]) -> None:
    """A rule about a package that nothing imports would hold nothing."""
    imported = {name.split(".")[0] for tree in trees.values() for name in _imports_of(tree)}
    assert set(HOMES) <= imported


def test_the_environment_is_read_in_one_place(trees: dict[str, ast.Module]) -> None:
    """Settings are read once, by `bot/settings.py`, so that every problem can be told at once."""
    readers = [
        path
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"} and not path.startswith("sandbox/")
    ]
    assert set(readers) <= {"bot/settings.py", "bot/cli.py", "bot/__main__.py"}


def test_nothing_is_mocked() -> None:
    """Tests go through real parts or small stand-ins; a mock agrees with whatever the code does."""
    mocked = [
        str(path)
        for path in (ROOT / "tests").rglob("*.py")
        if any(name.startswith("unittest.mock") for name in _imports_of(ast.parse(path.read_text(encoding="utf-8"))))
    ]
    assert mocked == []


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_modules_and_functions_stay_readable(module: Path, trees: dict[str, ast.Module]) -> None:
    """No module over 300 lines, no function over 40 without its docstring, and every module says its one job."""
    tree = trees[str(module)]
    assert len((ROOT / module).read_text(encoding="utf-8").splitlines()) <= 300
    assert ast.get_docstring(tree)
    too_long = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _body_lines(node) > 40
    ]
    assert too_long == []


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node):
        first = node.body[0]
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines
