"""Files come from Slack's own hosts alone, the token goes nowhere else, and no answer costs more than its limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.api import open_client
from bot.slack.downloads import Downloader, Fetched, Limits
from bot.slack.files import SlackFiles, is_page_to_sign_in, parse_file
from retrieval.errors import UnreadableSource

Answer = Callable[[BaseHTTPRequestHandler], None]
HASTE = Limits(time_s=1.0, stall_s=0.4, patience_s=5.0)
MOST = 1_000_000


@dataclass
class Host:
    """A server on loopback that answers as it is told, and remembers which tokens it was shown."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Host]:
    """A host for as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append((self.path, self.headers.get("Authorization", "")))
            with suppress(OSError):  # the other side may have had enough
                served.answers[self.path](self)

        def do_CONNECT(self) -> None:
            served.asked.append((self.path, self.headers.get("Proxy-Authorization", "")))
            self.send_error(403)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Host(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def host() -> Iterator[Host]:
    """A host that stands for Slack's."""
    with listening() as host:
        yield host


@pytest.fixture
def other() -> Iterator[Host]:
    """A host of somebody else's."""
    with listening() as other:
        yield other


def says(body: bytes, status: int = 200, length: int | None = None, **headers: str) -> Answer:
    """An answer with a body, whose length may be a lie."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content_Type": "text/plain", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def never_ends(pause_s: float, piece: bytes) -> Answer:
    """A body that goes on and on."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(10_000):
            handler.wfile.write(piece)
            time.sleep(pause_s)

    return answer


def drips_headers(handler: BaseHTTPRequestHandler) -> None:
    """Never comes to its body."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(200):
        handler.wfile.write(b"X-More: x\r\n"[:1])
        time.sleep(0.05)


def downloader(host: Host, **more: object) -> Downloader:
    """One whose Slack is this host."""
    return Downloader("xoxb-1", f"{host.url}/api/", limits=HASTE, **more)  # type: ignore[arg-type]  # its own options


@pytest.mark.parametrize(
    ("url", "is_slacks"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a.pdf", True),
        ("https://acme.enterprise.slack.com/files/a.pdf", True),
        ("https://slack-files.com/T1-F1-abc", True),
        ("https://files.slack.com:443/a.pdf", True),
        ("http://files.slack.com/a.pdf", False),
        ("https://files.slack.com:8443/a.pdf", False),
        ("https://files.slack.com.evil.example/a.pdf", False),
        ("https://evilslack.com/a.pdf", False),
        ("https://evil.example/files.slack.com/a.pdf", False),
        ("https://files.slack.com@evil.example/a.pdf", False),
        ("https://user:pass@files.slack.com/a.pdf", False),
        ("https://docs.google.com/document/d/1", False),
        ("https://169.254.169.254/latest/meta-data", False),
        ("http://127.0.0.1:80/a.pdf", False),
        ("https://files.slack.com:port/a.pdf", False),
        ("ftp://files.slack.com/a.pdf", False),
        ("file:///etc/passwd", False),
        ("//files.slack.com/a.pdf", False),
        ("", False),
    ],
)
def test_only_slacks_hosts_over_https_are_asked(url: str, is_slacks: bool) -> None:
    """Nothing but the whole name of a host of Slack's, with TLS, at its usual port."""
    assert Downloader("xoxb-1", "https://slack.com/api/").is_slacks(url) is is_slacks


@pytest.mark.parametrize(
    ("url", "is_slacks"),
    [
        ("http://127.0.0.1:8080/files-pri/F1", True),
        ("http://127.0.0.1:8081/files-pri/F1", False),
        ("http://localhost:8080/files-pri/F1", False),
        ("https://files.slack.com/files-pri/F1", False),
    ],
)
def test_beside_a_slack_on_loopback_that_alone_is_asked(url: str, is_slacks: bool) -> None:
    """A sandbox's token is shown to the sandbox, and the sandbox's files come from it."""
    assert Downloader("xoxb-1", "http://127.0.0.1:8080/api/").is_slacks(url) is is_slacks


