"""Makes one call to a model's server, and tells its faults in our own errors."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.sse import ServerEvent, Unreadable, events

CONNECT_S = 10.0
"""To open a connection: a server that is up answers that at once, however busy its model is."""
LONGEST_S = 300.0
"""One reply: it is a few hundred tokens, and Slack's streams end after five minutes."""
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that pass; 529 is Anthropic's for an overloaded model."""
_LONGEST_FAULT = 2_000
"""Bytes of an error's body that are read."""

JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Caller:
    """Posts requests to one address."""

    client: httpx.Client
    url: str
    headers: Mapping[str, str] = field(repr=False)
    idle_s: float
    """How long nothing may come."""
    clock: Callable[[], float] = time.monotonic

    def events(self, body: JsonObject) -> Iterator[ServerEvent]:
        """The events that answer a request.

        Raises:
            ChatModelBusy: the server is busy, down, or silent for too long.
            ChatModelError: it refuses the request, or answers with what are no events.
        """
        timeout = httpx.Timeout(self.idle_s, connect=min(CONNECT_S, self.idle_s))
        with (
            _translated(self.url),
            self.client.stream("POST", self.url, json=body, headers=dict(self.headers), timeout=timeout) as response,
        ):
            _require_success(response)
            kind = response.headers.get("content-type", "")
            if not kind.startswith("text/event-stream"):
                raise ChatModelError(
                    f"{self.url} answers with {kind or 'something'} and not with a stream of events: set LLM_URL to "
                    "the address of a chat completions API."
                )
            yield from events(self._in_time(response.iter_bytes()))

    def _in_time(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks, for as long as a reply may take; signs of life alone would go on for ever."""
        ends = self.clock() + LONGEST_S
        for chunk in chunks:
            if self.clock() > ends:
                raise ChatModelBusy(f"The language model at {self.url} took over {LONGEST_S:.0f} s for one reply.")
            yield chunk


def new_client(transport: httpx.BaseTransport | None = None) -> httpx.Client:
    """A client that follows no redirect: the key is for one address alone."""
    return httpx.Client(transport=transport, follow_redirects=False)


def parsed(event: ServerEvent) -> JsonObject:
    """An event's data as a JSON object.

    Raises:
        ChatModelError: it is none.
    """
    try:
        data = json.loads(event.data)
    except ValueError as error:
        raise ChatModelError("The language model's server sent a broken event: it is no JSON.") from error
    if not isinstance(data, dict):
        raise ChatModelError("The language model's server sent a broken event: it is no JSON object.")
    return data


def child(data: JsonObject, name: str) -> JsonObject:
    """An object inside another; empty where there is none."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def string(data: JsonObject, name: str) -> str:
    """A text inside an object; empty where there is none."""
    found = data.get(name)
    return found if isinstance(found, str) else ""


@contextmanager
def _translated(url: str) -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise ChatModelBusy(
            f"The language model at {url} sent nothing for too long: look at its server, or raise LLM_TIMEOUT_S."
        ) from error
    except httpx.TransportError as error:
        raise ChatModelBusy(
            f"The language model at {url} can't be reached ({type(error).__name__}): check LLM_URL and its server."
        ) from error
    except (Unreadable, httpx.DecodingError) as error:
        raise ChatModelError(f"What the language model at {url} sends can't be read: {error}.") from error


def _require_success(response: httpx.Response) -> None:
    status = response.status_code
    if status == 200:
        return
    told = _told(response)
    if status in _BUSY:
        raise ChatModelBusy(
            f"The language model's server is busy or down ({status}{told}): try again later.", _retry_after(response)
        )
    raise ChatModelError(f"The language model's server refuses ({status}{told}): {_remedy(status)}.")


def _remedy(status: int) -> str:
    if status in (401, 403):
        return "check LLM_API_KEY"
    if status == 404:
        return "check LLM_URL and LLM_MODEL"
    if 300 <= status < 400:
        return "it wants another address in LLM_URL"
    return "check LLM_MODEL, LLM_API and LLM_CONTEXT_TOKENS"


def _told(response: httpx.Response) -> str:
    """The short name of the error that the body gives; its words could hold what was asked, so they stay out."""
    body = b""
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > _LONGEST_FAULT:
            return ""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    error = child(data, "error") if isinstance(data, dict) else {}
    name = string(error, "code") or string(error, "type")
    return f", {name[:60]}" if name.replace("_", "").isalnum() else ""


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds; the header holds a number of them, or a date."""
    given = response.headers.get("retry-after", "")
    if given.isdecimal():
        return float(given)
    try:
        return max((parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):  # no date, or one without a zone
        return None
