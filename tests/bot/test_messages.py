"""What a person reads in a Slack message is what Footnote reads, once, with names, and nothing from elsewhere."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.messages import Message, is_noise, parse, readable

SHARED = Path(__file__).parents[3] / "shared" / "data" / "slack"


class KnownNames:
    """Two people, one public channel, one group."""

    def person(self, user_id: str) -> str:
        return {"U1": "ann", "U2": "bo"}.get(user_id, "")

    def channel(self, channel_id: str) -> str:
        return {"C1": "infra"}.get(channel_id, "")

    def group(self, group_id: str) -> str:
        return {"S1": "oncall"}.get(group_id, "")


NAMES = KnownNames()


def read(**fields: object) -> str:
    """The text of a message with these fields."""
    return readable(parse({"ts": "1772442840.000100", **fields}, "C1"), NAMES)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("plain words", "plain words"),
        ("ask <@U1> or <@U2|old name>", "ask @ann or @bo"),
        ("ask <@U9|carol>", "ask @carol"),
        ("ask <@U9>", "ask @someone"),
        ("see <#C1|renamed-since>", "see #infra"),
        ("see <#C9|layoffs>", "see a private channel"),
        ("cc <!subteam^S1>", "cc @oncall"),
        ("cc <!subteam^S9|@sales>", "cc @sales"),
        ("<!here> and <!channel|@channel>", "@here and @channel"),
        ("at <!date^1772442840^{date_short} {time}|2 March, 9:14>", "at 2 March, 9:14"),
        ("at <!date^1772442840^{date_short}>", "at 2 Mar 2026 09:14 UTC"),
        ("<!date^1772442840^{date}^https://example.org/cal|Monday>", "[Monday](https://example.org/cal)"),
        ("<!unknown^1|fallback>", "fallback"),
        ("<https://example.org/a?b=1&amp;c=2>", "https://example.org/a?b=1&c=2"),
        ("<https://example.org/(x)|the [old] page>", "[the (old) page](https://example.org/%28x%29)"),
        ("<https://example.org|https://example.org>", "https://example.org"),
        ("<mailto:ann@example.org|ann@example.org>", "ann@example.org"),
        ("<tel:+49301234|+49301234>", "+49301234"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("&amp;lt; stays", "&lt; stays"),
        ("*bold* and _it_ and ~gone~", "**bold** and _it_ and ~~gone~~"),
        ("2 * 3 * 4 and snake*case*name", "2 * 3 * 4 and snake*case*name"),
        ("*ask <@U1>*", "**ask @ann**"),
        ("`a *b* &lt;c&gt;`", "`a *b* <c>`"),
        ("`curl <https://example.org>`", "`curl https://example.org`"),
        ("run ```\nls *\n``` now", "run\n```\nls *\n```\nnow"),
        ("• one\n• two\n    ◦ deeper", "- one\n- two\n    - deeper"),
        ("&gt; said so", "> said so"),
        ("he said:\n&gt;&gt;&gt; one\ntwo", "he said:\n> one\n> two"),
        (":tada: done", ":tada: done"),
    ],
)
def test_mrkdwn_reads_as_markdown_with_names(text: str, markdown: str) -> None:
    """Every form of Slack's own markup becomes the Markdown that says the same."""
    assert read(text=text) == markdown


def section(*elements: Mapping[str, object]) -> dict[str, object]:
    """One run of words."""
    return {"type": "rich_text_section", "elements": list(elements)}


def words(text: str, **style: bool) -> dict[str, object]:
    """Words in a style."""
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def listed(style: str, *items: str, **more: int) -> dict[str, object]:
    """One list of one depth."""
    return {"type": "rich_text_list", "style": style, "elements": [section(words(i)) for i in items], **more}


