"""How far two ways of sorting the same messages into groups agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb, inf, log2

Groups = Mapping[str, str]
"""By message, the group that it was put into."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Each is 1 where both are the same."""

    precision: float
    """Of pairs of messages that were put together, the share that belongs together."""
    recall: float
    """Of pairs that belong together, the share that was put together."""
    one_to_one: float
    """Share of messages in common when each group is matched with one conversation, as well as possible.
    Source: Elsner & Charniak 2008, "You talking to me?"."""
    exact_f1: float
    """Of conversations with more than one message, those found without a fault. Source: Kummerfeld et al. 2019,
    "A large-scale corpus for conversation disentanglement"."""
    information: float
    """1 less the variation of information over its bound. Source: Meila 2007, scaled as by Kummerfeld et al. 2019."""

    @property
    def f1(self) -> float:
        """Of pairs."""
        return _f1(self.precision, self.recall)


def agreement(found: Groups, gold: Groups) -> Agreement:
    """How far groups agree with the gold ones, over the messages of the gold."""
    both = Counter((found[message], gold[message]) for message in gold)
    ours, theirs = Counter(found[message] for message in gold), Counter(gold.values())
    precision, recall = pairs(found, gold)
    return Agreement(
        precision=precision,
        recall=recall,
        one_to_one=_best_matching(both, ours, theirs) / len(gold),
        exact_f1=_exact(both, ours, theirs),
        information=1 - _variation(both, ours, theirs) / log2(len(gold)),
    )


def pairs(found: Groups, gold: Groups) -> tuple[float, float]:
    """Precision and recall of pairs of messages that were put together."""
    together = _pairs(Counter((found[message], gold[message]) for message in gold).values())
    ours, theirs = Counter(found[message] for message in gold), Counter(gold.values())
    return together / max(_pairs(ours.values()), 1), together / max(_pairs(theirs.values()), 1)


def _pairs(sizes: Iterable[int]) -> int:
    return sum(comb(size, 2) for size in sizes)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _exact(both: Counter[tuple[str, str]], ours: Counter[str], theirs: Counter[str]) -> float:
    right = sum(size > 1 and size == ours[a] == theirs[b] for (a, b), size in both.items())
    of_ours, of_theirs = (sum(size > 1 for size in groups.values()) for groups in (ours, theirs))
    return _f1(right / max(of_ours, 1), right / max(of_theirs, 1))


def _variation(both: Counter[tuple[str, str]], ours: Counter[str], theirs: Counter[str]) -> float:
    """In bits: what each way of sorting does not say of the other."""
    total = sum(both.values())
    return -sum(size / total * log2(size * size / ours[a] / theirs[b]) for (a, b), size in both.items())


def _best_matching(both: Counter[tuple[str, str]], ours: Counter[str], theirs: Counter[str]) -> int:
    """The most messages that groups matched one to one have in common."""
    rows, columns = sorted((ours, theirs), key=len)
    swapped = rows is theirs
    overlap = [[both[(b, a) if swapped else (a, b)] for b in columns] for a in rows]
    return sum(overlap[row][column] for row, column in enumerate(_assigned(overlap)))


def _assigned(gain: list[list[int]]) -> list[int]:
    """The column of each row so that the sum is greatest; no more rows than columns.

    Source: Kuhn's Hungarian method by shortest augmenting paths (Jonker & Volgenant 1987), O(rows² columns).
    """
    columns = len(gain[0])
    row_price, column_price = [0.0] * (len(gain) + 1), [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)  # from 1; 0 is no row, and column 0 holds the row that is being placed
    for row in range(1, len(gain) + 1):
        row_of[0] = row
        _augment(gain, row_price, column_price, row_of)
    column_of = {row: column for column, row in enumerate(row_of) if column}
    return [column_of[row] - 1 for row in range(1, len(gain) + 1)]


def _augment(gain: list[list[int]], row_price: list[float], column_price: list[float], row_of: list[int]) -> None:
    """Place the row in column 0, moving others along the cheapest path to a free column."""
    columns = len(column_price)
    least, before = [inf] * columns, [0] * columns
    open_columns, column = set(range(1, columns)), 0
    while row_of[column]:
        row = row_of[column]
        for other in open_columns:
            cost = -gain[row - 1][other - 1] - row_price[row] - column_price[other]
            if cost < least[other]:
                least[other], before[other] = cost, column
        following = min(open_columns, key=least.__getitem__)
        step = least[following]
        for reached in set(range(columns)) - open_columns:
            row_price[row_of[reached]] += step
            column_price[reached] -= step
        for other in open_columns:
            least[other] -= step
        open_columns.remove(following)
        column = following
    while column:
        row_of[column], column = row_of[before[column]], before[column]
