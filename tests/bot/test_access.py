"""Membership: facts are fresh, each failure narrows and none spreads, and what changed is seen before it is said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.access.facts import Facts
from bot.access.membership import CONFIRMED_S, FRESH_S, Membership
from bot.errors import SlackDenied, SlackError
from bot.slack import workspace as reading
from bot.slack.api import open_client
from bot.slack.workspace import Workspace
from bot.state.database import open_database
from bot.state.places import Places
from bot.types import (
    AccessChange,
    Admission,
    Conversation,
    ConversationKind,
    Guests,
    Person,
    PersonKind,
    Question,
    Surface,
)
from retrieval.types import WORKSPACE, Anchor, Passage, Place
from sandbox.seed import Seed, SeedChannel, SeedPerson
from sandbox.server import Sandbox

ANN, BO, GUS, EVE, BOT = "U0ANN", "U0BO", "U0GUS", "U0EVE", "U0BOT"
GENERAL, SECRET, PARTNERS, CLUB = "C0GENERAL", "C0SECRET", "C0PARTNERS", "C0CLUB"
IN_DM = Question("T1", ANN, "D1", "1.0", None, "q", Surface.DM)
IN_GENERAL = replace(IN_DM, channel=GENERAL, surface=Surface.CHANNEL)
IN_SECRET = replace(IN_GENERAL, channel=SECRET)
IN_PARTNERS = replace(IN_GENERAL, channel=PARTNERS)
IN_CLUB = replace(IN_GENERAL, channel=CLUB)
BO_ALONE = replace(IN_DM, asker=BO)


def place(channel_id: str) -> Place:
    """Our id of a channel."""
    return Place(f"place of {channel_id}")


def places_of(_team: str, channel_ids: Collection[str]) -> Mapping[str, Place]:
    """Our ids of channels."""
    return {channel_id: place(channel_id) for channel_id in channel_ids}


def channel(channel_id: str, kind: ConversationKind, *shared_with: str) -> Conversation:
    """A channel that Footnote is in, shared with other teams where some are given."""
    shares = frozenset(shared_with)
    return Conversation(channel_id, place(channel_id), channel_id, kind, bool(shares), shared_with=shares)


@dataclass
class Office:
    """A workspace whose facts a test changes, whose answers it breaks, and whose clock it moves."""

    kinds: dict[str, PersonKind] = field(
        default_factory=lambda: {
            ANN: PersonKind.MEMBER,
            BO: PersonKind.MEMBER,
            GUS: PersonKind.GUEST,
            EVE: PersonKind.OUTSIDER,
        }
    )
    conversations: dict[str, Conversation] = field(
        default_factory=lambda: {
            GENERAL: channel(GENERAL, ConversationKind.PUBLIC),
            SECRET: channel(SECRET, ConversationKind.PRIVATE),
            PARTNERS: channel(PARTNERS, ConversationKind.PUBLIC, "T0OTHER"),
        }
    )
    inside: dict[str, set[str]] = field(
        default_factory=lambda: {GENERAL: {ANN, BO, BOT}, SECRET: {ANN, BOT}, PARTNERS: {ANN, BOT}}
    )
    broken: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    denied: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    now: float = 1000.0

    def person(self, user_id: str) -> Person:
        self._call("users.info", user_id)
        if user_id == BOT:
            return Person(BOT, "footnote", PersonKind.NOBODY, is_reader=False)
        return Person(user_id, user_id, self.kinds.get(user_id, PersonKind.NOBODY))

    def people(self) -> tuple[Person, ...]:
        self._call("users.list", "")
        home = {user_id: kind for user_id, kind in self.kinds.items() if kind is not PersonKind.OUTSIDER}
        return tuple(Person(user_id, user_id, kind) for user_id, kind in home.items())

    def conversation(self, channel_id: str) -> Conversation:
        self._call("conversations.info", channel_id)
        if channel_id not in self.conversations:
            raise SlackDenied("conversations.info", "channel_not_found")
        return self.conversations[channel_id]

    def public_channels(self) -> tuple[Conversation, ...]:
        self._call("conversations.list", "")
        return tuple(c for c in self.conversations.values() if c.kind is ConversationKind.PUBLIC)

    def conversations_of(self, user_id: str) -> frozenset[str]:
        self._call("users.conversations", user_id)
        return frozenset(channel_id for channel_id, people in self.inside.items() if user_id in people)

    def members(self, channel_id: str) -> frozenset[str]:
        self._call("conversations.members", channel_id)
        return frozenset(self.inside[channel_id])

    def _call(self, method: str, about: str) -> None:
        self.calls.append(method)
        if method in self.denied:
            raise SlackDenied(method, self.denied[method])
        if about in self.gone:
            raise SlackDenied(method, "user_not_found" if method == "users.info" else "channel_not_found")
        if method in self.broken or f"{method} {about}" in self.broken:
            raise SlackError(method, "unreachable")


@pytest.fixture
def office() -> Office:
    """A small workspace: a public, a private and a shared channel, two members and a guest."""
    return Office()


@pytest.fixture
def access(office: Office) -> Membership:
    """Access to the office, by its clock."""
    return Membership(office, places_of, lambda: office.now)


def approving(office: Office, *channel_ids: str) -> Membership:
    """Access to the office, where somebody has approved these channels."""
    return Membership(office, places_of, lambda: office.now, approved=lambda one: one.id in channel_ids)


def used(access: Membership, question: Question) -> set[str]:
    """What a reply may use, of everything there is."""
    scope = access.scope_of(question)
    everything = {WORKSPACE: "documents", **{place(c): c for c in (GENERAL, SECRET, PARTNERS)}}
    return {name for standing, name in everything.items() if scope.admits([standing])}


def passage(*channel_ids: str) -> Passage:
    """A passage that stands in some channels, or where every full member may read."""
    places = frozenset(WORKSPACE if channel_id == WORKSPACE else place(channel_id) for channel_id in channel_ids)
    return Passage("id", "source", "origin", "Title", (), "text", (Anchor(0, "https://x/"),), places, 0)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (IN_DM, {"documents", GENERAL, SECRET, PARTNERS}),
        (replace(IN_DM, asker=BO), {"documents", GENERAL}),
        (replace(IN_DM, asker=GUS), set()),
        (replace(IN_DM, asker="U0UNKNOWN"), set()),
        (IN_GENERAL, {"documents", GENERAL}),
        (IN_SECRET, {"documents", GENERAL, SECRET}),
        (IN_PARTNERS, set()),
        (replace(IN_GENERAL, channel="C0NOWHERE"), set()),
    ],
)
def test_what_a_reply_may_use_where(access: Membership, question: Question, expected: set[str]) -> None:
    """The scope follows from who asks and where, by memberships alone; Footnote's own being there narrows nothing."""
    assert used(access, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [(IN_DM, {"documents", PARTNERS}), (IN_GENERAL, {"documents"}), (IN_SECRET, {"documents"}), (IN_PARTNERS, set())],
)
def test_a_channel_that_is_left_out_is_in_no_scope(office: Office, question: Question, expected: set[str]) -> None:
    """What is not to be read is not used from the moment on in which that was chosen, wherever and whoever asks."""
    left_out: set[Place] = set()
    access = Membership(office, places_of, lambda: office.now, left_out=lambda: frozenset(left_out))
    before = used(access, question)
    left_out |= {place(GENERAL), place(SECRET)}
    assert (used(access, question), before - expected) == (expected, before & {GENERAL, SECRET})
    assert not access.still_admits(question, (passage(GENERAL),))


