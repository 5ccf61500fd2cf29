"""Who may read what, where nothing may be taken for granted: not even that what can't be read is no access."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from bot.errors import SlackDenied, SlackError
from bot.types import AccessChange, Conversation, Person, Question
from retrieval.types import Scope

T = TypeVar("T")


class People(Protocol):
    """What Slack is asked about people and conversations; each can raise `SlackError`."""

    def person(self, user_id: str) -> Person: ...
    def people(self) -> tuple[Person, ...]: ...
    def conversation(self, channel_id: str) -> Conversation: ...
    def public_channels(self) -> tuple[Conversation, ...]: ...
    def conversations_of(self, user_id: str) -> frozenset[str]: ...
    def members(self, channel_id: str) -> frozenset[str]: ...


class Access(Protocol):
    """Who may read what; what can't be read is not in scope."""

    def scope_of(self, question: Question) -> Scope: ...

    def forget(self, change: AccessChange | None) -> None: ...


class CertainAccess:
    """The same rule as for answers, for taking away what stands already.

    For an answer that is yet to be posted, a fault of Slack's is no access. It must not wipe what stands, so that here
    it is an error. Where Slack says that Footnote may not read something, that is no access here too.
    """

    def __init__(self, people: People, join: Callable[[People], Access]) -> None:
        """Use the rule that `join` makes of what Slack is asked."""
        self._noting = _Noting(people)
        self._access = join(self._noting)
        self._one_at_a_time = threading.Lock()

    def scope_of(self, question: Question) -> Scope:
        """What every reader of the reply, present or later, may read.

        Raises:
            SlackError: that can't be known now.
        """
        with self._one_at_a_time:
            self._noting.fault = None
            scope = self._access.scope_of(question)
            if self._noting.fault:
                raise self._noting.fault
            return scope

    def forget(self, change: AccessChange | None) -> None:
        """Rely no more on what was known of a channel or a person before it changed; None is no change."""
        self._access.forget(change)


class _Noting:
    """Asks as it is asked, and notes what fails for another reason than that Footnote may not know."""

    def __init__(self, people: People) -> None:
        self._people = people
        self.fault: SlackError | None = None

    def person(self, user_id: str) -> Person:
        return self._noted(lambda: self._people.person(user_id))

    def people(self) -> tuple[Person, ...]:
        return self._noted(self._people.people)

    def conversation(self, channel_id: str) -> Conversation:
        return self._noted(lambda: self._people.conversation(channel_id))

    def public_channels(self) -> tuple[Conversation, ...]:
        return self._noted(self._people.public_channels)

    def conversations_of(self, user_id: str) -> frozenset[str]:
        return self._noted(lambda: self._people.conversations_of(user_id))

    def members(self, channel_id: str) -> frozenset[str]:
        return self._noted(lambda: self._people.members(channel_id))

    def _noted(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except SlackError as error:
            if not isinstance(error, SlackDenied):
                self.fault = error
            raise
