"""Access by what Slack itself says, against the oracle: who may ask, what a reply may use, what may still be shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.web import SlackResponse

from bot.access.membership import Membership
from bot.slack.workspace import Workspace
from bot.state.database import open_database
from bot.state.places import Places
from bot.types import Admission, Guests, Question, Surface
from retrieval.types import WORKSPACE, Anchor, Passage, Place
from tests.oracle import (
    DOCUMENTS,
    ENTROPY,
    STANDING_PLACES,
    Office,
    Room,
    RoomKind,
    Sharing,
    Standing,
    State,
    office,
)

HOME, AWAY = "T0HOME", "T0AWAY"
FOOTNOTE = "U0FOOTNOTE"
GUESTS = (Standing.MULTI_CHANNEL_GUEST, Standing.SINGLE_CHANNEL_GUEST)
Object = dict[str, object]


def as_slack_would_have_it(world: Office) -> bool:
    """Strangers share no channel with the workspace, and only outsiders who do are met."""
    outside = {n for n, standing in enumerate(world.people) if standing in (Standing.STRANGER, Standing.OUTSIDER)}
    strangers = {n for n in outside if world.people[n] is Standing.STRANGER}
    return all(not room.members & (strangers if room.is_shared else outside) for room in world.rooms)


WORKSPACES = st.binary(min_size=ENTROPY, max_size=ENTROPY).map(office).filter(as_slack_would_have_it)


class Slack(WebClient):
    """Slack's answers about a random workspace, two items a page."""

    def __init__(self, world: Office) -> None:
        super().__init__("xoxb-1")
        self._world = world
        self._answers: Mapping[str, Callable[[Object], Object]] = {
            "auth.test": lambda _: {
                "team_id": HOME,
                "url": "https://a.slack.com/",
                "user_id": FOOTNOTE,
                "bot_id": "B0",
            },
            "bots.info": lambda _: {"bot": {"app_id": "A0"}},
            "users.info": lambda given: {"user": self._user(_number(given["user"]))},
            "users.list": lambda given: self._page("members", [self._user(n) for n in self._home()], given),
            "users.conversations": lambda given: self._page("channels", self._rooms_of(_number(given["user"])), given),
            "conversations.info": lambda given: {"channel": self._channel(_number(given["channel"]))},
            "conversations.list": lambda given: self._page("channels", self._public(), given),
            "conversations.members": lambda given: self._page("members", self._members(given), given),
        }

    def api_call(self, api_method: str, **kwargs: object) -> SlackResponse:
        given = kwargs["data"]
        assert isinstance(given, dict)
        try:
            return self._response(api_method, {"ok": True, **self._answers[api_method](given)})
        except LookupError as unknown:
            error = "user_not_found" if "users" in api_method else "channel_not_found"
            refused = self._response(api_method, {"ok": False, "error": error})
            raise SlackApiError("", refused) from unknown  # type: ignore[no-untyped-call]  # slack_sdk has no type for it

    def _response(self, method: str, data: Object) -> SlackResponse:
        return SlackResponse(
            client=self, http_verb="POST", api_url=method, req_args={}, data=data, headers={}, status_code=200
        )

    def _page(self, field: str, items: list[object] | list[Object] | list[str], given: Object) -> Object:
        start = int(str(given.get("cursor") or 0))
        following = str(start + 2) if start + 2 < len(items) else ""
        return {field: items[start : start + 2], "response_metadata": {"next_cursor": following}}

    def _home(self) -> list[int]:
        away = (Standing.OUTSIDER, Standing.STRANGER)
        return [-1, *(n for n, standing in enumerate(self._world.people) if standing not in away)]

    def _user(self, number: int) -> Object:
        standing = self._world.people[number] if number >= 0 else Standing.BOT
        team = AWAY if standing in (Standing.OUTSIDER, Standing.STRANGER) else HOME
        return {
            "id": _user_id(number),
            "team_id": team,
            "name": f"p{number}",
            "deleted": standing is Standing.DEACTIVATED,
            "is_bot": standing is Standing.BOT,
            "is_admin": standing is Standing.ADMIN,
            "is_stranger": standing is Standing.STRANGER,
            "is_restricted": standing in GUESTS,
            "is_ultra_restricted": standing is Standing.SINGLE_CHANNEL_GUEST,
        }

    def _public(self) -> list[Object]:
        return [self._channel(n) for n in self._there() if self._world.rooms[n].kind is RoomKind.PUBLIC]

    def _rooms_of(self, person: int) -> list[Object]:
        return [self._channel(n) for n in self._there() if person in self._world.rooms[n].members]

    def _members(self, given: Object) -> list[str]:
        room = self._room(_number(given["channel"]))
        return [_user_id(-1), *(_user_id(person) for person in sorted(room.members))]

    def _there(self) -> list[int]:
        return [n for n, room in enumerate(self._world.rooms) if room.state is not State.DELETED]

    def _room(self, number: int) -> Room:
        if number not in self._there():
            raise LookupError(number)
        return self._world.rooms[number]

    def _channel(self, number: int) -> Object:
        room = self._room(number)
        connected = [AWAY] if room.sharing is not Sharing.NOBODY else []
        return {
            "id": f"C{number}",
            "name": f"c{number}",
            "is_mpim": room.kind is RoomKind.GROUP_DM,
            "is_private": room.kind is not RoomKind.PUBLIC,
            "is_archived": room.state is State.ARCHIVED,
            "is_member": True,
            "is_shared": room.sharing in (Sharing.ANOTHER_ORGANISATION, Sharing.ANOTHER_WORKSPACE),
            "is_ext_shared": room.sharing is Sharing.ANOTHER_ORGANISATION,
            "is_org_shared": room.sharing is Sharing.ANOTHER_WORKSPACE,
            "is_pending_ext_shared": room.sharing is Sharing.PENDING,
            "shared_team_ids": [HOME, *(connected if room.sharing is not Sharing.PENDING else [])],
            "pending_connected_team_ids": connected if room.sharing is Sharing.PENDING else [],
        }


