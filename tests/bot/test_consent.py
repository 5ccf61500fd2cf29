"""What Footnote reads is said once and decided by those who may; each press is checked by what Slack says then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.slack.decisions import LEAVE_MINE_OUT_ACTION, USE_MINE_ACTION, Decision, standing_of
from bot.slack.events import Event, channel_of, parse_event
from bot.slack.interactions import Press
from bot.state.choices import Choice, Chosen
from bot.state.notices import Notice
from bot.texts import (
    MINE_LEFT_OUT,
    MINE_USED,
    NOT_YOURS_TO_DECIDE,
    NOTICE_NEVER_TO_MODEL,
    NOTICE_NO_MODEL,
    NOTICE_READERS,
    NOTICE_SHARED,
    SHARED_OFFER,
    SHARED_SINCE,
    STAYS_SILENT,
)
from bot.types import ConversationKind
from sandbox.seed import Seed, SeedChannel, SeedPerson, SeedTeam
from tests.bot.firm import Firm, actions_in, open_firm, words_in

OTHER = SeedTeam("T0OTHER", "Other", "other")
SEED = Seed(
    people=(
        SeedPerson("ann"),
        SeedPerson("bo"),
        SeedPerson("gus", kind="guest"),
        SeedPerson("eve", kind="outsider", team=OTHER),
    ),
    channels=(
        SeedChannel("shop", members=("ann", "gus"), footnote=False),
        SeedChannel("board", kind="private", members=("ann", "bo"), footnote=False),
        SeedChannel("trio", kind="group_dm", members=("ann", "bo")),
        SeedChannel("partners", kind="shared", members=("ann", "bo", "gus", "eve"), footnote=False),
        SeedChannel("yard", members=("ann",)),
    ),
    clock_stands=True,
)
HOST = "llm.example:8080"


@pytest.fixture
def firm(tmp_path: Path) -> Iterator[Firm]:
    """A workspace whose answers a language model writes."""
    with open_firm(SEED, tmp_path, HOST) as firm:
        yield firm


def held(firm: Firm, what: Choice, subject: str) -> Chosen | None:
    """The last word on something, without its time."""
    last = firm.slack.choices.last("T0HOME", what, subject)
    return replace(last, at=0.0) if last else None


# ---------------------------------------------------------------------------------------------------- the notice


@pytest.mark.parametrize(("name", "kind"), [("shop", ConversationKind.PUBLIC), ("board", ConversationKind.PRIVATE)])
def test_who_invites_footnote_is_told_what_it_reads(firm: Firm, name: str, kind: ConversationKind) -> None:
    """Once, in the channel: who gets answers from it, where the model is, and what can be decided."""
    firm.invite(name)
    (notice,) = firm.posts(name)
    words = words_in(notice.blocks)
    assert NOTICE_READERS[kind] in words
    assert HOST in words
    assert actions_in(notice.blocks) == [
        Decision.LEAVE_OUT.value,
        Decision.KEEP_FROM_MODEL.value,
        LEAVE_MINE_OUT_ACTION,
    ]
    firm.does("ann", "sandbox.repeatEvent", times=3)
    assert firm.posts(name) == [notice]


def test_without_a_model_there_is_nothing_to_decide_about_one(tmp_path: Path) -> None:
    """The notice says so, and has no button for it."""
    with open_firm(SEED, tmp_path) as firm:
        firm.invite("shop")
        (notice,) = firm.posts("shop")
        assert NOTICE_NO_MODEL in words_in(notice.blocks)
        assert actions_in(notice.blocks) == [Decision.LEAVE_OUT.value, LEAVE_MINE_OUT_ACTION]


def test_who_invites_it_again_is_told_again(firm: Firm) -> None:
    """A removal ends what was said; so does an invitation of which the removal's event was lost."""
    firm.invite("shop")
    kick = {"channel": firm.id_of("shop"), "user": firm.still.workspace.app.user_id}
    firm.does("ann", "conversations.kick", **kick)
    firm.invite("shop")
    assert len(firm.posts("shop")) == 2
    firm.does("ann", "sandbox.dropEvents", count=9)
    firm.does("ann", "conversations.kick", **kick)
    firm.still.faults.dropped.clear()
    firm.invite("shop")
    assert len(firm.posts("shop")) == 3


