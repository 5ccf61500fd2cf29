"""What is read of a workspace: to its last page, by what Slack says in so many words, and failing in one way."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from bot.errors import SlackDenied, SlackError
from bot.slack import workspace as reading
from bot.slack.api import SlackApi, open_client
from bot.slack.workspace import Identity, Workspace
from bot.state.database import open_database
from bot.state.places import Places
from bot.types import ConversationKind, PersonKind
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from sandbox.server import Sandbox

MANY = tuple(SeedPerson(f"p{at}") for at in range(7))
SEED = Seed(
    people=(
        *MANY,
        SeedPerson("gus", kind="guest"),
        SeedPerson("sam", kind="single_channel_guest"),
        SeedPerson("eve", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other")),
        SeedPerson("dee", kind="deactivated"),
        SeedPerson("deploybot", kind="bot"),
    ),
    channels=(
        SeedChannel("general"),
        SeedChannel("old", archived=True),
        SeedChannel("elsewhere", footnote=False),
        SeedChannel("secret", kind="private", members=("p1",)),
        SeedChannel("others-secret", kind="private", members=("p1",), footnote=False),
        SeedChannel("trio", kind="group_dm", members=("p1", "p2")),
        SeedChannel("partners", kind="shared", members=("p1", "eve")),
        SeedChannel("soon", members=("p1",), pending=True),
    ),
    messages={
        "general": (
            *(SeedMessage("p1", f"message {at}") for at in range(7)),
            SeedMessage("p2", "root", thread=tuple(SeedMessage("p3", f"reply {at}") for at in range(7))),
        )
    },
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A workspace with some of everything."""
    with Sandbox.running(SEED) as sandbox:
        yield sandbox


