"""Puts calls to a Qdrant server: repeats those that may pass, and says in one sentence what is wrong with the rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from grpc import RpcError  # type: ignore[import-untyped]  # grpcio says no types
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from retrieval.errors import StoreUnavailable

_T = TypeVar("_T")

_FAULTS = (ApiException, QdrantException, RpcError, ValueError, RuntimeError)
"""What the client raises; the last two by its local mode, and where it was given what it can't send."""
_PAUSES_S = (0.2, 1.0)
"""Before the second and the third attempt, the last: a server that restarts or moves a shard is back by then."""

_PASSING = frozenset({"429", "502", "503", "504", "UNAVAILABLE", "RESOURCE_EXHAUSTED"})
_REFUSED = frozenset({"401", "403", "UNAUTHENTICATED", "PERMISSION_DENIED"})
_GONE = frozenset({"404", "NOT_FOUND"})
_UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes calls to one server. All of a store's calls can be repeated."""

    where: str
    """The server's address, for people."""
    timeout_s: float
    """Of each attempt, in the client; no attempt begins when this much has passed since the first."""
    sleep: Callable[[float], None] = field(default=time.sleep)

    def make(self, doing: str, call: Callable[[], _T]) -> _T:
        """What the call returns.

        Args:
            doing: What fails, if it does, such as "Searching the store".
            call: What to do; it is done again where the fault may pass.

        Raises:
            StoreUnavailable: it failed for good; the words of the server's answer are left out, which may repeat ours.
        """
        deadline = time.monotonic() + self.timeout_s
        for pause_s in (*_PAUSES_S, None):
            try:
                return call()
            except _FAULTS as error:
                if pause_s is None or not _may_pass(error) or time.monotonic() + pause_s > deadline:
                    raise StoreUnavailable(f"{doing} failed: {self._reason(error)}.") from error
                self.sleep(pause_s)
        raise AssertionError("unreachable")  # the last attempt returns or raises

    def _reason(self, error: Exception) -> str:
        code = _code(error)
        if code == _UNREACHABLE or code in _PASSING:
            told = "" if code == _UNREACHABLE else f" ({code})"
            return f"the Qdrant server at {self.where} can't be reached{told}; see that it runs, and check QDRANT_URL"
        if code in _REFUSED:
            return f"the Qdrant server at {self.where} refuses the key ({code}); check QDRANT_API_KEY"
        if code in _GONE:
            return f"the Qdrant server at {self.where} has no such collection any more; start again, and index again"
        if code:
            return f"the Qdrant server at {self.where} answered {code}; its log says why"
        return str(error).strip().rstrip(".") or type(error).__name__


def _may_pass(error: Exception) -> bool:
    return _code(error) in _PASSING | {_UNREACHABLE}


def _code(error: Exception) -> str:
    """An HTTP status, a gRPC status by name, `unreachable`, or "" for what never left the client."""
    if isinstance(error, UnexpectedResponse):
        return str(error.status_code)
    if isinstance(error, ResourceExhaustedResponse):
        return "429"
    if isinstance(error, ResponseHandlingException):
        # pydantic's errors are of this kind: an answer came, and it is none of a Qdrant server
        return "with what is no answer of Qdrant" if isinstance(error.source, ValueError) else _UNREACHABLE
    if isinstance(error, RpcError):
        code = getattr(error, "code", None)  # there where a call failed, absent from the bare class
        return str(code().name) if callable(code) else _UNREACHABLE
    return ""