def test_where_it_finds_itself_at_a_start_it_says_so_once(firm: Firm) -> None:
    """In every channel in which it never did; not in one that is archived, nor at the next start."""
    firm.does("ann", "conversations.archive", channel=firm.id_of("yard"))
    for _start in range(2):
        for found in firm.consenting.arrivals.untold(firm.slack.workspace.joined()):
            firm.inbox.keep(found)
        firm.settle()
    assert (len(firm.posts("trio")), firm.posts("yard")) == (1, [])
    assert NOTICE_READERS[ConversationKind.GROUP_DM] in words_in(firm.posts("trio")[0].blocks)


def test_another_model_is_told_of_where_it_was_told_before(firm: Firm) -> None:
    """At the start after it was set, in the message that stands; nothing is posted anew, and nothing twice."""
    firm.invite("shop")
    arrivals, board = firm.consenting.arrivals, firm.consenting.consent.board
    assert "shop" not in [found_in(firm, body) for body in arrivals.untold(firm.slack.workspace.joined())]
    newer = replace(board, model_host="other.example")
    consent = replace(firm.consenting.consent, board=newer)
    later = replace(arrivals, consent=consent)
    for body in later.untold((firm.conversation("shop"),)):
        later.handle(parse_event(body))
    (notice,) = firm.posts("shop")
    assert "other.example" in words_in(notice.blocks)
    assert list(later.untold((firm.conversation("shop"),))) == []


def found_in(firm: Firm, body: Mapping[str, object]) -> str:
    """The name of the channel that an event of our own is about."""
    return firm.slack.workspace.conversation(channel_of(parse_event(body))).name


