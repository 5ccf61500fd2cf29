"""Joins the parts that keep the index true: what reads channels and files, hears of changes, and looks at night."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.app import Slack, talk_sources
from bot.live import LiveIndex
from bot.slack.events import Event, access_change, moved_channel
from bot.state.database import Database
from bot.state.departures import Departures
from bot.state.files import Files
from bot.state.moving import move_channel
from bot.state.progress import Progress
from bot.state.suspensions import Suspensions
from bot.sync.backfill import Backfill
from bot.sync.events import Sync
from bot.sync.file_contents import FileContents
from bot.sync.file_queue import FileQueue
from bot.sync.file_readings import FileReadings
from bot.sync.files import SharedFiles
from bot.sync.leaving import Leaving
from bot.sync.nightly import Nightly
from bot.sync.reading import ChannelReader
from bot.sync.reconcile import Reconciliation
from bot.sync.welcome import Welcome
from bot.types import AccessChange, Conversation


@dataclass(frozen=True, slots=True)
class Keeping:
    """What keeps the index of one workspace true."""

    sync: Sync
    backfill: Backfill
    files: FileReadings
    nightly: Nightly
    leaving: Leaving
    welcome: Welcome
    _move: Callable[[str, str], bool]
    _forget: Callable[[AccessChange | None], None]

    def hear(self, event: Event) -> None:
        """Let what an event makes untrue be relied on no more, the moment it comes.

        Raises:
            StateError: it can't be written down.
        """
        self.welcome.hear(event)
        self.leaving.hear(event)
        if moved := moved_channel(event):
            self._move(*moved)
        self._forget(access_change(event))


def build_keeping(
    slack: Slack,
    database: Database,
    index: LiveIndex,
    read_later: Callable[[Conversation], None],
    clock: Callable[[], float],
) -> Keeping:
    """Join them; the clock tells seconds since the epoch."""
    us, workspace = slack.workspace.identity(), slack.workspace
    queue, place_of = FileQueue(), partial(slack.places.place_of, us.team)
    shared = SharedFiles(slack.files, index, index, Files(database, us.team), queue, us.team, place_of)
    reader = ChannelReader(workspace, index, index, talk_sources(slack, database), shared)
    progress = Progress(database, us.team)
    leaving = Leaving(workspace, reader, progress, Departures(database, us.team), slack.places, us)
    welcome = Welcome(workspace.is_itself, Suspensions(database), us.team)
    move = partial(move_channel, database, us.team)
    nightly = Nightly(Reconciliation(workspace, leaving, welcome, move, read_later))
    return Keeping(
        Sync(workspace, reader, progress, place_of, read_later, shared, leaving, welcome, nightly.soon, clock),
        Backfill(reader, progress, clock=clock, leave=leaving.settle, is_paused=welcome.is_suspended),
        FileReadings(shared, queue, partial(FileContents, slack.files)),
        nightly,
        leaving,
        welcome,
        move,
        slack.access.forget,
    )
