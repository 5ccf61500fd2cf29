"""An office of its own for each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.evaluation.access.stage import Theatre
from tests.scenarios.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A small company on the sandbox."""
    with open_office(tmp_path) as office:
        yield office


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """What is costly to set up for whole bots on the still sandbox."""
    theatre = Theatre(tmp_path_factory.mktemp("theatre"))
    yield theatre
    theatre.close()
