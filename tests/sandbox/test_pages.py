"""The workspace in a browser: what shows, to whom, and that nothing typed becomes markup."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from slack_sdk import WebClient

from sandbox.server import Sandbox
from sandbox.web.handbook import slug
from tests.sandbox.company import company
from tests.sandbox.conftest import ClientFor, generous
from tests.sandbox.listening import ListeningApp

_TIMEOUT_S = 5  # for addresses on loopback


class Browser:
    """Somebody who opens pages."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self._sandbox = sandbox
        self._as = sandbox.user_id(name)

    def open(self, path: str, **query: str) -> tuple[int, str]:
        """Status and page of a path, after redirects."""
        return _fetch(f"{self._sandbox.url}{path}?{urlencode({'as': self._as, **query})}")

    def send(self, path: str, **fields: str) -> tuple[int, str]:
        """Status and answer of a form."""
        return _fetch(f"{self._sandbox.url}{path}", urlencode({"as": self._as, **fields}).encode())


def _fetch(url: str, body: bytes | None = None) -> tuple[int, str]:
    try:
        with urlopen(Request(url, body), timeout=_TIMEOUT_S) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_start_offers_everybody_who_can_sit_there(sandbox: Sandbox) -> None:
    """Members, guests and outsiders can be chosen; bots and those who left can't."""
    status, page = _fetch(sandbox.url)
    offered = [name for name in ("Ann Lee", "Gus Hale", "Olga Quist", "Rex Gone", "Pager") if name in page]
    assert (status, offered) == (200, ["Ann Lee", "Gus Hale", "Olga Quist"])


@pytest.mark.parametrize(
    ("who", "shown"),
    [
        ("ann", {"general", "board", "vault", "workshop"}),
        ("cy", {"general", "workshop"}),
        ("gus", {"workshop"}),
        ("olga", set()),
    ],
)
def test_the_sidebar_shows_what_a_person_may_see(sandbox: Sandbox, who: str, shown: set[str]) -> None:
    """Private channels of others and, for guests, public ones too are not there."""
    page = Browser(sandbox, who).open("")[1]
    names = ("general", "board", "vault", "workshop")
    assert {name for name in names if f"/client/{sandbox.channel_id(name)}?" in page} == shown


def test_messages_show_with_their_authors(sandbox: Sandbox) -> None:
    """A channel's page has the messages, who wrote them and how many replied."""
    page = Browser(sandbox, "ann").open(f"client/{sandbox.channel_id('general')}")[1]
    assert "Where is the ladder?" in page
    assert "Ann Lee" in page
    assert "2 replies" in page
    assert "Behind the" not in page


def test_permalinks_open_the_message_and_its_thread(sandbox: Sandbox, client: ClientFor) -> None:
    """A reply's permalink shows its thread with the reply highlighted."""
    general, bo = sandbox.channel_id("general"), client("bo")
    root = bo.conversations_history(channel=general)["messages"][0]["ts"]
    reply = bo.conversations_replies(channel=general, ts=root)["messages"][1]["ts"]
    link = bo.chat_getPermalink(channel=general, message_ts=reply)["permalink"]
    path, _, query = link.removeprefix(sandbox.url).partition("?")
    assert query == f"thread_ts={root}&cid={general}"
    status, page = Browser(sandbox, "ann").open(path, thread_ts=root, cid=general)
    assert status == 200
    assert f'class="message highlight" id="tm{reply}"' in page
    assert "<strong>kiln</strong>" in page


@pytest.mark.parametrize("who", ["cy", "gus", "olga"])
def test_permalinks_of_others_are_not_found(sandbox: Sandbox, client: ClientFor, who: str) -> None:
    """Who may not read a message gets the same page as for one that doesn't exist."""
    board = sandbox.channel_id("board")
    ts = client("bo").conversations_history(channel=board)["messages"][0]["ts"].replace(".", "")
    seen = Browser(sandbox, who).open(f"archives/{board}/p{ts}")
    assert seen == Browser(sandbox, who).open("archives/C0NOWHERE/p1")
    assert seen[0] == 404
    assert Browser(sandbox, who).open(f"client/{board}/live") == seen


