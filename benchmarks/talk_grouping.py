"""Measures how unthreaded talk is grouped, against fixed gaps, on talk of which somebody said what belongs together.

`python -m benchmarks.talk_grouping irc FOLDER [--only NAMES] [--passages]`
`python -m benchmarks.talk_grouping disco FOLDER [--messages N] [--questions N] [--seed S] [--only NAMES] [--dense]`
With `--labels`: with speakers and dates in what is embedded, and without.

`irc`: IRC logs with links that people set (jkkummerfeld/irc-disentanglement). Joins and the like are left out, as
Slack's notices are, so that figures compare with each other and not with published ones.
`disco`: Slack channels without threads that a program sorted into conversations. First how groupings agree with it,
over everything; then known-item search over a sample of whole days, by words alone unless `--dense`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev

from benchmarks.fit_linking import examples, fit
from benchmarks.grouping_measures import agreement, pairs
from benchmarks.talk_corpora import Channel, disco, irc
from benchmarks.talk_search import (
    Found,
    Grouping,
    Remembering,
    Sample,
    Unlabelled,
    UnlabelledWords,
    WordsOnly,
    mean,
    sample,
    search,
)
from retrieval.chunking import Budget, cut, stretches
from retrieval.chunking.linking import conversations
from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import WORKSPACE, Source, Talk, Utterance

_MINUTES = (1, 2, 5, 10, 15, 20, 30, 60)
_AGREE = ("precision", "recall", "f1", "one-to-one", "exact-f1", "1-vi")
_LINK = ("kept", "tokens")
_FOUND = ("mrr", "recall@1", "recall@5", "recall@10", "@600t", "others", "bare")


def by_gap(minutes: float) -> Grouping:
    """A new group after each silence of more than so many minutes."""

    def grouping(said: Sequence[Utterance]) -> list[tuple[int, ...]]:
        silent = [at for at in range(1, len(said)) if said[at].written_at - said[at - 1].written_at > minutes * 60]
        return [tuple(range(a, b)) for a, b in zip([0, *silent], [*silent, len(said)], strict=True)]

    return grouping


def alone(said: Sequence[Utterance]) -> list[tuple[int, ...]]:
    """Each message by itself."""
    return [(at,) for at in range(len(said))]


def whole(said: Sequence[Utterance]) -> list[tuple[int, ...]]:
    """All of a day together."""
    return [tuple(range(len(said)))]


def groupings(only: str = "") -> dict[str, Grouping]:
    """What is compared, by name: all, or beside the shipped one those that are asked for."""
    every = {
        "shipped": stretches,
        "each message alone": alone,
        **{f"gap of {minutes} min": by_gap(minutes) for minutes in _MINUTES},
        "all of a day": whole,
    }
    return {name: every[name] for name in every if not only or name in ("shipped", *only.split(","))}


def groups_of(channel: Channel, grouping: Grouping) -> dict[str, list[Utterance]]:
    """Each group of a channel, by its first message."""
    return {day[group[0]].url: [day[at] for at in group] for day in channel.days() for group in grouping(day)}


def agreement_of(channels: Sequence[Channel], grouping: Grouping) -> list[float]:
    """The measures of agreement, each log or channel counting the same."""
    rows = []
    for channel in channels:
        groups = groups_of(channel, grouping)
        found = {one.url: first for first, members in groups.items() for one in members}
        same = agreement(found, channel.conversation)
        rows.append((same.precision, same.recall, same.f1, same.one_to_one, same.exact_f1, same.information))
    return [fmean(column) for column in zip(*rows, strict=True)]


def links_of(channels: Sequence[Channel], grouping: Grouping, tokens: Mapping[str, int]) -> list[float]:
    """The share of links with both ends in one stretch; tokens of the stretch that a message stands in, in the mean."""
    links, kept, sizes = 0, 0, []
    for channel in channels:
        groups = groups_of(channel, grouping)
        group = {one.url: first for first, members in groups.items() for one in members}
        links += len(channel.links)
        kept += sum(group[a] == group[b] for a, b in channel.links)
        for members in groups.values():
            sizes += [sum(tokens[one.url] for one in members)] * len(members)
    return [kept / links, fmean(sizes)]


def in_passages(channels: Sequence[Channel], grouping: Grouping, dense: FastEmbedder) -> float:
    """The share of links with both ends in one passage, as the product cuts stretches."""
    both = []
    for channel in channels:
        held = _passages_of(groups_of(channel, grouping).values(), dense)
        both += [bool(held[a] & held[b]) for a, b in channel.links]
    return fmean(both)


def _passages_of(groups: Iterable[list[Utterance]], dense: FastEmbedder) -> Mapping[str, set[str]]:
    """By message, the passages that hold it, as the product cuts them."""
    held: dict[str, set[str]] = {}
    budget = Budget().within(dense.max_tokens)
    for members in groups:
        source = Source(members[0].url, "", "", members[0].url, frozenset({WORKSPACE}), Talk(tuple(members)))
        for passage in cut(source, "benchmark", dense.count_tokens, budget):
            for anchor in passage.anchors:
                held.setdefault(anchor.url, set()).add(passage.id)
    return held


def irc_table(folder: Path, dense: FastEmbedder, options: argparse.Namespace) -> Iterator[str]:
    """A row for each grouping, and one for links by weights that know nothing of the log that they are tried on."""
    channels = irc(folder)
    tokens = {one.url: dense.count_tokens(one.text) for channel in channels for one in channel.said}
    judged, links = sum(len(one.conversation) for one in channels), sum(len(one.links) for one in channels)
    yield f"{len(channels)} logs, {judged} judged messages, {links} links"
    yield _row("", [*_AGREE, *_LINK, *(["in passage"] if options.passages else [])])
    for name, grouping in groupings(options.only).items():
        more = [in_passages(channels, grouping, dense)] if options.passages else []
        yield _row(name, [*agreement_of(channels, grouping), *links_of(channels, grouping, tokens), *more])
    rows = [agreement_of([log], by_others) for log, by_others in _left_out(channels)]
    yield _row("links, log left out", [fmean(column) for column in zip(*rows, strict=True)])


def _left_out(channels: Sequence[Channel]) -> Iterator[tuple[Channel, Grouping]]:
    """Each log with conversations told apart by weights that were fitted on the other logs."""
    of = {channel.name: list(examples(channel)) for channel in channels}
    for channel in channels:
        weights = fit([example for name, those in of.items() if name != channel.name for example in those])
        yield channel, lambda said, weights=weights: conversations(said, weights)  # type: ignore[misc]  # bound now


def disco_agreement(channels: Sequence[Channel], only: str) -> Iterator[str]:
    """A row for each grouping."""
    yield f"{len(channels)} channels, {sum(len(one.said) for one in channels)} messages; conversations by a program"
    yield _row("", ["precision", "recall", "f1", "messages"])
    for name, grouping in groupings(only).items():
        yield _row(name, _pairs_of(channels, grouping))


def _pairs_of(channels: Sequence[Channel], grouping: Grouping) -> list[float]:
    """Pairs, and messages a group; matching one to one takes too long with so many conversations."""
    rows = []
    for channel in channels:
        groups = groups_of(channel, grouping)
        precision, recall = pairs({one.url: first for first, of in groups.items() for one in of}, channel.conversation)
        f1 = 2 * precision * recall / (precision + recall or 1)
        rows.append((precision, recall, f1, len(channel.said) / len(groups)))
    return [fmean(column) for column in zip(*rows, strict=True)]


def disco_search(channels: Sequence[Channel], dense: FastEmbedder, options: argparse.Namespace) -> Iterator[str]:
    """A row for each leg of each grouping, with its paired difference from the shipped one."""
    chosen = sample(channels, options.messages, options.questions, options.seed)
    embedder = Remembering(dense) if options.dense else WordsOnly(dense)
    yield (
        f"sample by seed {options.seed}: {len(chosen.days)} days, {chosen.messages} messages, "
        f"{len(chosen.questions)} questions"
    )
    yield _row("", [*_FOUND, "passages", "  @600t against shipped"])
    shipped: dict[str, list[Found]] = {}
    for name, search_all in _searches(chosen, embedder, options).items():
        found, passages = search_all()
        shipped = shipped or found
        for leg, of_leg in found.items():
            cells = [*astuple(mean(of_leg)), float(passages), _difference(of_leg, shipped[leg])]
            yield _row(f"{name}, {leg}", cells)


def _searches(
    chosen: Sample, embedder: Remembering | WordsOnly, options: argparse.Namespace
) -> dict[str, Callable[[], tuple[dict[str, list[Found]], int]]]:
    """What is compared, by name; the shipped way first."""
    legs = ("bm25", "dense", "hybrid") if options.dense else ("bm25",)
    if options.labels:
        bare, words = Unlabelled(embedder), UnlabelledWords(Bm25Embedder())
        return {
            "shipped": partial(search, chosen, stretches, embedder, legs),
            "no labels": partial(search, chosen, stretches, bare, legs, words),
        }
    return {
        name: partial(search, chosen, grouping, embedder, legs) for name, grouping in groupings(options.only).items()
    }


def _difference(found: Sequence[Found], shipped: Sequence[Found]) -> str:
    """In recall within the budget, with one standard error."""
    deltas = [a.recall_in_budget - b.recall_in_budget for a, b in zip(found, shipped, strict=True)]
    return f"{fmean(deltas):+.3f} ± {pstdev(deltas) / len(deltas) ** 0.5:.3f}"


def _row(name: str, cells: Sequence[float | str]) -> str:
    shown = [cell if isinstance(cell, str) else f"{cell:.3f}" if cell < 10 else f"{cell:.0f}" for cell in cells]
    return f"{name:24}" + "".join(f"{cell:>11}" for cell in shown)


def main(arguments: list[str]) -> None:
    """Print each row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.talk_grouping")
    parser.add_argument("corpus", choices=("irc", "disco"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--messages", type=int, default=3000, help="of disco, in the sample that is searched")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names of groupings, separated by commas")
    parser.add_argument("--passages", action="store_true", help="cut irc into passages too, which takes long")
    parser.add_argument("--labels", action="store_true", help="search without speakers and dates instead of groupings")
    parser.add_argument("--dense", action="store_true", help="search by meaning too, which takes much longer")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        dense = FastEmbedder(Path(folder))
        for row in _rows(options, dense):
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()


def _rows(options: argparse.Namespace, dense: FastEmbedder) -> Iterator[str]:
    if options.corpus == "irc":
        yield from irc_table(options.folder, dense, options)
        return
    channels = disco(options.folder)
    if not options.labels:
        yield from disco_agreement(channels, options.only)
    yield from disco_search(channels, dense, options)


if __name__ == "__main__":
    main(sys.argv[1:])
