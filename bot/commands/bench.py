"""`footnote bench`: measures how fast a part of Footnote is, on what it makes up itself."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from bot.app import require_room
from bot.commands.measuring import BenchStore
from bot.commands.terminal import bar, say, say_json
from bot.settings import Settings
from retrieval.evaluation.store_bench import measure_store


def run(command: BenchStore, settings: Settings) -> int:
    """Measure the embedded store on the disk that holds the data folder, and print the figures."""
    settings.data_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    require_room(settings.data_folder)
    with (
        TemporaryDirectory(prefix="bench-", dir=settings.data_folder) as folder,
        bar("Writing passages", command.passages) as tell,
    ):
        figures = measure_store(Path(folder) / "store", command.passages, tell)
    say_json(figures.to_json()) if command.json else say(figures.to_text())
    return 0
