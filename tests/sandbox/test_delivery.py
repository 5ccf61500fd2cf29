"""Socket Mode's promises: acks, redelivery, several connections, reconnecting, and faults on request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from sandbox.delivery import Timing
from sandbox.server import Sandbox
from tests.sandbox.company import company
from tests.sandbox.conftest import ClientFor, generous
from tests.sandbox.listening import Envelope, ListeningApp

QUICK = Timing(ack_timeout_s=0.2, retry_delays_s=(0.0, 0.05, 0.1))
_TIMEOUT_S = 5  # for addresses on loopback


@contextmanager
def impatient(acks: Callable[[Envelope], bool]) -> Iterator[tuple[ListeningApp, WebClient, str]]:
    """An app that acks as told, in a sandbox that gives up soon; with a client for bo and #general's id."""
    with Sandbox.running(company(), manifest=generous(), timing=QUICK) as sandbox:
        app = ListeningApp(sandbox.api_url, sandbox.app_token, acks)
        bo = WebClient(token=sandbox.token("bo"), base_url=sandbox.api_url)
        yield app, bo, sandbox.channel_id("general")
        app.close()


def test_hello_comes_first(sandbox: Sandbox, app: ListeningApp) -> None:
    """A new connection is greeted with the app's id and the number of connections."""
    hello = app.others[0]
    assert (hello["type"], hello["num_connections"]) == ("hello", 1)
    assert hello["connection_info"] == {"app_id": "A0FOOTNOTE"}


def test_a_ticket_opens_one_connection(sandbox: Sandbox, client: ClientFor) -> None:
    """An address that was not handed out, or was used, is refused."""
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"{sandbox.url}link/?ticket=none", timeout=_TIMEOUT_S)


def test_what_is_not_acked_comes_again() -> None:
    """An event without an ack is sent three times more, with its id and how often it was tried."""
    with impatient(lambda _: False) as (app, bo, general):
        bo.chat_postMessage(channel=general, text="x")
        app.expect("message", 4)
        app.expect_nothing("app_mention")
        tries = [(each["retry_attempt"], each["retry_reason"]) for each in app.envelopes]
    assert tries == [(0, ""), (1, "timeout"), (2, "timeout"), (3, "timeout")]
    assert len({each["payload"]["event_id"] for each in app.envelopes}) == 1
    assert len({each["envelope_id"] for each in app.envelopes}) == 4


def test_what_is_acked_comes_once() -> None:
    """An ack ends the tries, the second one's too."""
    with impatient(lambda envelope: envelope["retry_attempt"] == 1) as (app, bo, general):
        bo.chat_postMessage(channel=general, text="x")
        app.expect("message", 2)
        assert not app.wait(lambda: len(app.envelopes) > 2, 0.5)


def test_events_wait_for_a_connection() -> None:
    """What happens while nothing is connected is tried again and reaches the next connection."""
    timing = Timing(ack_timeout_s=1.0, retry_delays_s=(0.0, 30.0))
    with Sandbox.running(company(), timing=timing) as sandbox:
        bo = WebClient(token=sandbox.token("bo"), base_url=sandbox.api_url)
        bo.chat_postMessage(channel=sandbox.channel_id("general"), text="early")
        app = ListeningApp(sandbox.api_url, sandbox.app_token)
        bo.api_call("sandbox.advanceClock", json={"seconds": 31})
        app.expect("message")
        assert (app.envelopes[0]["retry_attempt"], app.envelopes[0]["retry_reason"]) == (2, "connection_failed")
        app.close()


def test_connections_share_the_events(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """With two connections each event goes to one of them, and both get some."""
    second = ListeningApp(sandbox.api_url, sandbox.app_token)
    for number in range(6):
        client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text=str(number))
    assert second.wait(lambda: len(app.events()) + len(second.events()) == 6)
    texts = [event["text"] for event in app.events() + second.events()]
    assert sorted(texts) == [str(number) for number in range(6)]
    assert app.events()
    assert second.events()
    assert second.others[0]["num_connections"] == 2
    second.close()


def test_the_app_is_asked_to_reconnect(client: ClientFor, app: ListeningApp) -> None:
    """A refresh is announced by a message on every connection."""
    client("ann").api_call("sandbox.breakConnections", json={"how": "refresh_requested"})
    assert app.wait(lambda: len(app.others) == 2)
    assert (app.others[1]["type"], app.others[1]["reason"]) == ("disconnect", "refresh_requested")


