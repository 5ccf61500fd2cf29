"""Turns passages into what a store keeps beside their vectors, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retrieval.types import Anchor, Passage, Place

Payload = dict[str, Any]  # what both engines take: JSON


def to_payload(passage: Passage) -> Payload:
    """All of the passage but its id, which is the point's."""
    return {
        "source_id": passage.source_id,
        "origin": passage.origin,
        "title": passage.title,
        "heading_path": list(passage.heading_path),
        "text": passage.text,
        "anchors": [
            {"offset": anchor.offset, "url": anchor.url, "author": anchor.author, "written_at": anchor.written_at}
            for anchor in passage.anchors
        ],
        "places": sorted(passage.places),
        "position": passage.position,
        "updated_at": passage.updated_at,
        "fingerprint": passage.fingerprint,
        "neighbours": list(passage.neighbours),
    }


def from_payload(passage_id: str, payload: Mapping[str, Any]) -> Passage:
    """The passage that was stored."""
    return Passage(
        id=passage_id,
        source_id=payload["source_id"],
        origin=payload["origin"],
        title=payload["title"],
        heading_path=tuple(payload["heading_path"]),
        text=payload["text"],
        anchors=tuple([Anchor(**anchor) for anchor in payload["anchors"]]),
        places=frozenset[Place](payload["places"]),
        position=payload["position"],
        updated_at=payload["updated_at"],
        fingerprint=payload.get("fingerprint", ""),  # absent from stores that were written before it was kept
        neighbours=tuple(payload.get("neighbours", ())),  # likewise
    )
