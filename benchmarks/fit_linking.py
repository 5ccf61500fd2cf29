"""Fits the weights by which `retrieval/chunking/linking.py` tells conversations apart, and prints them.

`python -m benchmarks.fit_linking FOLDER`

FOLDER holds IRC logs with links (`benchmarks/talk_corpora.py`). What is fitted is a choice: of the messages that one
may go on from, and of going on from none, those that were marked should be the likeliest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.talk_corpora import Channel, irc
from retrieval.chunking.linking import Choice, Cues, Listening
from retrieval.types import Utterance

Matrix = NDArray[np.float64]

_RIDGE = 1.0
"""Keeps rare cues from growing without bound."""
_STEPS = 60
_ENOUGH = 1e-4
"""Gain in log likelihood below which the fit is done."""


@dataclass(frozen=True, slots=True)
class Example:
    """What a message could have gone on from, and what it did."""

    choices: tuple[Choice, ...]
    right: tuple[bool, ...]


def examples(channel: Channel) -> Iterator[Example]:
    """A choice for each message that was judged; one that answers something too far back is left out."""
    answered: dict[str, set[str]] = {}
    for before, after in channel.links:
        answered.setdefault(after, set()).add(before)
    for day in channel.days():
        yield from _of_day(day, channel, answered)


def _of_day(day: Sequence[Utterance], channel: Channel, answered: dict[str, set[str]]) -> Iterator[Example]:
    listening = Listening()
    for at, one in enumerate(day):
        if at and one.url in channel.conversation:
            choices = tuple(listening.choices(one))
            right = tuple(_is_right(choice, day, answered.get(one.url, set())) for choice in choices)
            if any(right):
                yield Example(choices, right)
        listening.take(one, channel.conversation.get(one.url, one.url))


def _is_right(choice: Choice, day: Sequence[Utterance], answered: set[str]) -> bool:
    return not answered if choice.goes_on_from is None else day[choice.goes_on_from].url in answered


def fit(of: Sequence[Example]) -> Cues:
    """The weights under which the right choices are likeliest, by Newton's method with halved steps."""
    names = sorted({cue for example in of for choice in example.choices for cue in choice.cues})
    x, is_there, is_right = _arrays(of, names)
    beta = np.zeros(len(names))
    gain, value = np.inf, _likelihood(beta, x, is_there, is_right)
    for _ in range(_STEPS):
        if gain < _ENOUGH:
            break
        step, scale = _step(beta, x, is_there, is_right), 1.0
        while (gained := _likelihood(beta + scale * step, x, is_there, is_right) - value) < 0 and scale > _ENOUGH:
            scale /= 2
        beta, gain, value = beta + scale * step, gained, value + gained
    return dict(zip(names, (float(weight) for weight in beta), strict=True))


def _arrays(of: Sequence[Example], names: Sequence[str]) -> tuple[Matrix, Matrix, Matrix]:
    """Cues by example and choice, which choices there are, and which are right."""
    most, column = max(len(example.choices) for example in of), {name: at for at, name in enumerate(names)}
    x = np.zeros((len(of), most, len(names)))
    is_there, is_right = np.zeros((len(of), most)), np.zeros((len(of), most))
    for row, example in enumerate(of):
        is_there[row, : len(example.choices)] = 1
        is_right[row, : len(example.choices)] = example.right
        for at, choice in enumerate(example.choices):
            for cue, value in choice.cues.items():
                x[row, at, column[cue]] = value
    return x, is_there, is_right


def _chances(beta: Matrix, x: Matrix, is_there: Matrix) -> Matrix:
    scores = np.where(is_there > 0, x @ beta, -np.inf)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _likelihood(beta: Matrix, x: Matrix, is_there: Matrix, is_right: Matrix) -> float:
    right = (_chances(beta, x, is_there) * is_right).sum(axis=1)
    return float(np.log(right + 1e-300).sum() - _RIDGE / 2 * beta @ beta)


def _step(beta: Matrix, x: Matrix, is_there: Matrix, is_right: Matrix) -> Matrix:
    chances = _chances(beta, x, is_there)
    among_right = chances * is_right
    among_right /= among_right.sum(axis=1, keepdims=True)
    expected = np.einsum("ij,ijk->ik", chances, x)
    gradient = (np.einsum("ij,ijk->ik", among_right, x) - expected).sum(axis=0) - _RIDGE * beta
    spread = np.einsum("ijk,ijl->kl", x * chances[:, :, None], x, optimize=True) - expected.T @ expected
    return np.asarray(np.linalg.solve(spread + _RIDGE * np.eye(len(beta)), gradient))


def main(arguments: list[str]) -> None:
    """Print the weights as they stand in the code."""
    fitted = fit([example for channel in irc(Path(arguments[0])) for example in examples(channel)])
    rows = [f'    "{name}": {weight:.2f},' for name, weight in fitted.items()]
    sys.stdout.write("\n".join(["WEIGHTS: Cues = {", *rows, "}"]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
