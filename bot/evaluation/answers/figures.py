"""Counts how well what can be answered is told from what can't, and how well answers cite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from bot.evaluation.answers.asking import Asked
from bot.evaluation.answers.items import Label


@dataclass(frozen=True, slots=True)
class Point:
    """What would happen if the product answered from this confidence on."""

    threshold: float
    coverage: float
    """The share of the questions that it would answer."""
    risk: float
    """The share of those that are unanswerable, or whose answer cites no gold."""


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Of answerable and unanswerable questions, unless said otherwise; nan where there are none to count."""

    items: dict[str, int]
    """By label."""
    auroc: float
    """How often an answerable question has more confidence than an unanswerable one."""
    auroc_partial: float
    """The same of a question that is answered in part."""
    auroc_underspecified: float
    """How often an answerable question has more than one that must be asked back."""
    threshold: float
    """The shipped one; nothing is fitted to what is measured."""
    false_answers: float
    """The share of unanswerable questions that are answered."""
    false_refusals: float
    """The share of answerable questions that are not."""
    answered: float
    answered_by_label: dict[str, float]
    risk: float
    """At the shipped threshold."""
    citation_precision: float
    """The share of gold among what answers to answerable questions cite."""
    gold_citation_recall: float
    """The share of a question's gold that its answer cites: the mean over answerable questions that are answered."""
    cites_gold: float
    """The share of those answers that cite any gold."""
    curve: tuple[Point, ...]
    """By falling threshold."""


def figures(asked: Sequence[Asked], threshold: float) -> AnswerFigures:
    """Everything that one run says."""
    by = {label: [one for one in asked if one.item.label is label] for label in Label}
    answerable, unanswerable = by[Label.ANSWERABLE], by[Label.UNANSWERABLE]
    judged = [*answerable, *unanswerable]
    answers = [one for one in answerable if one.is_answered]
    return AnswerFigures(
        items={label.value: len(ones) for label, ones in by.items() if ones},
        auroc=auroc(_confidences(answerable), _confidences(unanswerable)),
        auroc_partial=auroc(_confidences(by[Label.PARTIAL]), _confidences(unanswerable)),
        auroc_underspecified=auroc(_confidences(answerable), _confidences(by[Label.UNDERSPECIFIED])),
        threshold=threshold,
        false_answers=_share(one.is_answered for one in unanswerable),
        false_refusals=_share(not one.is_answered for one in answerable),
        answered=_share(one.is_answered for one in judged),
        answered_by_label={label.value: _share(one.is_answered for one in ones) for label, ones in by.items() if ones},
        risk=_share(not _is_right(one) for one in judged if one.is_answered),
        citation_precision=_share(id_ in one.item.gold for one in answers for id_ in one.would_cite),
        gold_citation_recall=_mean(
            len(one.item.gold & {*one.would_cite}) / len(one.item.gold) for one in answers if one.item.gold
        ),
        cites_gold=_share(_is_right(one) for one in answers),
        curve=tuple(curve(judged)),
    )


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """How often one of the first is above one of the second; equal ones count half."""
    if not higher or not lower:
        return math.nan
    return fmean((high > low) + (high == low) / 2 for high in higher for low in lower)


def curve(asked: Iterable[Asked]) -> list[Point]:
    """A point for each confidence of a question for which there is something to quote, the surest first."""
    listed = list(asked)
    could = sorted((one for one in listed if one.would_cite), key=lambda one: -one.confidence)
    points, wrong = [], 0
    for count, one in enumerate(could, start=1):
        wrong += not _is_right(one)
        if count == len(could) or could[count].confidence < one.confidence:
            points.append(Point(one.confidence, count / len(listed), wrong / count))
    return points


def _is_right(one: Asked) -> bool:
    """Whether its answer cites what answers it; of an unanswerable question none does."""
    return not one.item.gold.isdisjoint(one.would_cite)


def _confidences(asked: Iterable[Asked]) -> list[float]:
    return [one.confidence for one in asked]


def _share(values: Iterable[bool]) -> float:
    return _mean(map(float, values))


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else math.nan