def test_a_file_comes_with_the_token(host: Host, tmp_path: Path) -> None:
    """The bytes are in the file, and what they claim to be is told."""
    host.answers["/a.txt?x=1"] = says(b"Some words.", Content_Type="text/markdown; charset=utf-8")
    fetched = downloader(host).fetch(f"{host.url}/a.txt?x=1", tmp_path / "a", MOST)
    assert fetched == Fetched("text/markdown", 11, b"Some words.")
    assert (tmp_path / "a").read_bytes() == b"Some words."
    assert host.asked == [("/a.txt?x=1", "Bearer xoxb-1")]


def test_a_redirect_to_another_host_gets_no_token_and_no_visit(host: Host, other: Host, tmp_path: Path) -> None:
    """What leads away from Slack is not followed."""
    other.answers["/stolen"] = says(b"words")
    host.answers["/a"] = says(b"", 302, Location=f"{other.url}/stolen")
    with pytest.raises(UnreadableSource, match="outside of Slack"):
        downloader(host).fetch(f"{host.url}/a", tmp_path / "a", MOST)
    assert other.asked == []


def test_a_redirect_to_another_of_slacks_hosts_gets_no_token(host: Host, other: Host, tmp_path: Path) -> None:
    """The token stays with the host that it was meant for, even where the next one may be asked."""

    class OfBoth(Downloader):
        def is_slacks(self, url: str) -> bool:
            return True

    host.answers["/a"] = says(b"", 302, Location=f"{other.url}/b")
    other.answers["/b"] = says(b"", 302, Location=f"{host.url}/c")
    host.answers["/c"] = says(b"words")
    OfBoth("xoxb-1", f"{host.url}/api/", limits=HASTE).fetch(f"{host.url}/a", tmp_path / "a", MOST)
    assert other.asked == [("/b", "")]
    assert host.asked == [("/a", "Bearer xoxb-1"), ("/c", "")]


def test_a_redirect_within_a_host_is_followed(host: Host, tmp_path: Path) -> None:
    """Slack may move a file about on its own host."""
    host.answers |= {"/a": says(b"", 307, Location="/b"), "/b": says(b"words")}
    assert downloader(host).fetch(f"{host.url}/a", tmp_path / "a", MOST).size == 5
    assert host.asked == [("/a", "Bearer xoxb-1"), ("/b", "Bearer xoxb-1")]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (says(b"", 302, Location="/a"), "too_many_redirects"),
        (says(b"", 302), "too_many_redirects"),
        (says(b"", 302, Location="http://["), "unreachable"),
        (says(b"no", 403), "http_403"),
        (says(b"no", 404), "http_404"),
        (says(b"no", 500), "http_500"),
        (says(b"half", length=8), "unreachable"),
        (lambda handler: time.sleep(1), "unreachable"),
        (lambda handler: handler.wfile.write(b"\x00\x01nonsense\r\n\r\n"), "unreachable"),
        (never_ends(0.02, b"."), "timeout"),
        (drips_headers, "timeout"),
    ],
    ids=range(11),
)
def test_what_does_not_come_now_may_come_later(host: Host, tmp_path: Path, answer: Answer, code: str) -> None:
    """Faults of the way, slowness and refusals end within the limit of time, and say that Slack did not give it."""
    host.answers["/a"] = answer
    begun = time.monotonic()
    with pytest.raises(SlackError) as raised:
        downloader(host).fetch(f"{host.url}/a", tmp_path / "a", MOST)
    assert raised.value.code == code
    assert time.monotonic() - begun < 4


@pytest.mark.parametrize("answer", [never_ends(0, b"x" * 65_536), says(b"", length=10**12), says(b"x" * (MOST + 1))])
def test_what_is_too_large_is_not_taken(host: Host, tmp_path: Path, answer: Answer) -> None:
    """A body that never ends, or claims to be huge, costs no more room than a file may have."""
    host.answers["/a"] = answer
    with pytest.raises((UnreadableSource, SlackError)):
        downloader(host).fetch(f"{host.url}/a", tmp_path / "a", MOST)
    kept = tmp_path / "a"
    assert not kept.exists() or kept.stat().st_size <= MOST


