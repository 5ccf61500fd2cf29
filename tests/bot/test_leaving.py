"""What was read of a channel is unused as soon as anything says that Footnote left, and deleted when Slack agrees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from bot.errors import SlackError
from bot.slack.events import Event
from bot.sync.nightly import Nightly
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.types import Place
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from tests.bot.channels import Channels, open_channels
from tests.conftest import WordHashEmbedder
from tests.scenarios.office import eventually

SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo")),
    channels=(
        SeedChannel("shop", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
        SeedChannel("attic", members=("ann",), footnote=False),
    ),
    messages={
        "shop": (SeedMessage("ann", "The ladder leans behind the kiln."),),
        "board": (SeedMessage("ann", "Rent goes up in May."),),
        "attic": (SeedMessage("ann", "Old moulds lie here."),),
    },
)


@pytest.fixture
def channels(tmp_path: Path, small_embedder: WordHashEmbedder, bm25: Bm25Embedder) -> Iterator[Channels]:
    """Two channels that have been read."""
    with open_channels(SEED, tmp_path, small_embedder, bm25) as channels:
        channels.read("shop", "board")
        yield channels


@dataclass(frozen=True, slots=True)
class Known:
    """What is remembered of a channel."""

    is_used: bool
    is_kept: bool


USED, UNUSED, GONE = Known(is_used=True, is_kept=True), Known(is_used=False, is_kept=True), Known(False, False)


def known(channels: Channels, place: Place) -> Known:
    """Whether anything of it may be used, and whether anything of it is kept."""
    is_kept = channels.backfill.reader.holds(place) or channels.progress.of(place) is not None
    return Known(place not in channels.leaving.departures.places(), is_kept)


def kick(channels: Channels, name: str) -> str:
    """Take Footnote out of a channel; its id."""
    channel_id = channels.sandbox.channel_id(name)
    channels.person("ann").conversations_kick(channel=channel_id, user=channels.sandbox.bot_user)
    return channel_id


def left(channel_id: str, event_id: str = "E1") -> Event:
    """Slack's event of Footnote's leaving."""
    return Event(event_id, "A0FOOTNOTE", "T0HOME", "channel_left", {"type": "channel_left", "channel": channel_id})


def refuse(channels: Channels, method: str, error: str, count: int = 9) -> None:
    """Have Slack answer a method with an error."""
    asked = {"method": method, "count": count}
    if error == "ratelimited":
        channels.person("ann").api_call("sandbox.rateLimit", json={**asked, "retry_after": 100})
    else:
        channels.person("ann").api_call("sandbox.fail", json={**asked, "error": error})


def test_a_channel_that_slack_says_twice_it_left_is_purged(channels: Channels) -> None:
    """By the event it is unused at once; deleted is it when Slack was asked."""
    for name in ("shop", "board"):
        place = channels.conversation(name).place
        channel_id = kick(channels, name)
        channels.leaving.hear(left(channel_id))
        assert known(channels, place) == UNUSED
        assert channels.leaving.settle(channel_id, is_told=True)
        assert known(channels, place) == GONE


def test_whatever_else_slack_answers_wipes_nothing(channels: Channels) -> None:
    """An outage, a limit or a dead token isn't leaving: nothing is used meanwhile, and all is there afterwards."""
    place, channel_id = channels.conversation("board").place, kick(channels, "board")
    errors = ("invalid_auth", "account_inactive", "token_revoked", "ratelimited", "internal_error")
    for method, error in product(("auth.test", "conversations.info"), errors):
        refuse(channels, method, error, count=1)
        with pytest.raises(SlackError, match=error):
            channels.leaving.settle(channel_id, is_told=True)
        assert known(channels, place) == UNUSED


def test_a_scope_that_is_missing_wipes_nothing(channels: Channels) -> None:
    """What Footnote may not ask about it knows nothing of."""
    place, channel_id = channels.conversation("board").place, channels.sandbox.channel_id("board")
    refuse(channels, "conversations.info", "missing_scope")
    assert not channels.leaving.settle(channel_id)
    assert known(channels, place) == UNUSED


