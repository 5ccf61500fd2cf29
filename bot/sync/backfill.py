"""Reads the whole history of the channels that Footnote is in, one after the other, and remembers how far it came."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace

from bot.errors import BotError, SlackDenied
from bot.state.progress import ChannelProgress, Progress, ReadingState
from bot.sync.leaving import OUT
from bot.sync.reading import ChannelReader, DayRead
from bot.sync.talk import day_of
from bot.types import Conversation, ConversationKind
from retrieval.errors import RetrievalError

CATCH_UP_DAYS = 7
"""How far back a channel that was read to its end is read again at a start; what changed in older talk while Footnote
was down is left to reconciliation."""

log = logging.getLogger(__name__)


def _nobody_watches(_progress: ChannelProgress) -> None:
    """For a run that nobody watches."""


@dataclass(frozen=True, slots=True)
class Backfill:
    """Reads channels; a channel that fails is noted as failed, and the rest goes on."""

    reader: ChannelReader
    progress: Progress
    watch: Callable[[ChannelProgress], None] = _nobody_watches
    """Told of every day of a channel that was read."""
    clock: Callable[[], float] = time.time
    leave: Callable[[str], bool] = lambda _channel_id: False
    """Told of a channel that Slack says Footnote isn't in; whether it is done with."""
    is_paused: Callable[[], bool] = lambda: False
    """Whether nothing may be read now; what is cut off is read when everything is compared with Slack again."""

    def run(self, conversations: Iterable[Conversation], is_stopped: Callable[[], bool]) -> tuple[ChannelProgress, ...]:
        """Read every conversation; between days, `is_stopped` may end it, and the next run goes on from there."""
        chosen = (conversation for conversation in conversations if conversation.kind is not ConversationKind.DM)
        return tuple(self.read(conversation, is_stopped) for conversation in chosen if not is_stopped())

    def forget_lost(self, conversations: Iterable[Conversation]) -> None:
        """Forget how far those channels were read of which the index has nothing: it is being built anew."""
        for place in (conversation.place for conversation in conversations):
            before = self.progress.of(place)
            if before and before.indexed and not self.reader.holds(place):
                self.progress.forget(place)

    def read(self, conversation: Conversation, is_stopped: Callable[[], bool] = lambda: False) -> ChannelProgress:
        """Read one conversation: to its beginning the first time, its last days after that; one that its people have
        left out not at all, and one of which more or less may be used since to its beginning again.

        Raises:
            StateError: what was read can't be remembered.
        """
        if self.is_paused():
            return _begun(conversation, None)
        if self.reader.leaves_out(conversation.place):
            return self.drop(conversation)
        renewal = self.progress.renewal_of(conversation.place)
        before = self._before(conversation) if renewal is None else None
        reading = _begun(conversation, before)
        try:
            if before and before.name != conversation.name:
                self.reader.retitle(conversation)
            with closing(self.reader.read(conversation, _first_day(before))) as days:
                for day in days:
                    reading = self._noted(_with_day(reading, day))
                    if is_stopped() or self.is_paused():
                        return reading
        except (BotError, RetrievalError) as error:
            if is_stopped():  # what it needed may have been closed already
                return reading
            log.warning("channel %s was not read to its end: %s", conversation.id, error)
            if self._has_left(conversation, error):
                return reading
            return self._noted(replace(reading, state=ReadingState.FAILED, error=str(error)))
        if self.reader.leaves_out(conversation.place):
            return self.drop(conversation)
        if renewal is not None:
            self.progress.renewed(conversation.place, renewal)
        return self._noted(replace(reading, state=ReadingState.DONE))

    def _has_left(self, conversation: Conversation, error: BotError | RetrievalError) -> bool:
        """Whether a channel could not be read because it is none of ours any more."""
        if not isinstance(error, SlackDenied) or error.code not in OUT:
            return False
        try:
            return self.leave(conversation.id)
        except (BotError, RetrievalError) as unclear:
            log.warning("channel %s: %s", conversation.id, unclear)
            return False

    def _before(self, conversation: Conversation) -> ChannelProgress | None:
        """What an earlier reading came to; nothing where it was under another id, to which its links still lead."""
        before = self.progress.of(conversation.place)
        return before if before and before.channel_id == conversation.id else None

    def drop(self, conversation: Conversation) -> ChannelProgress:
        """Have nothing of a channel that its people have left out; a reading that they allow begins at its start."""
        self.reader.purge(conversation.place)
        self.progress.forget(conversation.place)
        return _begun(conversation, None)

    def _noted(self, progress: ChannelProgress) -> ChannelProgress:
        noted = replace(progress, changed_at=self.clock())
        self.progress.write(noted)
        self.watch(noted)
        return noted


def _first_day(before: ChannelProgress | None) -> int:
    """The day back to which to read; 0 where the channel was never read to its end."""
    if before is None or before.state is not ReadingState.DONE or not before.newest:
        return 0
    return max(day_of(before.newest) - CATCH_UP_DAYS, 0)


def _begun(conversation: Conversation, before: ChannelProgress | None) -> ChannelProgress:
    """A reading from the start, or one that adds to what was read to its end."""
    begun = ChannelProgress(conversation.place, conversation.id, conversation.name, ReadingState.READING)
    if before is None or not _first_day(before):
        return begun
    return replace(begun, oldest=before.oldest, newest=before.newest, read=before.read, indexed=before.indexed)


def _with_day(progress: ChannelProgress, day: DayRead) -> ChannelProgress:
    """The progress with a day added to it, unless the day had been counted before."""
    if progress.oldest and progress.oldest <= day.newest <= progress.newest:
        return progress
    return replace(
        progress,
        oldest=min(filter(None, (progress.oldest, day.oldest))),
        newest=max(progress.newest, day.newest),
        read=progress.read + day.read,
        indexed=progress.indexed + day.indexed,
    )
