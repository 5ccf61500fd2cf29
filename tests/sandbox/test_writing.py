"""Writing through Slack's methods: posts, threads, edits, deletions, reactions, streams, files."""

from typing import Any
from urllib.request import Request, urlopen

import pytest
from slack_sdk.errors import SlackApiError

from sandbox.server import Sandbox
from tests.sandbox.conftest import ClientFor

_TIMEOUT_S = 5  # for addresses on loopback


def get(url: str, token: str = "") -> tuple[int, str]:
    """Status and text of an address."""
    request = Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urlopen(request, timeout=_TIMEOUT_S) as response:
        return response.status, response.read().decode()


def test_posts_carry_their_author_and_rich_text(sandbox: Sandbox, client: ClientFor) -> None:
    """A person's text gets the rich text block that Slack's client would send; a bot's post names the bot."""
    general = sandbox.channel_id("general")
    by_bo = client("bo").chat_postMessage(channel=general, text="a *b* <https://x.example|c>")["message"]
    by_bot = client("bot").chat_postMessage(channel="#general", text="d")["message"]
    assert by_bo["user"] == "U0BO"
    assert by_bo["blocks"][0]["elements"] == [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "a "},
                {"type": "text", "text": "b", "style": {"bold": True}},
                {"type": "text", "text": " "},
                {"type": "link", "url": "https://x.example", "text": "c"},
            ],
        }
    ]
    assert (by_bot["user"], by_bot["bot_id"], by_bot["app_id"]) == ("U0FOOTNOTE", "B0FOOTNOTE", "A0FOOTNOTE")
    assert "bot_id" not in by_bo


def test_a_persons_id_is_their_dm(sandbox: Sandbox, client: ClientFor) -> None:
    """Posting to somebody's id posts into the DM with them."""
    posted = client("bot").chat_postMessage(channel=sandbox.user_id("ann"), text="hello")
    found = client("ann").conversations_history(channel=posted["channel"])["messages"]
    assert [message["text"] for message in found] == ["hello"]


def test_edits_show_and_keep_their_place(sandbox: Sandbox, client: ClientFor) -> None:
    """An edited message keeps its timestamp, has its new words and says who edited it."""
    general = sandbox.channel_id("general")
    ts = client("bo").chat_postMessage(channel=general, text="tpyo")["ts"]
    client("bo").chat_update(channel=general, ts=ts, text="typo")
    message = client("bot").conversations_history(channel=general, limit=1)["messages"][0]
    assert (message["ts"], message["text"], message["edited"]["user"]) == (ts, "typo", "U0BO")


def test_deleted_roots_leave_a_tombstone(sandbox: Sandbox, client: ClientFor) -> None:
    """A root with replies stays as a tombstone until its last reply goes; a plain message is just gone."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.chat_postMessage(channel=general, text="root")["ts"]
    reply = bo.chat_postMessage(channel=general, text="reply", thread_ts=root)["ts"]
    bo.chat_delete(channel=general, ts=root)
    left = bo.conversations_history(channel=general, limit=1)["messages"][0]
    assert (left["subtype"], left["user"], left["reply_count"]) == ("tombstone", "USLACKBOT", 1)
    assert "root" not in left["text"]
    bo.chat_delete(channel=general, ts=reply)
    assert root not in [message["ts"] for message in bo.conversations_history(channel=general)["messages"]]


def test_broadcast_replies_stand_in_both_places(sandbox: Sandbox, client: ClientFor) -> None:
    """A reply sent to the channel too is in the thread and in the history, once each."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.chat_postMessage(channel=general, text="root")["ts"]
    reply = bo.chat_postMessage(channel=general, text="for all", thread_ts=root, reply_broadcast=True)["ts"]
    in_history = [m for m in bo.conversations_history(channel=general)["messages"] if m["ts"] == reply]
    in_thread = [m for m in bo.conversations_replies(channel=general, ts=root)["messages"] if m["ts"] == reply]
    assert [m["subtype"] for m in in_history + in_thread] == ["thread_broadcast"] * 2


