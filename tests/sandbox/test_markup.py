"""Slack's mrkdwn is read as Slack reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk import WebClient

from sandbox.blocks import check_blocks
from sandbox.clock import micros_of, ts_of
from sandbox.mrkdwn import PartKind, Span, SpanKind, mentions, parts, spans
from sandbox.richtext import rich_text_blocks
from sandbox.server import Sandbox
from tests.sandbox.conftest import ClientFor

RESPONSES = Path(__file__).parents[3] / "shared" / "data" / "slack" / "responses"
BOLD, CODE = frozenset({"bold"}), frozenset({"code"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", [Span(SpanKind.TEXT, "plain")]),
        ("*bold*", [Span(SpanKind.TEXT, "bold", styles=BOLD)]),
        ("2*3*4", [Span(SpanKind.TEXT, "2*3*4")]),
        ("snake_case_name", [Span(SpanKind.TEXT, "snake_case_name")]),
        ("`*x*`", [Span(SpanKind.TEXT, "*x*", styles=CODE)]),
        ("*`x`*", [Span(SpanKind.TEXT, "x", styles=BOLD | CODE)]),
        ("&lt;b&gt; &amp;", [Span(SpanKind.TEXT, "<b> &")]),
        ("<@U1>", [Span(SpanKind.USER, "", "U1")]),
        ("<#C1|infra>", [Span(SpanKind.CHANNEL, "infra", "C1")]),
        ("<!here>", [Span(SpanKind.BROADCAST, "", "here")]),
        ("<!subteam^S1|@ops>", [Span(SpanKind.USERGROUP, "@ops", "S1")]),
        ("<https://x.example?a=1&amp;b=2|y>", [Span(SpanKind.LINK, "y", "https://x.example?a=1&b=2")]),
        (":tada:", [Span(SpanKind.EMOJI, ":tada:", "tada")]),
        ("at 10:30:00", [Span(SpanKind.TEXT, "at 10:30:00")]),
    ],
)
def test_spans_are_told_apart(text: str, expected: list[Span]) -> None:
    """Styles, links, people, channels and code are found, and nothing that only looks like them."""
    assert list(spans(text)) == expected


def test_parts_keep_their_structure() -> None:
    """Paragraphs, lists, quotes and code blocks follow each other as written."""
    text = "Steps:\n1. one\n2. two\n• a\n    • b\n&gt; said\n```if x &lt; 1:\n    go```end"
    assert [(part.kind, len(part.lines), part.indent) for part in parts(text)] == [
        (PartKind.PARAGRAPH, 1, 0),
        (PartKind.NUMBERS, 2, 0),
        (PartKind.BULLETS, 1, 0),
        (PartKind.BULLETS, 1, 2),
        (PartKind.QUOTE, 1, 0),
        (PartKind.CODE, 1, 0),
        (PartKind.PARAGRAPH, 1, 0),
    ]
    assert parts(text)[5].lines[0][0].text == "if x < 1:\n    go"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("hi <@U1>", True), ("*<@U1|ann>*", True), ("`<@U1>`", False), ("```<@U1>```", False), ("<@U12>", False)],
)
def test_mentions_in_code_are_none(text: str, expected: bool) -> None:
    """Somebody named in code is not called."""
    assert mentions(text, "U1") is expected


@given(st.text(alphabet="ab *_~`<>@#!|&;:\n•-1.", max_size=60))
def test_any_text_makes_valid_rich_text(text: str) -> None:
    """Whatever is typed can be read, and its rich text passes Slack's own checks."""
    check_blocks(rich_text_blocks(text))


@given(st.integers(min_value=0, max_value=10**16 - 1), st.integers(min_value=0, max_value=10**16 - 1))
def test_timestamps_sort_as_their_times(first: int, second: int) -> None:
    """A timestamp gives its time back, and texts compare as times do."""
    assert micros_of(ts_of(first)) == first
    assert (ts_of(first) < ts_of(second)) == (first < second)


def known_keys(shape: Any, known: Any, path: str) -> list[str]:
    """The keys of a shape that Slack's own answers don't have."""
    if isinstance(shape, dict) and isinstance(known, dict):
        unknown = [f"{path}.{key}" for key in shape if key not in known]
        inner = [key for key in shape if key in known and key != "blocks"]  # blocks are of many kinds
        return unknown + [u for key in inner for u in known_keys(shape[key], known[key], f"{path}.{key}")]
    if isinstance(shape, list) and isinstance(known, list) and known:
        return [found for entry in shape for found in known_keys(entry, known[0], f"{path}[]")]
    return []


@pytest.mark.skipif(not RESPONSES.is_dir(), reason="the recorded shapes stand beside the checkout, not in it")
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("auth.test", {}),
        ("team.info", {}),
        ("users.info", {"user": "U0ANN", "include_locale": True}),
        ("users.info", {"user": "U0OLGA"}),
        ("users.list", {"limit": 3}),
        ("users.conversations", {"types": "public_channel,private_channel"}),
        ("conversations.list", {"types": "public_channel,private_channel"}),
        ("conversations.info", {"channel": "C0JOINT", "include_num_members": True}),
        ("conversations.members", {"channel": "C0GENERAL"}),
        ("conversations.open", {"users": "U0ANN", "return_im": True}),
        ("conversations.history", {"channel": "C0GENERAL"}),
        ("chat.postMessage", {"channel": "C0GENERAL", "text": "x"}),
        ("chat.postEphemeral", {"channel": "C0GENERAL", "text": "x", "user": "U0BO"}),
    ],
)
def test_answers_have_slacks_fields(
    sandbox: Sandbox, client: ClientFor, method: str, arguments: dict[str, Any]
) -> None:
    """No answer holds a field that Slack's recorded answers don't know."""
    recorded = json.loads((RESPONSES / f"{method}.json").read_text())
    answer = client("bot").api_call(method, json=arguments).data
    assert known_keys(answer, recorded, method) == []


def test_webclient_is_unmodified(sandbox: Sandbox) -> None:
    """Only the address and the token differ from a client of the real Slack."""
    assert WebClient(token=sandbox.bot_token, base_url=sandbox.api_url).auth_test()["user"] == "footnote"