@pytest.fixture
def workspace(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The workspace, read in pages of three."""
    monkeypatch.setattr(reading, "PAGE", 3)
    database = open_database(f"sqlite:///{tmp_path}/state.db")
    yield Workspace(open_client(sandbox.bot_token, sandbox.api_url), Places(database))
    database.close()


def test_who_footnote_is(workspace: Workspace, sandbox: Sandbox) -> None:
    """Team, address and ids are Slack's own."""
    assert workspace.identity() == Identity("T0HOME", sandbox.url, sandbox.bot_user, "B0FOOTNOTE", "A0FOOTNOTE")


@pytest.mark.parametrize(
    ("name", "kind", "is_reader"),
    [
        ("p1", PersonKind.MEMBER, True),
        ("gus", PersonKind.GUEST, True),
        ("sam", PersonKind.GUEST, True),
        ("eve", PersonKind.OUTSIDER, True),
        ("dee", PersonKind.NOBODY, False),
        ("deploybot", PersonKind.NOBODY, False),
    ],
)
def test_what_somebody_is(workspace: Workspace, sandbox: Sandbox, name: str, kind: PersonKind, is_reader: bool) -> None:
    """The kind of a person is what Slack's flags say."""
    person = workspace.person(sandbox.user_id(name))
    assert (person.name or name, person.kind, person.is_reader) == (person.name, kind, is_reader)


def test_everybody_is_listed_to_the_last_page(workspace: Workspace, sandbox: Sandbox) -> None:
    """Nobody stands beyond the first page of a list."""
    listed = {person.id: person.kind for person in workspace.people()}
    assert {listed[sandbox.user_id(person.name)] for person in MANY} == {PersonKind.MEMBER}
    assert listed[sandbox.user_id("gus")] is PersonKind.GUEST
    assert sandbox.user_id("eve") not in listed
    assert len(workspace.members(sandbox.channel_id("general"))) == len(MANY) + 1


def test_which_conversations_there_are(workspace: Workspace, sandbox: Sandbox) -> None:
    """Archived channels are still there, private ones where Footnote is, and each place has one id of ours."""
    joined = {conversation.name: conversation for conversation in workspace.joined()}
    assert {"general", "old", "secret", "partners", "soon"} <= set(joined)
    assert "elsewhere" not in joined
    assert "others-secret" not in joined
    assert [c.kind for c in joined.values() if c.id == sandbox.channel_id("trio")] == [ConversationKind.GROUP_DM]
    assert joined["secret"].kind is ConversationKind.PRIVATE
    assert {name for name, conversation in joined.items() if conversation.is_shared} == {"partners", "soon"}
    assert {name for name, conversation in joined.items() if conversation.is_archived} == {"old"}
    public = {conversation.name: conversation for conversation in workspace.public_channels()}
    assert {"general", "old", "elsewhere"} <= set(public)
    assert "secret" not in public
    assert (public["general"].place, public["elsewhere"].is_joined) == (joined["general"].place, False)
    assert workspace.conversation(sandbox.channel_id("general")) == joined["general"]


def test_where_somebody_is(workspace: Workspace, sandbox: Sandbox) -> None:
    """Private conversations count only where Footnote is too, for of others it may not know."""
    inside = workspace.conversations_of(sandbox.user_id("p1"))
    assert sandbox.channel_id("secret") in inside
    assert sandbox.channel_id("elsewhere") in inside
    assert sandbox.channel_id("others-secret") not in inside


def test_history_and_threads_are_whole(workspace: Workspace, sandbox: Sandbox) -> None:
    """History comes newest first to its beginning, a thread once and root first, over all pages."""
    general = sandbox.channel_id("general")
    history = list(workspace.history(general))
    assert [message.text for message in history] == ["root", *(f"message {at}" for at in reversed(range(7)))]
    assert list(workspace.history(general, oldest=history[1].ts)) == history[:1]
    thread = workspace.replies(general, history[0].ts)
    assert [message.text for message in thread] == ["root", *(f"reply {at}" for at in range(7))]


def test_links_are_slacks_own(workspace: Workspace, sandbox: Sandbox) -> None:
    """A link is what Slack itself would give, for a message and for a reply."""
    general = sandbox.channel_id("general")
    root = next(iter(workspace.history(general)))
    reply = workspace.replies(general, root.ts)[1]
    client = open_client(sandbox.bot_token, sandbox.api_url)
    for message in (root, reply):
        slacks = client.chat_getPermalink(channel=general, message_ts=message.ts)["permalink"]
        assert workspace.permalink(general, message.ts, message.thread_ts) == slacks


@pytest.mark.parametrize(
    ("read", "code"),
    [
        (lambda workspace, sandbox: workspace.conversation("C0NOWHERE"), "channel_not_found"),
        (lambda workspace, sandbox: workspace.person("U0NOBODY"), "user_not_found"),
        (lambda workspace, sandbox: workspace.members(sandbox.channel_id("others-secret")), "channel_not_found"),
        (lambda workspace, sandbox: list(workspace.history(sandbox.channel_id("elsewhere"))), "not_in_channel"),
    ],
)
def test_what_may_not_be_read_is_denied(
    workspace: Workspace, sandbox: Sandbox, read: Callable[[Workspace, Sandbox], object], code: str
) -> None:
    """That Footnote may not read something is told apart from that Slack could not say."""
    with pytest.raises(SlackDenied) as denied:
        read(workspace, sandbox)
    assert denied.value.code == code


# ---------------------------------------------------------------------------------------- a Slack that misbehaves

Answer = tuple[int, dict[str, str], str]


class FakeSlack:
    """Answers each call by a script, over a real port."""

    def __init__(self) -> None:
        self.script: Callable[[str, dict[str, str]], Answer] = lambda _method, _arguments: (200, {}, '{"ok": true}')
        self.calls: list[str] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                method = self.path.rsplit("/", 1)[-1]
                fake.calls.append(method)
                arguments = {name: values[0] for name, values in parse_qs(body).items()}
                status, headers, answer = fake.script(method, arguments)
                if not status:  # hang up
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/api"


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    """A Slack that answers as it is told."""
    fake = FakeSlack()
    thread = threading.Thread(target=fake.server.serve_forever, args=(0.01,))
    thread.start()
    yield fake
    fake.server.shutdown()
    thread.join()
    fake.server.server_close()


def busy_for(calls: int, retry_after: str) -> Callable[[str, dict[str, str]], Answer]:
    """Refuses the first calls for now."""
    left = iter(range(calls))

    def script(_method: str, _arguments: dict[str, str]) -> Answer:
        if next(left, None) is None:
            return 200, {}, '{"ok": true}'
        return 429, {"Retry-After": retry_after}, '{"ok": false, "error": "ratelimited"}'

    return script


def test_a_busy_slack_is_waited_for_as_it_asks(slack: FakeSlack) -> None:
    """Each wait is as long as Slack says, and the call is made again until it goes through."""
    waits: list[float] = []
    slack.script = busy_for(2, "7")
    assert SlackApi(open_client("xoxb-1", slack.url), sleep=waits.append).read("conversations.info") == {"ok": True}
    assert waits == [7.0, 7.0]


def test_patience_with_a_busy_slack_ends(slack: FakeSlack) -> None:
    """Nobody waits longer than the bound, however long Slack asks for."""
    waits: list[float] = []
    slack.script = busy_for(99, "30")
    with pytest.raises(SlackError, match="ratelimited"):
        SlackApi(open_client("xoxb-1", slack.url), patience_s=65, sleep=waits.append).read("conversations.info")
    assert waits == [30.0, 30.0]


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        ((200, {}, '{"ok": false, "error": "missing_scope"}'), SlackDenied, "missing_scope"),
        ((200, {}, '{"ok": false, "error": "fatal_error"}'), SlackError, "fatal_error"),
        ((200, {}, '{"ok": false, "error": "<b>Our Secret</b>"}'), SlackError, "http_200"),
        ((200, {}, "<html>no JSON</html>"), SlackError, "http_200"),
        ((200, {}, '["no object"]'), SlackError, "unreachable"),
        ((503, {}, "<html>unavailable</html>"), SlackError, "http_503"),
        ((500, {}, '{"ok": false, "error": "internal_error"}'), SlackError, "internal_error"),
    ],
)
def test_every_failure_is_one_of_ours(slack: FakeSlack, answer: Answer, kind: type[SlackError], code: str) -> None:
    """Whatever comes back instead of an answer, it is one error of ours, with Slack's own name where it gave one."""
    slack.script = lambda _method, _arguments: answer
    with pytest.raises(SlackError) as failure:
        SlackApi(open_client("xoxb-1", slack.url)).read("conversations.info")
    assert (type(failure.value), failure.value.code) == (kind, code)


