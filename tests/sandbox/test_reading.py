"""Reading through Slack's methods: shapes, pages, threads, and who sees what."""

from typing import Any

import pytest
from slack_sdk import WebClient

from sandbox.server import Sandbox
from tests.sandbox.company import company, with_messages
from tests.sandbox.conftest import ClientFor, generous


def pages(client: WebClient, method: str, key: str, **arguments: Any) -> list[list[Any]]:
    """Every page of a list, following its cursor to the end."""
    found, cursor = [], ""
    while True:
        answer = client.api_call(method, params={**arguments, **({"cursor": cursor} if cursor else {})})
        found.append(answer[key])
        cursor = (answer.get("response_metadata") or {}).get("next_cursor", "")
        if not cursor:
            return found


def test_auth_test_says_who_and_where(sandbox: Sandbox, client: ClientFor) -> None:
    """The bot learns its ids and the team's address, and a person has no bot id."""
    assert client("bot").auth_test().data == {
        "ok": True,
        "url": sandbox.url,
        "team": "Home",
        "user": "footnote",
        "team_id": "T0HOME",
        "user_id": "U0FOOTNOTE",
        "bot_id": "B0FOOTNOTE",
        "is_enterprise_install": False,
    }
    assert "bot_id" not in client("ann").auth_test()


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("ann", {"is_admin": True, "is_restricted": False, "is_ultra_restricted": False, "deleted": False}),
        ("gus", {"is_restricted": True, "is_ultra_restricted": False, "is_bot": False}),
        ("una", {"is_restricted": True, "is_ultra_restricted": True}),
        ("olga", {"team_id": "T0PARTNER", "is_stranger": False, "is_restricted": False}),
        ("rex", {"deleted": True}),
        ("pager", {"is_bot": True}),
    ],
)
def test_people_say_what_they_are(sandbox: Sandbox, client: ClientFor, name: str, flags: dict[str, Any]) -> None:
    """Members, guests, outsiders, bots and those who left are told apart by Slack's fields."""
    user = client("bot").users_info(user=sandbox.user_id(name), include_locale=True)["user"]
    assert {key: user[key] for key in flags} == flags
    assert (user["locale"], user["profile"]["real_name"]) == ("en-US", user["real_name"])


def test_people_of_other_teams_are_not_listed(client: ClientFor) -> None:
    """`users.list` holds the home team alone, page by page, each once."""
    listed = pages(client("bot"), "users.list", "members", limit=4)
    names = [user["name"] for page in listed for user in page]
    assert [len(page) for page in listed] == [4, 4, 1]
    assert sorted(names) == ["ann", "bo", "cy", "di", "footnote", "gus", "pager", "rex", "una"]


@pytest.mark.parametrize(
    ("who", "names"),
    [
        ("bot", ["attic", "board", "general", "joint", "workshop"]),
        ("ann", ["attic", "board", "general", "joint", "vault", "workshop"]),
        ("cy", ["attic", "general", "joint", "workshop"]),
        ("gus", ["workshop"]),
        ("olga", ["joint"]),
    ],
)
def test_lists_hold_what_the_caller_may_see(client: ClientFor, who: str, names: list[str]) -> None:
    """Private channels show to their members, and guests and outsiders see only their own."""
    listed = pages(client(who), "conversations.list", "channels", types="public_channel,private_channel", limit=2)
    assert sorted(channel["name"] for page in listed for channel in page) == names


@pytest.mark.parametrize(
    ("who", "of", "names"),
    [
        ("bot", "ann", ["attic", "board", "general", "joint", "workshop"]),
        ("bot", "gus", ["workshop"]),
        ("bot", "bot", ["board", "general", "joint"]),
        ("ann", "bo", ["board", "general", "joint", "workshop"]),
        ("cy", "ann", ["attic", "general", "joint", "workshop"]),
    ],
)
def test_memberships_show_no_private_channel_of_others(
    sandbox: Sandbox, client: ClientFor, who: str, of: str, names: list[str]
) -> None:
    """`users.conversations` tells of private channels only to those who are in them too."""
    user = sandbox.bot_user if of == "bot" else sandbox.user_id(of)
    found = client(who).users_conversations(user=user, types="public_channel,private_channel")["channels"]
    assert sorted(channel["name"] for channel in found) == names


def test_channels_say_what_they_are(sandbox: Sandbox, client: ClientFor) -> None:
    """Privacy, sharing, membership and size stand in Slack's fields."""
    keys = ("is_private", "is_ext_shared", "is_shared", "is_archived", "is_member", "num_members")
    shown = {
        name: tuple(
            client("bot").conversations_info(channel=sandbox.channel_id(name), include_num_members=True)["channel"][key]
            for key in keys
        )
        for name in ("general", "board", "joint", "attic")
    }
    assert shown == {
        "general": (False, False, False, False, True, 5),
        "board": (True, False, False, False, True, 3),
        "joint": (False, True, True, False, True, 4),
        "attic": (False, False, False, True, False, 1),
    }


