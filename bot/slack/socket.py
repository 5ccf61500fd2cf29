"""Slack over a websocket that the bot opens, so that nothing needs to reach it from outside."""

from __future__ import annotations

import logging
from contextlib import suppress
from socket import SHUT_RDWR

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import SlackError

_socket_log = logging.getLogger(f"{__name__}.client")
_socket_log.setLevel(logging.WARNING)  # below, it writes addresses with their tickets, and whole events


def _in_one_line(record: logging.LogRecord) -> bool:
    """The client's own stack says nothing: a lost connection is made anew, and what wasn't acknowledged comes again."""
    record.exc_info = None
    return True


_socket_log.addFilter(_in_one_line)


class Socket:
    """One Socket Mode connection, kept up until it is closed."""

    def __init__(self, app: App, app_token: str) -> None:
        self._handler = SocketModeHandler(app, app_token, logger=_socket_log)

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

    @property
    def is_open(self) -> bool:
        """Whether the connection stands now."""
        return bool(self._handler.client.is_connected())

    def close(self) -> None:
        """Disconnect for good; what Slack sends meanwhile it sends again later."""
        client = self._handler.client
        client.closed = True
        client.auto_reconnect_enabled = False
        client.current_session_state.terminated = True
        client.message_queue.put(None)  # or it would wait for another message
        if client.current_session and (sock := client.current_session.sock):
            with suppress(OSError):  # it may be gone already
                sock.shutdown(SHUT_RDWR)  # or the client would wait for its read to time out
        self._handler.close()  # type: ignore[no-untyped-call]  # likewise