def test_reads_are_tried_twice_and_posts_once(slack: FakeSlack) -> None:
    """A post that seems lost may have arrived, so that only reads are tried again when the connection broke."""
    slack.script = lambda _method, _arguments: (0, {}, "")
    api = SlackApi(open_client("xoxb-1", slack.url))
    for call, method in ((api.read, "users.info"), (api.write, "chat.postMessage")):
        with pytest.raises(SlackError) as failure:
            call(method)
        assert failure.value.code == "unreachable"
    assert slack.calls == ["users.info", "users.info", "chat.postMessage"]


def test_private_kinds_are_optional(slack: FakeSlack, tmp_path: Path) -> None:
    """Without the scopes for private channels and group DMs, the public ones are still read."""
    channel = {"id": "C1", "name": "general", "is_private": False, "is_member": True}
    answers: dict[str, dict[str, object]] = {
        "auth.test": {"team_id": "T1", "url": "https://a.slack.com", "user_id": "U1", "bot_id": "B1"},
        "bots.info": {"bot": {"app_id": "A1"}},
        "users.conversations": {"channels": [channel]},
    }

    def script(method: str, arguments: dict[str, str]) -> Answer:
        if arguments.get("types", "public_channel") != "public_channel":
            return 200, {}, '{"ok": false, "error": "missing_scope"}'
        return 200, {}, json.dumps({"ok": True, **answers[method]})

    slack.script = script
    workspace = Workspace(open_client("xoxb-1", slack.url), Places(open_database(f"sqlite:///{tmp_path}/s.db")))
    assert [conversation.name for conversation in workspace.joined()] == ["general"]
    assert workspace.identity().url == "https://a.slack.com/"