def test_too_many_requests_are_made_again_when_slack_says(host: Host, tmp_path: Path) -> None:
    """The wait is Slack's, and patience has an end."""
    waits: list[float] = []
    answers = iter([says(b"", 429, Retry_After="2"), says(b"", 429, Retry_After="3"), says(b"words")])
    host.answers["/a"] = lambda handler: next(answers)(handler)
    asked = downloader(host, sleep=waits.append)
    assert asked.fetch(f"{host.url}/a", tmp_path / "a", MOST).size == 5
    assert waits == [2.0, 3.0]
    host.answers["/a"] = says(b"", 429, Retry_After="60")
    with pytest.raises(SlackError) as raised:
        asked.fetch(f"{host.url}/a", tmp_path / "a", MOST)
    assert raised.value.code == "ratelimited"


def test_a_proxy_is_asked_for_the_host_and_never_sees_the_token(other: Host, tmp_path: Path) -> None:
    """What goes through it is between Slack and us."""
    proxy = other.url.replace("//", "//ann:pa%20ss@")
    with pytest.raises(SlackError):
        Downloader("xoxb-1", "https://slack.com/api/", proxy, HASTE).fetch("https://files.slack.com/a", tmp_path, MOST)
    assert other.asked == [("files.slack.com:443", "Basic YW5uOnBhIHNz")]


SIGN_IN = b"<!DOCTYPE html><html><title>Sign in</title></html>"
FRAGMENT = b'<div class="quip-canvas-content"><h1>Plan</h1></div>'


@pytest.mark.parametrize(
    ("file", "fetched", "is_sign_in"),
    [
        ({"mode": "hosted", "size": 11}, Fetched("text/html", 50, SIGN_IN), True),
        ({"mode": "hosted", "size": 11}, Fetched("application/octet-stream", 50, b"\n " + SIGN_IN), True),
        ({"mode": "hosted", "size": 11, "name": "page.html"}, Fetched("text/html", 50, SIGN_IN), True),
        ({"mode": "hosted", "size": 50, "name": "page.html"}, Fetched("text/html", 50, SIGN_IN), False),
        ({"mode": "hosted", "size": 11}, Fetched("text/plain", 11, b"Some words."), False),
        ({"mode": "quip", "size": 7}, Fetched("text/html", 50, SIGN_IN), True),
        ({"mode": "quip", "size": 50}, Fetched("text/html", 50, SIGN_IN), True),
        ({"mode": "quip", "size": 7}, Fetched("text/html", 52, FRAGMENT), False),
    ],
)
def test_a_page_to_sign_in_is_no_file(file: Mapping[str, object], fetched: Fetched, is_sign_in: bool) -> None:
    """Slack gives one with status 200 to whoever may not have a file."""
    assert is_page_to_sign_in(parse_file(file), fetched) is is_sign_in


@pytest.mark.parametrize(
    ("body", "failure"), [(SIGN_IN, SlackError), (b"x" * (MOST + 1), UnreadableSource), (b"Some words.", ValueError)]
)
def test_nothing_is_left_of_a_file(host: Host, tmp_path: Path, body: bytes, failure: type[Exception]) -> None:
    """Whether it was refused or read, and however the reading went; what an earlier run left goes at the start."""
    host.answers["/a"] = says(body)
    files = SlackFiles(open_client("xoxb-1", f"{host.url}/api/"), tmp_path / "incoming", HASTE)
    file = parse_file({"mode": "hosted", "size": 11, "url_private": f"{host.url}/a"})

    def read() -> None:
        with files.content(file, MOST, ".txt") as path:
            assert path.read_bytes() == body
            raise ValueError

    with pytest.raises(failure):
        read()
    assert list((tmp_path / "incoming").iterdir()) == []
    (tmp_path / "incoming" / "left").mkdir()
    files.clear()
    assert not (tmp_path / "incoming").exists()
