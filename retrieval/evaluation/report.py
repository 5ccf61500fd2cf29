"""What a measurement of retrieval says, as JSON and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.evaluation.losses import GoldTrace, summary
from retrieval.evaluation.metrics import Measures

_NEAR = "hit@5_within_one_page"


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """How well each retriever found the gold, and at what cost."""

    retrievers: Mapping[str, Measures]
    """By name: bm25, dense, hybrid, and hybrid_rerank where there is a reranker."""
    passages: int
    queries: int
    index_seconds: float
    query_ms_p50: float
    """Of a whole hybrid search, embedding included."""
    query_ms_p95: float
    traces: tuple[GoldTrace, ...]
    """Of all gold, query by query."""
    ndcg_at_10: Mapping[str, float]
    """By query id, of the last stage: for paired tests."""
    hit_at_5_within_one_page: float | None = None
    """Share of queries of which the hybrid's first five hold a gold page or a neighbour of one; None without pages."""
    skipped: tuple[str, ...] = ()
    """Files that could not be read, and why."""

    def to_json(self, *, with_gold: bool = False, with_queries: bool = False) -> dict[str, object]:
        """As `footnote eval retrieval --json` prints it, with each gold's ranks and each query's measure if wanted."""
        near = self.hit_at_5_within_one_page
        return {
            "retrievers": {name: _named(measures) for name, measures in self.retrievers.items()},
            "passages": self.passages,
            "queries": self.queries,
            "index_seconds": round(self.index_seconds, 2),
            "query_ms": {"p50": round(self.query_ms_p50, 2), "p95": round(self.query_ms_p95, 2)},
            **({} if near is None else {_NEAR: round(near, 4)}),
            **({"skipped": list(self.skipped)} if self.skipped else {}),
            **(self._gold() if with_gold else {}),
            **({"ndcg@10_by_query": dict(self.ndcg_at_10)} if with_queries else {}),
        }

    def to_text(self, *, with_gold: bool = False, with_queries: bool = False) -> str:
        """The same as a table for a terminal; of the gold, what was lost."""
        columns = ("ndcg@10", "recall@5", "recall@10", "mrr@10")
        width = max(8, *map(len, self.retrievers))
        rows = [f"{'':{width}}" + "".join(f"{column:>11}" for column in columns)]
        for name, measures in self.retrievers.items():
            named = _named(measures)
            rows.append(f"{name:{width}}" + "".join(f"{named[column]:11.3f}" for column in columns))
        rows.append(
            f"{self.passages} passages in {self.index_seconds:.0f} s · {self.queries} queries, "
            f"{self.query_ms_p50:.0f} ms each ({self.query_ms_p95:.0f} ms at the 95th percentile)"
        )
        if self.hit_at_5_within_one_page is not None:
            rows.append(f"{_NEAR} {self.hit_at_5_within_one_page:.3f}")
        rows += [f"Skipped {reason}" for reason in self.skipped]
        if with_gold:
            rows += [summary(self.traces), *(trace.to_text() for trace in self.traces if trace.lost)]
        if with_queries:
            rows += [f"{value:.3f} {query}" for query, value in self.ndcg_at_10.items()]
        return "\n".join(rows)

    def _gold(self) -> dict[str, object]:
        counts = Counter(trace.lost.value for trace in self.traces if trace.lost)
        return {"lost": dict(counts), "gold": [trace.to_json() for trace in self.traces]}


def _named(measures: Measures) -> dict[str, float]:
    return {
        "ndcg@10": round(measures.ndcg_at_10, 4),
        "recall@5": round(measures.recall_at_5, 4),
        "recall@10": round(measures.recall_at_10, 4),
        "mrr@10": round(measures.mrr_at_10, 4),
    }
