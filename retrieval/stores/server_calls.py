"""Puts calls to a Qdrant server: repeats those that may pass, and says in one sentence what is wrong with the rest."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from grpc import RpcError  # type: ignore[import-untyped]  # grpcio says no types
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from retrieval.errors import StoreUnavailable

_T = TypeVar("_T")

_FAULTS = (ApiException, QdrantException, RpcError, AssertionError, ValueError, RuntimeError)
"""What the client raises: it asserts that an answer holds a result; the last two are its local mode's, and of what it
can't send."""
_PAUSES_S = (0.2, 1.0)
"""At most, before the second and the third attempt, the last: who restarts or moves a shard is back by then."""

_BUSY = frozenset({"429", "RESOURCE_EXHAUSTED"})
_PASSING = _BUSY | {"408", "500", "502", "503", "504", "UNAVAILABLE", "INTERNAL", "ABORTED", "DEADLINE_EXCEEDED"}
"""What another attempt may mend. A cluster answers 500 too, where a write didn't reach enough replicas."""
_REFUSED = frozenset({"401", "403", "UNAUTHENTICATED", "PERMISSION_DENIED"})
_GONE = frozenset({"404", "NOT_FOUND"})
_FULL = frozenset({"507"})
_UNREACHABLE = "unreachable"
_NO_ANSWER = "with what is no answer of Qdrant"


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes calls to one server, again where the fault may pass.

    Whatever is called must come to the same when it is done twice: the server may have done what it didn't answer.
    """

    where: str
    """The server's address, for people."""
    timeout_s: float
    """Of each attempt, in the client; no attempt begins when this much has passed since the first."""
    sleep: Callable[[float], None] = field(default=time.sleep)
    chance: Callable[[], float] = field(default=random.random)
    """From 0 to 1: how much of the latter half of a pause is waited, so that clients don't come back all at once."""

    def make(self, doing: str, call: Callable[[], _T]) -> _T:
        """What the call returns.

        Args:
            doing: What fails, if it does, such as "Searching the store".
            call: What to do; it is done again where the fault may pass.

        Raises:
            StoreUnavailable: it failed for good; the words of the server's answer are left out, which may repeat ours.
        """
        deadline = time.monotonic() + self.timeout_s
        for longest_s in (*_PAUSES_S, None):
            try:
                return call()
            except _FAULTS as error:
                pause_s = self._pause_s(error, longest_s)
                if pause_s is None or time.monotonic() + pause_s > deadline:
                    raise StoreUnavailable(f"{doing} failed: {self._reason(error)}.") from error
                self.sleep(pause_s)
        raise AssertionError("unreachable")  # the last attempt returns or raises

    def _pause_s(self, error: Exception, longest_s: float | None) -> float | None:
        """Until the next attempt, as long as the server asks for at least; None where there is none."""
        if longest_s is None or _code(error) not in _PASSING | {_UNREACHABLE}:
            return None
        return _asked_s(error) + longest_s * (1 + self.chance()) / 2

    def _reason(self, error: Exception) -> str:
        code, server = _code(error), f"the Qdrant server at {self.where}"
        if code == _UNREACHABLE:
            return f"{server} can't be reached; see that it runs, and check QDRANT_URL"
        if code in _BUSY:
            return f"{server} takes no more for now ({code}); try again later"
        if code in _REFUSED:
            return f"{server} refuses the key ({code}); check QDRANT_API_KEY"
        if code in _GONE:
            return f"{server} has no such collection any more; start again, and index again"
        if code in _FULL:
            return f"{server} has no room left ({code}); make room there"
        if code in _PASSING:
            return f"{server} can't do it now ({code}); try again, and if it stays so, its log says why"
        if code:
            return f"{server} answered {code}; its log says why"
        return str(error).strip().rstrip(".") or type(error).__name__


def _asked_s(error: Exception) -> float:
    """How long the server asks to be left alone."""
    return float(error.retry_after_s) if isinstance(error, ResourceExhaustedResponse) else 0.0


def _code(error: Exception) -> str:
    """An HTTP status, a gRPC status by name, `unreachable`, or "" for what never left the client."""
    if isinstance(error, UnexpectedResponse):
        return str(error.status_code)
    if isinstance(error, QdrantException):  # raised where a server asks for patience, in words that it may not know
        return "429"
    if isinstance(error, ResponseHandlingException):
        # pydantic's errors are of this kind: an answer came, and it is none of a Qdrant server
        return _NO_ANSWER if isinstance(error.source, ValueError) else _UNREACHABLE
    if isinstance(error, AssertionError):
        return _NO_ANSWER
    if isinstance(error, RpcError):
        code = getattr(error, "code", None)  # there where a call failed, absent from the bare class
        return str(code().name) if callable(code) else _UNREACHABLE
    return ""
