"""Compares what is known of a workspace's channels with what Slack says, for the events that never came."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from bot.errors import BotError
from bot.slack.messages import Message
from bot.state.progress import ChannelProgress
from bot.sync.leaving import Leaving
from bot.sync.welcome import Welcome
from bot.types import Conversation
from retrieval.errors import RetrievalError

log = logging.getLogger(__name__)


class Workspace(Protocol):
    """The part of a workspace that lists channels, and reads a message again."""

    def joined(self) -> tuple[Conversation, ...]: ...

    def conversation(self, channel_id: str) -> Conversation: ...

    def history(self, channel_id: str, oldest: str = "0", latest: str = "") -> Iterator[Message]: ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Passes over all channels; one that fails doesn't end a pass, and is looked at again in the next."""

    workspace: Workspace
    leaving: Leaving
    welcome: Welcome
    move: Callable[[str, str], bool]
    """Lets a channel be known by a new id."""
    read_later: Callable[[Conversation], None]
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def run(self, is_stopped: Callable[[], bool] = lambda: False, *, catches_up: bool = True) -> None:
        """Leave what Footnote is out of, enter what it is in, and find channels again that have another id.

        Args:
            is_stopped: asked between channels.
            catches_up: has the last days of every channel read again, and all of those that were never read.

        Raises:
            SlackError, StateError: nothing could be compared.
        """
        with self._one_at_a_time:
            if not self.welcome.is_in():
                return
            joined = self.workspace.joined()
            self.leaving.enter(joined)
            for step in self._steps(joined, catches_up=catches_up):
                if is_stopped():
                    return
                _attempt(step)

    def _steps(self, joined: Sequence[Conversation], *, catches_up: bool) -> Iterator[Callable[[], object]]:
        here, known = {conversation.place for conversation in joined}, self.leaving.progress.all()
        unread = [conversation for conversation in joined if conversation.place not in {one.place for one in known}]
        suspected = self.leaving.suspected()  # before others are, which are looked at all the same
        yield self.leaving.drop_doubles
        for missing in (one for one in known if one.place not in here):
            yield partial(self._look_for, missing, unread)
        for channel_id in suspected:
            yield partial(self.leaving.settle, channel_id)
        if catches_up:
            yield from (partial(self.read_later, conversation) for conversation in joined)

    def _look_for(self, missing: ChannelProgress, unread: Sequence[Conversation]) -> None:
        """Find a channel that Footnote is no longer in by the id that it had: under another one, or not at all."""
        found = next((conversation for conversation in unread if self._is_same(missing, conversation)), None)
        if found is None:
            self.leaving.settle(missing.channel_id)
        elif self.move(missing.channel_id, found.id):
            self.leaving.drop_doubles()
            self.read_later(self.workspace.conversation(found.id))

    def _is_same(self, missing: ChannelProgress, there: Conversation) -> bool:
        """By its name and a message of the very same microsecond; Slack gives no other sign."""
        if missing.name != there.name or not missing.newest:
            return False
        messages = self.workspace.history(there.id, oldest=missing.newest, latest=missing.newest)
        return any(message.ts == missing.newest for message in messages)


def _attempt(step: Callable[[], object]) -> None:
    try:
        step()
    except (BotError, RetrievalError) as error:
        log.warning("reconciliation: %s", error)
