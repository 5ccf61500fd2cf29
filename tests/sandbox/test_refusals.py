"""The sandbox refuses what Slack refuses, by Slack's error names."""

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from sandbox.manifest import read_manifest
from sandbox.methods import METHODS
from sandbox.server import Sandbox
from tests.sandbox.company import company
from tests.sandbox.conftest import ClientFor

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "b"}}


def section(length: int) -> dict[str, Any]:
    """A section of so many characters."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * length}}


def refusal(client: WebClient, method: str, **arguments: Any) -> str:
    """The error name of a call that must be refused."""
    with pytest.raises(SlackApiError) as caught:
        client.api_call(method, json=arguments)
    return str(caught.value.response["error"])


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-stranger", "invalid_auth"), ("xoxp-U0NOBODY", "invalid_auth"), ("x", "invalid_auth")],
)
def test_unknown_tokens_are_refused(sandbox: Sandbox, token: str, error: str) -> None:
    """A call without a known token gets no answer."""
    assert refusal(WebClient(token=token, base_url=sandbox.api_url), "auth.test") == error


def test_people_who_left_are_refused(sandbox: Sandbox, client: ClientFor) -> None:
    """The token of a deactivated person is no longer good."""
    assert refusal(client("rex"), "auth.test") == "account_inactive"


def test_app_token_opens_connections_only(sandbox: Sandbox, client: ClientFor) -> None:
    """The app's token and the bot's are not exchangeable."""
    app = WebClient(token=sandbox.app_token, base_url=sandbox.api_url)
    assert refusal(app, "users.list") == "not_allowed_token_type"
    assert refusal(client("bot"), "apps.connections.open") == "not_allowed_token_type"


def test_unknown_method_is_refused(client: ClientFor) -> None:
    """A method that Slack does not have is no method here."""
    assert refusal(client("bot"), "chat.shout") == "unknown_method"


def test_missing_scope_names_what_is_needed() -> None:
    """A bot without the scope of a call is told which, and which it has."""
    with Sandbox.running(company()) as sandbox:
        bot, general = WebClient(token=sandbox.bot_token, base_url=sandbox.api_url), sandbox.channel_id("general")
        with pytest.raises(SlackApiError) as caught:
            bot.reactions_add(channel=general, timestamp="1.000000", name="eyes")
    granted = ",".join(sorted(read_manifest().scopes))
    assert caught.value.response.data == {
        "ok": False,
        "error": "missing_scope",
        "needed": "reactions:write",
        "provided": granted,
    }
    assert caught.value.response.headers["x-oauth-scopes"] == granted


@pytest.mark.parametrize(
    ("method", "missing"),
    [("conversations.history", "channel"), ("users.info", "user"), ("chat.update", "channel"), ("files.info", "file")],
)
def test_missing_arguments_are_named(client: ClientFor, method: str, missing: str) -> None:
    """A call without a required argument is told which."""
    with pytest.raises(SlackApiError) as caught:
        client("bot").api_call(method)
    assert caught.value.response["error"] == "invalid_arguments"
    assert caught.value.response["response_metadata"] == {"messages": [f"[ERROR] missing required field: {missing}"]}


@pytest.mark.parametrize(
    ("who", "method", "channel", "error"),
    [
        ("bot", "conversations.history", "workshop", "not_in_channel"),
        ("bot", "conversations.history", "vault", "channel_not_found"),
        ("bot", "conversations.info", "vault", "channel_not_found"),
        ("bot", "conversations.members", "vault", "channel_not_found"),
        ("bo", "conversations.history", "vault", "channel_not_found"),
        ("cy", "conversations.info", "board", "channel_not_found"),
        ("gus", "conversations.history", "general", "channel_not_found"),
        ("gus", "conversations.info", "general", "channel_not_found"),
        ("olga", "conversations.history", "general", "channel_not_found"),
        ("olga", "conversations.members", "workshop", "channel_not_found"),
    ],
)
def test_conversations_of_others_are_closed(
    sandbox: Sandbox, client: ClientFor, who: str, method: str, channel: str, error: str
) -> None:
    """Nobody reads, or learns of, a conversation that Slack would not show them."""
    assert refusal(client(who), method, channel=sandbox.channel_id(channel)) == error


@pytest.mark.parametrize(
    ("who", "channel", "error"),
    [
        ("bot", "workshop", "not_in_channel"),
        ("bot", "vault", "channel_not_found"),
        ("cy", "workshop", "not_in_channel"),
        ("gus", "general", "channel_not_found"),
        ("ann", "attic", "is_archived"),
    ],
)
def test_posting_needs_membership(sandbox: Sandbox, client: ClientFor, who: str, channel: str, error: str) -> None:
    """Only members post, and nobody in an archived channel."""
    assert refusal(client(who), "chat.postMessage", channel=sandbox.channel_id(channel), text="hi") == error


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ({}, "no_text"),
        ({"text": ""}, "no_text"),
        ({"text": "a", "thread_ts": "1.000000"}, "thread_not_found"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "text": "y"}, "markdown_text_conflict"),
        ({"blocks": "[{"}, "invalid_blocks_format"),
        ({"blocks": [SECTION] * 51}, "msg_blocks_too_many"),
        ({"blocks": [section(3_001)]}, "invalid_blocks"),
        ({"blocks": [{"type": "section"}]}, "invalid_blocks"),
        ({"blocks": [section(0)]}, "invalid_blocks"),
        ({"blocks": [{"type": "banner"}]}, "invalid_blocks"),
        ({"blocks": [{"text": "no type"}]}, "invalid_blocks"),
        ({"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]}, "invalid_blocks"),
        ({"blocks": [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}]}, "invalid_blocks"),
        ({"blocks": [{"type": "context", "elements": [SECTION["text"]] * 11}]}, "invalid_blocks"),
        ({"blocks": [{"type": "context", "elements": []}]}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [BUTTON] * 26}]}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [{**BUTTON, "action_id": "a"}] * 2}]}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [{"type": "button"}]}]}, "invalid_blocks"),
        ({"blocks": [{"type": "section", "fields": [SECTION["text"]] * 11}]}, "invalid_blocks"),
        ({"blocks": [{**SECTION, "block_id": "same"}] * 2}, "invalid_blocks"),
        ({"blocks": [{"type": "markdown", "text": "x" * 7_000}] * 2}, "msg_blocks_too_long"),
    ],
)
def test_posts_keep_to_slacks_limits(client: ClientFor, sandbox: Sandbox, content: dict[str, Any], error: str) -> None:
    """What is empty, too long, too many or malformed is not posted."""
    general = sandbox.channel_id("general")
    assert refusal(client("bot"), "chat.postMessage", channel=general, **content) == error


@pytest.mark.parametrize(
    "blocks",
    [
        [section(3_000)] * 50,
        [{"type": "header", "text": {"type": "plain_text", "text": "x" * 150}}],
        [{"type": "context", "elements": [SECTION["text"]] * 10}],
        [{"type": "actions", "elements": [BUTTON] * 25}],
        [{"type": "markdown", "text": "x" * 12_000}],
        [{"type": "divider"}],
    ],
)
def test_posts_at_the_limits_are_taken(client: ClientFor, sandbox: Sandbox, blocks: list[dict[str, Any]]) -> None:
    """The largest that Slack allows is allowed."""
    assert client("bot").chat_postMessage(channel=sandbox.channel_id("general"), text="t", blocks=blocks)["ok"]


def test_overlong_text_is_cut_off_with_a_warning(client: ClientFor, sandbox: Sandbox) -> None:
    """A text above 40,000 characters loses its end, and the answer says so."""
    answer = client("bot").chat_postMessage(channel=sandbox.channel_id("general"), text="x" * 40_001)
    assert (answer["warning"], len(answer["message"]["text"])) == ("message_truncated", 40_000)


def test_only_own_messages_change(client: ClientFor, sandbox: Sandbox) -> None:
    """Nobody edits what another wrote; deleting it takes an admin; neither works on what isn't there."""
    general = sandbox.channel_id("general")
    ts = client("bo").chat_postMessage(channel=general, text="mine")["ts"]
    here = {"channel": general, "ts": ts}
    assert refusal(client("bot"), "chat.update", **here, text="no") == "cant_update_message"
    assert refusal(client("bot"), "chat.delete", **here) == "cant_delete_message"
    assert refusal(client("ann"), "chat.update", **here, text="no") == "cant_update_message"
    assert refusal(client("bo"), "chat.update", **here, text="x" * 4_001) == "msg_too_long"
    assert refusal(client("bo"), "chat.update", channel=general, ts="1.000000", text="x") == "message_not_found"
    assert client("ann").chat_delete(**here)["ok"]
    assert refusal(client("bo"), "chat.delete", **here) == "message_not_found"


