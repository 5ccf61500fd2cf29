"""One call of a method: what a method gets, and what the table of methods says about it."""

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.access import Caller, TokenKind
from sandbox.arguments import Arguments
from sandbox.delivery import Delivery
from sandbox.events import EventFeed
from sandbox.faults import CallLog, Faults
from sandbox.manifest import Manifest
from sandbox.socket_mode import SocketMode
from sandbox.state import Workspace
from sandbox.types import Json


@dataclass(frozen=True, slots=True)
class Call:
    """Everything that a method may use."""

    workspace: Workspace
    caller: Caller
    args: Arguments
    feed: EventFeed
    delivery: Delivery
    socket_mode: SocketMode
    faults: Faults
    log: CallLog
    manifest: Manifest


_PEOPLE_AND_BOTS = frozenset({TokenKind.BOT, TokenKind.PERSON})


@dataclass(frozen=True, slots=True)
class Method:
    """One line of the table: any one of `scopes` is enough; a method that waits runs outside the lock."""

    run: Callable[[Call], Json]
    required: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    tokens: frozenset[TokenKind] = _PEOPLE_AND_BOTS
    waits: bool = False


Methods = dict[str, Method]