@pytest.mark.parametrize(
    ("elements", "markdown"),
    [
        ([section(words("plain"))], "plain"),
        ([section(words("bold ", bold=True), words("x", italic=True, strike=True))], "**bold** ~~_x_~~"),
        ([section(words("one\ntwo", bold=True))], "**one**\n**two**"),
        ([section(words("rm -rf", code=True), words("a`b", code=True))], "`rm -rf``` a`b ``"),
        ([section({"type": "user", "user_id": "U1"}, words(" in "), {"type": "channel", "channel_id": "C1"})],
         "@ann in #infra"),
        ([section({"type": "channel", "channel_id": "C9"})], "a private channel"),
        ([section({"type": "usergroup", "usergroup_id": "S1"}, {"type": "broadcast", "range": "here"})],
         "@oncall@here"),
        ([section({"type": "link", "url": "https://example.org", "text": "page"})], "[page](https://example.org)"),
        ([section({"type": "link", "url": "https://example.org"})], "https://example.org"),
        ([section({"type": "emoji", "name": "tada"}, {"type": "color", "value": "#fff"})], ":tada:#fff"),
        ([section({"type": "date", "timestamp": 1772442840, "fallback": "Monday"})], "Monday"),
        ([section({"type": "something_new", "text": "still read"})], "still read"),
        ([listed("bullet", "a", "b"), listed("ordered", "c", indent=1), listed("bullet", "d")],
         "- a\n- b\n    1. c\n- d"),
        ([listed("ordered", "a"), {"type": "rich_text_preformatted", "elements": [words("x = 1")]},
          listed("ordered", "b", offset=1)], "1. a\n\n```\nx = 1\n```\n\n2. b"),
        ([{"type": "rich_text_quote", "elements": [words("one\ntwo")]}], "> one\n> two"),
        ([section(words("so:\n")), listed("bullet", "a")], "so:\n\n- a"),
    ],
)  # fmt: skip
def test_rich_text_reads_as_markdown(elements: list[object], markdown: str) -> None:
    """Sections, nested and interrupted lists, code and quotes keep their structure."""
    assert read(blocks=[{"type": "rich_text", "elements": elements}]) == markdown


def test_text_and_blocks_are_read_once() -> None:
    """Slack repeats a message's words in `text`; they are read from the blocks alone."""
    blocks = [{"type": "rich_text", "elements": [section(words("deploy at noon"))]}]
    assert read(text="deploy at noon", blocks=blocks) == "deploy at noon"


def test_text_is_read_where_blocks_say_nothing() -> None:
    """Buttons have no words of their own, so the text beside them is what people read."""
    button = {"type": "button", "text": {"type": "plain_text", "text": "OK"}}
    assert read(text="Approve?", blocks=[{"type": "actions", "elements": [button]}]) == "Approve?"


def test_blocks_of_a_bot_are_read_in_order() -> None:
    """Headers, fields, contexts and tables of an app's message are all read."""
    mrkdwn = {"type": "mrkdwn", "text": "*Status*\nfailed"}
    cell = {"type": "raw_text", "text": "a|b"}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Build 17"}},
        {"type": "section", "fields": [mrkdwn, {"type": "plain_text", "text": "*as typed*"}]},
        {"type": "divider"},
        {
            "type": "context",
            "elements": [{"type": "image", "alt_text": "logo"}, {"type": "mrkdwn", "text": "by <@U1>"}],
        },
        {"type": "table", "rows": [[{"type": "raw_text", "text": "k"}, cell], [cell, cell]]},
        {"type": "markdown", "text": "# Notes for <@U2>"},
    ]
    assert read(blocks=blocks).split("\n\n") == [
        "**Build 17**",
        "**Status**\nfailed\n*as typed*",
        "by @ann",
        "| k | a\\|b |\n| --- | --- |\n| a\\|b | a\\|b |",
        "# Notes for @bo",
    ]


def test_alert_of_a_bot_is_read_from_its_attachments() -> None:
    """Title, text and fields are read; the fallback only where there is nothing else."""
    alert = {
        "fallback": "[FIRING] disk",
        "title": "Disk full",
        "title_link": "https://example.org/alert",
        "text": "`/var` at 98 %",
        "fields": [{"title": "Host", "value": "db-1"}],
    }
    assert read(text="", bot_id="B1", attachments=[alert]) == (
        "[Disk full](https://example.org/alert)\n`/var` at 98 %\nHost: db-1"
    )
    assert read(text="", bot_id="B1", attachments=[{"fallback": "[FIRING] disk"}]) == "[FIRING] disk"


