"""The Home tab shows somebody their own choices and the channels that they are in, and nothing of any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.slack.decisions import LEAVE_MINE_OUT_ACTION, USE_MINE_ACTION, Decision
from bot.slack.home import CHANNELS_ON_A_PAGE, PAGE_ACTION
from bot.state.choices import Choice, Chosen
from bot.state.progress import Progress
from bot.texts import (
    CHANNEL_IS_ALLOWED,
    CHANNEL_IS_LEFT_OUT,
    CHANNEL_IS_READ,
    CHANNEL_IS_SILENT,
    CHANNEL_IS_WITHHELD,
    CHANNELS,
    FIRST_PAGE,
    HELP,
    MINE_ARE_LEAVING,
    MINE_ARE_UNUSED,
    MINE_ARE_USED,
    NEXT_PAGE,
    NO_CHANNELS,
)
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson, SeedTeam
from sandbox.types import Json
from tests.bot.firm import Firm, actions_in, elements_in, open_firm, words_in

SEED = Seed(
    people=(
        SeedPerson("ann", admin=True),
        SeedPerson("bo"),
        SeedPerson("cy"),
        SeedPerson("gus", kind="guest"),
        SeedPerson("eve", kind="outsider", team=SeedTeam("T0OTHER", "Other", "other")),
    ),
    channels=(
        SeedChannel("shop", members=("ann", "gus")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
        SeedChannel("plans", kind="private", members=("bo",)),
        SeedChannel("mpdm-ann--bo-1", kind="group_dm", members=("ann", "bo")),
        SeedChannel("partners", kind="shared", members=("ann", "eve")),
        SeedChannel("alone", members=("ann", "bo"), footnote=False),
        SeedChannel("square", members=("bo",)),
    ),
    messages={"shop": (SeedMessage("ann", "The zorvex is behind the kiln."),)},
    clock_stands=True,
)


@pytest.fixture
def firm(tmp_path: Path) -> Iterator[Firm]:
    """A workspace whose answers a language model writes."""
    with open_firm(SEED, tmp_path, "llm.example") as firm:
        yield firm


def lines(blocks: list[Json] | None) -> dict[str, str]:
    """What is said of each channel, by its title."""
    assert blocks is not None
    said = [words_in([block]) for block in blocks]
    return {line.partition("* — ")[0].strip("*"): line.partition("* — ")[2] for line in said if "* — " in line}


def of_channel(firm: Firm, blocks: list[Json] | None, name: str) -> list[str]:
    """What can be decided about a channel."""
    return [
        str(element["action_id"])
        for element in elements_in(blocks or [])
        if str(element["value"]).partition(" ")[0] == firm.id_of(name)
    ]


def choose(firm: Firm, what: Choice, name: str, teams: frozenset[str] = frozenset()) -> None:
    """Have it been chosen."""
    firm.slack.choices.make(Chosen("T0HOME", what, firm.conversation(name).place, True, "U0BO", 1.0, teams))


def test_a_member_sees_the_channels_that_they_and_footnote_are_in(firm: Firm) -> None:
    """With what holds for each and what can be decided; no other channel, no count, no word of what is in them."""
    choose(firm, Choice.LEFT_OUT, "board")
    choose(firm, Choice.NEVER_TO_MODEL, "shop")
    blocks = firm.home("ann")
    assert lines(blocks) == {
        "#shop": f"{CHANNEL_IS_READ}; {CHANNEL_IS_WITHHELD}",
        "#board": CHANNEL_IS_LEFT_OUT,
        "#partners": f"{CHANNEL_IS_READ}; {CHANNEL_IS_SILENT}",
        "Group message: ann, bo": CHANNEL_IS_READ,
    }
    assert of_channel(firm, blocks, "board") == [Decision.READ_AGAIN.value]
    assert of_channel(firm, blocks, "shop") == [Decision.LEAVE_OUT.value, Decision.GIVE_TO_MODEL.value]
    assert of_channel(firm, blocks, "partners")[-1] == Decision.ALLOW.value
    assert not any(word in json.dumps(blocks) for word in ("plans", "square", "alone", "zorvex"))
    assert set(lines(firm.home("bo"))) == {"#board", "#plans", "#square", "Group message: ann, bo"}


def test_who_is_in_no_channel_sees_that_there_is_none(firm: Firm) -> None:
    """A public channel that they could open is not listed either, before they are in it."""
    blocks = firm.home("cy")
    assert (lines(blocks), NO_CHANNELS in words_in(blocks or [])) == ({}, True)


def test_a_guest_sees_what_is_about_themselves(firm: Firm) -> None:
    """No channel, not even those that they are in; somebody of another organisation has no Home tab at all."""
    blocks = firm.home("gus")
    assert blocks is not None
    assert (actions_in(blocks), HELP in words_in(blocks)) == ([LEAVE_MINE_OUT_ACTION], False)
    assert CHANNELS.strip("*") not in words_in(blocks)
    assert (firm.home("eve"), firm.calls_of("views.publish")) == (None, ["U0GUS"])


def test_who_leaves_a_channel_sees_it_no_more(firm: Firm) -> None:
    """Whenever the tab is opened, it is as it is then."""
    assert "#board" in lines(firm.home("bo"))
    firm.does("ann", "conversations.kick", channel=firm.id_of("board"), user="U0BO")
    assert "#board" not in lines(firm.home("bo"))


def test_what_is_decided_there_shows_there(firm: Firm) -> None:
    """The tab is shown again as soon as somebody has decided something in it."""
    firm.home("ann")
    for decision, shown in ((Decision.LEAVE_OUT, CHANNEL_IS_LEFT_OUT), (Decision.READ_AGAIN, CHANNEL_IS_READ)):
        firm.press_at_home("ann", decision.value, value_of(firm, "ann", decision, "shop"))
        assert lines(firm.seen_at_home("ann"))["#shop"] == shown
    firm.press_at_home("ann", Decision.ALLOW.value, value_of(firm, "ann", Decision.ALLOW, "partners"))
    assert lines(firm.seen_at_home("ann"))["#partners"] == f"{CHANNEL_IS_READ}; {CHANNEL_IS_ALLOWED}"


def value_of(firm: Firm, who: str, decision: Decision, name: str) -> str:
    """The value of somebody's button."""
    values = [str(e["value"]) for e in elements_in(firm.seen_at_home(who) or []) if e["action_id"] == decision.value]
    return next(value for value in values if value.partition(" ")[0] == firm.id_of(name))


