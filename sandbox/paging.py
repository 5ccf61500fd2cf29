"""Slack's limits and cursors over lists."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

from sandbox.arguments import Arguments
from sandbox.types import Json, Refused

T = TypeVar("T")


def cursor_for(kind: str, position: str) -> str:
    """An opaque cursor that names what comes next."""
    return b64encode(f"{kind}:{position}".encode()).decode()


def read_cursor(cursor: str, kind: str) -> str:
    """What a cursor of this kind names; refused when it is none of ours."""
    try:
        found, _, position = b64decode(cursor, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused("invalid_cursor") from None
    if found != kind or not position:
        raise Refused("invalid_cursor")
    return position


def limit_of(args: Arguments, default: int, most: int) -> int:
    """How many items a page may have."""
    limit = args.integer("limit", default) or default
    if not 0 < limit <= most:
        raise Refused("invalid_limit")
    return limit


def page(
    items: Sequence[T], key: Callable[[T], str], args: Arguments, kind: str, limit: int
) -> tuple[Sequence[T], Json]:
    """One page of items that stand in the order of their keys, and the metadata that goes with it."""
    cursor = args.text("cursor")
    if cursor:
        position = read_cursor(cursor, kind)
        items = [item for item in items if key(item) >= position]
    more = items[limit:]
    return items[:limit], {"next_cursor": cursor_for(kind, key(more[0])) if more else ""}