@pytest.mark.parametrize(
    "sign",
    [
        {"from_url": "https://example.org/page"},
        {"original_url": "https://example.org/page"},
        {"is_msg_unfurl": True},
        {"is_share": True, "channel_id": "C9"},
        {"is_reply_unfurl": True},
        {"app_unfurl_url": "https://example.org"},
        {"message_blocks": [{"message": {}}]},
    ],
)
def test_what_stands_elsewhere_is_never_read_under_the_carrying_message(sign: dict[str, object]) -> None:
    """An unfurl or a shared message may come from where this message's readers may not look."""
    unfurl = {"title": "Secret plan", "text": "of another channel", "fallback": "Secret plan", **sign}
    assert read(text="look", attachments=[unfurl]) == "look"


@pytest.mark.parametrize(
    ("fields", "noise"),
    [
        ({}, False),
        ({"subtype": "bot_message", "bot_id": "B1"}, False),
        ({"subtype": "me_message"}, False),
        ({"subtype": "file_share"}, False),
        ({"subtype": "thread_broadcast"}, False),
        ({"subtype": "channel_join"}, True),
        ({"subtype": "group_topic"}, True),
        ({"subtype": "tombstone"}, True),
        ({"subtype": "message_changed"}, True),
        ({"subtype": "something_new"}, True),
        ({"hidden": True}, True),
        ({"user": "USLACKBOT"}, True),
    ],
)
def test_only_what_somebody_wrote_is_not_noise(fields: dict[str, object], noise: bool) -> None:
    """Slack's own notices, and kinds of message that nobody knows yet, are not evidence."""
    assert is_noise(parse({"ts": "1.2", "text": "words", **fields}, "C1")) is noise


def test_every_field_of_a_message_is_parsed() -> None:
    """A reply keeps who wrote it, in which thread, when it was edited and by which app."""
    payload = {
        "ts": "1772442840.000200",
        "thread_ts": "1772442840.000100",
        "user": "U1",
        "bot_id": "B1",
        "bot_profile": {"app_id": "A1", "name": "deploys"},
        "text": "hi",
        "edited": {"ts": "1772442900.000000"},
        "reply_count": 2,
        "latest_reply": "1772442841.000000",
    }
    message = parse(payload, "C1")
    assert message == Message(
        "C1",
        "1772442840.000200",
        "1772442840.000100",
        user="U1",
        bot_id="B1",
        app_id="A1",
        text="hi",
        edited_ts="1772442900.000000",
        reply_count=2,
        latest_reply="1772442841.000000",
        username="deploys",
    )
    assert (message.is_reply, message.root_ts, message.written_at) == (True, "1772442840.000100", 1772442840.0002)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab<|>@*", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "elements", "style",
        "blocks", "attachments", "ts", "fields", "rows", "timestamp", "indent"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["ts", "text", "blocks", "attachments", "subtype", "user"]), json_values))
def test_no_payload_whatever_is_an_exception(payload: dict[str, object]) -> None:
    """A field of the wrong type is as good as absent."""
    assert isinstance(readable(parse(payload, "C1"), NAMES), str)


@given(st.text(alphabet="<>@#!|^*_~`&;lgtU1 \n[]()\ue000\ue0010", max_size=60))
def test_no_text_whatever_is_an_exception(text: str) -> None:
    """Unbalanced and forged markup is text."""
    assert isinstance(read(text=text), str)


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        yield from _objects(item)


def _documents(path: Path) -> Iterator[object]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)
    else:
        yield json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.skipif(not SHARED.exists(), reason="the payload collection stands beside the project, not in it")
@pytest.mark.parametrize("folder", ["events", "responses", "export"])
def test_every_known_payload_is_read_without_an_exception(folder: str) -> None:
    """Whatever Slack is known to send is parsed and read, and words that it shows are in the text."""
    read_words = 0
    for path in sorted(p for p in (SHARED / folder).rglob("*") if p.suffix in {".json", ".gz"}):
        for document in _documents(path):
            for payload in _objects(document):
                message = parse(payload, "C1")
                text = readable(message, NAMES)
                if message.text.strip() and payload.get("type") == "message":
                    read_words += 1
                    assert text.strip(), (path.name, message.text)
    assert read_words or folder != "export"