def test_a_notice_that_stands_is_not_posted_again_after_a_crash(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between posting and writing it down the process dies: the next attempt finds what stands."""
    board, kept = firm.consenting.consent.board, firm.consenting.consent.board.kept
    write, deaths = kept.write, [True]

    def dying(notice: Notice) -> None:
        if notice.ts and deaths:
            deaths.pop()
            raise KeyboardInterrupt  # nothing catches it, as nothing catches a kill
        write(notice)

    monkeypatch.setattr(kept, "write", dying)
    with pytest.raises(KeyboardInterrupt):
        firm.invite("shop")
    firm.still.advance(60.0)  # the lease of whoever died runs out
    firm.settle()
    assert len(firm.posts("shop")) == 1
    assert board.has_told(firm.conversation("shop"))


def test_where_nothing_may_be_posted_nothing_fails(firm: Firm) -> None:
    """A channel from which it was removed right after the invitation gets no notice."""
    firm.still.call("conversations.invite", "U0ANN", channel=firm.id_of("board"), users="U0FOOTNOTE")
    firm.still.call("conversations.kick", "U0ANN", channel=firm.id_of("board"), user="U0FOOTNOTE")
    firm.settle()
    assert firm.posts("board") == []


def test_a_notice_says_what_the_channel_has_become(firm: Firm) -> None:
    """A channel that is made private keeps its one notice, which says who gets answers from it now."""
    firm.invite("shop")
    firm.does("ann", "sandbox.convertChannel", channel=firm.id_of("shop"), to="private")
    (notice,) = firm.posts("shop")
    assert NOTICE_READERS[ConversationKind.PRIVATE] in words_in(notice.blocks)


# ------------------------------------------------------------------------------------------------- who may decide


@pytest.mark.parametrize("decision", [Decision.LEAVE_OUT, Decision.KEEP_FROM_MODEL])
def test_a_member_of_the_channel_decides_and_takes_it_back(firm: Firm, decision: Decision) -> None:
    """What was chosen, by whom; the notice changes with it, and offers to take it back."""
    firm.invite("shop")
    place = firm.conversation("shop").place
    firm.press("ann", "shop", decision.value)
    assert held(firm, decision.choice, place) == Chosen("T0HOME", decision.choice, place, True, "U0ANN", 0.0)
    (notice,) = firm.posts("shop")
    back = {Decision.LEAVE_OUT: Decision.READ_AGAIN, Decision.KEEP_FROM_MODEL: Decision.GIVE_TO_MODEL}[decision]
    assert back.value in actions_in(notice.blocks)
    words = words_in(notice.blocks)
    assert ("ann decided" if decision is Decision.LEAVE_OUT else NOTICE_NEVER_TO_MODEL) in words
    firm.press("ann", "shop", back.value)
    taken_back = held(firm, decision.choice, place)
    assert taken_back is not None
    assert not taken_back.holds
    assert decision.value in actions_in(firm.posts("shop")[0].blocks)


def test_leaving_out_drops_the_channel_and_reading_again_reads_it(firm: Firm) -> None:
    """At once, and nothing else is dropped; the answers that stand are looked at."""
    firm.invite("shop")
    firm.press("ann", "shop", Decision.LEAVE_OUT.value)
    assert (firm.dropped, firm.to_read) == (["shop"], [])
    assert firm.rechecked == [firm.conversation("shop").place]
    firm.press("ann", "shop", Decision.READ_AGAIN.value)
    assert (firm.dropped, firm.to_read) == (["shop"], ["shop"])


def test_a_guest_and_an_outsider_decide_nothing(firm: Firm) -> None:
    """They hear one sentence, alone; the notice and the channel stay as they are."""
    firm.invite("shop")
    before = firm.posts("shop")
    firm.press("gus", "shop", Decision.LEAVE_OUT.value)
    assert [said.text for said in firm.whispers("gus")] == [NOT_YOURS_TO_DECIDE]
    assert (firm.posts("shop"), firm.dropped, firm.whispers("ann")) == (before, [], [])
    assert held(firm, Choice.LEFT_OUT, firm.conversation("shop").place) is None


@pytest.mark.parametrize(
    ("who", "value"), [("bo", "shop"), ("eve", "shop"), ("gus", "board"), ("bo", "nowhere"), ("nobody", "shop")]
)
def test_what_a_payload_says_decides_nothing(firm: Firm, who: str, value: str) -> None:
    """A press that names a channel in which its author isn't does nothing, wherever it says that it was pressed."""
    firm.invite("shop")
    for decision in Decision:
        for channel in ("", firm.id_of("partners")):
            firm.forge(who, decision.value, f"{firm.id_of(value)} x", channel)
    places = [firm.conversation(name).place for name in ("shop", "yard")]
    assert [held(firm, what, place) for what in Choice for place in places] == [None] * 2 * len(Choice)
    assert (firm.dropped, firm.to_read) == ([], [])


def test_whoever_left_the_channel_since_decides_nothing(firm: Firm) -> None:
    """What counts is who is in it when the press is dealt with, not when the button was shown."""
    firm.invite("board")
    ts = firm.posts("board")[0].ts
    pressed = {"channel": firm.id_of("board"), "ts": ts, "action_id": Decision.LEAVE_OUT.value}
    firm.still.call("sandbox.pressButton", "U0BO", **pressed)
    firm.still.call("conversations.kick", "U0ANN", channel=firm.id_of("board"), user="U0BO")
    firm.settle()
    assert held(firm, Choice.LEFT_OUT, firm.conversation("board").place) is None


def test_a_fault_is_no_permission(firm: Firm) -> None:
    """Where Slack doesn't say who somebody is, nothing is decided; the press is taken up again, and then it is."""
    firm.invite("shop")
    place = firm.conversation("shop").place
    firm.still.call("sandbox.fail", "U0ANN", method="conversations.members", error="internal_error", count=1)
    firm.press("ann", "shop", Decision.LEAVE_OUT.value)
    assert (held(firm, Choice.LEFT_OUT, place), firm.dropped) == (None, [])
    firm.comes_back()
    assert (held(firm, Choice.LEFT_OUT, place) is not None, firm.dropped) == (True, ["shop"])


def test_a_press_that_is_dealt_with_late_does_not_undo_a_later_one(firm: Firm) -> None:
    """The last word is the last press, in whatever order they are dealt with."""
    firm.invite("shop")
    place = firm.conversation("shop").place
    firm.still.call("sandbox.fail", "U0ANN", method="conversations.members", error="internal_error", count=1)
    firm.press("ann", "shop", Decision.LEAVE_OUT.value)
    firm.still.advance(1.0)
    firm.consenting.acts[Decision.READ_AGAIN.value](_pressed_now(firm, "shop", Decision.READ_AGAIN))
    firm.comes_back()
    last = held(firm, Choice.LEFT_OUT, place)
    assert (last.holds if last else None, firm.dropped) == (False, [])


def _pressed_now(firm: Firm, name: str, decision: Decision) -> Press:
    now = firm.still.workspace.clock.now()
    return Press("E8", "T0HOME", "U0ANN", firm.id_of(name), "", None, decision.value, "", at=now)


# ------------------------------------------------------------------------------------------------ shared channels


def offered(firm: Firm, who: str = "ann") -> list[str]:
    """What was said to somebody alone, and the buttons below it."""
    seen = firm.whispers(who)
    return [said.text for said in seen] + [a for said in seen for a in actions_in(said.blocks)]


ASKED = [SHARED_OFFER, Decision.ALLOW.value, Decision.CLOSE.value]


def test_a_shared_channel_hears_nothing_and_its_inviter_is_asked(firm: Firm) -> None:
    """Alone, whether it may be answered in; nobody else sees a byte."""
    firm.invite("partners")
    assert offered(firm) == ASKED
    assert (firm.posts("partners"), firm.whispers("bo"), firm.whispers("eve")) == ([], [], [])


def test_who_allows_it_has_the_notice_posted(firm: Firm) -> None:
    """With whom it was shared is kept; the notice says who reads answers, and offers to close it again."""
    firm.invite("partners")
    firm.press("ann", "partners", Decision.ALLOW.value, firm.whispers("ann")[0].ts)
    place = firm.conversation("partners").place
    approved = Chosen("T0HOME", Choice.APPROVED, place, True, "U0ANN", 0.0, frozenset({"T0OTHER"}))
    assert held(firm, Choice.APPROVED, place) == approved
    (notice,) = firm.posts("partners")
    assert NOTICE_SHARED in words_in(notice.blocks)
    assert actions_in(notice.blocks)[-2:] == [Decision.CLOSE.value, LEAVE_MINE_OUT_ACTION]
    assert not standing_of(firm.conversation("partners"), firm.slack.choices, "T0HOME").is_silent
    firm.press("bo", "partners", Decision.CLOSE.value)
    (notice,) = firm.posts("partners")
    assert actions_in(notice.blocks) == [Decision.ALLOW.value]
    assert [said.text for said in firm.whispers("bo")] == [STAYS_SILENT]


@pytest.mark.parametrize("who", ["gus", "eve"])
def test_others_than_members_allow_nothing(firm: Firm, who: str) -> None:
    """Neither a guest who is in it, nor somebody of the other organisation."""
    firm.invite("partners")
    firm.forge(who, Decision.ALLOW.value, "", firm.id_of("partners"))
    assert held(firm, Choice.APPROVED, firm.conversation("partners").place) is None


@pytest.mark.parametrize("inviter", ["gus", "eve", ""])
def test_an_inviter_who_may_not_decide_is_not_asked(firm: Firm, inviter: str) -> None:
    """What happens in the channel is decided by members; others learn nothing of it."""
    firm.invite("partners", by="bo")
    joined = {"type": "member_joined_channel", "channel": firm.id_of("partners"), "user": "U0FOOTNOTE"}
    by = {"inviter": firm.id_of(inviter)} if inviter else {}
    firm.consenting.arrivals.handle(Event("E7", "A0", "T0HOME", "member_joined_channel", joined | by))
    assert [firm.whispers(who) for who in ("ann", "gus", "eve")] == [[], [], []]
    assert firm.posts("partners") == []


def test_whoever_said_no_is_not_asked_again(firm: Firm) -> None:
    """The next invitation says how it can be changed."""
    firm.invite("partners")
    firm.press("ann", "partners", Decision.CLOSE.value, firm.whispers("ann")[0].ts)
    assert offered(firm)[1] == STAYS_SILENT
    assert firm.consenting.consent.offer(firm.conversation("partners"))[0].text == STAYS_SILENT
    assert firm.posts("partners") == []


def test_an_approval_is_for_those_who_were_there(firm: Firm) -> None:
    """Where one more organisation joins, nothing is said any more until a member allows it again, having seen that."""
    firm.invite("partners")
    ts = firm.whispers("ann")[0].ts
    firm.press("ann", "partners", Decision.ALLOW.value, ts)
    firm.does("ann", "sandbox.shareChannel", channel=firm.id_of("partners"), team="T0THIRD")
    standing = standing_of(firm.conversation("partners"), firm.slack.choices, "T0HOME")
    assert (standing.is_silent, standing.can_be_approved) == (True, True)
    before = firm.posts("partners")
    (offer,) = firm.consenting.consent.offer(firm.conversation("partners"))
    assert offer.text == f"{SHARED_SINCE} {SHARED_OFFER}"
    firm.press("ann", "partners", Decision.ALLOW.value, ts)  # the old button, which was about one organisation
    assert offered(firm)[1] == SHARED_SINCE
    assert firm.posts("partners") == before
    approved = held(firm, Choice.APPROVED, firm.conversation("partners").place)
    assert approved is not None
    assert approved.teams == {"T0OTHER"}


# ------------------------------------------------------------------------------------------------- one's messages


def test_anybody_leaves_their_own_messages_out_and_nobody_elses(firm: Firm) -> None:
    """From the Home tab, also a guest; every channel is read again, those that they are in first."""
    for who in ("gus", "ann"):
        firm.home(who)
        firm.press_at_home(who, LEAVE_MINE_OUT_ACTION)
    assert firm.slack.choices.unused_people("T0HOME") == {"U0GUS", "U0ANN"}
    assert sorted(firm.to_read[:2]) == sorted(firm.to_read[2:]) == ["trio", "yard"]
    firm.press_at_home("gus", USE_MINE_ACTION)
    assert firm.slack.choices.unused_people("T0HOME") == {"U0ANN"}
    assert held(firm, Choice.UNUSED, "U0GUS") == Chosen("T0HOME", Choice.UNUSED, "U0GUS", False, "U0GUS", 0.0)


def test_who_decides_that_in_a_dm_is_told(firm: Firm) -> None:
    """A press there is answered there, alone."""
    dm = firm.does("bo", "sandbox.openHome", tab="messages")["channel"]
    firm.forge("bo", LEAVE_MINE_OUT_ACTION, "-", str(dm))
    firm.forge("bo", USE_MINE_ACTION, "-", str(dm))
    assert [said.text for said in firm.whispers("bo")] == [MINE_LEFT_OUT, MINE_USED]


def test_whoever_sees_the_notice_leaves_their_messages_out_there(firm: Firm) -> None:
    """Also a guest, whom Slack may not let into the Home tab; they are told alone, with the way back below it."""
    firm.invite("shop")
    notice = firm.posts("shop")
    firm.press("gus", "shop", LEAVE_MINE_OUT_ACTION)
    assert firm.slack.choices.unused_people("T0HOME") == {"U0GUS"}
    (told,) = firm.whispers("gus")
    assert (told.text, actions_in(told.blocks)) == (MINE_LEFT_OUT, [USE_MINE_ACTION])
    assert (firm.posts("shop"), firm.whispers("ann")) == (notice, [])
    firm.press("gus", "shop", USE_MINE_ACTION, told.ts)
    assert firm.slack.choices.unused_people("T0HOME") == set()
