"""What the app hears over Socket Mode, and what it does not."""

import threading
from collections.abc import Iterator

import pytest
from slack_bolt import App, Say
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from sandbox.server import Sandbox
from tests.sandbox.company import company
from tests.sandbox.conftest import ClientFor
from tests.sandbox.listening import PATIENCE_S, ListeningApp


def test_a_message_comes_in_slacks_envelope(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """An event names its team, app and installation, and its message as history has it."""
    general = sandbox.channel_id("general")
    posted = client("bo").chat_postMessage(channel=general, text="hello")
    app.expect("message")
    payload = app.envelopes[0]["payload"]
    event = payload["event"]
    assert {**posted["message"], "channel": general, "channel_type": "channel", "event_ts": posted["ts"]} == event
    assert (payload["type"], payload["team_id"], payload["api_app_id"]) == ("event_callback", "T0HOME", "A0FOOTNOTE")
    assert payload["authorizations"] == [
        {
            "enterprise_id": None,
            "team_id": "T0HOME",
            "user_id": "U0FOOTNOTE",
            "is_bot": True,
            "is_enterprise_install": False,
        }
    ]
    assert (payload["is_ext_shared_channel"], payload["event_id"][:3]) == (False, "Ev0")


@pytest.mark.parametrize(
    ("channel", "channel_type", "shared"),
    [("general", "channel", False), ("board", "group", False), ("joint", "channel", True)],
)
def test_events_say_what_kind_of_channel(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp, channel: str, channel_type: str, shared: bool
) -> None:
    """Public, private and shared channels are told apart in the event."""
    client("bo").chat_postMessage(channel=sandbox.channel_id(channel), text="x")
    event = app.expect("message")[0]
    assert (event["channel_type"], app.envelopes[0]["payload"]["is_ext_shared_channel"]) == (channel_type, shared)


def test_direct_messages_come(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """The app hears what is said to it in a DM and in a group DM, and nothing between others."""
    ann = client("ann")
    ann.chat_postMessage(channel=sandbox.user_id("bo"), text="between us")
    ann.chat_postMessage(channel=sandbox.bot_user, text="to the app")
    group = ann.conversations_open(users=[sandbox.user_id("bo"), sandbox.bot_user])["channel"]["id"]
    ann.chat_postMessage(channel=group, text="to both")
    events = app.expect("message", 2)
    assert [(event["text"], event["channel_type"]) for event in events] == [("to the app", "im"), ("to both", "mpim")]


@pytest.mark.parametrize("channel", ["workshop", "vault"])
def test_the_app_hears_nothing_where_it_is_not(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp, channel: str
) -> None:
    """A mention in a channel without the app reaches nobody."""
    client("ann").chat_postMessage(channel=sandbox.channel_id(channel), text=f"<@{sandbox.bot_user}> hi")
    app.expect_nothing()


@pytest.mark.parametrize(
    ("text", "comes"),
    [("<@U0FOOTNOTE> hi", True), ("so, <@U0FOOTNOTE>?", True), ("`<@U0FOOTNOTE>`", False), ("footnote: hi", False)],
)
def test_mentions_are_what_slack_counts(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp, text: str, comes: bool
) -> None:
    """A mention makes a message event and an `app_mention` of the same timestamp; code and bare names make none."""
    ts = client("bo").chat_postMessage(channel=sandbox.channel_id("general"), text=text)["ts"]
    app.expect("message")
    if comes:
        assert [event["ts"] for event in app.expect("app_mention")] == [ts]
    else:
        app.expect_nothing("app_mention")


def test_replies_name_their_thread(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A reply's event has its root and the root's author, and the root is told as changed but not edited."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = client("ann").chat_postMessage(channel=general, text="root")["ts"]
    bo.chat_postMessage(channel=general, text="reply", thread_ts=root)
    reply = app.expect("message/", 2)[1]
    changed = app.expect("message/message_changed")[0]
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root, "U0ANN")
    assert (changed["message"]["ts"], changed["message"]["reply_count"], changed["hidden"]) == (root, 1, True)
    assert "edited" not in changed["message"]
    assert "reply_count" not in changed["previous_message"]


def test_edits_and_deletions_bring_what_was(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A change holds both versions, a deletion the last one."""
    general, bo = sandbox.channel_id("general"), client("bo")
    ts = bo.chat_postMessage(channel=general, text="first")["ts"]
    bo.chat_update(channel=general, ts=ts, text="second")
    bo.chat_delete(channel=general, ts=ts)
    changed = app.expect("message/message_changed")[0]
    deleted = app.expect("message/message_deleted")[0]
    assert (changed["previous_message"]["text"], changed["message"]["text"]) == ("first", "second")
    assert changed["message"]["edited"]["user"] == "U0BO"
    assert (deleted["deleted_ts"], deleted["previous_message"]["text"]) == (ts, "second")


def test_a_deleted_root_is_told_as_a_tombstone(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """When a root with replies goes, the app hears of a change to a tombstone, with what was there before."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.chat_postMessage(channel=general, text="root")["ts"]
    bo.chat_postMessage(channel=general, text="reply", thread_ts=root)
    bo.chat_delete(channel=general, ts=root)
    changed = app.expect("message/message_changed", 2)[1]
    assert (changed["message"]["subtype"], changed["previous_message"]["text"]) == ("tombstone", "root")


def test_an_edit_that_adds_a_mention_is_a_mention(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Mentioning the app in an edit tells it once; further edits don't."""
    general, bo = sandbox.channel_id("general"), client("bo")
    ts = bo.chat_postMessage(channel=general, text="hi")["ts"]
    for text in ("<@U0FOOTNOTE> hi", "<@U0FOOTNOTE> hi!"):
        bo.chat_update(channel=general, ts=ts, text=text)
    app.expect("message/message_changed", 2)
    assert [event["edited"]["user"] for event in app.events("app_mention")] == ["U0BO"]


def test_comings_and_goings_are_told(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Who joins and leaves a channel with the app is told, with the inviter."""
    board, cy = sandbox.channel_id("board"), sandbox.user_id("cy")
    client("ann").conversations_invite(channel=board, users=cy)
    client("cy").conversations_leave(channel=board)
    joined = app.expect("member_joined_channel")[0]
    left = app.expect("member_left_channel")[0]
    assert (joined["user"], joined["channel"], joined["channel_type"], joined["inviter"]) == (cy, board, "G", "U0ANN")
    assert (left["user"], left["channel"]) == (cy, board)
    assert [event["subtype"] for event in app.expect("message", 2)] == ["channel_join", "channel_leave"]


def test_the_app_hears_of_its_own_coming_and_going(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Invited, the bot hears of its joining; removed, it hears only that the channel is left."""
    vault, bot = sandbox.channel_id("vault"), sandbox.bot_user
    client("ann").conversations_invite(channel=vault, users=bot)
    assert [event["user"] for event in app.expect("member_joined_channel")] == [bot]
    client("ann").conversations_kick(channel=vault, user=bot)
    assert [(event["channel"], event["actor_id"]) for event in app.expect("group_left")] == [(vault, "U0ANN")]
    assert app.events("member_left_channel") == []


@pytest.mark.parametrize(("channel", "prefix"), [("general", "channel"), ("board", "group")])
def test_channel_changes_are_told(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp, channel: str, prefix: str
) -> None:
    """A new name, and for others than #general archiving and its end, are told by the kind's own events."""
    ann, channel_id = client("ann"), sandbox.channel_id(channel)
    ann.conversations_rename(channel=channel_id, name="new-name")
    assert app.expect(f"{prefix}_rename")[0]["channel"]["name"] == "new-name"
    ann.conversations_archive(channel=channel_id)
    ann.conversations_unarchive(channel=channel_id)
    assert app.expect(f"{prefix}_archive")[0]["channel"] == channel_id
    assert app.expect(f"{prefix}_unarchive")[0]["user"] == "U0ANN"


def test_people_changes_are_told(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Who becomes a guest, leaves the company or is new is told with their new fields."""
    ann = client("ann")
    ann.api_call("sandbox.changePerson", json={"user": sandbox.user_id("bo"), "kind": "guest"})
    ann.api_call("sandbox.addPerson", json={"name": "new", "kind": "member"})
    assert [event["user"]["is_restricted"] for event in app.expect("user_change")] == [True]
    assert [event["user"]["id"] for event in app.expect("team_join")] == ["U0NEW"]


def test_only_subscribed_events_come() -> None:
    """What the manifest doesn't subscribe to isn't sent, though the scope is there."""
    with Sandbox.running(company()) as sandbox:
        app = ListeningApp(sandbox.api_url, sandbox.app_token)
        bo = WebClient(token=sandbox.token("bo"), base_url=sandbox.api_url)
        ts = bo.chat_postMessage(channel=sandbox.channel_id("general"), text="x")["ts"]
        bo.reactions_add(channel=sandbox.channel_id("general"), timestamp=ts, name="eyes")
        app.expect("message")
        app.expect_nothing("reaction_added")
        app.close()


@pytest.fixture
def bolt(sandbox: Sandbox) -> Iterator[App]:
    """A stock Bolt app, connected by the stock Socket Mode handler once a test has added its listeners."""
    app = App(client=WebClient(token=sandbox.bot_token, base_url=sandbox.api_url))
    handler = SocketModeHandler(app, sandbox.app_token, ping_interval=1)
    handler.connect()  # type: ignore[no-untyped-call]  # untyped in slack_bolt
    yield app
    handler.close()  # type: ignore[no-untyped-call]  # untyped in slack_bolt


def test_a_stock_bolt_app_answers(sandbox: Sandbox, client: ClientFor, bolt: App) -> None:
    """Bolt's own App and Socket Mode handler hear a mention and reply in its thread, unmodified."""
    replied = threading.Event()

    @bolt.event("app_mention")
    def answer(event: dict[str, str], say: Say) -> None:
        say(text=f"You said: {event['text']}", thread_ts=event["ts"])
        replied.set()

    general = sandbox.channel_id("general")
    ts = client("bo").chat_postMessage(channel=general, text="<@U0FOOTNOTE> ladder?")["ts"]
    assert replied.wait(PATIENCE_S)
    thread = client("bo").conversations_replies(channel=general, ts=ts)["messages"]
    assert [message["text"] for message in thread] == ["<@U0FOOTNOTE> ladder?", "You said: <@U0FOOTNOTE> ladder?"]


def test_authors_of_other_organisations_are_named_as_such(
    sandbox: Sandbox, client: ClientFor, app: ListeningApp
) -> None:
    """An outsider's message says their team, and that the channel is shared."""
    client("olga").chat_postMessage(channel=sandbox.channel_id("joint"), text="hi")
    event = app.expect("message")[0]
    assert (event["team"], event["user_team"], event["user_profile"]["team"]) == ("T0PARTNER",) * 3
    assert app.envelopes[0]["payload"]["is_ext_shared_channel"] is True


def test_previews_are_told_as_changes_that_are_no_edits(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A preview changes the message's attachments, not its text, and nobody edited it."""
    general, bo = sandbox.channel_id("general"), client("bo")
    ts = bo.chat_postMessage(channel=general, text="words")["ts"]
    link = bo.chat_getPermalink(channel=general, message_ts=ts)["permalink"]
    bo.chat_postMessage(channel=general, text=f"<{link}>")
    changed = app.expect("message/message_changed")[0]
    assert [each["text"] for each in changed["message"]["attachments"]] == ["words"]
    assert changed["message"]["text"] == changed["previous_message"]["text"]
    assert "edited" not in changed["message"]