def test_a_guest_in_a_channel_narrows_it(office: Office, access: Membership) -> None:
    """Where a guest reads along, only what the guest may open is used."""
    office.inside[GENERAL].add(GUS)
    assert used(access, IN_GENERAL) == {GENERAL}


@pytest.mark.parametrize("kind", [PersonKind.OUTSIDER, PersonKind.NOBODY])
def test_a_stranger_in_a_channel_empties_it(office: Office, access: Membership, kind: PersonKind) -> None:
    """Where somebody reads along whom Slack doesn't call a member or a guest, nothing is used."""
    office.kinds["U0EVE"] = kind
    office.inside[GENERAL].add("U0EVE")
    assert used(access, IN_GENERAL) == set()


def test_an_archived_channel_keeps_its_readers(office: Office, access: Membership) -> None:
    """Archiving a channel takes nobody's right to read it."""
    office.conversations[GENERAL] = replace(office.conversations[GENERAL], is_archived=True)
    assert used(access, replace(IN_DM, asker=BO)) == {"documents", GENERAL}


@pytest.mark.parametrize(
    ("broken", "question", "expected"),
    [
        ("users.info U0ANN", IN_DM, set()),
        ("users.conversations U0ANN", IN_DM, {"documents", GENERAL}),
        ("conversations.list", IN_DM, {"documents", GENERAL, SECRET, PARTNERS}),
        ("conversations.list", replace(IN_DM, asker=BO), {"documents", GENERAL}),
        ("conversations.list", IN_SECRET, {"documents", SECRET}),
        ("conversations.info C0GENERAL", IN_GENERAL, set()),
        ("conversations.members C0GENERAL", IN_GENERAL, set()),
        ("conversations.members C0SECRET", IN_GENERAL, {"documents", GENERAL}),
        ("users.list", IN_GENERAL, set()),
        ("users.info U0BOT", IN_GENERAL, set()),
    ],
)
def test_what_cant_be_read_is_not_used_and_nothing_else_suffers(
    office: Office, access: Membership, broken: str, question: Question, expected: set[str]
) -> None:
    """A failed read takes away what rests on it, widens nothing, and leaves what rests on other reads."""
    office.broken.add(broken)
    assert used(access, question) == expected