@pytest.mark.parametrize(("who", "lands"), [("bo", "#board"), ("cy", "#general"), ("gus", "#workshop")])
def test_becoming_another_stays_where_they_may_be(sandbox: Sandbox, who: str, lands: str) -> None:
    """The channel stays open for who may see it; anybody else lands where they are at home."""
    assert f"Message {lands}" in Browser(sandbox, who).open(f"be/{sandbox.channel_id('board')}")[1]


def test_ephemeral_messages_show_to_their_person(sandbox: Sandbox, client: ClientFor) -> None:
    """Only the one to whom it was sent has it on the page."""
    general = sandbox.channel_id("general")
    client("bot").chat_postEphemeral(channel=general, user=sandbox.user_id("bo"), text="for Bo alone")
    pages = {who: Browser(sandbox, who).open(f"client/{general}")[1] for who in ("ann", "bo")}
    assert {who: "for Bo alone" in page for who, page in pages.items()} == {"ann": False, "bo": True}
    assert "Only visible to you" in pages["bo"]


def test_what_is_typed_is_posted_as_that_person(sandbox: Sandbox, client: ClientFor) -> None:
    """Names and addresses become Slack's forms, the rest is escaped, code stays code."""
    general = sandbox.channel_id("general")
    typed = "@footnote see #general, https://x.example/a?b=1&c=2 <b> & `@ann <i>`"
    status, _ = Browser(sandbox, "cy").send(f"client/{general}/post", text=typed)
    message = client("bo").conversations_history(channel=general)["messages"][0]
    assert (status, message["user"]) == (200, "U0CY")
    assert message["text"] == (
        f"<@U0FOOTNOTE> see <#{general}|general>, <https://x.example/a?b=1&amp;c=2> &lt;b&gt; &amp; `@ann &lt;i&gt;`"
    )