def test_ones_own_messages_stand_as_one_chose(firm: Firm) -> None:
    """Used; not used, and still in the index as long as a channel has not been read anew; used again."""
    assert (MINE_ARE_USED in words_in(firm.home("gus") or []), firm.to_read) == (True, [])
    firm.press_at_home("gus", LEAVE_MINE_OUT_ACTION)
    blocks = firm.seen_at_home("gus") or []
    assert (MINE_ARE_UNUSED in words_in(blocks), MINE_ARE_LEAVING in words_in(blocks)) == (True, True)
    assert actions_in(blocks) == [USE_MINE_ACTION]
    progress = Progress(firm.database, "T0HOME")
    for channel in firm.slack.workspace.joined():
        progress.renewed(channel.place, progress.renewal_of(channel.place) or 0.0)
    assert MINE_ARE_LEAVING not in words_in(firm.home("gus") or [])
    firm.press_at_home("gus", USE_MINE_ACTION)
    assert MINE_ARE_USED in words_in(firm.seen_at_home("gus") or [])


def test_odd_names_are_shown_as_they_are(tmp_path: Path) -> None:
    """Nothing in a channel's name links, calls or styles."""
    odd = replace(SEED, channels=(SeedChannel("<!channel>&_x_", members=("ann",)),), messages={})
    with open_firm(odd, tmp_path) as firm:
        assert list(lines(firm.home("ann"))) == ["#&lt;!channel&gt;&amp;_x_"]


def plain(text: str) -> Json:
    """A button's label."""
    return {"type": "plain_text", "text": text}


def test_many_channels_are_shown_page_by_page(tmp_path: Path) -> None:
    """Slack takes 100 blocks, and every channel can be decided about."""
    names = [f"c{number:03}" for number in range(2 * CHANNELS_ON_A_PAGE + 5)]
    many = replace(SEED, channels=tuple(SeedChannel(name, members=("ann",)) for name in names), messages={})
    with open_firm(many, tmp_path) as firm:
        firm.home("ann")
        shown: list[str] = []
        for label in (NEXT_PAGE, NEXT_PAGE, FIRST_PAGE):
            blocks = firm.seen_at_home("ann") or []
            shown += lines(blocks)
            turn = elements_in(blocks)[-1]
            assert (len(blocks) <= 100, turn["action_id"], turn["text"]) == (True, PAGE_ACTION, plain(label))
            firm.press_at_home("ann", PAGE_ACTION)
        assert shown == [f"#{name}" for name in names]
        assert next(iter(lines(firm.seen_at_home("ann")))) == "#c000"
        firm.forge("ann", PAGE_ACTION, "99")
        assert lines(firm.seen_at_home("ann")) == {}
