"""`footnote reindex`: builds the index as the settings ask for it beside the one that answers, and switches over."""

from __future__ import annotations

import time
from functools import partial

from bot.app import Embedders, collection_of, open_embedders, open_state
from bot.commands.parsing import Reindex
from bot.commands.terminal import bar, counted, remark, say
from bot.errors import BotError
from bot.indexes import active_collection, discard_others, indexed_teams, open_site, remember_model
from bot.settings import Settings
from bot.state.database import Database
from bot.state.progress import Progress
from bot.state.rebuilds import Rebuilds, Tell
from retrieval.reindexing import Rebuild, RebuildReport
from retrieval.stores.collections import Collection

LETTING_GO_S = 30.0
"""How long to wait for a running bot to go over to the new index, so that the old one can be deleted."""


def run(command: Reindex, settings: Settings) -> int:  # noqa: ARG001  # it has no options
    """Rebuild every team's index that is not what the settings ask for."""
    with open_state(settings) as database:
        teams = indexed_teams(settings)
        if not teams:
            say("Nothing is indexed yet, so there is nothing to rebuild.")
            return 0
        by = open_embedders(settings)
        remember_model(settings, by.dense.model, database)
        for team in teams:
            _reindex(team, by, settings, database)
    return 0


def _reindex(team: str, by: Embedders, settings: Settings, database: Database) -> None:
    old, new = active_collection(settings, team), collection_of(team, by)
    if old is None:
        raise BotError(f"The index of {team} went while it was looked at: run this again.")
    with Rebuilds(database).running(team, new.described) as tell:
        if old == new:
            say(f"{team}: the index is as the settings ask for it.")
        else:
            report = _rebuilt(old, new, by, settings, database, tell)
            say(_summary(team, report, new))
            for line in _to_do(old, new):
                remark(line)
        _delete_the_others(new, settings, has_switched=old != new)


def _rebuilt(
    old: Collection, new: Collection, by: Embedders, settings: Settings, database: Database, tell: Tell
) -> RebuildReport:
    read_anew = Progress(database, new.team).read_anew if old.chunking_version != new.chunking_version else _nothing
    with open_site(settings, old, new) as site, bar(f"Rebuilding the index of {new.team} with {new.described}") as show:

        def both(done: int, total: int) -> None:
            tell(done, total)
            show(done, total)

        report = Rebuild(site, old, new, by.dense, by.sparse).run(both, read_anew)
    read_anew()  # again: a bot of another version may have come to the end of a channel in between
    return report


def _nothing() -> None:
    """How a channel's messages are cut stays as it was."""


def _summary(team: str, report: RebuildReport, new: Collection) -> str:
    before = report.passages - report.embedded
    earlier = f", {before} from an earlier run" if before > 0 else ""
    return (
        f"{team}: {counted(report.passages, 'passage')} in the new index, {report.embedded} embedded now{earlier}. "
        f"It answers from now on, with {new.described}."
    )


def _to_do(old: Collection, new: Collection) -> list[str]:
    """What is still cut as it was."""
    if old.chunking_version != new.chunking_version:
        return [
            "Passages stay cut as they were until their source is read again: run `footnote index` on your documents; "
            "`footnote serve` reads Slack's channels again when it starts."
        ]
    if old.model != new.model:
        return ["Passages stay cut as they were until their source is read again, which `footnote index` does."]
    return []


def _delete_the_others(new: Collection, settings: Settings, *, has_switched: bool) -> None:
    """Delete the old index, as soon as whoever has it open lets go, and what was begun for other settings."""
    discard = partial(discard_others, settings, new)
    deadline = time.monotonic() + (LETTING_GO_S if has_switched else 0)
    while (held := discard()) and time.monotonic() < deadline:
        time.sleep(0.2)
    for holder in held:
        remark(f"The old index is still open in {holder}: stop that, and run `footnote reindex` again to delete it.")