def test_a_guest_whose_channels_cant_be_read_may_open_the_one_they_are_seen_in(
    office: Office, access: Membership
) -> None:
    """Of a guest who may be anywhere it is assumed that they are nowhere else than where they read the reply."""
    office.inside[GENERAL].add(GUS)
    office.inside[SECRET].add(GUS)
    office.broken.add(f"users.conversations {GUS}")
    assert (used(access, IN_GENERAL), used(access, IN_SECRET)) == ({GENERAL}, {SECRET})


def test_a_failure_is_not_remembered(office: Office, access: Membership) -> None:
    """As soon as Slack answers again, its answer holds."""
    office.broken.add("users.conversations")
    assert used(access, IN_DM) == {"documents", GENERAL}
    office.broken.clear()
    assert used(access, IN_DM) == {"documents", GENERAL, SECRET, PARTNERS}


def test_a_fact_that_could_not_be_confirmed_is_not_used_again(office: Office, access: Membership) -> None:
    """Once Slack refused to confirm a fact, the older answer doesn't count any more, though it is not a minute old."""
    assert access.still_admits(IN_DM, (passage(SECRET),))
    office.broken.add("users.conversations")
    office.now += CONFIRMED_S + 0.001
    assert not access.still_admits(IN_DM, (passage(SECRET),))
    assert used(access, IN_DM) == {"documents", GENERAL}


def leave(office: Office) -> None:
    """Ann leaves the private channel."""
    office.inside[SECRET].discard(ANN)


def become_guest(office: Office) -> None:
    """Ann is made a guest."""
    office.kinds[ANN] = PersonKind.GUEST


def break_down(office: Office) -> None:
    """Slack answers no more."""
    office.broken |= {"users.info", "users.conversations"}


@pytest.mark.parametrize("change", [leave, become_guest, break_down])
def test_no_fact_outlives_a_minute(office: Office, access: Membership, change: Callable[[Office], None]) -> None:
    """Within a minute of any change, or of losing sight of the facts, it is as if they had never been known."""
    assert SECRET in used(access, IN_DM)
    change(office)
    office.now += FRESH_S + 0.001
    assert used(access, IN_DM) == used(Membership(office, places_of), IN_DM)


def test_facts_are_read_once_a_minute(office: Office, access: Membership) -> None:
    """Questions within a minute cost Slack no more calls than the first."""
    used(access, IN_GENERAL)
    before = len(office.calls)
    office.now += FRESH_S
    used(access, IN_GENERAL)
    assert len(office.calls) == before


def test_who_has_left_meanwhile_is_not_shown_what_they_could_read(office: Office, access: Membership) -> None:
    """Before a reply is posted, the facts about its asker are no older than a few seconds."""
    assert access.still_admits(IN_DM, (passage(SECRET),))
    leave(office)
    office.now += CONFIRMED_S + 0.001
    assert not access.still_admits(IN_DM, (passage(SECRET),))
    assert access.still_admits(IN_DM, (passage(GENERAL), passage(SECRET, GENERAL)))