def test_history_pages_newest_first_without_gaps() -> None:
    """Pages follow each other from the newest message to the oldest, each once."""
    with Sandbox.running(with_messages(company(), "general", 23), manifest=generous()) as sandbox:
        bot = WebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
        found = pages(bot, "conversations.history", "messages", channel=sandbox.channel_id("general"), limit=10)
    texts = [message["text"] for page in found for message in page]
    assert [len(page) for page in found] == [10, 10, 4]
    assert texts == [f"line {number}" for number in range(22, -1, -1)] + ["Where is the ladder?"]


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        ({"oldest": 2}, [4, 3]),
        ({"oldest": 2, "inclusive": True}, [4, 3, 2]),
        ({"latest": 2}, [1, 0]),
        ({"latest": 2, "inclusive": True}, [2, 1, 0]),
        ({"oldest": 1, "latest": 3}, [2]),
        ({"oldest": 1, "latest": 3, "inclusive": True}, [3, 2, 1]),
    ],
)
def test_history_keeps_to_its_bounds(bounds: dict[str, Any], kept: list[int]) -> None:
    """`oldest` and `latest` count themselves only when asked to."""
    with Sandbox.running(with_messages(company(), "workshop", 5)) as sandbox:
        bo = WebClient(token=sandbox.token("bo"), base_url=sandbox.api_url)
        workshop = sandbox.channel_id("workshop")
        stamps = [message["ts"] for message in bo.conversations_history(channel=workshop)["messages"]][::-1]
        given = {key: stamps[value] if key != "inclusive" else value for key, value in bounds.items()}
        found = bo.conversations_history(channel=workshop, **given)["messages"]
    assert [message["text"] for message in found] == [f"line {number}" for number in kept]


def test_threads_begin_with_their_root_on_every_page(sandbox: Sandbox, client: ClientFor) -> None:
    """Each page of a thread brings its root again, then further replies, oldest first."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.conversations_history(channel=general)["messages"][0]
    for number in range(5):
        bo.chat_postMessage(channel=general, thread_ts=root["ts"], text=f"reply {number}")
    found = pages(client("bot"), "conversations.replies", "messages", channel=general, ts=root["ts"], limit=4)
    assert [[message["text"] for message in page] for page in found] == [
        ["Where is the ladder?", "Behind the *kiln*.", "Thanks!", "reply 0"],
        ["Where is the ladder?", "reply 1", "reply 2", "reply 3", "reply 4"],
    ]


def test_roots_count_their_replies(sandbox: Sandbox, client: ClientFor) -> None:
    """A root says how many replied, who and when last; replies stay out of history."""
    general = sandbox.channel_id("general")
    messages = client("bot").conversations_history(channel=general)["messages"]
    thread = client("bot").conversations_replies(channel=general, ts=messages[0]["ts"])["messages"]
    assert len(messages) == 1
    assert (messages[0]["reply_count"], messages[0]["reply_users"]) == (2, ["U0BO", "U0CY"])
    assert messages[0]["latest_reply"] == thread[-1]["ts"]
    assert messages[0]["reactions"] == [{"name": "eyes", "users": ["U0BO", "U0CY"], "count": 2}]
    assert thread[1]["parent_user_id"] == "U0ANN"


def test_public_history_is_open_to_members_of_the_team(sandbox: Sandbox, client: ClientFor) -> None:
    """A full member reads a public channel without being in it."""
    assert client("cy").conversations_history(channel=sandbox.channel_id("workshop"))["messages"] == []


def test_form_query_and_json_say_the_same(sandbox: Sandbox, client: ClientFor) -> None:
    """Arguments count wherever Slack takes them, and the token too."""
    bot, arguments = client("bot"), {"user": sandbox.user_id("ann")}
    by_json = bot.api_call("users.info", json=arguments).data
    assert bot.api_call("users.info", params=arguments, http_verb="GET").data == by_json
    assert bot.api_call("users.info", data=arguments).data == by_json
    bare = WebClient(base_url=sandbox.api_url)
    assert bare.api_call("users.info", data={**arguments, "token": sandbox.bot_token}).data == by_json


def test_direct_messages_are_one_for_both(sandbox: Sandbox, client: ClientFor) -> None:
    """Whoever opens it, two people have one DM, and more have one group DM."""
    from_bot = client("bot").conversations_open(users=sandbox.user_id("ann"))["channel"]["id"]
    from_ann = client("ann").conversations_open(users=sandbox.bot_user, return_im=True)
    group = client("ann").conversations_open(users=[sandbox.user_id("bo"), sandbox.user_id("cy")])["channel"]["id"]
    again = client("cy").conversations_open(users=[sandbox.user_id("ann"), sandbox.user_id("bo")])["channel"]["id"]
    assert from_bot == from_ann["channel"]["id"]
    assert (from_ann["channel"]["is_im"], from_ann["channel"]["user"]) == (True, sandbox.bot_user)
    assert group == again
