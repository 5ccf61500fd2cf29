"""Slack's mrkdwn as Markdown, with names in place of ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from bot.slack import names as mentions
from bot.slack.names import Names

_FENCE = re.compile(r"[ \t]*```[ \t]*\n?(.*?)\n?```[ \t]*", re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_ANGLES = re.compile(r"<([^<>\n]+)>")
_BOLD = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])")
_STRIKE = re.compile(r"(?<![\w~])~(?=[^\s~])([^~\n]*[^\s~])~(?![\w~])")
_BULLET = re.compile(r"^([ \t]*)[•◦▪‣][ \t]+", re.MULTILINE)
_LONG_QUOTE = re.compile(r"^&gt;&gt;&gt;[ ]?(.*)", re.MULTILINE | re.DOTALL)
_KEPT = re.compile("\ue000(\\d+)\ue001")
"""Private-use characters stand for what is finished, so that no later step touches it."""
_PRIVATE_USE = re.compile("[\ue000\ue001]")
_WEB = ("http://", "https://", "ftp://", "slack://", "mailto:", "tel:")
_EVERYBODY = {"here", "channel", "everyone"}


class _Kept:
    """Finished pieces of a text, for which marks stand meanwhile."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        self._pieces.append(piece)
        return f"\ue000{len(self._pieces) - 1}\ue001"

    def restore(self, text: str) -> str:
        while _KEPT.search(text):
            text = _KEPT.sub(lambda mark: self._pieces[int(mark[1])], text)
        return text


def from_mrkdwn(text: str, names: Names) -> str:
    """A text that Slack shows with its own markup, as Markdown."""
    kept = _Kept()
    text = _PRIVATE_USE.sub("", text)
    text = _FENCE.sub(lambda found: kept.keep(fenced(plain(found[1]))), text)
    text = _CODE.sub(lambda found: kept.keep(plain(found[0])), text)
    text = _ANGLES.sub(lambda found: kept.keep(_named(found, names)), text)
    text = _BOLD.sub(r"**\1**", text)
    text = _STRIKE.sub(r"~~\1~~", text)
    text = _LONG_QUOTE.sub(lambda found: quoted(found[1]), _BULLET.sub(r"\1- ", text))
    return kept.restore(unescape(text)).strip("\n")


def from_markdown(text: str, names: Names) -> str:
    """A text that is Markdown already, such as a `markdown` block's, with names in place of ids."""
    return unescape(_ANGLES.sub(lambda found: _named(found, names), text))


def unescape(text: str) -> str:
    """The three characters that Slack escapes, as themselves."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain(text: str) -> str:
    """What stands in code: addresses as they were typed, nothing else touched."""
    return unescape(_ANGLES.sub(lambda found: _typed_address(found), text))


def fenced(code: str) -> str:
    """A code block, with a fence that the code itself does not contain."""
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"\n{fence}\n{code.strip(chr(10))}\n{fence}\n"


def quoted(text: str) -> str:
    """Every line as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def link(url: str, label: str) -> str:
    """A Markdown link; the bare address where the label says no more than that."""
    address = url.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in {url, address}:
        return address
    target = url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{label.replace('[', '(').replace(']', ')')}]({target})"


def date(timestamp: int, fallback: str, url: str = "") -> str:
    """A moment: in its author's words where there are any, else in UTC."""
    words = fallback or datetime.fromtimestamp(timestamp, UTC).strftime("%-d %b %Y %H:%M UTC")
    return link(url, words) if url else words


def _named(found: re.Match[str], names: Names) -> str:
    target, _, label = found[1].partition("|")
    label = unescape(label)
    if target.startswith("@"):
        return mentions.person(target[1:], names, label)
    if target.startswith("#"):
        return mentions.channel(target[1:], names)
    if target.startswith("!"):
        return _command(target[1:], label, names)
    return link(unescape(target), label) if target.startswith(_WEB) else found[0]


def _command(command: str, label: str, names: Names) -> str:
    """The `<!…>` forms: everybody here, a user group, a date."""
    kind, _, rest = command.partition("^")
    if kind in _EVERYBODY:
        return f"@{kind}"
    special: dict[str, Callable[[], str]] = {
        "subteam": lambda: mentions.group(rest, names, label),
        "date": lambda: _date(rest, label),
    }
    return special[kind]() if kind in special else label


def _date(rest: str, fallback: str) -> str:
    seconds, _, form = rest.partition("^")
    url = form.partition("^")[2]
    return date(int(seconds), fallback, url) if seconds.isdecimal() and len(seconds) < 12 else fallback


def _typed_address(found: re.Match[str]) -> str:
    target, _, label = found[1].partition("|")
    return (label or target.removeprefix("mailto:")) if target.startswith(_WEB) else found[0]
