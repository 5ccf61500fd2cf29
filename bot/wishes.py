"""Joins what people let be done with what they wrote, for what reads it, what answers from it and what writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.answering.confiding import NOTHING_WITHHELD, Confiding, Withholding
from bot.slack.names import Names
from bot.state.choices import Choices
from bot.state.database import Database
from bot.state.departures import Departures
from bot.state.offers import Offers
from bot.state.places import Places
from bot.sync.selection import LeftOut
from bot.types import Question, Surface
from retrieval.types import Place


@dataclass(frozen=True, slots=True)
class Wishes:
    """What people let be done with what they wrote, as of now."""

    confiding: Confiding
    unquoted: Callable[[], frozenset[str]] = frozenset
    """Names of those who don't want their messages used, and whose messages the index still holds."""


NO_WISHES = Wishes(NOTHING_WITHHELD)
"""Where there are documents alone, which nobody has said anything about."""


def wishes_of(database: Database, team: str, names: Names) -> Wishes:
    """The wishes of a team's people; whoever can't be named could be quoted, so the names should insist."""
    choices = Choices(database)

    def unquoted() -> frozenset[str]:
        return frozenset(map(names.person, choices.unused_and_still_indexed(team)))

    asked_in = partial(_asked_in, Places(database), Offers(database))
    return Wishes(Withholding(partial(choices.places_never_to_model, team), asked_in), unquoted)


def left_out_of(database: Database, team: str) -> LeftOut:
    """What a team's people don't want to be read: a channel that Footnote was taken out of, too."""
    choices, departures = Choices(database), Departures(database, team)
    return LeftOut(partial(choices.unused_people, team), lambda: choices.left_out_places(team) | departures.sure())


def unusable_places(database: Database, team: str) -> frozenset[Place]:
    """Of which nothing may be used now, whoever may open it."""
    return Choices(database).left_out_places(team) | Departures(database, team).places()


def _asked_in(places: Places, offers: Offers, question: Question) -> Place | None:
    """The channel in which a question was put, also where it is answered in a DM; None of one that was put there."""
    if question.surface is Surface.CHANNEL:
        return places.place_of(question.team, question.channel)
    look = offers.look_below(question.team, question.channel, question.root_ts)
    return places.place_of(question.team, look.channel) if look else None
