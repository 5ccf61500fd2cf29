"""A message of Slack as lines that can be read in a terminal."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Block = Mapping[str, Any]

_LINK = re.compile(r"<(?P<url>[a-z]+://[^|>]+)(?:\|(?P<label>[^>]*))?>")


@dataclass(frozen=True, slots=True)
class Link:
    """What a reader can click."""

    label: str
    url: str


def lines_of(message: Mapping[str, Any]) -> list[str]:
    """The message as it shows: links by their labels, controls left out, one string a line."""
    text = "\n".join(_shown(raw) for raw in mrkdwn_of(message))
    return text.splitlines()


def links_of(message: Mapping[str, Any]) -> tuple[Link, ...]:
    """Every link of the message, in order, each as often as it stands there."""
    return tuple(
        Link(html.unescape(found["label"] or found["url"]), html.unescape(found["url"]))
        for raw in mrkdwn_of(message)
        for found in _LINK.finditer(raw)
    )


@dataclass(frozen=True, slots=True)
class Section:
    """One block of a message: its words as they show, and its links."""

    text: str
    links: tuple[Link, ...]
    is_sources: bool


def sections_of(message: Mapping[str, Any]) -> tuple[Section, ...]:
    """The message's blocks in order, buttons left out; the list of sources is told apart by its block's id."""
    return tuple(
        Section(
            "\n".join(lines_of({"blocks": [block]})),
            links_of({"blocks": [block]}),
            str(block.get("block_id", "")).startswith("sources-"),
        )
        for block in message.get("blocks", [])
        if block["type"] != "actions"
    )


def buttons_of(message: Mapping[str, Any]) -> Mapping[str, str]:
    """The label of each button below a message, by what it does."""
    elements = [element for block in message.get("blocks", []) for element in block.get("elements", [])]
    return {str(e["action_id"]): str(e["text"]["text"]) for e in elements if e.get("type") == "button"}


def mrkdwn_of(message: Mapping[str, Any]) -> Iterator[str]:
    """The mrkdwn of each block that has words; of the message itself where it has no blocks."""
    if not message.get("blocks"):
        yield str(message.get("text", ""))
    for block in message.get("blocks", []):
        yield from _texts_of(block)


def _texts_of(block: Block) -> Iterator[str]:
    if block["type"] == "divider":
        yield "─" * 24
    if isinstance(block.get("text"), Mapping):
        yield str(block["text"]["text"])
    elif isinstance(block.get("text"), str):
        yield block["text"]
    for element in block.get("elements", []):
        if isinstance(element.get("text"), str):
            yield element["text"]


def _shown(raw: str) -> str:
    return html.unescape(_LINK.sub(lambda found: found["label"] or found["url"], raw))
