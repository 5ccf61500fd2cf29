"""What a passage store must do; `edge.py` and `server.py` do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.types import Candidate, Passage, Scope, SparseVector

Vector = NDArray[np.float32]
"""float32[d], of length 1."""

Vectors = NDArray[np.float32]
"""float32[n, d]."""


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage with what it is found by."""

    passage: Passage
    dense: Vectors
    """float32[n, d], each row of length 1, at least one: of the whole passage, and of its parts."""
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class LegScores:
    """Both legs' scores of one passage."""

    dense: float
    """Cosine of the nearest of its vectors."""
    sparse: float


@dataclass(frozen=True, slots=True)
class BothLegs:
    """What both legs found, and what each thinks of what the other found."""

    dense: tuple[Candidate, ...] = ()
    sparse: tuple[Candidate, ...] = ()
    scores: Mapping[str, LegScores] = field(default_factory=dict)
    """Of every candidate of either."""


class PassageStore(Protocol):
    """One team's passages under one embedding model, language and chunking version.

    Every method raises `StoreUnavailable` when the store fails; those that write raise `CollectionMismatch` when
    another collection answers for the team by then, which may lack what was written. What is searched is always inside
    `scope`: the filter stands in every leg and at the root, the sparse leg counts its document frequencies over the
    scope, and what comes back is checked again. An empty scope finds nothing without asking the engine. Equal scores
    are ordered by passage id.
    """

    def upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        """Write passages, replacing those of equal id; on return they are durable and can be found."""
        ...

    def describe(self, passages: Sequence[Passage]) -> None:
        """Rewrite what is kept beside the vectors (position, anchors, places, times) of passages that are stored."""
        ...

    def delete(self, passage_ids: Sequence[str]) -> None:
        """Remove passages; unknown ids are ignored."""
        ...

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        """All passages of a source, in order of position; for keeping the index, never for answering."""
        ...

    def sources_of(self, origin: str) -> frozenset[str]:
        """Ids of all sources that were read from an origin."""
        ...

    def page(self, after: str, limit: int) -> tuple[Passage, ...]:
        """The next `limit` passages in order of id, behind one or (empty) from the first; fewer only at the end. For
        keeping the index, never for answering."""
        ...

    def count(self) -> int:
        """How many passages are stored."""
        ...

    def search_dense(self, vector: Vector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """The `limit` passages of the scope nearest by cosine, each by the nearest of its vectors, best first."""
        ...

    def search_sparse(self, vector: SparseVector, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """The `limit` passages of the scope with the best BM25 scores above 0, best first."""
        ...

    def search_both(self, dense: Vector, sparse: SparseVector, scope: Scope, limit: int) -> BothLegs:
        """What the two searches find, and what `score` says of that, for less than half of what they cost."""
        ...

    def score(
        self, passage_ids: Sequence[str], dense: Vector, sparse: SparseVector, scope: Scope
    ) -> Mapping[str, LegScores]:
        """Both legs' scores of the given passages; those outside the scope are left out."""
        ...

    def read(self, passage_ids: Sequence[str], scope: Scope) -> tuple[Passage, ...]:
        """The given passages as they are stored now, in the order asked; those gone or outside the scope left out."""
        ...

    def close(self) -> None:
        """Release the store; it can't be used afterwards."""
        ...