def test_another_bots_token_wipes_nothing(channels: Channels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Slack takes Footnote for somebody else, that one isn't in the channel."""
    place, channel_id = channels.conversation("board").place, kick(channels, "board")
    monkeypatch.setattr(channels.workspace, "is_itself", lambda: False)
    assert not channels.leaving.settle(channel_id, is_told=True)
    assert known(channels, place) == UNUSED


def test_an_event_that_comes_late_ends_nothing(channels: Channels) -> None:
    """Footnote left and was invited again before it came, and once it is dealt with it may come again."""
    shop = channels.conversation("shop")
    for event_id in ("E1", "E1"):
        channels.leaving.hear(left(shop.id, event_id))
        channels.leaving.settle(shop.id, is_told=True)
        assert known(channels, shop.place) == USED
    channels.leaving.hear(left(shop.id, "E1"))
    assert known(channels, shop.place) == USED
    channels.leaving.hear(left(shop.id, "E2"))
    assert known(channels, shop.place) == UNUSED


def test_an_archived_channel_is_kept(channels: Channels) -> None:
    """Slack may say of one that nobody is in it."""
    place, channel_id = channels.conversation("shop").place, kick(channels, "shop")
    channels.person("ann").conversations_archive(channel=channel_id)
    assert not channels.leaving.settle(channel_id)
    assert known(channels, place) == USED
    assert channels.leaving.settle(channel_id, is_told=True), "unless it says in so many words that Footnote left"


def test_being_turned_away_is_leaving(channels: Channels) -> None:
    """A message is to be read, and Slack says that Footnote isn't there."""
    for name in ("shop", "board"):
        place, channel_id = channels.conversation(name).place, kick(channels, name)
        channels.happens(type="message", channel=channel_id, ts="1772442840.000100")
        assert known(channels, place) == GONE


def test_an_invitation_while_slack_is_asked_counts(channels: Channels, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Slack said before it is acted upon before it, in whichever threads."""
    shop = channels.conversation("shop")
    kick(channels, "shop")
    invited = threading.Thread(target=lambda: channels.leaving.enter([shop]))

    def is_itself() -> bool:
        invited.start()
        invited.join(0.2)  # it waits, as long as this isn't decided
        return True

    monkeypatch.setattr(channels.workspace, "is_itself", is_itself)
    channels.leaving.settle(shop.id, is_told=True)
    invited.join()
    assert shop.place not in channels.leaving.departures.places()


def test_what_is_being_read_of_a_channel_that_was_left_is_dropped(channels: Channels) -> None:
    """A history that is half read when Footnote leaves leaves nothing behind."""
    shop = channels.conversation("shop")
    channels.says("ann", "shop", "Lunch is at noon.")
    days = channels.backfill.reader.read(shop)
    next(days)
    channels.leaving.drop(shop.place)
    assert list(days) == []
    assert not channels.backfill.reader.holds(shop.place)


def test_a_night_finds_what_no_event_told(channels: Channels) -> None:
    """What Footnote is out of is gone, what it is in is read, and what was suspected in vain is used again."""
    board, shop = channels.conversation("board"), channels.conversation("shop")
    kick(channels, "board")
    channels.person("ann").conversations_invite(
        channel=channels.sandbox.channel_id("attic"), users=channels.sandbox.bot_user
    )
    channels.leaving.hear(left(shop.id))
    channels.reconciliation.run()
    assert known(channels, board.place) == GONE
    assert known(channels, shop.place) == USED
    assert sorted(conversation.name for conversation in channels.read_later) == ["attic", "shop"]


def test_a_channel_that_fails_at_night_keeps_no_other_waiting(channels: Channels) -> None:
    """It is looked at again the next night."""
    places = [channels.conversation(name).place for name in ("board", "shop")]
    for name in ("board", "shop"):
        kick(channels, name)
    refuse(channels, "conversations.info", "internal_error", count=1)
    channels.reconciliation.run()
    assert sorted([known(channels, place) for place in places], key=str) == [GONE, UNUSED]
    channels.reconciliation.run()
    assert [known(channels, place) for place in places] == [GONE, GONE]


def test_a_night_in_which_slack_is_down_changes_nothing(channels: Channels) -> None:
    """Where nothing can be compared, everything is as it was."""
    places = [channels.conversation(name).place for name in ("board", "shop")]
    for method in ("auth.test", "users.conversations"):
        refuse(channels, method, "internal_error", count=1)
        with pytest.raises(SlackError):
            channels.reconciliation.run()
        assert [known(channels, place) for place in places] == [USED, USED]


def test_an_app_that_was_removed_is_suspended_at_night_and_loses_nothing(channels: Channels) -> None:
    """What becomes of a workspace's index is decided elsewhere; nothing is read until Slack lets Footnote in."""
    place = channels.conversation("shop").place
    refuse(channels, "auth.test", "account_inactive", count=1)
    channels.reconciliation.run()
    assert channels.reconciliation.welcome.is_suspended()
    assert known(channels, place) == USED
    channels.reconciliation.run()
    assert not channels.reconciliation.welcome.is_suspended()


@dataclass
class Passes:
    """Counts passes, and notes whether two were made at once."""

    failure: Exception | None = None
    made: list[bool] = field(default_factory=list)
    _now: threading.Lock = field(default_factory=threading.Lock)

    def run(self, is_stopped: Callable[[], bool] = lambda: False, *, catches_up: bool = True) -> None:
        assert self._now.acquire(blocking=False)
        self.made.append(catches_up)
        self._now.release()
        if self.failure and not is_stopped():
            raise self.failure


@pytest.mark.parametrize("failure", [None, SlackError("auth.test", "unreachable"), ValueError("a fault of ours")])
def test_a_pass_is_made_every_day_whatever_becomes_of_one(failure: Exception | None) -> None:
    """And none after the stop, for which nobody waits a day."""
    passes = Passes(failure)
    nightly = Nightly(passes, every_s=0.01)
    nightly.start()
    eventually(lambda: passes.made, lambda made: len(made) > 2)
    nightly.stop()
    made = len(passes.made)
    nightly.stop()
    assert len(passes.made) == made


def test_a_pass_that_is_asked_for_often_is_made_once() -> None:
    """Slack says every minute that events are lost."""
    passes = Passes()
    nightly = Nightly(passes, calm_s=0.05)
    for _ in range(3):
        nightly.soon()
    nightly.start()
    eventually(lambda: passes.made)
    nightly.stop()
    assert passes.made == [True]
