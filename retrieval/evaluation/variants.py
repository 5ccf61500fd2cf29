"""Names the stages of retrieval that can be switched off or exchanged, to see what each is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from retrieval.chunking import Budget
from retrieval.embedding.terms import EVERY_RULE, TermRules
from retrieval.search import Stages


@dataclass(frozen=True, slots=True)
class Variant:
    """The product, or the product with some of its stages off."""

    stages: Stages = field(default_factory=Stages)
    budget: Budget = field(default_factory=Budget)
    terms: TermRules = EVERY_RULE

    def without(self, names: Iterable[str]) -> Variant:
        """This variant with the named stages of `SWITCHES` off."""
        variant = self
        for name in names:
            variant = SWITCHES[name](variant)
        return variant

    def of(self, *, fusion: str | None = None, passage_tokens: int | None = None) -> Variant:
        """This variant with another fusion, or with passages filled up to another size."""
        stages = replace(self.stages, fusion=fusion or self.stages.fusion)
        return replace(self, stages=stages, budget=replace(self.budget, target=passage_tokens or self.budget.target))


PRODUCT = Variant()


SWITCHES: Mapping[str, Callable[[Variant], Variant]] = {
    "dense": lambda one: replace(one, stages=replace(one.stages, dense=False)),
    "sparse": lambda one: replace(one, stages=replace(one.stages, sparse=False)),
    "fill": lambda one: replace(one, stages=replace(one.stages, fill=False)),
    "neighbours": lambda one: replace(one, stages=replace(one.stages, neighbours=False)),
    "rerank": lambda one: replace(one, stages=replace(one.stages, rerank=0)),
    "excerpts": lambda one: replace(one, budget=replace(one.budget, excerpt=0)),
    "headings": lambda one: replace(one, budget=replace(one.budget, headings=False)),
    "stems": lambda one: replace(one, terms=replace(one.terms, stems=False)),
    "stop-words": lambda one: replace(one, terms=replace(one.terms, stop_words=False)),
    "parts": lambda one: replace(one, terms=replace(one.terms, parts=False)),
}
"""What switches each stage off, by the name that a command line gives it."""
