"""Chat models that say what a test wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.llm.protocol import ChatRequest, Finish, Piece


@dataclass
class ScriptedModel:
    """Says its replies one after the other, a few letters at a time, and remembers what it was asked."""

    replies: Sequence[str | Exception] = ()
    finish: Finish = Finish.DONE
    name: str = "scripted"
    size: int = 7
    asked: list[ChatRequest] = field(default_factory=list)

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        said = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(request)
        if isinstance(said, Exception):
            raise said
        for at in range(0, len(said), self.size):
            yield Piece(said[at : at + self.size])
        yield Piece(finish=self.finish)
