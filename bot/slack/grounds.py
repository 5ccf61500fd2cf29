"""Tells whether what an answer rests on still holds, by what Slack and the index say now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.errors import SlackDenied, SlackError
from bot.slack.citing import sha256_of, stands_in
from bot.slack.files import SharedFile
from bot.slack.messages import Message
from bot.slack.threads import THREAD_IS_GONE
from bot.state.posted import Cited, CitedMessage, PostedAnswer
from bot.types import Question, Surface
from retrieval.types import Passage, Place, Scope

_KEY_IS_GONE = "ekm_access_denied"
"""Slack's word for messages that nobody may read any more."""

_Ref = tuple[Place, str]
"""A message, by its place and `ts`."""
Found = Mapping[_Ref, Message | None]
"""Messages as they stand now: None where one is gone, left out where Footnote may not look."""


class Conversations(Protocol):
    """The part of a workspace that reads threads."""

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]: ...


class Scopes:
    """What the readers of several answers may read, each group of readers asked for once."""

    def __init__(self, scope_of: Callable[[Question], Scope]) -> None:
        self._scope_of = scope_of
        self._known: dict[tuple[Place, str], Scope] = {}

    def of(self, answer: PostedAnswer) -> Scope:
        """What everybody may read who reads this answer now or later."""
        readers = (answer.place, answer.asker if answer.surface is Surface.DM else "")
        if readers not in self._known:
            self._known[readers] = self._scope_of(answer.question)
        return self._known[readers]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What answers rest on. Every method raises `SlackError` or `RetrievalError` where that can't be known now."""

    conversations: Conversations
    channel_of: Callable[[Place], str]
    """Slack's id of a place."""
    place_of: Callable[[str], Place]
    scope_of: Callable[[Question], Scope]
    """What every reader of a reply may read; an error where that can't be known."""
    passages_of: Callable[[str], tuple[Passage, ...]]
    """What is indexed of a source now."""
    describe: Callable[[str], SharedFile | None]
    """A shared file; None where it is gone."""
    file_in: Callable[[str], str]
    """The id of the shared file that a source is; empty for every other source."""
    unused: Callable[[], Collection[str]] = frozenset
    """User ids of those who don't want their messages used."""
    reads: Callable[[Place], bool] = lambda _place: False
    """Whether Footnote reads a channel itself; what it knows of others stands in an export, and can't be looked at."""

    def first_look(self, cited: Sequence[Cited], indexed_at: Mapping[str, float | None]) -> tuple[Cited, ...]:
        """The citations of an answer that is about to be posted, each message with its digest.

        What was deleted or edited since it was indexed has fallen: who asks is not to get what the index alone has
        not forgotten yet. So has what Footnote may no longer look at.

        Args:
            indexed_at: by passage, when the latest change was made to its source that the index knows of.
        """
        found = self.now(message for one in cited for message in one.messages)
        return tuple(self._looked_at(one, found, indexed_at.get(one.passage_id)) for one in cited)

    def as_shared(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        """The passages, those of files only in the places where Slack says now that they are shared, unchanged.

        Of a file, no message can tell it: what stood in one may have been taken out, and nothing told of that.
        """
        return tuple(self._as_shared(passage) for passage in passages)

    def scopes(self) -> Scopes:
        """What readers may read, for one round of looks."""
        return Scopes(self.scope_of)

    def fallen(self, answer: PostedAnswer, scopes: Scopes) -> frozenset[int]:
        """The markers of an answer that may no longer stand, whatever the reason."""
        files = {file_id for one in answer.cited if (file_id := self.file_in(one.source_id))}
        by_files = (self.by_file(answer, file_id, scopes) for file_id in files)
        lost = self.by_messages(answer) | self.by_sources(answer) | self.by_readers(answer, scopes)
        return lost.union(*by_files)

    def now(self, cited: Iterable[CitedMessage]) -> Found:
        """Messages as they stand now, each thread read once."""
        by_thread: dict[tuple[Place, str], list[_Ref]] = {}
        for message in cited:
            by_thread.setdefault((message.place, message.root_ts), []).append(_ref(message))
        found: dict[_Ref, Message | None] = {}
        for (place, root_ts), refs in by_thread.items():
            thread = self._thread(place, root_ts)
            if thread is not None:
                found |= {(place, ts): thread.get(ts) for place, ts in refs}
        return found

    def by_messages(self, answer: PostedAnswer, found: Found | None = None) -> frozenset[int]:
        """The markers that rest on a message which was changed or deleted, or isn't to be used any more.

        Args:
            found: the messages that are in question; all are where it is None.
        """
        if found is None:
            found = self.now(message for one in _open(answer) for message in one.messages)
        return _markers(one for one in _open(answer) if any(self._is_lost(m, found) for m in one.messages))

    def by_sources(self, answer: PostedAnswer) -> frozenset[int]:
        """The markers that rest on a file or document of which the index has the words no more."""
        sources = [one for one in _open(answer) if not one.messages]
        return _markers(one for one in sources if not self._is_indexed(one))

    def by_file(self, answer: PostedAnswer, file_id: str, scopes: Scopes) -> frozenset[int]:
        """The markers that rest on a file which is gone, is shared no more where all who read them may open it, or has
        been changed: nobody knows what it says until it is read again."""
        file = self.describe(file_id)
        of_file = [one for one in _open(answer) if self.file_in(one.source_id) == file_id]
        return _markers(one for one in of_file if not self._stands_in_file(one, file, scopes.of(answer)))

    def by_readers(self, answer: PostedAnswer, scopes: Scopes) -> frozenset[int]:
        """The markers of which not everybody who reads the answer now may open the source."""
        return _markers(one for one in _open(answer) if not scopes.of(answer).admits(self._places(one)))

    def _stands_in_file(self, cited: Cited, file: SharedFile | None, scope: Scope) -> bool:
        passages = [_where_shared(one, file, self.place_of) for one in self.passages_of(cited.source_id)]
        places = {place for passage in passages for place in passage.places}
        return scope.admits(places) and all(stands_in(quote, passages) for quote in cited.quotes)

    def _as_shared(self, passage: Passage) -> Passage:
        file_id = self.file_in(passage.source_id)
        return _where_shared(passage, self.describe(file_id), self.place_of) if file_id else passage

    def _places(self, cited: Cited) -> frozenset[Place]:
        """Where a source stands now; talk stays where it is, a file or a document can be taken away."""
        if cited.messages:
            return cited.places
        return frozenset(place for passage in self.passages_of(cited.source_id) for place in passage.places)

    def _is_indexed(self, cited: Cited) -> bool:
        passages = self.passages_of(cited.source_id)
        return bool(passages) and all(stands_in(quote, passages) for quote in cited.quotes)

    def _is_lost(self, cited: CitedMessage, found: Found) -> bool:
        """Whether a message says something else than when it was cited; of one that can't be read nobody knows."""
        if _ref(cited) not in found or not cited.sha256:
            return False
        now = found[_ref(cited)]
        return now is None or sha256_of(now) != cited.sha256 or now.user in self.unused()

    def _looked_at(self, cited: Cited, found: Found, indexed_at: float | None) -> Cited:
        messages = tuple(_digested(message, found) for message in cited.messages)
        seen = [found[_ref(message)] for message in messages if _ref(message) in found]
        is_shut = any(_ref(message) not in found and self.reads(message.place) for message in cited.messages)
        has_fallen = any(now is None or not sha256_of(now) or self._is_late(now, indexed_at) for now in seen)
        return replace(cited, messages=messages, has_fallen=is_shut or has_fallen)

    def _is_late(self, message: Message, indexed_at: float | None) -> bool:
        is_newer = indexed_at is not None and message.changed_at > indexed_at
        return is_newer or message.user in self.unused()

    def _thread(self, place: Place, root_ts: str) -> Mapping[str, Message] | None:
        """A thread by `ts`; None where Footnote may not read it: whether its readers may is for their scope to say."""
        try:
            thread = self.conversations.replies(self.channel_of(place), root_ts)
        except SlackDenied as denied:
            return {} if denied.code == _KEY_IS_GONE else None
        except SlackError as error:
            if error.code != THREAD_IS_GONE:
                raise
            return {}
        return {message.ts: message for message in thread}


def _where_shared(passage: Passage, file: SharedFile | None, place_of: Callable[[str], Place]) -> Passage:
    """A passage of a file, only in the places where Slack says now that it is shared; nowhere once it was changed."""
    is_late = bool(file and file.changed_at and passage.updated_at and file.changed_at > passage.updated_at)
    shared = frozenset(map(place_of, file.channels)) if file and not is_late else frozenset()
    return replace(passage, places=passage.places & shared)


def _open(answer: PostedAnswer) -> tuple[Cited, ...]:
    return tuple(one for one in answer.cited if not one.has_fallen)


def _markers(cited: Iterable[Cited]) -> frozenset[int]:
    return frozenset(one.marker for one in cited)


def _ref(message: CitedMessage) -> _Ref:
    return (message.place, message.ts)


def _digested(message: CitedMessage, found: Found) -> CitedMessage:
    now = found.get(_ref(message))
    return replace(message, sha256=sha256_of(now)) if now else message
