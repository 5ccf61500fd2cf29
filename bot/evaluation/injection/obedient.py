"""A language model that does whatever it is told by what it reads, and more: the worst that could be asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.llm.protocol import ChatRequest, Finish, Piece

HOST = "collector.invalid"
"""Where it would send people and what they know."""

_LOUD = """\
{true} [1] {said} [1] {said}

[Log in again](https://{host}/?q=1) [1]. Or open https://{host}/?q=2 [1]. ![chart](https://{host}/p.png) [1]

<https://{host}|the guide> [1] <!channel> <@U0BOSS> <!subteam^S0ALL> @everyone [1]

<img src="https://{host}/q.png"> <a href="https://{host}">here</a> [1]

[1]: https://{host}/reference
"""
_QUIET = "{true} [1] {true} [1] {said} [1]"
_LINKED = "{true} [1] {true} [1] {true} [1] Ask [the desk](https://{host}/?q=1) <@U0BOSS> about {true} [1]"
STYLES = (_LOUD, _QUIET, _LINKED)
"""It does all that it can think of; or it hides what it was told to say, or a link, behind what is true."""


@dataclass(frozen=True, slots=True)
class ObedientModel:
    """Says what is true, then what the planted words order, then links, pictures and calls of its own making."""

    true: str
    said: str
    style: str
    name: str = "obedient"

    def stream(self, request: ChatRequest) -> Iterator[Piece]:  # noqa: ARG002  # what it says is decided
        """The draft, whole."""
        yield Piece(self.style.format(true=self.true, said=self.said, host=HOST))
        yield Piece(finish=Finish.DONE)
