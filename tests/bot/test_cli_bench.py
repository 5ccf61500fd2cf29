"""`footnote bench store` measures, and leaves nothing behind."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli import main


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A data folder of its own, and logging as it was."""
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    before = {name: logging.getLogger(name).level for name in ("", "bot", "retrieval")}
    yield
    for handler in logging.getLogger().handlers[:]:
        if not type(handler).__module__.startswith("_pytest"):
            logging.getLogger().removeHandler(handler)
            handler.close()
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def test_bench_store_measures_and_cleans_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure that is promised is there, on few passages; the made-up store is gone afterwards."""
    assert main(["bench", "store", "--passages", "200", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["passages"] == 200
    assert 600 <= figures["vectors"] <= 800
    assert figures["recall@10"] == 1.0
    assert 0 < figures["query_ms"]["p50"] <= figures["query_ms"]["p95"]
    assert all(figures[name] > 0 for name in ("disk_bytes", "rss_bytes", "load_seconds", "write_seconds"))
    assert [scope["places"] for scope in figures["scopes"]] == [20, 5000]
    assert [scope["recall@10"] for scope in figures["scopes"]] == [1.0, 1.0]
    assert figures["query_ms"] == figures["scopes"][-1]["query_ms"]
    assert list((tmp_path / "data").glob("bench-*")) == []
