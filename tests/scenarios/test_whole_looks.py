"""The whole bot, with what it really finds: what a look in private gives, and what of it can be shown to the others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.evaluation.access.stage import Theatre
from bot.state.offers import Offers
from bot.texts import CANT_BE_SHARED, OFFER_IS_OLD, ONLY_FOR_THE_ASKER, REFUSAL
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from sandbox.state import Message
from sandbox.types import Json
from tests.scenarios.company import Company, open_company, question, sentence

SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo"), SeedPerson("cy"), SeedPerson("gus", kind="guest")),
    channels=(
        SeedChannel("shop", members=("ann", "bo", "cy")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
        SeedChannel("street", members=("bo",), footnote=False),
    ),
    messages={
        "shop": (SeedMessage("ann", sentence("ladder", "heron")),),
        "board": (SeedMessage("ann", sentence("budget", "otter")),),
    },
    now=datetime(2026, 3, 2, 9, tzinfo=UTC),
)


@pytest.fixture
def company(theatre: Theatre) -> Iterator[Company]:
    """A company that Footnote has read."""
    with open_company(theatre, SEED) as company:
        yield company


def own(company: Company, where: str) -> list[Message]:
    """What Footnote has said in a channel, or in the DM with whom `dm of` names, oldest first."""
    channel = company.dm(where.removeprefix("dm of ")) if where.startswith("dm of ") else company.channel(where)
    me = company.stage.still.workspace.app.user_id
    return [message for _, message in sorted(channel.messages.items()) if message.user == me]


def press(company: Company, who: str, where: str, message: Message, action: str) -> None:
    """Press a button below a message."""
    channel = company.dm(who) if where == "dm" else company.channel(where)
    company.does(who, "sandbox.pressButton", channel=channel.id, ts=message.ts, action_id=action)


def actions(message: Message) -> list[str]:
    """The buttons below a message."""
    elements: list[Json] = [e for block in message.blocks if block["type"] == "actions" for e in block["elements"]]  # type: ignore[attr-defined]  # a list in these
    return [str(element["action_id"]) for element in elements]


def whispers(company: Company, who: str) -> list[str]:
    """What Footnote has said to somebody alone."""
    return [each.text for each in company.stage.still.workspace.ephemerals if each.user == company.user(who)]


def looked(company: Company, who: str, topic: str) -> Message:
    """What somebody is answered alone who asked in the shop."""
    company.asks(who, topic, "shop")
    press(company, who, "shop", own(company, "shop")[-1], "look")
    return own(company, f"dm of {who}")[-1]


def test_a_look_finds_what_the_asker_alone_may_read(company: Company) -> None:
    """The channel got a refusal, as whoever may read no more gets for their look."""
    member, other = looked(company, "bo", "budget"), looked(company, "cy", "budget")
    assert ("otter" in member.text, other.text) == (True, REFUSAL)
    assert [message.text for message in own(company, "shop")] == [REFUSAL, REFUSAL]
    assert (actions(member), actions(other)) == (["share"], [])


def test_what_the_others_may_not_read_is_not_shared(company: Company) -> None:
    """Not even with somebody's consent: the others would open it through Footnote."""
    press(company, "bo", "dm", looked(company, "bo", "budget"), "share")
    assert ([message.text for message in own(company, "shop")], whispers(company, "bo")[-1]) == (
        [REFUSAL],
        CANT_BE_SHARED,
    )


def test_what_all_may_read_is_shared(company: Company) -> None:
    """In the thread of the question, by name, with what it cites."""
    answer = looked(company, "bo", "ladder")
    press(company, "bo", "dm", answer, "share")
    shared = own(company, "shop")[-1]
    assert shared.text == f"Shared by @bo, who asked me alone\n\n{answer.text}"
    assert shared.thread_ts == own(company, "shop")[0].thread_ts


@pytest.mark.parametrize("method", ["chat.update", "chat.delete"])
def test_what_slack_has_otherwise_by_now_is_not_shared(company: Company, method: str) -> None:
    """The words are looked at in Slack itself, though no event has told that they changed."""
    answer = looked(company, "bo", "ladder")
    source = next(ts for ts, message in company.channel("shop").messages.items() if "heron" in message.text)
    company.passes(1)
    with company.losing_events():
        arguments = {"text": sentence("ladder", "finch")} if method == "chat.update" else {}
        company.does("ann", method, channel=company.channel("shop").id, ts=source, **arguments)
    press(company, "bo", "dm", answer, "share")
    assert whispers(company, "bo")[-1] == CANT_BE_SHARED
    assert [message.text for message in own(company, "shop") if message.text.startswith("Shared")] == []


def test_a_look_is_offered_to_all_and_given_to_one(company: Company) -> None:
    """Whoever else presses learns nothing, whatever there is to see."""
    for topic in ("budget", "ladder", "nothing"):
        company.asks("bo", topic, "shop")
        press(company, "cy", "shop", own(company, "shop")[-1], "look")
    assert whispers(company, "cy") == [ONLY_FOR_THE_ASKER] * 3
    assert own(company, "dm of cy") == []


def test_a_command_finds_what_its_asker_may_read(company: Company) -> None:
    """Where Footnote isn't, and so isn't able to show it to anybody."""
    given = {"channel": company.channel("street").id, "command": "/footnote"}
    company.does("bo", "sandbox.slashCommand", text=question("budget"), **given)
    answer = own(company, "dm of bo")[-1]
    assert ("otter" in answer.text, actions(answer)) == (True, [])


def test_a_shared_answer_goes_with_the_words_that_it_rests_on(company: Company) -> None:
    """When they are deleted, nothing of them stays in the thread."""
    press(company, "bo", "dm", looked(company, "bo", "ladder"), "share")
    assert "heron" in own(company, "shop")[-1].text
    source = next(ts for ts, message in company.channel("shop").messages.items() if message.user == company.user("ann"))
    company.does("ann", "chat.delete", channel=company.channel("shop").id, ts=source)
    assert [message.text for message in own(company, "shop") if "heron" in message.text] == []


def test_a_private_answer_can_be_shared_for_a_day(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then what was kept of it is erased, while the bot does whatever else it does."""
    forgotten: list[float] = []
    monkeypatch.setattr(Offers, "forget", lambda _offers, at: forgotten.append(at))
    with open_company(theatre, SEED) as company:
        answer = looked(company, "bo", "ladder")
        company.passes(24 * 3600.0 + 1)
        press(company, "bo", "dm", answer, "share")
        assert (len(own(company, "shop")), whispers(company, "bo")[-1]) == (1, OFFER_IS_OLD)
        company.stage.bot.inbox.tidy()
        assert forgotten == [company.stage.still.workspace.clock.now()]
