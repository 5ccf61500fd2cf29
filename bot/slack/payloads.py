"""Reads fields of Slack's JSON, of which any can be absent, null or of another type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Payload = Mapping[str, object]
"""A JSON object as Slack sent it."""


def string(payload: Payload, field: str) -> str:
    """The text in a field; empty where there is none."""
    value = payload.get(field)
    return value if isinstance(value, str) else ""


def number(payload: Payload, field: str) -> int:
    """The whole number in a field; 0 where there is none."""
    value = payload.get(field)
    return value if isinstance(value, int) else 0


def flag(payload: Payload, field: str) -> bool:
    """Whether a field is true; absent is false."""
    return payload.get(field) is True


def child(payload: Payload, field: str) -> Payload:
    """The object in a field; empty where there is none."""
    value = payload.get(field)
    return value if isinstance(value, Mapping) else {}


def children(payload: Payload, field: str) -> tuple[Payload, ...]:
    """The objects of the list in a field; none where there is no list."""
    return tuple(item for item in _items(payload, field) if isinstance(item, Mapping))


def strings(payload: Payload, field: str) -> tuple[str, ...]:
    """The texts of the list in a field; none where there is no list."""
    return tuple(item for item in _items(payload, field) if isinstance(item, str))


def rows(payload: Payload, field: str) -> tuple[tuple[Payload, ...], ...]:
    """The objects of a list of lists."""
    lists = (item for item in _items(payload, field) if _is_list(item))
    return tuple(children({"row": item}, "row") for item in lists)


def _items(payload: Payload, field: str) -> Sequence[object]:
    value = payload.get(field)
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