@pytest.mark.parametrize(
    "flags",
    [{}, {"is_restricted": False}, {"is_restricted": None, "is_ultra_restricted": False}, {"is_stranger": True}],
)
def test_nobody_is_a_member_by_omission(slack: FakeSlack, tmp_path: Path, flags: dict[str, object]) -> None:
    """Where Slack doesn't say that somebody is no guest, nothing is assumed of them."""
    user = {"id": "U2", "team_id": "T1", "name": "ann", **flags}
    answers: dict[str, dict[str, object]] = {
        "auth.test": {"team_id": "T1", "url": "https://a.slack.com/", "user_id": "U1", "bot_id": "B1"},
        "bots.info": {"bot": {"app_id": "A1"}},
        "users.info": {"user": user},
        "conversations.info": {"channel": {"id": "C1", "name": "general"}},
    }
    slack.script = lambda method, _arguments: (200, {}, json.dumps({"ok": True, **answers[method]}))
    workspace = Workspace(open_client("xoxb-1", slack.url), Places(open_database(f"sqlite:///{tmp_path}/s.db")))
    assert (workspace.person("U2").kind, workspace.person("U2").is_reader) == (PersonKind.NOBODY, True)
    with pytest.raises(SlackError, match="unreadable_answer"):
        workspace.conversation("C1")


UNSHARED = {"is_shared": False, "is_ext_shared": False, "is_org_shared": False, "is_pending_ext_shared": False}


def listing(slack: FakeSlack, tmp_path: Path, *channels: dict[str, object]) -> Workspace:
    """A workspace in which Slack says this of its channels."""
    answers: dict[str, dict[str, object]] = {
        "auth.test": {"team_id": "T1", "url": "https://a.slack.com/", "user_id": "U1", "bot_id": "B1"},
        "bots.info": {"bot": {"app_id": "A1"}},
        "users.conversations": {"channels": channels},
        "conversations.list": {"channels": channels},
        "conversations.info": {"channel": channels[0]},
    }
    slack.script = lambda method, _arguments: (200, {}, json.dumps({"ok": True, **answers[method]}))
    return Workspace(open_client("xoxb-1", slack.url), Places(open_database(f"sqlite:///{tmp_path}/s.db")))


@pytest.mark.parametrize(
    ("flags", "is_shared", "shared_with"),
    [
        (UNSHARED, False, set()),
        ({**UNSHARED, "shared_team_ids": ["T1"], "internal_team_ids": ["T1"]}, False, set()),
        ({}, True, set()),
        *(({**UNSHARED, flag: value}, True, set()) for flag in UNSHARED for value in (None, "no", True)),
        ({**UNSHARED, "connected_team_ids": ["T2"]}, True, {"T2"}),
        ({**UNSHARED, "is_ext_shared": True, "connected_team_ids": ["T2", "T1", "E3"]}, True, {"T2", "E3"}),
        ({**UNSHARED, "is_pending_ext_shared": True, "pending_connected_team_ids": ["T4"]}, True, {"T4"}),
        ({**UNSHARED, "is_org_shared": True, "internal_team_ids": ["T1", "T5"]}, True, {"T5"}),
    ],
)
def test_a_channel_is_shared_with_nobody_only_where_slack_says_so(
    slack: FakeSlack, tmp_path: Path, flags: dict[str, object], is_shared: bool, shared_with: set[str]
) -> None:
    """A flag that is absent or strange is taken for the worst, in that channel alone."""
    other = {"id": "C2", "name": "other", "is_private": False, **UNSHARED}
    workspace = listing(slack, tmp_path, {"id": "C1", "name": "one", "is_private": False, **flags}, other)
    one = workspace.conversation("C1")
    assert (one.is_shared, set(one.shared_with)) == (is_shared, shared_with)
    assert [(c.id, c.is_shared) for c in workspace.public_channels()] == [("C1", is_shared), ("C2", False)]


def test_a_conversation_of_no_known_kind_is_nobodys(slack: FakeSlack, tmp_path: Path) -> None:
    """What isn't told to be public or private, and every DM, is left out of where somebody is; the others stay."""
    strange, dm = {"id": "C1", "is_private": "perhaps", **UNSHARED}, {"id": "D1", "is_im": True}
    workspace = listing(slack, tmp_path, strange, dm, {"id": "C2", "is_private": True, **UNSHARED})
    assert workspace.conversations_of("U2") == {"C2"}