def test_a_guest_who_came_meanwhile_is_seen(office: Office, access: Membership) -> None:
    """Before a reply is posted, it is seen who else reads it by now."""
    assert access.still_admits(IN_SECRET, (passage(GENERAL),))
    office.inside[SECRET].add(GUS)
    office.now += CONFIRMED_S + 0.001
    assert not access.still_admits(IN_SECRET, (passage(GENERAL),))
    assert access.still_admits(IN_SECRET, (passage(SECRET),))


def make_private(office: Office) -> None:
    """The public channel, that Bo is not in, is made private."""
    office.conversations[GENERAL] = channel(GENERAL, ConversationKind.PRIVATE)


def share(office: Office) -> None:
    """The public channel is shared with another organisation."""
    office.conversations[GENERAL] = channel(GENERAL, ConversationKind.PUBLIC, "T0OTHER")


def delete(office: Office) -> None:
    """The public channel is deleted."""
    del office.conversations[GENERAL]


def lose_sight(office: Office) -> None:
    """What the public channel is can't be read."""
    office.broken.add(f"conversations.info {GENERAL}")


@pytest.mark.parametrize("change", [make_private, share, delete, lose_sight])
@pytest.mark.parametrize("question", [replace(IN_DM, asker=BO), replace(IN_SECRET, asker=BO)])
def test_evidence_of_a_public_channel_is_confirmed_though_the_list_of_all_is_fresh(
    office: Office, access: Membership, change: Callable[[Office], None], question: Question
) -> None:
    """What anybody could open a moment ago is seen to be closed now; what else there is stays."""
    office.inside[GENERAL].discard(BO)
    assert access.still_admits(question, (passage(GENERAL),))
    change(office)
    office.now += CONFIRMED_S + 0.001
    assert place(GENERAL) in frozenset().union(*access.scope_of(question).readers)
    assert not access.still_admits(question, (passage(GENERAL),))
    assert access.still_admits(question, (passage(WORKSPACE), passage(WORKSPACE, GENERAL)))


def deactivate(office: Office) -> None:
    """Bo is deactivated."""
    office.kinds[BO] = PersonKind.NOBODY


def turn_guest(office: Office) -> None:
    """Bo is made a guest."""
    office.kinds[BO] = PersonKind.GUEST


def take_out(office: Office) -> None:
    """Gus is taken out of the private channel."""
    office.inside[SECRET].discard(GUS)


def bring_in(office: Office) -> None:
    """Another guest is brought into the private channel."""
    office.kinds["U0GIL"] = PersonKind.GUEST
    office.inside[SECRET].add("U0GIL")


@pytest.mark.parametrize(
    ("change", "question", "evidence"),
    [
        (make_private, BO_ALONE, (GENERAL,)),
        (make_private, IN_SECRET, (GENERAL, PARTNERS)),
        (share, BO_ALONE, (GENERAL,)),
        (delete, BO_ALONE, (GENERAL,)),
        (deactivate, BO_ALONE, (GENERAL,)),
        (turn_guest, BO_ALONE, (GENERAL,)),
        (turn_guest, IN_SECRET, (GENERAL,)),
        (bring_in, IN_SECRET, (GENERAL,)),
        (take_out, IN_CLUB, (SECRET, WORKSPACE)),
    ],
)
def test_what_no_event_told_is_seen_within_a_minute(
    office: Office, access: Membership, change: Callable[[Office], None], question: Question, evidence: tuple[str, ...]
) -> None:
    """Whichever fact has changed, what rested on it is in no scope a minute later, nor is it shown."""
    office.conversations[CLUB] = channel(CLUB, ConversationKind.PUBLIC)
    office.inside = {GENERAL: {ANN, BOT}, SECRET: {ANN, BO, BOT}, PARTNERS: {ANN, BOT}, CLUB: {ANN, GUS}}
    if change is take_out:
        office.inside[SECRET].add(GUS)
    shown = passage(*evidence)
    assert access.scope_of(question).admits(shown.places)
    assert access.still_admits(question, (shown,))
    change(office)
    office.now += FRESH_S + 0.001
    assert not access.scope_of(question).admits(shown.places)
    assert not access.still_admits(question, (shown,))