def test_a_command_is_typed_like_a_message(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """What begins with a slash goes to the app and is no message; what no app knows is told."""
    general = sandbox.channel_id("general")
    status, _ = Browser(sandbox, "bo").send(f"client/{general}/post", text="/footnote where is #general?")
    payload = next(each["payload"] for each in app.envelopes if each["type"] == "slash_commands")
    assert (status, payload["command"], payload["text"]) == (200, "/footnote", f"where is <#{general}|general>?")
    assert "/footnote" not in [m["text"] for m in client("bo").conversations_history(channel=general)["messages"]]
    status, page = Browser(sandbox, "bo").send(f"client/{general}/post", text="/unknown")
    assert (status, "unknown_command" in page) == (400, True)


def test_nobody_posts_where_they_are_not(sandbox: Sandbox) -> None:
    """Without membership there is no form, and a form sent anyway is refused."""
    browser, workshop = Browser(sandbox, "cy"), sandbox.channel_id("workshop")
    assert "You are looking at a channel that you are not in." in browser.open(f"client/{workshop}")[1]
    status, page = browser.send(f"client/{workshop}/post", text="hi")
    assert status == 400
    assert "not_in_channel" in page


def test_only_news_is_fetched_again(sandbox: Sandbox, client: ClientFor) -> None:
    """A page that has everything gets nothing; after a post it gets the messages."""
    general = sandbox.channel_id("general")
    browser = Browser(sandbox, "ann")
    mark = json.loads(browser.open(f"client/{general}/live")[1])["mark"]
    assert browser.open(f"client/{general}/live", seen=mark) == (204, "")
    client("bo").chat_postMessage(channel=general, text="fresh")
    assert "fresh" in json.loads(browser.open(f"client/{general}/live", seen=mark)[1])["timeline"]


HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "content",
    [
        {"text": HOSTILE},
        {"text": f"`{HOSTILE}` *{HOSTILE}* ```{HOSTILE}```"},
        {"text": 'x" onmouseover="alert(1)'},
        {"text": "<javascript:alert(1)|press>"},
        {"text": f'<https://x.example/"onclick="alert(1)|{HOSTILE}>'},
        {
            "markdown_text": f"{HOSTILE} [a](javascript:alert(1)) <img src=x onerror=alert(1)> ![i](https://x.example/i.png)"
        },
        {"text": "t", "blocks": [{"type": "section", "text": {"type": "plain_text", "text": HOSTILE}}]},
        {"text": "t", "blocks": [{"type": "header", "text": {"type": "plain_text", "text": HOSTILE}}]},
        {"text": "t", "blocks": [{"type": "image", "alt_text": HOSTILE, "image_url": "https://x.example/i.png"}]},
        {"text": "t", "attachments": [{"title": HOSTILE, "text": HOSTILE, "title_link": "javascript:alert(1)"}]},
        {
            "text": "t",
            "blocks": [
                {
                    "type": "actions",
                    "elements": [
                        {
                            "type": "button",
                            "text": {"type": "plain_text", "text": HOSTILE},
                            "value": '"><script>',
                            "action_id": "a",
                        }
                    ],
                }
            ],
        },
    ],
)
def test_nothing_posted_becomes_markup(sandbox: Sandbox, client: ClientFor, content: dict[str, Any]) -> None:
    """Scripts, handlers, pictures and strange addresses show as words or not at all."""
    general = sandbox.channel_id("general")
    client("bot").chat_postMessage(channel=general, **content)
    page = json.loads(Browser(sandbox, "ann").open(f"client/{general}/live")[1])["timeline"]
    lowered = page.lower()
    assert "<script" not in lowered
    assert "<img" not in lowered
    assert 'href="javascript' not in lowered
    assert '" onmouseover="' not in lowered
    assert '"onclick="' not in lowered


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "markdown", "text": "**b** [2](https://x.example)"}, '<a href="https://x.example" '),
        ({"type": "markdown", "text": "<@U0BO> in `<@U0BO>`"}, '<span class="mention">@Bo Ek</span> in <code>'),
        ({"type": "markdown", "text": "| a |\n|---|\n| b |"}, "<td>b</td>"),
        ({"type": "section", "text": {"type": "mrkdwn", "text": "• one\n• two"}}, "<li>one</li><li>two</li>"),
        ({"type": "section", "text": {"type": "mrkdwn", "text": "&gt; said"}}, "<blockquote>said</blockquote>"),
        ({"type": "context", "elements": [{"type": "plain_text", "text": "small"}]}, "<span>small</span>"),
        ({"type": "divider"}, "<hr>"),
    ],
)
def test_blocks_show_as_in_slack(sandbox: Sandbox, client: ClientFor, block: dict[str, Any], shown: str) -> None:
    """Lists, quotes, tables, links and mentions are rendered."""
    general = sandbox.channel_id("general")
    client("bot").chat_postMessage(channel=general, text="t", blocks=[block])
    assert shown in json.loads(Browser(sandbox, "ann").open(f"client/{general}/live")[1])["timeline"]


@pytest.mark.parametrize(
    "content",
    [
        {"attachments": [{"fields": [1, {"title": 2}], "blocks": "x", "text": 3}]},
        {"attachments": [{"blocks": [{"type": "section", "accessory": {}}, {}]}]},
        {"blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": [7]}]}]},
        {"blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"style": 1}]}]}]},
        {"blocks": [{"type": "task_card", "task_id": "1", "title": 5, "sources": [{"url": 1}]}]},
        {"blocks": [{"type": "plan", "title": "p", "tasks": [1]}]},
    ],
)
def test_odd_messages_break_no_page(sandbox: Sandbox, client: ClientFor, content: dict[str, Any]) -> None:
    """What Slack would take but nobody should send is shown somehow."""
    general = sandbox.channel_id("general")
    client("bot").chat_postMessage(channel=general, text="odd", **content)
    assert Browser(sandbox, "ann").open(f"client/{general}")[0] == 200


