"""The commands say what `LANGUAGE` does and what it doesn't."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import main


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder of its own, no Slack and the packaged embedding model."""
    for variable in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DATABASE_URL", "QDRANT_URL", "EMBEDDING_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))


def test_check_says_that_the_packaged_model_knows_english_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words are then found in the language that was set, and meaning is not."""
    monkeypatch.setenv("LANGUAGE", "german")
    main(["check"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "ok      words are read as german"
    assert lines[3].startswith("note    the packaged model knows English alone and takes too much for an answer")


def test_an_unknown_language_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is indexed by the wrong stems."""
    monkeypatch.setenv("LANGUAGE", "klingon")
    assert main(["check"]) == 2
    assert "LANGUAGE must be one of arabic" in capsys.readouterr().err
