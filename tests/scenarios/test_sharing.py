"""A private answer is shown where it was asked only if everybody there may by now read all that it was made from."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.slack.ledger import Ledger
from bot.slack.payloads import string
from bot.texts import CANT_BE_SHARED, OFFER_IS_OLD, ONLY_FOR_THE_ASKER, REFUSAL
from bot.types import Refusal
from retrieval.types import WORKSPACE, Place
from tests.scenarios.alone import (
    DAY_S,
    SHARE,
    WORDS,
    StillOffice,
    answered,
    arrives,
    asked,
    break_once,
    buttons,
    everything,
    looked,
    only_alone,
    open_still_office,
    passage,
    rows,
)
from tests.scenarios.office import ANSWER_TEXT, Answers, Bot


@pytest.fixture
def office(tmp_path: Path) -> Iterator[StillOffice]:
    """A small company, in one thread."""
    with open_still_office(tmp_path) as office:
        yield office


@dataclass
class Private:
    """An answer that somebody got alone, and may want to share."""

    office: StillOffice
    bot: Bot
    who: str
    where: str
    ts: str
    """Of the question."""
    answer_ts: str
    value: str

    def share(self) -> None:
        """Press the button below it, and wait until that is dealt with."""
        assert self.office.press(self.who, f"dm of {self.who}", self.answer_ts, SHARE)
        self.office.settle()

    def shown(self) -> list[str]:
        """What stands in the question's thread besides the refusal, as somebody else sees it."""
        others = self.office.replies("ann", self.where, self.ts)
        return [text for text in others if text != REFUSAL]


def private(office: StillOffice, bot: Bot, *places: Place, who: str = "ann", where: str = "general") -> Private:
    """A refusal in a channel, and the answer alone, made from what stands in these places."""
    bot.answers.passages = [passage(place, f"s{at}") for at, place in enumerate(places)]
    ts, reply_ts = asked(office, who, where)
    answer = looked(office, who, where, reply_ts)
    office.settle()
    ((_, value),) = buttons(answer)
    return Private(office, bot, who, where, ts, string(answer, "ts"), value)


def test_a_private_answer_is_shared_where_everybody_may_read_it(office: StillOffice) -> None:
    """In the question's thread, in the sharer's name, with its sources; once, however often it is pressed."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, bot.places["general"], WORKSPACE)
        answer.share()
        answer.share()
    assert answer.shown() == [f"Shared by @ann, who asked me alone\n\n{ANSWER_TEXT}"]
    (shared,) = [m for m in office.below("bo", "general", answer.ts) if string(m, "text") != REFUSAL]
    assert [url in str(shared["blocks"]) for url in ("https://handbook.example/time-off",)] == [True]
    assert buttons(shared) == []
    link = f"p{string(shared, 'ts').replace('.', '')}"
    told = office.whispers("ann")[-2:]
    assert [link in text for text in told] == [True, True]


@pytest.mark.parametrize("hidden_at", [0, 1])
def test_nothing_is_shared_of_which_somebody_may_not_read_all(office: StillOffice, hidden_at: int) -> None:
    """One passage of the evidence that stands elsewhere, cited or not: the sharer is told so, alone, and not which."""
    with office.bot(Answers(decide=only_alone)) as bot:
        places = [bot.places["general"], bot.places["general"]]
        places[hidden_at] = bot.places["secret"]
        answer = private(office, bot, *places)
        answer.share()
    assert (answer.shown(), office.whispers("ann")[-1], office.whispers("bo")) == ([], CANT_BE_SHARED, [])


def guest_comes(office: StillOffice, bot: Bot) -> None:
    """Somebody who may open the channel alone."""
    office.client("ann").conversations_invite(channel=office.channel("general"), users=office.sandbox.user_id("gus"))


def channel_is_shared(office: StillOffice, bot: Bot) -> None:
    """With another organisation, and nobody has approved that Footnote answers there."""
    office.control("shareChannel", channel=office.channel("general"), team="T0OTHER")


def sharer_is_guest(office: StillOffice, bot: Bot) -> None:
    """Who may not ask any more."""
    office.control("changePerson", user=office.sandbox.user_id("ann"), kind="guest")


def evidence_is_deleted(office: StillOffice, bot: Bot) -> None:
    """The index has none of it any more."""
    bot.answers.passages = []


def evidence_is_edited(office: StillOffice, bot: Bot) -> None:
    """Other words have another id."""
    bot.answers.passages = [replace(each, id=f"{each.id} in other words") for each in bot.answers.passages]


def evidence_becomes_private(office: StillOffice, bot: Bot) -> None:
    """The same words stand elsewhere now."""
    hidden = frozenset({bot.places["secret"]})
    bot.answers.passages = [replace(each, places=hidden) for each in bot.answers.passages]


@pytest.mark.parametrize(
    "happens",
    [
        guest_comes,
        channel_is_shared,
        sharer_is_guest,
        evidence_is_deleted,
        evidence_is_edited,
        evidence_becomes_private,
    ],
)
def test_what_holds_when_it_is_shared_decides(office: StillOffice, happens: Callable[[StillOffice, Bot], None]) -> None:
    """Whatever changed since the answer: who is there, what the place is, who shares, or what it was made from."""
    with office.bot(Answers(decide=only_alone)) as bot:
        # Where the sharer alone changes, everybody may go on reading the evidence.
        answer = private(office, bot, bot.places["general"] if happens is sharer_is_guest else WORKSPACE)
        happens(office, bot)
        office.settle()
        arrives(office, bot, "ann", answer.answer_ts, SHARE, answer.value)
        assert bot.inbox.unfinished("actions") == 0
    assert answer.shown() == []
    assert office.whispers("ann")[-1] == CANT_BE_SHARED


def test_who_left_the_place_shares_nothing_there(office: StillOffice) -> None:
    """Neither does anybody whose question is gone."""
    with office.bot(Answers(decide=only_alone)) as bot:
        in_secret = private(office, bot, bot.places["secret"], where="secret")
        office.client("ann").conversations_leave(channel=office.channel("secret"))
        in_general = private(office, bot, bot.places["general"])
        office.client("ann").chat_delete(channel=office.channel("general"), ts=in_general.ts)
        office.settle()
        for answer in (in_secret, in_general):
            arrives(office, bot, "ann", answer.answer_ts, SHARE, answer.value)
    assert [text for text in office.whispers("ann") if text == CANT_BE_SHARED] == [CANT_BE_SHARED] * 2
    assert [call for call in office.calls("chat.postMessage") if "Shared by" in str(call)] == []


def test_what_was_shared_is_taken_back_like_every_answer(office: StillOffice) -> None:
    """When somebody comes who may not open what it rests on, nothing of it stands there any more."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, WORKSPACE)
        answer.share()
        assert [ANSWER_TEXT in text for text in answer.shown()] == [True]
        guest_comes(office, bot)
        office.settle()
    assert WORDS not in str(answer.shown())