@pytest.mark.parametrize(
    ("who", "method", "channel", "arguments", "error"),
    [
        ("ann", "conversations.invite", "general", {"users": "bo"}, "already_in_channel"),
        ("ann", "conversations.invite", "general", {"users": "ann"}, "cant_invite_self"),
        ("ann", "conversations.invite", "general", {"users": "olga"}, "org_user_not_in_team"),
        ("ann", "conversations.invite", "attic", {"users": "bo"}, "is_archived"),
        ("cy", "conversations.invite", "workshop", {"users": "di"}, "not_in_channel"),
        ("gus", "conversations.invite", "workshop", {"users": "cy"}, "user_is_restricted"),
        ("olga", "conversations.invite", "joint", {"users": "cy"}, "restricted_action"),
        ("ann", "conversations.kick", "board", {"user": "ann"}, "cant_kick_self"),
        ("ann", "conversations.kick", "board", {"user": "cy"}, "not_in_channel"),
        ("ann", "conversations.kick", "general", {"user": "bo"}, "cant_kick_from_general"),
        ("ann", "conversations.leave", "general", {}, "cant_leave_general"),
        ("cy", "conversations.leave", "workshop", {}, "not_in_channel"),
        ("cy", "conversations.join", "board", {}, "channel_not_found"),
        ("ann", "conversations.join", "board", {}, "method_not_supported_for_channel_type"),
        ("ann", "conversations.archive", "attic", {}, "already_archived"),
        ("ann", "conversations.unarchive", "board", {}, "not_archived"),
        ("ann", "conversations.rename", "board", {"name": "general"}, "name_taken"),
        ("ann", "conversations.rename", "board", {"name": "Up Case"}, "invalid_name_specials"),
    ],
)
def test_membership_has_rules(
    sandbox: Sandbox,
    client: ClientFor,
    who: str,
    method: str,
    channel: str,
    arguments: dict[str, str],
    error: str,
) -> None:
    """Inviting, removing, joining and leaving are refused where Slack refuses them."""
    ids = {key: sandbox.user_id(value) if key.startswith("user") else value for key, value in arguments.items()}
    assert refusal(client(who), method, channel=sandbox.channel_id(channel), **ids) == error


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("users.info", {"user": "U0NOBODY"}, "user_not_found"),
        ("users.list", {"cursor": "never"}, "invalid_cursor"),
        ("conversations.list", {"cursor": "dXNlcjpVMQ=="}, "invalid_cursor"),
        ("conversations.list", {"limit": 1001}, "invalid_limit"),
        ("conversations.list", {"limit": "many"}, "invalid_arguments"),
        ("conversations.list", {"types": "secret_channel"}, "invalid_types"),
        ("conversations.open", {}, "users_list_not_supplied"),
        ("conversations.open", {"users": "U0REX"}, "user_disabled"),
        ("conversations.open", {"users": "U0PAGER"}, "cannot_dm_bot"),
        ("files.info", {"file": "F0NONE"}, "file_not_found"),
        ("views.open", {"trigger_id": "1.2", "view": {"type": "modal", "blocks": []}}, "invalid_trigger_id"),
    ],
)
def test_other_calls_have_rules(client: ClientFor, method: str, arguments: dict[str, Any], error: str) -> None:
    """Unknown people, cursors, limits, kinds and triggers are refused by name."""
    assert refusal(client("bot"), method, **arguments) == error


