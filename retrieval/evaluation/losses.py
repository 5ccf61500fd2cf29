"""Says at which stage of retrieval each gold passage was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

K = 10
"""Gold that ranks lower is lost."""


class Lost(Enum):
    """The first stage behind which a gold passage is out of reach."""

    CORPUS = "corpus"
    CANDIDATES = "candidates"
    FUSION = "fusion"
    RERANKING = "reranking"

    @property
    def words(self) -> str:
        """The same for a reader."""
        return _WORDS[self]


_WORDS = {
    Lost.CORPUS: "not in the corpus",
    Lost.CANDIDATES: "not among the candidates",
    Lost.FUSION: "fused away",
    Lost.RERANKING: "reranked away",
}


@dataclass(frozen=True, slots=True)
class GoldTrace:
    """What became of one gold source, page or section of one query."""

    query: str
    """Its id."""
    question: str
    gold: str
    ranks: Mapping[str, int | None]
    """By retriever, among sources, from 1; None where it was not ranked."""
    lost: Lost | None
    """None where it is among the first `K` of the last stage."""

    def to_json(self) -> dict[str, object]:
        return {
            "query": self.query,
            "question": self.question,
            "gold": self.gold,
            "ranks": dict(self.ranks),
            "lost": self.lost.value if self.lost else None,
        }

    def to_text(self) -> str:
        """One line for a terminal."""
        ranks = ", ".join(f"{name} {rank or '–'}" for name, rank in self.ranks.items())
        return f"{self.lost.words if self.lost else 'found'}: {self.gold} ({ranks}) · {self.question}"


def rank_of(gold: str, ranking: Sequence[str]) -> int | None:
    """From 1; None where it is not ranked."""
    return ranking.index(gold) + 1 if gold in ranking else None


def lost_at(ranks: Mapping[str, int | None], *, is_indexed: bool, is_candidate: bool) -> Lost | None:
    """The stage at which gold of these ranks was lost; None where it is among the first `K` of the last one."""
    if _is_among_first(ranks.get("hybrid_rerank", ranks["hybrid"])):
        return None
    if not is_indexed:
        return Lost.CORPUS
    if not is_candidate:
        return Lost.CANDIDATES
    return Lost.RERANKING if _is_among_first(ranks["hybrid"]) else Lost.FUSION


def summary(traces: Sequence[GoldTrace]) -> str:
    """How much gold was lost where, in one line."""
    counts = Counter(trace.lost for trace in traces if trace.lost)
    parts = [f"{counts[stage]} {stage.words}" for stage in Lost if counts[stage]]
    return f"Of {len(traces)} golds {counts.total()} are not among the first {K}: {', '.join(parts) or 'none'}."


def _is_among_first(rank: int | None) -> bool:
    return rank is not None and rank <= K
