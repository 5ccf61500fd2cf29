"""What people do with the app besides writing: buttons, commands, the home tab; and what the app answers."""

import json
import re
from typing import Any
from urllib.request import Request, urlopen

import pytest
from slack_sdk.errors import SlackApiError

from sandbox.manifest import CHECKOUT
from sandbox.methods import METHODS
from sandbox.server import Sandbox
from tests.sandbox.conftest import ClientFor
from tests.sandbox.listening import ListeningApp

_TIMEOUT_S = 5  # for addresses on loopback
BUTTON = {"type": "button", "action_id": "share", "value": "42", "text": {"type": "plain_text", "text": "Share"}}
LABEL = {"type": "plain_text", "text": "Open"}
BLOCKS = [{"type": "actions", "block_id": "row", "elements": [BUTTON]}]
FEEDBACK = {
    "type": "feedback_buttons",
    "action_id": "rate",
    "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "good"},
    "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "bad"},
}


def post(url: str, body: dict[str, Any]) -> None:
    """Send JSON to a response address."""
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    urlopen(request, timeout=_TIMEOUT_S).close()


def test_a_pressed_button_reaches_the_app(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Pressing tells the app who pressed what where, and brings back its ack."""
    general = sandbox.channel_id("general")
    ts = client("bot").chat_postMessage(channel=general, text="t", blocks=BLOCKS)["ts"]
    pressed = client("bo").api_call("sandbox.pressButton", json={"channel": general, "ts": ts, "action_id": "share"})
    envelope = next(each for each in app.envelopes if each["type"] == "interactive")
    payload = envelope["payload"]
    assert (pressed["acked"], pressed["response"]) == (True, {"text": "seen"})
    assert (payload["type"], payload["user"]["id"], payload["message"]["ts"]) == ("block_actions", "U0BO", ts)
    action = payload["actions"][0]
    assert (action["action_id"], action["value"], action["block_id"]) == ("share", "42", "row")
    assert envelope["accepts_response_payload"] is True


def test_feedback_buttons_are_chosen_by_value(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Of two feedback buttons with one action the value says which was pressed."""
    general = sandbox.channel_id("general")
    blocks = [{"type": "context_actions", "elements": [FEEDBACK]}]
    ts = client("bot").chat_postMessage(channel=general, text="t", blocks=blocks)["ts"]
    given = {"channel": general, "ts": ts, "action_id": "rate"}
    client("bo").api_call("sandbox.pressButton", json={**given, "value": "bad"})
    payload = next(each["payload"] for each in app.envelopes if each["type"] == "interactive")
    assert (payload["actions"][0]["type"], payload["actions"][0]["value"]) == ("feedback_buttons", "bad")
    with pytest.raises(SlackApiError, match="action_not_found"):
        client("bo").api_call("sandbox.pressButton", json={**given, "value": "neither"})


def test_nobody_presses_what_they_do_not_see(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A button in a channel of others, or on an ephemeral message of another, can't be pressed."""
    board = sandbox.channel_id("board")
    ts = client("bot").chat_postMessage(channel=board, text="t", blocks=BLOCKS)["ts"]
    given = {"channel": board, "action_id": "share"}
    with pytest.raises(SlackApiError, match="channel_not_found"):
        client("cy").api_call("sandbox.pressButton", json={**given, "ts": ts})
    only_bo = client("bot").chat_postEphemeral(channel=board, user=sandbox.user_id("bo"), text="t", blocks=BLOCKS)
    with pytest.raises(SlackApiError, match="message_not_found"):
        client("ann").api_call("sandbox.pressButton", json={**given, "ts": only_bo["message_ts"]})
    assert client("bo").api_call("sandbox.pressButton", json={**given, "ts": only_bo["message_ts"]})["acked"]


def test_response_addresses_post_replace_and_delete(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """The app answers an interaction privately or openly, replaces its message, or deletes it."""
    general = sandbox.channel_id("general")
    ts = client("bot").chat_postMessage(channel=general, text="t", blocks=BLOCKS)["ts"]
    client("bo").api_call("sandbox.pressButton", json={"channel": general, "ts": ts, "action_id": "share"})
    url = next(each["payload"]["response_url"] for each in app.envelopes if each["type"] == "interactive")
    post(url, {"text": "for you"})
    post(url, {"text": "for all", "response_type": "in_channel"})
    post(url, {"text": "replaced", "replace_original": True})
    texts = [message["text"] for message in client("bo").conversations_history(channel=general)["messages"]]
    assert [e["text"] for e in client("bo").api_call("sandbox.ephemerals")["messages"]] == ["for you"]
    assert texts[:2] == ["for all", "replaced"]
    post(url, {"delete_original": True})
    left = [message["text"] for message in client("bo").conversations_history(channel=general)["messages"]]
    assert "replaced" not in left


def test_commands_reach_the_app(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A slash command of the manifest is delivered, and its ack shown to whoever typed it; another one is unknown."""
    given = {"channel": sandbox.channel_id("general"), "text": "where is the ladder?"}
    answer = client("bo").api_call("sandbox.slashCommand", json={**given, "command": "/footnote"})
    payload = next(each["payload"] for each in app.envelopes if each["type"] == "slash_commands")
    assert (answer["acked"], payload["command"], payload["text"]) == (True, "/footnote", "where is the ladder?")
    assert payload["user_id"] == "U0BO"
    shown = client("bo").api_call("sandbox.ephemerals")["messages"]
    assert [(each["channel"], each["text"]) for each in shown] == [(given["channel"], "seen")]
    assert client("ann").api_call("sandbox.ephemerals")["messages"] == []
    with pytest.raises(SlackApiError, match="unknown_command"):
        client("bo").api_call("sandbox.slashCommand", json={**given, "command": "/other"})


def test_buttons_of_the_home_tab_reach_the_app(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Of several with one action the value says which was pressed; the payload names a view and no channel."""
    buttons = [{"type": "button", "action_id": "open", "value": value, "text": LABEL} for value in ("C1", "C2")]
    blocks = [{"type": "actions", "elements": [button]} for button in buttons]
    given = {"action_id": "open", "value": "C2"}
    with pytest.raises(SlackApiError, match="view_not_found"):
        client("bo").api_call("sandbox.pressHome", json=given)
    view = client("bot").views_publish(user_id="U0BO", view={"type": "home", "blocks": blocks})["view"]
    assert client("bo").api_call("sandbox.pressHome", json=given)["acked"]
    payload = next(each["payload"] for each in app.envelopes if each["type"] == "interactive")
    assert (payload["user"]["id"], payload["actions"][0]["value"]) == ("U0BO", "C2")
    assert (payload["container"], "channel" in payload) == ({"type": "view", "view_id": view["id"]}, False)
    with pytest.raises(SlackApiError, match="action_not_found"):
        client("bo").api_call("sandbox.pressHome", json={**given, "value": "C3"})


def test_the_home_tab_opens(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Opening the home tells the app, and what it publishes is what the person has."""
    client("bo").api_call("sandbox.openHome", json={"tab": "messages"})
    event = app.expect("app_home_opened")[0]
    view = {"type": "home", "blocks": [{"type": "divider"}]}
    client("bot").views_publish(user_id="U0BO", view=view)
    assert (event["user"], event["tab"], event["channel"][:1]) == ("U0BO", "messages", "D")
    assert client("bo").api_call("sandbox.home")["view"]["blocks"] == view["blocks"]
    assert client("ann").api_call("sandbox.home")["view"] is None


def test_sessions_show_what_the_app_set(sandbox: Sandbox, client: ClientFor) -> None:
    """Status, title and prompts of a thread are kept; a reply of the app ends its status line."""
    general, bot = sandbox.channel_id("general"), client("bot")
    ts = client("bo").chat_postMessage(channel=general, text="q")["ts"]
    thread = {"channel_id": general, "thread_ts": ts}
    bot.assistant_threads_setStatus(**thread, status="is reading…")
    bot.api_call("agents.sessions.setStatus", json={**thread, "status": "processing", "title": "Ladders"})
    bot.assistant_threads_setSuggestedPrompts(**thread, prompts=[{"title": "More", "message": "Tell me more"}])
    asked = {"channel": general, "thread_ts": ts}
    before = client("bo").api_call("sandbox.session", json=asked)
    bot.chat_postMessage(channel=general, thread_ts=ts, text="a")
    after = client("bo").api_call("sandbox.session", json=asked)
    assert (before["text"], before["session"], before["title"]) == ("is reading…", "processing", "Ladders")
    assert before["suggested"]["prompts"] == [{"title": "More", "message": "Tell me more"}]
    assert "text" not in after


def test_channels_change_hands(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Made private, a public channel is no longer there for others; shared, it says so."""
    general = sandbox.channel_id("general")
    ann = client("ann")
    ann.conversations_kick(channel=sandbox.channel_id("joint"), user=sandbox.user_id("bo"))
    ann.api_call("sandbox.convertChannel", json={"channel": sandbox.channel_id("joint"), "to": "private"})
    with pytest.raises(SlackApiError, match="channel_not_found"):
        client("cy").conversations_info(channel=sandbox.channel_id("joint"))
    converted = app.expect("message/channel_convert_to_private")[0]
    assert converted["channel_type"] == "group"
    ann.api_call("sandbox.shareChannel", json={"channel": general, "team": "T0PARTNER"})
    assert app.expect("channel_shared")[0]["connected_team_id"] == "T0PARTNER"
    assert client("bot").conversations_info(channel=general)["channel"]["is_ext_shared"] is True


def test_channels_go_and_change_their_id(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A deleted channel is gone for all; one with a new id keeps its messages and members."""
    ann, board = client("ann"), sandbox.channel_id("board")
    new = ann.api_call("sandbox.changeChannelId", json={"channel": board})["channel"]
    ann.api_call("sandbox.deleteChannel", json={"channel": sandbox.channel_id("general")})
    changed = app.expect("channel_id_changed")[0]
    assert (changed["old_channel_id"], changed["new_channel_id"]) == (board, new)
    assert [m["text"] for m in ann.conversations_history(channel=new)["messages"]] == ["Numbers are up."]
    assert [event["channel"] for event in app.expect("channel_deleted")] == ["C0GENERAL"]
    for gone in (board, "C0GENERAL"):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            ann.conversations_info(channel=gone)


@pytest.mark.parametrize("name", ["general", "board"])
def test_sharing_is_told_alike_of_public_and_private_channels(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp, name: str
) -> None:
    """Slack has no events of groups for that; whoever is gone is named as having been connected."""
    shared = {"channel": sandbox.channel_id(name), "team": "T0PARTNER"}
    client("ann").api_call("sandbox.shareChannel", json=shared)
    client("ann").api_call("sandbox.shareChannel", json={**shared, "off": True})
    begun, ended = app.expect("channel_shared")[0], app.expect("channel_unshared")[0]
    assert (begun["channel"], begun["connected_team_id"]) == (shared["channel"], "T0PARTNER")
    assert (ended["channel"], ended["previously_connected_team_id"]) == (shared["channel"], "T0PARTNER")


def test_a_channel_whose_key_is_revoked_says_nothing(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """In place of every message stands one sentence, and the app is told by a message in that channel."""
    board = sandbox.channel_id("board")
    client("ann").api_call("sandbox.revokeKey", json={"channel": board})
    told = app.expect("message/ekm_access_denied")[0]
    assert (told["channel"], told["user"]) == (board, "UREVOKEDU")
    read = client("ann").conversations_history(channel=board)["messages"]
    assert {(message["user"], message["subtype"]) for message in read} == {("UREVOKEDU", "ekm_access_denied")}
    client("ann").api_call("sandbox.revokeKey", json={"channel": board, "off": True})
    assert client("ann").conversations_history(channel=board)["messages"][-1]["text"] == "Numbers are up."


def test_an_import_is_told_as_one_change(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """The messages stand before all others, and the event says no more than that it happened."""
    board = sandbox.channel_id("board")
    client("ann").api_call("sandbox.importMessages", json={"channel": board, "texts": ["First.", "Second."]})
    assert "channel" not in app.expect("group_history_changed")[0]
    read = client("ann").conversations_history(channel=board)["messages"]
    assert [message["text"] for message in read] == ["Numbers are up.", "Second.", "First."]
    app.expect_nothing("message")


def test_an_uninstalled_app_is_out(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """The app hears that it is uninstalled, and its bot can do nothing any more."""
    client("ann").api_call("sandbox.uninstallApp")
    app.expect("tokens_revoked")
    app.expect("app_uninstalled")
    with pytest.raises(SlackApiError, match="account_inactive"):
        client("bot").auth_test()
    client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text="alone")
    app.expect_nothing("message")


def test_every_control_is_in_the_readme() -> None:
    """The sandbox's page names each of its own methods, and none that isn't there."""
    named = set(re.findall(r"`(sandbox\.[a-zA-Z]+)`", (CHECKOUT / "sandbox" / "README.md").read_text()))
    assert named == {name for name in METHODS if name.startswith("sandbox.")}