def test_a_membership_is_read_to_its_last_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one guest who reads along may stand on the last page of a channel's members, or of everybody."""
    monkeypatch.setattr(reading, "PAGE", 2)
    names = [f"p{number}" for number in range(9)]
    people = (*(SeedPerson(name) for name in names), SeedPerson("zoe", kind="guest"))
    rooms = (SeedChannel("alone", members=tuple(names)), SeedChannel("with-zoe", members=(*names, "zoe")))
    with Sandbox.running(Seed(people, rooms)) as sandbox, closing(open_database(f"sqlite:///{tmp_path}/s.db")) as state:
        workspace, places = Workspace(open_client(sandbox.bot_token, sandbox.api_url), Places(state)), Places(state)
        access = Membership(workspace, places.places_of)
        asked = [
            Question("T0HOME", sandbox.user_id("p1"), sandbox.channel_id(room.name), "1.0", None, "q", Surface.CHANNEL)
            for room in rooms
        ]
        assert [access.scope_of(question).admits([WORKSPACE]) for question in asked] == [True, False]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (IN_DM, Admission.ADMITTED),
        (IN_GENERAL, Admission.ADMITTED),
        (replace(IN_GENERAL, asker=GUS), Admission.TOLD_NO),
        (replace(IN_DM, asker=GUS), Admission.TOLD_NO),
        (replace(IN_GENERAL, asker=EVE), Admission.SILENCE),
        (replace(IN_DM, asker=EVE), Admission.SILENCE),
        (replace(IN_GENERAL, asker=BOT), Admission.SILENCE),
        (replace(IN_GENERAL, asker="U0UNKNOWN"), Admission.SILENCE),
        (IN_PARTNERS, Admission.NEEDS_APPROVAL),
        (replace(IN_PARTNERS, asker=GUS), Admission.SILENCE),
        (replace(IN_PARTNERS, asker=EVE), Admission.SILENCE),
        (replace(IN_PARTNERS, asker=BOT), Admission.SILENCE),
    ],
)
def test_who_may_ask(access: Membership, question: Question, expected: Admission) -> None:
    """Full members are answered and guests are told that they aren't; nobody else hears anything.

    In a shared channel that nobody has approved, a full member alone is asked about that.
    """
    assert access.may_ask(question) is expected


@pytest.mark.parametrize(
    ("asker", "expected"),
    [
        (ANN, Admission.ADMITTED),
        (GUS, Admission.TOLD_NO),
        (EVE, Admission.OUTSIDER_TOLD_NO),
        (BOT, Admission.SILENCE),
    ],
)
def test_who_may_ask_in_a_shared_channel_that_is_approved(office: Office, asker: str, expected: Admission) -> None:
    """Answers there are for full members of the home workspace; the others there hear why they get none."""
    assert approving(office, PARTNERS).may_ask(replace(IN_PARTNERS, asker=asker)) is expected


@pytest.mark.parametrize("question", [IN_DM, IN_GENERAL, IN_PARTNERS])
def test_guests_are_answered_where_the_settings_say_so(office: Office, question: Question) -> None:
    """They may ask where full members may, and get what they may open."""
    office.inside[GENERAL].add(GUS)
    access = Membership(office, places_of, lambda: office.now, approved=lambda _: True, guests=Guests.ANSWER)
    asked = replace(question, asker=GUS)
    assert access.may_ask(asked) is Admission.ADMITTED
    assert used(access, asked) == {PARTNERS if question is IN_PARTNERS else GENERAL}


@pytest.mark.parametrize("question", [replace(IN_GENERAL, channel="C0GONE"), replace(IN_DM, asker="U0GONE")])
def test_where_slack_knows_no_such_place_or_person_there_is_silence(office: Office, question: Question) -> None:
    """A channel that is gone, or that Footnote was taken out of, is no fault: nothing can be said there any more."""
    office.gone |= {"C0GONE", "U0GONE"}
    assert Membership(office, places_of).may_ask(question) is Admission.SILENCE


def test_a_denial_about_the_token_is_a_fault(office: Office, access: Membership) -> None:
    """Where the app lacks a scope, somebody has to hear of it."""
    office.denied["conversations.info"] = "missing_scope"
    with pytest.raises(SlackDenied):
        access.may_ask(IN_GENERAL)


