"""`footnote index`: reads documents, or a Slack export, into the index, whether or not `serve` runs."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path

from bot.app import LOCAL_TEAM, Slack, open_retrieval, open_slack, open_state, team_of
from bot.commands.naming import channel_named
from bot.commands.parsing import Index
from bot.commands.terminal import bar, counted, remark, say
from bot.errors import UsageError
from bot.settings import Settings
from bot.slack.workspace import Identity
from bot.state.database import Database
from bot.state.places import Places
from bot.state.questions import Questions
from bot.sync.archive import Archive, open_archive
from bot.sync.documents import NOT_DOCUMENTS, PREFIX, index_documents
from bot.sync.export import Export, Tally, permalink_of
from bot.sync.export import team_of as team_of_export
from bot.wishes import left_out_of
from retrieval.types import WORKSPACE, IndexReport, Place

MOST_REASONS = 10
"""Lines of what was skipped; the rest is counted."""


def run(command: Index, settings: Settings) -> int:
    """Index, and print what came of it."""
    if not command.paths and not command.slack_export:
        raise UsageError("Name a folder of documents, or a Slack export with --slack-export.")
    for path in command.paths:
        if not path.exists():
            raise UsageError(f"There is nothing at {path}: give the path of a folder or a file.")
    with open_state(settings) as database:
        if command.paths:
            _documents(command, settings, database)
        if command.slack_export:
            _export(command.slack_export, command, settings, database)
    return 0


def _documents(command: Index, settings: Settings, database: Database) -> None:
    team, places = team_of(settings, database), _places(command.visible_to, settings, database)
    report = IndexReport()
    with open_retrieval(settings, team, "footnote index") as retrieval:
        for path in command.paths:
            total = _files_in(path)
            with bar(f"Reading {path}", total) as tell:
                report += index_documents(retrieval.indexer, path, places, command.url, tell)
                tell(total)
    say(_summary("document", report))
    for line in _skipped(report):
        say(line)


def _places(visible_to: str | None, settings: Settings, database: Database) -> frozenset[Place]:
    if visible_to in (None, "workspace"):
        return frozenset({WORKSPACE})
    if not settings.has_slack:
        raise UsageError("--visible-to with a channel needs Slack: set SLACK_BOT_TOKEN.")
    return frozenset({channel_named(str(visible_to), open_slack(settings, database).workspace).place})


def _files_in(path: Path) -> int:
    """How many files are looked at, hidden ones left out."""
    if path.is_file():
        return 1
    count = 0
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in NOT_DOCUMENTS]
        count += sum(not name.startswith(".") for name in names)
    return count


def _summary(noun: str, report: IndexReport) -> str:
    gone = f", {counted(report.sources_deleted, noun)} gone" if report.sources_deleted else ""
    return (
        f"{counted(report.sources, noun)}: {counted(report.added, 'passage')} added, {report.kept} unchanged, "
        f"{report.deleted} deleted{gone}."
    )


def _skipped(report: IndexReport) -> list[str]:
    """The first few by name, the rest by reason."""
    named = [f"Skipped {source.removeprefix(PREFIX)}: {reason}" for source, reason in report.skipped[:MOST_REASONS]]
    rest = Counter(reason for _, reason in report.skipped[MOST_REASONS:])
    return named + [f"Skipped {count} more: {reason}" for reason, count in rest.most_common()]


def _export(path: Path, command: Index, settings: Settings, database: Database) -> None:
    archive = open_archive(path)
    slack = open_slack(settings, database) if settings.has_slack else None
    export = _opened_export(archive, slack, database, command.private_channels)
    tally = Tally()
    with (
        open_retrieval(settings, export.us.team, "footnote index") as retrieval,
        bar(f"Reading {path}") as tell,
    ):
        report = retrieval.indexer.put(export.sources(tally), tell)
    read = f"{counted(tally.channels, 'channel')}, {counted(tally.messages, 'message')}"
    say(f"{read}; " + _summary("conversation", report))
    for reason, count in tally.skipped.most_common():
        if count:
            say(f"Skipped ({count}): {reason}.")
    remark("A channel of an export is read by nobody until Slack itself says who is in it.")


def _opened_export(archive: Archive, slack: Slack | None, database: Database, with_private: bool) -> Export:
    """As the workspace would give it; without Slack, as far as the export knows the workspace."""
    us = slack.workspace.identity() if slack else _stand_in(team_of_export(archive) or LOCAL_TEAM)
    permalink = slack.workspace.permalink if slack else permalink_of(us.url)
    place_of = partial(Places(database).place_of, us.team)
    asked_in, left_out = partial(Questions(database).asked_in, us.team), left_out_of(database, us.team)
    return Export(archive, us, permalink, place_of, asked_in, with_private, left_out)


def _stand_in(team: str) -> Identity:
    """Footnote in a workspace that can't be asked who it is; nothing there was written by it."""
    return Identity(team, "https://slack.com/", "", "", "")
