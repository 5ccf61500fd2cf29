"""An office of its own for each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A small company on the sandbox."""
    with open_office(tmp_path) as office:
        yield office