def test_a_shared_channel_that_is_approved_uses_itself_alone(office: Office) -> None:
    """Whoever is in it, and however many of other organisations: nobody of them is asked for one by one."""
    office.inside[PARTNERS] |= {GUS, EVE, *(f"U0EVE{number}" for number in range(300))}
    access = approving(office, PARTNERS)
    assert used(access, IN_PARTNERS) == {PARTNERS}
    assert access.still_admits(IN_PARTNERS, (passage(PARTNERS), passage(PARTNERS, SECRET)))
    assert not access.still_admits(IN_PARTNERS, (passage(PARTNERS), passage(GENERAL)))
    assert "users.info" not in office.calls


def test_an_approval_ends_when_another_team_comes_in(office: Office) -> None:
    """What was allowed before the eyes of some is not allowed before the eyes of others, without anybody's doing."""
    access = Membership(office, places_of, lambda: office.now, approved=lambda one: one.shared_with <= {"T0OTHER"})
    assert (used(access, IN_PARTNERS), access.may_ask(IN_PARTNERS)) == ({PARTNERS}, Admission.ADMITTED)
    office.conversations[PARTNERS] = channel(PARTNERS, ConversationKind.PUBLIC, "T0OTHER", "T0THIRD")
    office.now += CONFIRMED_S + 0.001
    assert not access.still_admits(IN_PARTNERS, (passage(PARTNERS),))
    assert (used(access, IN_PARTNERS), access.may_ask(IN_PARTNERS)) == (set(), Admission.NEEDS_APPROVAL)


def test_a_channel_that_is_shared_with_nobody_knows_whom_cant_be_approved(office: Office) -> None:
    """Where Slack does not name with whom it is shared, somebody else could come in unseen."""
    office.conversations[PARTNERS] = replace(office.conversations[PARTNERS], shared_with=frozenset())
    access = approving(office, PARTNERS)
    assert (used(access, IN_PARTNERS), access.may_ask(IN_PARTNERS)) == (set(), Admission.SILENCE)


def test_who_asks_must_be_known(office: Office, access: Membership) -> None:
    """When Slack can't say who asks, that is a fault to be told, not a reason to answer."""
    office.broken.add("users.info")
    with pytest.raises(SlackError):
        access.may_ask(IN_DM)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda office: office.inside[SECRET].remove(ANN), AccessChange(SECRET, ANN)),
        (lambda office: office.kinds.update({ANN: PersonKind.NOBODY}), AccessChange(user=ANN)),
    ],
)
def test_what_an_event_tells_counts_at_once(
    office: Office, access: Membership, change: Callable[[Office], None], told: AccessChange
) -> None:
    """Who has left a channel or the company gets nothing more of it, however fresh the facts seem."""
    assert access.scope_of(IN_DM).admits([place(SECRET)])
    change(office)
    access.forget(told)
    assert not access.scope_of(IN_DM).admits([place(SECRET)])


def test_a_channel_that_was_made_private_is_so_at_once(office: Office, access: Membership) -> None:
    """What anybody could open a moment ago is its members' alone."""
    in_bo_dm = replace(IN_DM, asker=BO)
    office.inside[GENERAL].remove(BO)
    assert access.scope_of(in_bo_dm).admits([place(GENERAL)])
    office.conversations[GENERAL] = channel(GENERAL, ConversationKind.PRIVATE)
    access.forget(AccessChange(GENERAL, is_of_channel=True))
    assert not access.scope_of(in_bo_dm).admits([place(GENERAL)])


def test_who_became_a_guest_narrows_a_channel_at_once(office: Office, access: Membership) -> None:
    """The list of all people may be a minute old; whom an event names is read anew."""
    assert access.scope_of(IN_GENERAL).admits([WORKSPACE])
    office.kinds[BO] = PersonKind.GUEST
    access.forget(AccessChange(user=BO))
    assert not access.scope_of(IN_GENERAL).admits([WORKSPACE])


def test_what_is_forgotten_while_it_is_read_is_not_known() -> None:
    """A read that had begun before the change may have missed it."""
    facts: Facts[str, int]
    values = iter((1, 2))

    def read(key: str) -> int:
        value = next(values)
        if value == 1:
            facts.forget(key)
        return value

    facts = Facts(read)
    assert [facts.get("a", 60), facts.get("a", 60), facts.get("a", 60)] == [1, 2, 2]
