"""`footnote serve`: runs the bot until it is told to stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from queue import SimpleQueue
from types import FrameType

from bot.app import Slack, open_slack, open_state
from bot.commands.parsing import Serve
from bot.commands.terminal import counted, remark
from bot.errors import SettingsError
from bot.indexes import open_live
from bot.live import LiveIndex
from bot.models import open_writing_model
from bot.running import Bot, build_bot
from bot.settings import Settings
from bot.slack.api import open_client
from bot.slack.listeners import build_app
from bot.slack.socket import Socket
from bot.slack.tokens import granted_scopes, require_scopes, try_app_token
from bot.state.database import Database
from bot.state.progress import ChannelProgress, ReadingState
from bot.state.vault import open_vault
from bot.sync.histories import Histories


def run(command: Serve, settings: Settings) -> int:  # noqa: ARG001  # it has no options
    """Connect, answer, read histories meanwhile, and stop when told to."""
    _require_tokens(settings)
    with open_state(settings) as database, _Stop().listening() as stop:
        slack = open_slack(settings, database)
        require_scopes(granted_scopes(slack.client))
        try_app_token(open_client(settings.slack_app_token, settings.slack_api_url))
        team = slack.workspace.identity().team
        with closing(open_live(settings, database, team, "footnote serve")) as index:
            index.watch(stop.ask)
            _serve(settings, slack, database, index, stop)
    remark("Footnote has stopped.")
    return 0


def _serve(settings: Settings, slack: Slack, database: Database, index: LiveIndex, stop: _Stop) -> None:
    histories = Histories()
    model = open_writing_model(settings)
    vault = open_vault(settings.key, settings.data_folder)
    bot = build_bot(slack, database, index, histories.read_later, settings.follow_ups, model, vault=vault)
    bot.nightly.run_now(catches_up=False)  # what was left or moved meanwhile is read by nobody
    joined = slack.workspace.joined()
    bot.backfill.forget_lost(joined)  # before an event puts a single day of a channel into a new index
    slack.files.clear()
    bot.files.start()
    with _connected(settings, slack, bot):
        remark(f"Footnote is connected to {_workspace_name(slack)}; reading {counted(len(joined), 'channel')}…")
        for found in bot.arrivals.untold(joined):
            bot.inbox.keep(found)
        histories.start(bot.backfill, joined, lambda progress: remark(_summary(progress)))
        bot.nightly.start()
        bot.rounds.start()
        stop.wait()
        remark("Footnote is stopping; it finishes what it has begun.")
        bot.rounds.stop()
        bot.nightly.stop()
        histories.stop()
        bot.files.stop()


@contextmanager
def _connected(settings: Settings, slack: Slack, bot: Bot) -> Iterator[None]:
    """Events come in and are dealt with; at the end, no more come, and what is in hand is finished."""
    socket = Socket(build_app(slack.client, bot.inbox), settings.slack_app_token)
    bot.inbox.start()
    try:
        socket.open()
        yield
    finally:
        socket.close()
        bot.inbox.stop()


def _summary(progress: tuple[ChannelProgress, ...]) -> str:
    done = [channel for channel in progress if channel.state is ReadingState.DONE]
    failed = [channel for channel in progress if channel.state is ReadingState.FAILED]
    text = f"Footnote has read {counted(len(done), 'channel')}: {counted(sum(c.read for c in done), 'message')}."
    return text + "".join(f" #{channel.name} could not be read: {channel.error}" for channel in failed)


def _require_tokens(settings: Settings) -> None:
    missing = [
        name
        for name, token in (
            ("SLACK_BOT_TOKEN", settings.slack_bot_token),
            ("SLACK_APP_TOKEN", settings.slack_app_token),
        )
        if not token
    ]
    if missing:
        raise SettingsError(
            f"{' and '.join(missing)} must be set to run the bot: copy them from the app's page in Slack."
        )


def _workspace_name(slack: Slack) -> str:
    us = slack.workspace.identity()
    return f"{us.url} as @{slack.names.person(us.user_id) or us.user_id}"


class _Stop:
    """Asks for the end, by Ctrl-C or by whoever started the process.

    A handler runs between any two steps of the main thread, so it may touch nothing that takes a lock.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[int] = SimpleQueue()

    def wait(self) -> None:
        self._asked.get()

    def ask(self) -> None:
        """End it because it can't go on."""
        self._asked.put(0)

    @contextmanager
    def listening(self) -> Iterator[_Stop]:
        before = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        self._asked.put(number)
