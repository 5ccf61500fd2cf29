"""The Home tab: what Footnote is, somebody's own messages, and the channels that they are in and may decide about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from slack_sdk import WebClient

from bot.errors import SlackDenied
from bot.slack.api import SlackApi
from bot.slack.decisions import Standing, button, own_button, standing_of
from bot.slack.escaping import escape
from bot.slack.interactions import Press
from bot.slack.replies import Block, Button, actions, note
from bot.state.choices import Choice, Choices
from bot.texts import (
    CHANNEL_IS_ALLOWED,
    CHANNEL_IS_LEFT_OUT,
    CHANNEL_IS_READ,
    CHANNEL_IS_SILENT,
    CHANNEL_IS_WITHHELD,
    CHANNELS,
    FIRST_PAGE,
    GROUP_MESSAGE,
    HELP,
    HOME_HELP,
    MINE,
    MINE_ARE_LEAVING,
    MINE_ARE_UNUSED,
    MINE_ARE_USED,
    NEXT_PAGE,
    NO_CHANNELS,
    NOTICE_HELLO,
)
from bot.types import Conversation, ConversationKind, Person, PersonKind

PAGE_ACTION = "home:page"
CHANNELS_ON_A_PAGE = 40
"""Each takes two blocks, and a Home tab holds 100."""


class Facts(Protocol):
    """The part of a workspace that says who somebody is and which channels they and Footnote are in."""

    def person(self, user_id: str) -> Person: ...

    def conversation(self, channel_id: str) -> Conversation: ...

    def joined(self) -> tuple[Conversation, ...]: ...

    def conversations_of(self, user_id: str) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Home:
    """Shows people of one workspace their Home tab, by what Slack says at that moment."""

    team: str
    slack: Facts
    choices: Choices
    client: WebClient
    has_model: bool

    def show(self, user: str, page: int = 0) -> None:
        """Have somebody's Home tab be as it should be; nobody of another organisation has one.

        Raises:
            SlackError: it can't be read or shown now.
        """
        kind = self._kind(user)
        if kind not in (PersonKind.MEMBER, PersonKind.GUEST):
            return
        blocks = list(_said(NOTICE_HELLO))
        if kind is PersonKind.MEMBER:
            blocks += _said(f"{HELP}\n\n{HOME_HELP}")
        blocks += self._own(user)
        if kind is PersonKind.MEMBER:
            blocks += self._channels(user, page)
        SlackApi(self.client).write("views.publish", user_id=user, view={"type": "home", "blocks": blocks})

    def turn(self, press: Press) -> None:
        """Show another page of the channels."""
        self.show(press.user, int(press.value) if press.value.isdecimal() else 0)

    def own_button(self, user: str) -> Button:
        """What somebody can decide about their own messages."""
        return own_button(is_unused=user in self.choices.unused_people(self.team))

    def _kind(self, user: str) -> PersonKind:
        try:
            return self.slack.person(user).kind
        except SlackDenied:
            return PersonKind.NOBODY

    def _own(self, user: str) -> Iterator[Block]:
        own = self.choices.last(self.team, Choice.UNUSED, user)
        is_unused = own is not None and own.holds
        is_leaving = user in self.choices.unused_and_still_indexed(self.team)
        said = [MINE, MINE_ARE_UNUSED if is_unused else MINE_ARE_USED, *([MINE_ARE_LEAVING] if is_leaving else [])]
        return _said("\n\n".join(said), own_button(is_unused=is_unused))

    def _channels(self, user: str, page: int) -> Iterator[Block]:
        theirs = self.slack.conversations_of(user)
        channels = sorted((c for c in self.slack.joined() if c.id in theirs), key=lambda channel: channel.name)
        shown = channels[page * CHANNELS_ON_A_PAGE :][:CHANNELS_ON_A_PAGE]
        yield {"type": "divider"}
        yield from _said(CHANNELS if channels else f"{CHANNELS}\n\n{NO_CHANNELS}")
        for channel in shown:
            # A list of channels doesn't say with whom a channel is shared.
            exact = self.slack.conversation(channel.id) if channel.is_shared else channel
            standing = standing_of(exact, self.choices, self.team)
            yield from _about(exact, standing, self.has_model)
        yield from _turning(page, channels)


def _about(channel: Conversation, standing: Standing, has_model: bool) -> Iterator[Block]:
    """A channel's name, which is shown as it is, what holds for it, and what can be decided."""
    title = {"type": "mrkdwn", "text": f"*{_title(channel)}* — {'; '.join(_states(standing))}", "verbatim": True}
    decided = tuple(button(decision, channel) for decision in standing.open_to(has_model))
    yield {"type": "section", "text": title}
    yield actions(decided)


def _title(channel: Conversation) -> str:
    if channel.kind is not ConversationKind.GROUP_DM:
        return escape(f"#{channel.name}")
    names = channel.name.removeprefix("mpdm-").rpartition("-")[0].split("--")  # as Slack names them: mpdm-ann--bo-1
    return escape(GROUP_MESSAGE.format(names=", ".join(names)))


def _states(standing: Standing) -> Iterator[str]:
    yield CHANNEL_IS_LEFT_OUT if standing.is_left_out else CHANNEL_IS_READ
    if standing.is_withheld:
        yield CHANNEL_IS_WITHHELD
    if standing.is_shared:
        yield CHANNEL_IS_SILENT if standing.is_silent else CHANNEL_IS_ALLOWED


def _turning(page: int, channels: Sequence[Conversation]) -> Iterator[Block]:
    if len(channels) > CHANNELS_ON_A_PAGE:
        is_last = (page + 1) * CHANNELS_ON_A_PAGE >= len(channels)
        to, label = (0, FIRST_PAGE) if is_last else (page + 1, NEXT_PAGE)
        yield from _said("…", Button(PAGE_ACTION, str(to), label))


def _said(text: str, *buttons: Button) -> Iterator[Block]:
    for post in note(text, buttons):
        yield from post.blocks