def test_what_changes_at_the_last_moment_is_not_shared(office: StillOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written down right before the post is looked at once more, and decides."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, WORKSPACE)
        monkeypatch.setattr(Ledger, "_confirmed", lambda *_: (Refusal(), ()))
        answer.share()
        assert (answer.shown(), office.whispers("ann")[-1]) == ([], CANT_BE_SHARED)
        monkeypatch.undo()
        answer.share()
    assert len(answer.shown()) == 1


def test_only_its_asker_shares_an_answer(office: StillOffice) -> None:
    """Whoever else sends the id is told that it is not theirs."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, WORKSPACE)
        arrives(office, bot, "bo", answer.answer_ts, SHARE, answer.value)
    assert (answer.shown(), office.whispers("bo")) == ([], [ONLY_FOR_THE_ASKER])


def test_a_private_answer_is_kept_sealed_and_for_a_day(office: StillOffice, tmp_path: Path) -> None:
    """Whoever reads the database reads none of it; after a day it can't be shared, and after seconds it is erased."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, WORKSPACE)
        (sealed,) = rows(tmp_path, "shares")
        assert [len(str(sealed["sealed"])) > len(ANSWER_TEXT), WORDS in everything(tmp_path)] == [True, False]
        for seconds, left in ((DAY_S - 60, 1), (120, 0)):
            office.passes(seconds)
            bot.inbox.tidy()
            assert len(rows(tmp_path, "shares")) == left
        answer.share()
    assert (answer.shown(), office.whispers("ann")[-1]) == ([], OFFER_IS_OLD)


def test_nothing_is_kept_of_what_was_shared(office: StillOffice, tmp_path: Path) -> None:
    """Only where it stands."""
    with office.bot(Answers(decide=only_alone)) as bot:
        private(office, bot, WORKSPACE).share()
    ((sealed, shared_ts),) = [(row["sealed"], row["shared_ts"]) for row in rows(tmp_path, "shares")]
    assert (sealed, shared_ts != "") == ("", True)


def test_the_address_for_responses_is_neither_kept_nor_used(
    office: StillOffice, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It would post in a channel in the name of whoever pressed; no log holds it, at any level, nor any words."""
    caplog.set_level(logging.DEBUG)
    with office.bot(Answers(decide=only_alone)) as bot:
        private(office, bot, WORKSPACE).share()
        office.command("ann", "general", "how many days?")
        answered(office, "ann")
        office.settle()
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("bot."))
    for kept in (everything(tmp_path), logged):
        assert [word for word in ("response_url", "/response/", WORDS, "how many days") if word in kept] == []


@pytest.mark.parametrize("arrives_", [True, False])
def test_sharing_that_breaks_off_is_done_once(
    office: StillOffice, monkeypatch: pytest.MonkeyPatch, arrives_: bool
) -> None:
    """A message that arrived though it seemed lost is found in the thread."""
    with office.bot(Answers(decide=only_alone)) as bot:
        answer = private(office, bot, WORKSPACE)
        break_once(monkeypatch, "chat.postMessage", 1, arrives_)
        answer.share()
    assert len(answer.shown()) == 1
