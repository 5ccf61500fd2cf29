"""What a chat model is asked, what comes back piece by piece, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: fixed instructions, and what they are to be applied to."""

    instructions: str
    text: str
    most_tokens: int
    """Of the reply, in the model's tokens."""


class Finish(Enum):
    """Why a model stopped."""

    DONE = "done"
    LIMIT = "limit"
    """At the token limit: its last sentence is not whole."""
    REFUSED = "refused"
    """The provider or the model declines to answer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some more of a reply; the last piece alone has a finish, and every reply that is whole has one."""

    text: str = ""
    finish: Finish | None = None


class ChatModel(Protocol):
    """Writes a reply to a request."""

    @property
    def name(self) -> str:
        """What the model is called, for `footnote check` and the log."""
        ...

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        """The reply as it is written; closing the iterator ends the call.

        Raises:
            ChatModelBusy: it may work when asked again; before the first piece nothing of it was said.
            ChatModelError: it can't be asked so, or what it says can't be read.
        """
        ...