def test_connections_break(client: ClientFor, app: ListeningApp) -> None:
    """A cut ends the connection without a word."""
    client("ann").api_call("sandbox.breakConnections")
    assert app.wait(lambda: app.closed)
    assert client("ann").api_call("sandbox.pending")["connections"] == 0


def test_dropped_events_never_come(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Of one kind, as many as asked for are lost; the next one comes."""
    client("ann").api_call("sandbox.dropEvents", json={"event": "app_mention", "count": 1})
    for text in ("<@U0FOOTNOTE> one", "<@U0FOOTNOTE> two"):
        client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text=text)
    assert [event["text"] for event in app.expect("app_mention")] == ["<@U0FOOTNOTE> two"]
    assert len(app.expect("message", 2)) == 2


def test_delayed_events_come_when_the_clock_says(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A late event waits for its time, which pushing the clock brings."""
    client("ann").api_call("sandbox.delayEvents", json={"event": "message", "seconds": 600})
    client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text="late")
    app.expect_nothing("message")
    client("ann").api_call("sandbox.advanceClock", json={"seconds": 600})
    assert [event["text"] for event in app.expect("message")] == ["late"]


def test_repeated_events_keep_their_id(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """An event sent again is the same event."""
    client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text="x")
    app.expect("message")
    client("ann").api_call("sandbox.repeatEvent", json={"times": 2})
    app.expect("message", 3)
    assert len({each["payload"]["event_id"] for each in app.envelopes}) == 1


def test_lost_acks_bring_the_event_again() -> None:
    """When Slack loses an ack, the app hears the event twice."""
    with impatient(lambda _: True) as (app, bo, general):
        bo.api_call("sandbox.loseAcks", json={"count": 1})
        bo.chat_postMessage(channel=general, text="x")
        assert [event["text"] for event in app.expect("message", 2)] == ["x", "x"]


def test_rate_limits_say_when_to_come_back(sandbox: Sandbox, client: ClientFor) -> None:
    """As many calls as asked for get 429 with Retry-After; other methods and later calls go through."""
    bot = client("bot")
    bot.api_call("sandbox.rateLimit", json={"method": "users.info", "count": 1, "retry_after": 7})
    assert bot.users_list()["ok"]
    with pytest.raises(SlackApiError) as caught:
        bot.users_info(user=sandbox.user_id("ann"))
    assert (caught.value.response.status_code, caught.value.response["error"]) == (429, "ratelimited")
    assert caught.value.response.headers["Retry-After"] == "7"
    assert bot.users_info(user=sandbox.user_id("ann"))["ok"]


def test_failures_come_on_request(sandbox: Sandbox, client: ClientFor) -> None:
    """The next calls of a method answer the error that was asked for."""
    bot = client("bot")
    bot.api_call("sandbox.fail", json={"method": "conversations.members", "error": "internal_error", "count": 2})
    for _ in range(2):
        with pytest.raises(SlackApiError, match="internal_error"):
            bot.conversations_members(channel=sandbox.channel_id("general"))
    assert bot.conversations_members(channel=sandbox.channel_id("general"))["ok"]


def test_calls_are_logged_with_their_arguments(sandbox: Sandbox, client: ClientFor) -> None:
    """Every call is kept: method, whose token, arguments without the token, error."""
    general = sandbox.channel_id("general")
    client("bot").chat_postMessage(channel=general, text="x", unfurl_links=False, unfurl_media=False)
    logged = client("ann").api_call("sandbox.calls", json={"method": "chat.postMessage"})["calls"]
    arguments = {"channel": general, "text": "x", "unfurl_links": False, "unfurl_media": False}
    assert logged == [
        {
            "method": "chat.postMessage",
            "token": "bot",
            "user": "U0FOOTNOTE",
            "arguments": arguments,
            "error": "",
        }
    ]


def test_fifty_events_a_second_arrive_in_order(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A burst of a hundred posts reaches the app whole and in order."""
    general, bo = sandbox.channel_id("general"), client("bo")
    for number in range(100):
        bo.chat_postMessage(channel=general, text=str(number))
    events = app.expect("message", 100)
    assert [event["text"] for event in events] == [str(number) for number in range(100)]


def test_pending_counts_what_is_not_acked() -> None:
    """An event counts as pending until its ack, or until it is given up."""
    with impatient(lambda envelope: envelope["retry_attempt"] == 1) as (app, bo, general):
        bo.chat_postMessage(channel=general, text="x")
        before = bo.api_call("sandbox.pending")["envelopes"]
        app.expect("message", 2)
        assert app.wait(lambda: bo.api_call("sandbox.pending")["envelopes"] == 0)
    assert before == 1
