"""The commands with a language model: one that answers, one that makes things up, one that refuses, and none there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.cli import main
from bot.texts import MODEL_IS_DOWN, REFUSAL
from tests.bot.model_server import served

PAGE = """# Depot

The depot has three lifts. Each lift carries two tonnes.

The depot opens at 07:30 from Monday to Friday.
"""
QUESTION = "How many lifts has the depot?"
Ask = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which one page is indexed."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "depot.md").write_text(PAGE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTNOTE_DATA", str(folder / "data"))
        assert main(["index", str(folder / "depot.md"), "--url", "https://h.example"]) == 0
    return folder / "data"


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """Run a command with a model at an address: its exit code and stdout."""
    before = {name: logging.getLogger(name).level for name in ("", "bot", "retrieval", "slack_sdk")}

    def run(url: str, *words: str) -> tuple[int, str]:
        for variable, value in (("FOOTNOTE_DATA", str(data)), ("LLM_URL", url), ("LLM_MODEL", "scripted")):
            monkeypatch.setenv(variable, value)
        code = main(words)
        return code, capsys.readouterr().out

    yield run
    for handler in logging.getLogger().handlers[:]:
        if not type(handler).__module__.startswith("_pytest"):
            logging.getLogger().removeHandler(handler)
            handler.close()
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def test_an_answer_is_written(run: Ask) -> None:
    """What the model says is shown with its markers, and the sources below are ours."""
    with served(lambda _: "There are three lifts at the depot [1]. Each of them carries two tonnes [1].") as url:
        code, said = run(url, "ask", QUESTION)
    assert (code, said.splitlines()) == (
        0,
        [
            "There are three lifts at the depot. [1] Each of them carries two tonnes. [1]",
            "",
            "Sources",
            "[1] Depot",
            "    https://h.example/depot#depot",
        ],
    )


@pytest.mark.parametrize("draft", ["The depot has nine lifts [1].", ""])
def test_what_is_made_up_is_not_shown(run: Ask, draft: str) -> None:
    """The answer is quoted instead."""
    with served(lambda _: draft) as url:
        code, said = run(url, "ask", QUESTION)
    assert (code, said.splitlines()[0]) == (0, "The depot has three lifts. [1]")
    assert "nine" not in said


def test_a_models_refusal_is_the_refusal(run: Ask) -> None:
    """Word for word."""
    with served(lambda _: REFUSAL) as url:
        assert run(url, "ask", QUESTION) == (0, f"{REFUSAL}\n")


def test_without_its_model_it_quotes_and_says_so(run: Ask) -> None:
    """A server that turns us away costs the style of the answer, and not the answer."""
    with served(lambda _: "", status=401) as url:
        code, said = run(url, "ask", QUESTION)
    assert (code, "The depot has three lifts. [1]" in said, MODEL_IS_DOWN in said) == (0, True, True)


def test_check_tries_the_model(run: Ask) -> None:
    """It says which one answers, or what to do."""
    with served(lambda _: "Yes.") as url:
        assert f"ok      language model scripted at {url}" in run(url, "check")[1]
    with served(lambda _: "", status=401) as url:
        assert "note    answers are quoted and not written:" in (said := run(url, "check")[1])
    assert "check LLM_API_KEY." in said
