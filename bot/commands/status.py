"""`footnote status`: shows what has been read and indexed, without asking Slack."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.app import open_state
from bot.commands.parsing import Status
from bot.commands.terminal import counted, say, say_json
from bot.indexes import indexed_teams, passages_of_team
from bot.settings import Settings
from bot.state.database import Database
from bot.state.files import Files, FileState
from bot.state.progress import ChannelProgress, Progress
from bot.state.rebuilds import RebuildProgress, Rebuilds


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """What is known of one team."""

    team: str
    passages: int
    channels: tuple[ChannelProgress, ...]
    files: Mapping[tuple[FileState, str], int]
    """Of files that are shared in Slack, by what became of them and why."""
    rebuild: RebuildProgress | None

    def count_files(self, state: FileState) -> int:
        return sum(count for (of, _), count in self.files.items() if of is state)


def run(command: Status, settings: Settings) -> int:
    """Print it; an empty index is no error."""
    with open_state(settings) as database:
        teams = [_status(team, settings, database) for team in indexed_teams(settings)]
    say_json(_json(teams)) if command.json else say("\n".join(_lines(teams)))
    return 0


def _status(team: str, settings: Settings, database: Database) -> TeamStatus:
    return TeamStatus(
        team,
        passages_of_team(settings, team),
        Progress(database, team).all(),
        Files(database, team).tally(),
        Rebuilds(database).of(team),
    )


def _json(teams: list[TeamStatus]) -> dict[str, object]:
    return {
        "passages": sum(team.passages for team in teams),
        "teams": [
            {
                "team": team.team,
                "passages": team.passages,
                "channels": [_channel(c) for c in team.channels],
                "files": _files(team),
                "rebuild": _rebuild(team.rebuild) if team.rebuild else None,
            }
            for team in teams
        ],
    }


def _files(team: TeamStatus) -> dict[str, object]:
    counts: dict[str, object] = {state.value: team.count_files(state) for state in FileState}
    reasons = [{"state": s.value, "reason": why, "files": n} for (s, why), n in team.files.items() if why]
    return counts | {"reasons": reasons}


def _rebuild(rebuild: RebuildProgress) -> dict[str, object]:
    return {
        "target": rebuild.target,
        "done": rebuild.done,
        "passages": rebuild.total,
        "running": rebuild.is_running(time.time()),
        "heard_at": _iso(rebuild.heard_at),
    }


def _channel(progress: ChannelProgress) -> dict[str, object]:
    return {
        "id": progress.channel_id,
        "name": progress.name,
        "state": progress.state.value,
        "read": progress.read,
        "indexed": progress.indexed,
        "oldest": _moment(progress.oldest),
        "newest": _moment(progress.newest),
        "changed_at": _iso(progress.changed_at),
        "error": progress.error or None,
    }


def _lines(teams: list[TeamStatus]) -> list[str]:
    if not teams:
        return ["Nothing is indexed yet: run `footnote index PATH`, or `footnote serve` for Slack."]
    lines = []
    for team in teams:
        lines.append(f"{team.team}: {counted(team.passages, 'passage')}, {counted(len(team.channels), 'channel')}")
        lines += [_rebuild_line(team.rebuild)] if team.rebuild else []
        lines += [_line(channel) for channel in team.channels]
        lines += _file_lines(team)
    return lines


def _rebuild_line(rebuild: RebuildProgress) -> str:
    far = f"{rebuild.done} of {counted(rebuild.total, 'passage')}"
    if rebuild.is_running(time.time()):
        return f"  being rebuilt with {rebuild.target}: {far} (process {rebuild.pid} on {rebuild.host})"
    return f"  a rebuild with {rebuild.target} was cut off at {far}: run `footnote reindex` to go on"


def _file_lines(team: TeamStatus) -> list[str]:
    if not team.files:
        return []
    states = (FileState.READ, FileState.WAITING, FileState.SKIPPED)
    shared = ", ".join(f"{count} {state.value}" for state in states if (count := team.count_files(state)))
    reasons = [f"    {count} {state.value}: {why}" for (state, why), count in team.files.items() if why]
    return [f"  shared files: {shared}", *reasons]


def _line(progress: ChannelProgress) -> str:
    span = f"{_day(progress.oldest)} – {_day(progress.newest)}" if progress.oldest else "no messages"
    name = f"#{progress.name}"
    line = f"  {name:<24}{progress.state.value:<9}{progress.indexed} of {counted(progress.read, 'message')}, {span}"
    return f"{line}: {progress.error}" if progress.error else line


def _moment(ts: str) -> str | None:
    return _iso(float(ts)) if ts else None


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _day(ts: str) -> str:
    return datetime.fromtimestamp(float(ts), UTC).strftime("%-d %b %Y")