ODD: tuple[dict[str, Any], ...] = (
    {},
    {"channel": 7, "user": ["x"], "ts": "soon", "timestamp": "", "name": "", "users": {}, "limit": -1},
    {"channel": "C0GENERAL", "text": None, "blocks": {"a": 1}, "attachments": "no", "thread_ts": "x.y", "ts": "1"},
    {"channel": "C0GENERAL", "text": "x", "blocks": [{"type": "section", "text": "x"}], "oldest": "yesterday"},
    {"channel": "C0GENERAL", "text": "x", "blocks": [{"type": "actions", "elements": "many"}], "user": "U0BO"},
    {"channel": "C0GENERAL", "text": "x", "blocks": [{"type": "table", "rows": [[1]]}], "name": "x", "user": "U0BO"},
    {"channel_id": "C0GENERAL", "thread_ts": "1.0", "status": "odd", "prompts": [{}], "title": "t"},
    {"view": "[]", "user_id": "U0BO", "trigger_id": "x", "view_id": "y", "file": "F", "files": "[1]"},
    {
        "seconds": "soon",
        "method": "x",
        "error": "y",
        "count": "many",
        "how": "odd",
        "to": "odd",
        "team": "",
        "kind": "odd",
    },
)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_call_breaks_the_sandbox(sandbox: Sandbox, method: str) -> None:
    """Whatever the arguments, a call is answered in Slack's form: done, or refused by name."""
    for token in (sandbox.bot_token, sandbox.token("ann"), sandbox.app_token):
        for arguments in ODD:
            response = WebClient(token=token, base_url=sandbox.api_url)
            try:
                answer = response.api_call(method, json=arguments)
            except SlackApiError as refused:
                answer = refused.response
            assert answer.status_code in (200, 404, 429)
            assert answer["ok"] is True or answer["error"]


def test_ephemerals_go_to_members_only(client: ClientFor, sandbox: Sandbox) -> None:
    """Slack shows an ephemeral message to nobody who isn't in the channel."""
    error = refusal(
        client("bot"),
        "chat.postEphemeral",
        channel=sandbox.channel_id("board"),
        user=sandbox.user_id("cy"),
        text="psst",
    )
    assert error == "user_not_in_channel"


def test_replies_hang_on_roots_only(client: ClientFor, sandbox: Sandbox) -> None:
    """A reply is no root of another thread."""
    general = sandbox.channel_id("general")
    root = client("bo").conversations_history(channel=general)["messages"][0]
    reply = client("bo").conversations_replies(channel=general, ts=root["ts"])["messages"][1]
    error = refusal(client("bo"), "chat.postMessage", channel=general, text="x", thread_ts=reply["ts"])
    assert error == "cannot_reply_to_message"