def test_permalinks_are_built_as_slack_builds_them(sandbox: Sandbox, client: ClientFor) -> None:
    """A message's address holds its channel and timestamp, a reply's its thread too."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.chat_postMessage(channel=general, text="root")["ts"]
    reply = bo.chat_postMessage(channel=general, text="reply", thread_ts=root)["ts"]
    links = [bo.chat_getPermalink(channel=general, message_ts=ts)["permalink"] for ts in (root, reply)]
    place = f"{sandbox.url}archives/{general}"
    assert links == [
        f"{place}/p{root.replace('.', '')}",
        f"{place}/p{reply.replace('.', '')}?thread_ts={root}&cid={general}",
    ]


def test_timestamps_are_never_twice_the_same(sandbox: Sandbox, client: ClientFor) -> None:
    """Each message has a timestamp of its own, later than the one before."""
    general, bo = sandbox.channel_id("general"), client("bo")
    stamps = [bo.chat_postMessage(channel=general, text=str(n))["ts"] for n in range(20)]
    assert stamps == sorted(set(stamps))


def test_reactions_come_and_go(sandbox: Sandbox, client: ClientFor) -> None:
    """A reaction counts once per person."""
    general, bo, ann = sandbox.channel_id("general"), client("bo"), client("ann")
    ts = bo.chat_postMessage(channel=general, text="nice")["ts"]
    bo.reactions_add(channel=general, timestamp=ts, name="tada")
    ann.reactions_add(channel=general, timestamp=ts, name="tada")
    with pytest.raises(SlackApiError, match="already_reacted"):
        ann.reactions_add(channel=general, timestamp=ts, name="tada")
    bo.reactions_remove(channel=general, timestamp=ts, name="tada")
    shown = ann.reactions_get(channel=general, timestamp=ts)["message"]["reactions"]
    assert shown == [{"name": "tada", "users": ["U0ANN"], "count": 1}]


def test_ephemeral_messages_show_to_one_person(sandbox: Sandbox, client: ClientFor) -> None:
    """An ephemeral message is seen by its person alone and is in no history."""
    general = sandbox.channel_id("general")
    client("bot").chat_postEphemeral(channel=general, user=sandbox.user_id("bo"), text="psst")
    seen = {who: client(who).api_call("sandbox.ephemerals")["messages"] for who in ("ann", "bo")}
    history = client("bo").conversations_history(channel=general)["messages"]
    assert {who: [message["text"] for message in messages] for who, messages in seen.items()} == {
        "ann": [],
        "bo": ["psst"],
    }
    assert "psst" not in [message["text"] for message in history]


def stream(sandbox: Sandbox, client: ClientFor) -> dict[str, Any]:
    """A stream that the bot opened in a thread of `general`."""
    general = sandbox.channel_id("general")
    root = client("bo").chat_postMessage(channel=general, text="q")["ts"]
    person: dict[str, Any] = {"recipient_user_id": sandbox.user_id("bo"), "recipient_team_id": "T0HOME"}
    answer = client("bot").chat_startStream(channel=general, thread_ts=root, markdown_text="One ", **person)
    return {"channel": general, "ts": answer["ts"]}


def test_streams_grow_and_end(sandbox: Sandbox, client: ClientFor) -> None:
    """What is appended is added, the end brings its blocks, and then nothing can be appended."""
    here, bot = stream(sandbox, client), client("bot")
    bot.chat_appendStream(**here, markdown_text="**two**")
    divider = {"type": "divider"}
    message = bot.chat_stopStream(**here, markdown_text=".", blocks=[divider])["message"]
    assert message["text"] == "One **two**."
    assert message["blocks"] == [{"type": "markdown", "text": "One **two**."}, divider]
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        bot.chat_appendStream(**here, markdown_text="more")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"recipient_user_id": ""}, "missing_recipient_user_id"),
        ({"recipient_team_id": ""}, "missing_recipient_team_id"),
        ({"thread_ts": "1.000000"}, "thread_not_found"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
    ],
)
def test_streams_have_rules(sandbox: Sandbox, client: ClientFor, change: dict[str, str], error: str) -> None:
    """A stream in a channel needs its reader, a thread and a length that Slack takes."""
    general = sandbox.channel_id("general")
    given: dict[str, Any] = {"recipient_user_id": sandbox.user_id("bo"), "recipient_team_id": "T0HOME"}
    given |= {"thread_ts": client("bo").chat_postMessage(channel=general, text="q")["ts"]}
    with pytest.raises(SlackApiError, match=error):
        client("bot").chat_startStream(channel=general, **{**given, **change})


def test_streams_expire(sandbox: Sandbox, client: ClientFor) -> None:
    """Five minutes after its start a stream takes nothing more, and an open one can't be updated."""
    here, bot = stream(sandbox, client), client("bot")
    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        bot.chat_update(**here, text="x")
    bot.api_call("sandbox.advanceClock", json={"seconds": 301})
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        bot.chat_stopStream(**here)