def _user_id(number: int) -> str:
    return f"U{number}" if number >= 0 else FOOTNOTE


def _number(slack_id: object) -> int:
    return -1 if slack_id == FOOTNOTE else int(str(slack_id)[1:])


def place(number: int) -> Place:
    """Our own id of where something stands."""
    return WORKSPACE if number == DOCUMENTS else Place(f"room {number}")


class Shelf(Places):
    """Our ids of conversations without a database: 10,000 workspaces are looked at."""

    def __init__(self) -> None:
        super().__init__(open_database("sqlite://"))

    def places_of(self, team: str, channel_ids: Collection[str]) -> Mapping[str, Place]:
        return {channel_id: place(_number(channel_id)) for channel_id in channel_ids}


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    """Our ids of every workspace's conversations."""
    return Shelf()


def question_in(world: Office) -> Question:
    """What is asked in it."""
    surface = Surface.DM if world.asked_in is None else Surface.CHANNEL
    channel = "D1" if world.asked_in is None else f"C{world.asked_in}"
    return Question(HOME, _user_id(world.asker), channel, "1.0", None, "q", surface)


def access_to(world: Office, shelf: Shelf, guests: Guests = Guests.REFUSE) -> Membership:
    """Access by what Slack says of it."""
    approved = {f"C{number}" for number, room in enumerate(world.rooms) if room.is_approved}
    workspace = Workspace(Slack(world), shelf)
    return Membership(workspace, shelf.places_of, approved=lambda one: one.id in approved, guests=guests)


def is_never_asked_of(world: Office) -> bool:
    """An outsider is answered nowhere, and of the private channels that they are in nobody says which are shared."""
    return world.asked_in is None and world.people[world.asker] is Standing.OUTSIDER


@settings(max_examples=500, derandomize=True, database=None)
@given(WORKSPACES)
def test_what_slack_says_makes_the_scope_that_the_oracle_would(shelf: Shelf, world: Office) -> None:
    """From flags and lists to what a reply may use, and to what may still be shown of it, both ways."""
    access, question = access_to(world, shelf), question_in(world)
    scope = access.scope_of(question)
    for stands_in in STANDING_PLACES:
        places = frozenset(map(place, stands_in))
        passage = Passage("p", "s", "o", "T", (), "t", (Anchor(0, "https://x/"),), places, 0)
        found = (scope.admits(places), access.still_admits(question, (passage,)))
        expected = world.may_use(stands_in)
        assert found == (expected, expected) or (is_never_asked_of(world) and not any(found))


@settings(max_examples=1000, derandomize=True, database=None)
@given(WORKSPACES, st.sampled_from(Guests))
def test_who_is_answered_is_who_the_design_says(shelf: Shelf, world: Office, guests: Guests) -> None:
    """Of every standing, in every place: answered, told alone that they aren't, asked to allow it, or silence."""
    assert access_to(world, shelf, guests).may_ask(question_in(world)) is admission(world, guests)


def admission(world: Office, guests: Guests) -> Admission:
    """What becomes of a question, in the design's own order."""
    standing = world.people[world.asker]
    room = None if world.asked_in is None else world.rooms[world.asked_in]
    is_full, is_guest = standing in (Standing.FULL, Standing.ADMIN), standing in GUESTS
    if room is not None and room.state is State.DELETED:
        return Admission.SILENCE
    if room is not None and room.is_shared and not room.is_approved:
        return Admission.NEEDS_APPROVAL if is_full else Admission.SILENCE
    if is_full or (is_guest and guests is Guests.ANSWER):
        return Admission.ADMITTED
    if is_guest:
        return Admission.TOLD_NO
    is_outsider_in_shared = standing is Standing.OUTSIDER and room is not None and room.is_shared
    return Admission.OUTSIDER_TOLD_NO if is_outsider_in_shared else Admission.SILENCE
