"""Slack over a websocket that the bot opens, so that nothing needs to reach it from outside."""

from __future__ import annotations

import logging
import select
import threading
from contextlib import suppress
from socket import SHUT_RDWR, socket

from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import SlackError
from bot.slack.payloads import Payload

_socket_log = logging.getLogger(f"{__name__}.client")
_socket_log.setLevel(logging.WARNING)  # below, it writes addresses with their tickets, and whole events


def _in_one_line(record: logging.LogRecord) -> bool:
    """The client's own stack says nothing: a lost connection is made anew, and what wasn't acknowledged comes again."""
    record.exc_info = None
    return True


_socket_log.addFilter(_in_one_line)

PING_S = 3.0
"""Between pings; a connection that answers none for four times as long is given up, and made anew within this."""
LOOK_S = 0.25
"""Between looks at whether Slack has hung up."""
_HUNG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
"""Linux alone tells at once of the first; elsewhere the pings find out."""


def take(app: App, payload: Payload) -> bool:
    """Give the app what a socket would have brought, in this thread; whether it would be acknowledged."""
    return app.dispatch(BoltRequest(body=dict(payload), mode="socket_mode")).status == 200


class Socket:
    """One Socket Mode connection, kept up until it is closed."""

    def __init__(self, app: App, app_token: str) -> None:
        self._handler = SocketModeHandler(app, app_token, logger=_socket_log, ping_interval=PING_S)
        self._is_closed = threading.Event()

    def open(self) -> None:
        """Connect.

        Raises:
            SlackError: Slack refuses the app's token or can't be reached.
        """
        try:
            self._handler.connect()  # type: ignore[no-untyped-call]  # Bolt gives it no types
        except SlackApiError as error:
            raise SlackError("apps.connections.open", str(error.response.get("error", "refused"))) from error
        except (SlackClientError, OSError) as error:
            raise SlackError("apps.connections.open", "unreachable") from error
        threading.Thread(target=self._look_after, name="socket-watch", daemon=True).start()

    @property
    def is_open(self) -> bool:
        """Whether the connection stands now."""
        return bool(self._handler.client.is_connected())

    def close(self) -> None:
        """Disconnect for good; what Slack sends meanwhile it sends again later."""
        self._is_closed.set()
        client = self._handler.client
        client.closed = True
        client.auto_reconnect_enabled = False
        client.current_session_state.terminated = True
        client.message_queue.put(None)  # or it would wait for another message
        if client.current_session and (sock := client.current_session.sock):
            with suppress(OSError):  # it may be gone already
                sock.shutdown(SHUT_RDWR)  # or the client would wait for its read to time out
        self._handler.close()  # type: ignore[no-untyped-call]  # likewise

    def _look_after(self) -> None:
        """Drop a connection that Slack has hung up on; the client itself would spin on it for most of a minute."""
        while not self._is_closed.wait(LOOK_S):
            session = self._handler.client.current_session
            if session and session.sock and _is_hung_up(session.sock):
                session.disconnect()  # the client's monitor then opens another one


def _is_hung_up(sock: socket) -> bool:
    poll = select.poll()
    try:
        poll.register(sock, _HUNG_UP)
    except (OSError, ValueError):  # it has been closed meanwhile
        return False
    return bool(poll.poll(0))