def test_files_open_to_those_who_may_read_them(sandbox: Sandbox, client: ClientFor) -> None:
    """A file is for those who are where it is shared; anybody else finds no file, or a page to sign in."""
    board = sandbox.channel_id("board")
    shared = client("ann").files_upload_v2(channel=board, filename="plan.txt", content="Sell the kiln.")
    file_id = shared["files"][0]["id"]
    info = client("bot").files_info(file=file_id)["file"]
    assert get(info["url_private"], sandbox.bot_token) == (200, "Sell the kiln.")
    assert "Sell the kiln." not in get(info["url_private"])[1]
    with pytest.raises(SlackApiError, match="file_not_found"):
        client("cy").files_info(file=file_id)
    client("ann").files_delete(file=file_id)
    with pytest.raises(SlackApiError, match="file_deleted"):
        client("bot").files_info(file=file_id)


def linking(sandbox: Sandbox, client: ClientFor, who: str, channel: str, **arguments: Any) -> list[dict[str, Any]]:
    """The attachments of a post in `general` that links to the latest message of a channel."""
    ann, source = client("ann"), sandbox.channel_id(channel)
    ts = ann.conversations_history(channel=source)["messages"][0]["ts"]
    link = ann.chat_getPermalink(channel=source, message_ts=ts)["permalink"]
    general = sandbox.channel_id("general")
    client(who).chat_postMessage(channel=general, text=f"see <{link}>", **arguments)
    message = ann.conversations_history(channel=general)["messages"][0]
    return list(message.get("attachments", []))


@pytest.mark.parametrize(
    ("who", "channel", "arguments", "shown"),
    [
        ("bo", "general", {}, ["Where is the ladder?"]),
        ("bo", "board", {}, ["Numbers are up."]),
        ("cy", "board", {}, []),
        ("bot", "general", {}, ["Where is the ladder?"]),
        ("bot", "general", {"unfurl_links": False}, []),
    ],
)
def test_links_to_messages_bring_their_words(
    sandbox: Sandbox, client: ClientFor, who: str, channel: str, arguments: dict[str, bool], shown: list[str]
) -> None:
    """Slack shows the linked message under the post when its author may see it and did not ask for none."""
    previews = linking(sandbox, client, who, channel, **arguments)
    assert [(preview["text"], preview["is_msg_unfurl"]) for preview in previews] == [(text, True) for text in shown]


def test_streams_can_be_ended_from_outside(sandbox: Sandbox, client: ClientFor) -> None:
    """A stream takes nothing more when its time is made over, or when somebody presses Stop."""
    expired, stopped, bot = stream(sandbox, client), stream(sandbox, client), client("bot")
    client("bo").api_call("sandbox.expireStream", json=expired)
    thread = client("bo").conversations_replies(**stopped)["messages"][0]["thread_ts"]
    client("bo").api_call("sandbox.stopSession", json={"channel": stopped["channel"], "thread_ts": thread})
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        bot.chat_appendStream(**expired, markdown_text="x")
    with pytest.raises(SlackApiError, match="stopped_by_user"):
        bot.chat_appendStream(**stopped, markdown_text="x")
