"""Calls Slack's Web API: pages to their end, waits as Slack asks, and says in one way how a call fails."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import SlackDenied, SlackError
from bot.slack.payloads import Payload, child, children, string

TIMEOUT_S = 20
"""Slack answers within a few seconds or not at all; a longer wait would only hold the asker up."""
PATIENCE_S = 65.0
"""Slack's windows are a minute long, so a call that must wait longer is refused for another reason."""

_DENIALS = frozenset(
    {
        "access_denied",
        "channel_not_found",
        "ekm_access_denied",
        "method_not_supported_for_channel_type",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_in_channel",
        "restricted_action",
        "team_access_not_granted",
        "team_not_found",
        "user_not_found",
        "user_not_visible",
        "users_not_found",
    }
)
"""Slack's names for what Footnote may not read; every other error name means that it could not be read now."""
_NO_ANSWER = (ValueError, AttributeError)
"""What the client raises of a body that isn't JSON, or is JSON but no object."""
_ERROR_NAME = re.compile(r"[a-z0-9_:]{1,80}")

log = logging.getLogger(__name__)
_client_log = logging.getLogger(f"{__name__}.client")
_client_log.setLevel(logging.CRITICAL)  # below, it writes whole requests and answers, and errors that we tell ourselves


def open_client(token: str, api_url: str) -> WebClient:
    """A client that tries nothing twice of its own accord, since a post that arrived may seem to have failed."""
    url = api_url.rstrip("/") + "/"
    return WebClient(token, base_url=url, timeout=TIMEOUT_S, retry_handlers=[], logger=_client_log)


class SlackApi:
    """The Web API by method name. Raises `SlackDenied` and `SlackError`, and nothing of slack_sdk's."""

    def __init__(
        self, client: WebClient, patience_s: float = PATIENCE_S, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._client = client
        self._patience_s = patience_s
        self._sleep = sleep

    def read(self, method: str, **arguments: object) -> Payload:
        """Call a method that changes nothing; once more where the connection broke."""
        try:
            return self._patiently(method, {"data": arguments})
        except SlackError as error:
            if error.code != "unreachable":
                raise
            return self._patiently(method, {"data": arguments})

    def write(self, method: str, **arguments: object) -> Payload:
        """Call a method that changes something; where the connection broke, it may have done so or not."""
        return self._patiently(method, {"json": arguments})

    def pages(self, method: str, field: str, **arguments: object) -> Iterator[Payload]:
        """Every object of a paged list, to the last page."""
        for page in self._pages(method, arguments):
            yield from children(page, field)

    def id_pages(self, method: str, field: str, **arguments: object) -> Iterator[str]:
        """Every id of a paged list of ids, to the last page."""
        for page in self._pages(method, arguments):
            ids = page.get(field)
            if not isinstance(ids, list):
                raise SlackError(method, "unreadable_answer")
            yield from (str(item) for item in ids)

    def _pages(self, method: str, arguments: dict[str, object]) -> Iterator[Payload]:
        cursor = ""
        while True:
            page = self.read(method, **arguments, **({"cursor": cursor} if cursor else {}))
            yield page
            cursor = string(child(page, "response_metadata"), "next_cursor")
            if not cursor:
                return

    def _patiently(self, method: str, body: dict[str, dict[str, object]]) -> Payload:
        """The call, made again after each wait that Slack asks for, as long as patience lasts."""
        patience_s = self._patience_s
        while True:
            try:
                return self._once(method, body)
            except _Wait as wait:
                patience_s -= wait.seconds
                if patience_s < 0:
                    raise SlackError(method, "ratelimited") from wait
                log.info("waiting %.0f s for %s, as Slack asks", wait.seconds, method)
                self._sleep(wait.seconds)

    def _once(self, method: str, body: dict[str, dict[str, object]]) -> Payload:
        try:
            answer = self._client.api_call(method, **body)  # type: ignore[arg-type]  # its overloads are by keyword
        except SlackApiError as error:
            raise _translated(method, error) from error
        except (SlackClientError, OSError, HTTPException, *_NO_ANSWER) as error:
            raise SlackError(method, "unreachable") from error
        data = answer.data
        if not isinstance(data, dict):
            raise SlackError(method, "unreadable_answer")
        return data


class _Wait(Exception):
    """Slack answered 429."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


def _translated(method: str, error: SlackApiError) -> Exception:
    answer = error.response
    if answer.status_code == 429:
        return _Wait(_seconds(str(answer.headers.get("Retry-After", ""))))
    data = answer.data if isinstance(answer.data, dict) else {}
    code = string(data, "error")
    if not _ERROR_NAME.fullmatch(code):
        code = f"http_{answer.status_code}"
    return SlackDenied(method, code) if code in _DENIALS else SlackError(method, code)


def _seconds(retry_after: str) -> float:
    return float(retry_after) if retry_after.isdecimal() else 1.0
