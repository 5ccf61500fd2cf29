"""Makes a follow-up stand alone, by rules and without a model."""

from __future__ import annotations

from bot.types import Query, Turn


def rewrite(text: str, turns: tuple[Turn, ...]) -> Query:
    """The question with what it leaves out taken from the earlier turns; one that stands alone is left as it is."""
    del turns  # until the rules stand
    return Query(text=text, asked=text)
