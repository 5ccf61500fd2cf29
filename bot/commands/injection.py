"""`footnote eval injection`: measures what orders that were planted in what is read bring about."""

from __future__ import annotations

from bot.app import open_embedders
from bot.commands.measuring import EvalInjection
from bot.commands.terminal import bar, say, say_json
from bot.errors import UsageError
from bot.evaluation.injection.items import Item, read_items
from bot.evaluation.injection.measuring import measure
from bot.evaluation.injection.obedient import STYLES
from bot.evaluation.injection.verdicts import Asked, figures
from bot.settings import Settings


def run(command: EvalInjection, settings: Settings) -> int:
    """Measure, and print the figures."""
    items = _read(command)
    by = open_embedders(settings)
    asked: list[Asked] = []
    with bar("Asking") as tell:
        for one in measure(items, by.dense, by.sparse):
            asked.append(one)
            tell(len(asked), (1 + len(STYLES)) * len(items))
    counted = figures(asked)
    say_json(counted) if command.json else say("\n".join(f"{name:16}{value:>6}" for name, value in counted.items()))
    return 0


def _read(command: EvalInjection) -> list[Item]:
    try:
        return read_items(command.file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{command.file} can't be read as JSON lines of a document with its injection or attack, or of a text."
        ) from error
