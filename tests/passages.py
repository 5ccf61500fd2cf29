"""Makes passages for tests, with ids that follow from their words."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from retrieval.embedding.protocol import DenseEmbedder, SparseEmbedder
from retrieval.stores.protocol import EmbeddedPassage
from retrieval.types import WORKSPACE, Anchor, Passage, Place, Scope
from tests.conftest import TEAM


def passage(text: str, *places: str, source: str = "source", position: int = 0, origin: str = "origin") -> Passage:
    """A passage that stands in the given places, or where every full member may read."""
    return Passage(
        id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}/{position}/{text}")),
        source_id=source,
        origin=origin,
        title="A page",
        heading_path=("Part", "Section"),
        text=text,
        anchors=(Anchor(0, "https://example.org/a"), Anchor(3, "https://example.org/b", "Ann", 1_700_000_000.5)),
        places=frozenset(map(Place, places or (WORKSPACE,))),
        position=position,
        updated_at=1_700_000_000.25,
    )


def embedded(passages: Iterable[Passage], dense: DenseEmbedder, sparse: SparseEmbedder) -> list[EmbeddedPassage]:
    """The passages with their vectors, their own words alone embedded."""
    passages = list(passages)
    texts = [one.text for one in passages]
    vectors = zip(dense.embed_passages(texts), sparse.embed_passages(texts), strict=True)
    return [EmbeddedPassage(one, whole[None], terms) for one, (whole, terms) in zip(passages, vectors, strict=True)]


def scope_of(*readers: Iterable[str]) -> Scope:
    """What readers may all read, each given by the places that they may open."""
    return Scope(TEAM, frozenset(frozenset(map(Place, places)) for places in readers))


EVERYBODY = scope_of([WORKSPACE])