def test_the_home_tab_opens_and_takes_presses(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """Opening it tells the app; what that publishes shows to this person alone, with buttons that reach the app."""
    bo, ann = Browser(sandbox, "bo"), Browser(sandbox, "ann")
    assert "shows nothing here" in bo.open("home")[1]
    assert app.expect("app_home_opened")[0]["user"] == sandbox.user_id("bo")
    go = {"type": "button", "action_id": "go", "value": "7", "text": {"type": "plain_text", "text": "Go <on>"}}
    view = {"type": "home", "blocks": [{"type": "actions", "elements": [go]}]}
    client("bot").views_publish(user_id=sandbox.user_id("bo"), view=view)
    shown = json.loads(bo.open("home/live")[1])
    assert "Go &lt;on&gt;" in shown["timeline"]
    assert bo.open("home/live", seen=shown["mark"])[0] == 204
    assert "Go" not in json.loads(ann.open("home/live")[1])["timeline"]
    assert json.loads(bo.send("home/press", action_id="go", value="7")[1])["acked"] is True
    assert json.loads(ann.send("home/press", action_id="go", value="7")[1])["ok"] is False


def test_buttons_can_be_pressed_in_the_browser(sandbox: Sandbox, client: ClientFor, app: ListeningApp) -> None:
    """A press reaches the app as that person's."""
    general = sandbox.channel_id("general")
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
    blocks = [{"type": "actions", "elements": [button]}]
    ts = client("bot").chat_postMessage(channel=general, text="t", blocks=blocks)["ts"]
    pressed = Browser(sandbox, "bo").send(f"client/{general}/press", ts=ts, action_id="go", value="")
    assert json.loads(pressed[1])["acked"] is True
    assert [each["payload"]["user"]["id"] for each in app.envelopes if each["type"] == "interactive"] == ["U0BO"]


def test_the_app_is_a_direct_message_away(sandbox: Sandbox) -> None:
    """The sidebar's link to the app opens the DM with it."""
    status, page = Browser(sandbox, "ann").open(f"dm/{sandbox.bot_user}")
    assert status == 200
    assert "Message Footnote" in page


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox with a handbook of two pages, and a file beside it that is none of its."""
    book = tmp_path / "book"
    (book / "people").mkdir(parents=True)
    (book / "index.md").write_text("# Welcome\n\n[Leave](people/leave.md#how-much) <script>x</script>\n")
    page = "---\nowner: ann\n---\n# Leave\n\n## How much?\n\n30 days.\n\n## How much?\n\n| a |\n|---|\n| b |\n"
    (book / "people" / "leave.md").write_text(page)
    (tmp_path / "secret.md").write_text("# Secret\n")
    with Sandbox.running(company(), handbook=book, manifest=generous()) as running:
        yield running


def test_the_handbook_shows_with_heading_ids(library: Sandbox) -> None:
    """Pages stand at their path without .md, headings have GitHub's ids, links lead to pages, HTML is not run."""
    start = _fetch(f"{library.url}handbook/")[1]
    status, page = _fetch(f"{library.url}handbook/people/leave")
    assert status == 200
    assert 'href="people/leave#how-much"' in start
    assert "<script>x" not in start
    assert '<h2 id="how-much">' in page
    assert '<h2 id="how-much-1">' in page
    assert "<td>b</td>" in page
    assert "owner: ann" not in page


@pytest.mark.parametrize(
    "path", ["nothing", "../secret", "%2e%2e/secret", "people/%2e%2e/%2e%2e/secret", "/etc/passwd"]
)
def test_the_handbook_keeps_to_its_folder(library: Sandbox, path: str) -> None:
    """What isn't in the folder isn't found."""
    assert _fetch(f"{library.url}handbook/{path}")[0] == 404


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("How much?", "how-much"),
        ("On-call: who & when", "on-call-who--when"),
        ("`kiln_ctl` 2.0", "kiln_ctl-20"),
        ("Über Größe", "über-größe"),
    ],
)
def test_slugs_are_githubs(heading: str, expected: str) -> None:
    """Links that others build to a heading find it."""
    assert slug(heading.replace("`", "")) == expected


def test_a_page_of_a_long_channel_is_quick(sandbox: Sandbox) -> None:
    """Only a window of a long channel is shown, and the permalink of an old message still shows that message."""
    general = sandbox.channel_id("general")
    bo = WebClient(token=sandbox.token("bo"), base_url=sandbox.api_url)
    first = bo.conversations_history(channel=general)["messages"][0]["ts"]
    for number in range(120):
        bo.chat_postMessage(channel=general, text=f"line {number}")
    browser = Browser(sandbox, "ann")
    latest = browser.open(f"client/{general}")[1]
    old = browser.open(f"archives/{general}/p{first.replace('.', '')}")[1]
    assert ("line 119" in latest, "Where is the ladder?" in latest) == (True, False)
    assert f'class="message highlight" id="m{first}"' in old
