"""The Bolt app: what it takes from Slack and hands on."""

from __future__ import annotations

import logging
from collections.abc import Callable

from slack_bolt import App, BoltRequest, BoltResponse
from slack_sdk import WebClient

from bot.slack.commanding import said_at_once
from bot.slack.events import is_event
from bot.slack.inbox import Inbox
from bot.slack.interactions import as_event

_bolt_log = logging.getLogger(f"{__name__}.bolt")
_bolt_log.setLevel(logging.ERROR)  # its warnings carry whole requests, with what people wrote


def build_app(client: WebClient, inbox: Inbox, signing_secret: str = "") -> App:
    """A Bolt app that writes every event, press and command down before it is acknowledged.

    Args:
        signing_secret: checks that requests over HTTP are Slack's; needless over Socket Mode.
    """

    def keep_events(req: BoltRequest, next: Callable[[], None]) -> BoltResponse | None:  # Bolt gives by these names
        body = req.body if is_event(req.body) else as_event(req.body)
        if body is None:
            next()
            return None
        inbox.keep(body)  # where this fails Bolt answers 500: Slack sends an event again, and says that a press failed
        return BoltResponse(status=200, body=dict(said) if (said := said_at_once(req.body)) else "")

    return App(
        client=client,
        logger=_bolt_log,
        signing_secret=signing_secret,
        request_verification_enabled=bool(signing_secret),
        token_verification_enabled=False,  # a wrong token is told by `footnote check`, in words that help
        process_before_response=True,  # acknowledged means done, for what isn't an event too
        ignoring_self_events_enabled=False,  # it would hide edits of our own posts; whose post it is, we tell
        before_authorize=keep_events,  # authorize answers 200 and drops the event when it fails
    )
