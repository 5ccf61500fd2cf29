"""What people and admins do in the workspace while questions are asked: they come, go, write, edit, convert, share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from bot.evaluation.access.words import Words, sentence
from sandbox.state import Channel, ChannelKind, Message, Person, PersonKind
from sandbox.still import StillSandbox

_TALKING = (PersonKind.MEMBER, PersonKind.GUEST, PersonKind.SINGLE_CHANNEL_GUEST, PersonKind.OUTSIDER)


@dataclass
class Acting:
    """Does one thing at a time, by Slack's own methods in somebody's name. What Slack refuses is not done."""

    still: StillSandbox
    random: Random
    words: Words
    topics: list[str]
    """Those that several places share."""
    _theirs: list[Channel] = field(default_factory=list)
    """The rooms that acts are about for now; empty: any."""

    def act(self) -> str:
        """Do something at random; what was done, in words without canaries, or nothing."""
        acts, weights = zip(*_ACTS, strict=True)
        chosen: Callable[[Acting], str] = self.random.choices(acts, weights)[0]
        return chosen(self)

    def take_away(self, asker: str, room: str, places: frozenset[str]) -> str:
        """Do something by which what was just given to somebody in a room, from these places, may be theirs no more."""
        channels = self.still.workspace.channels
        self._theirs = [channels[place] for place in sorted(places) if place in channels]
        person, where = self.still.workspace.people[asker], channels.get(room)
        try:
            takings = [self.kick, self.leave, self.convert, self.share, self.edit, self.delete]
            takings += [self.touch_file, self.kick_footnote]
            takings += [lambda: self._make_guest(person), lambda: self._bring_stranger(where)]
            return self.random.choice(takings)()
        finally:
            self._theirs = []

    def _try(self, method: str, person: Person, story: str, /, **arguments: object) -> str:
        return story if self.still.call(method, person.id, **arguments).get("ok") else ""

    # ------------------------------------------------------------------------------------------------- what is written

    def say(self) -> str:
        """A new canary, in a thread now and then."""
        channel, person = self._room(), self._person(_TALKING)
        thread = self.random.choice([message.ts for message in self._said(channel)] or [""])
        below = {"thread_ts": channel.messages[thread].thread_ts or thread} if thread and self._happens(0.3) else {}
        text = self.sentence()
        return self._try(
            "chat.postMessage",
            person,
            f"{person.name} writes in {_name(channel)}",
            channel=channel.id,
            text=text,
            **below,
        )

    def confide(self) -> str:
        """A new canary in a DM with Footnote, which nobody else may ever learn from there."""
        person, app = self._person(_TALKING), self.still.workspace.app.user_id
        room = self.still.workspace.direct(frozenset({person.id, app}))
        if room is None:
            return ""
        story = f"{person.name} writes in their DM with Footnote"
        return self._try("chat.postMessage", person, story, channel=room.id, text=self.sentence())

    def sentence(self) -> str:
        """A canary under a topic of its own, or under a shared one."""
        topic = self.random.choice(self.topics) if self._happens(0.25) else self.words.topic()
        return sentence(topic, self.words.canary())

    def edit(self) -> str:
        channel = self._room()
        if not (said := self._said(channel)):
            return ""
        message = self.random.choice(said)
        author = self.still.workspace.people[message.user]
        story = f"{author.name} edits a message of {_name(channel)}"
        return self._try("chat.update", author, story, channel=channel.id, ts=message.ts, text=self.sentence())

    def delete(self) -> str:
        channel = self._room()
        if not (said := self._said(channel)):
            return ""
        message = self.random.choice(said)
        author = self.still.workspace.people[message.user]
        story = f"{author.name} deletes a message of {_name(channel)}"
        return self._try("chat.delete", author, story, channel=channel.id, ts=message.ts)

    def touch_file(self) -> str:
        """Share a file in another room, take it out of one, change what it says, or delete it."""
        files = [file for file in self.still.workspace.files.values() if not file.deleted]
        if not files:
            return ""
        file, how = self.random.choice(files), self.random.choice(("share", "unshare", "change", "delete"))
        owner, room = self.still.workspace.people[file.user], self._room()
        where = self.still.workspace.channels.get(self.random.choice([*file.channels, ""]), room)
        match how:
            case "share":
                return self._try(
                    "sandbox.shareFile", owner, f"a file is shared in {_name(room)}", file=file.id, channel=room.id
                )
            case "unshare":
                story = f"a file is taken out of {_name(where)}"
                return self._try("sandbox.unshareFile", owner, story, file=file.id, channel=where.id)
            case "change":
                text = self.sentence()
                return self._try("sandbox.changeFile", owner, "a file is changed", file=file.id, content=text)
            case _:
                return self._try("files.delete", owner, "a file is deleted", file=file.id)

    # ------------------------------------------------------------------------------------------------ who is where

    def invite(self) -> str:
        channel, person = self._room(), self._person(_TALKING)
        story = f"{person.name} is invited to {_name(channel)}"
        return self._try("conversations.invite", self._insider(channel), story, channel=channel.id, users=person.id)

    def kick(self) -> str:
        channel = self._room()
        member = self._insider(channel)
        story = f"{member.name} is kicked from {_name(channel)}"
        return self._try("conversations.kick", self._insider(channel), story, channel=channel.id, user=member.id)

    def leave(self) -> str:
        channel = self._room()
        member = self._insider(channel)
        return self._try("conversations.leave", member, f"{member.name} leaves {_name(channel)}", channel=channel.id)

    def join(self) -> str:
        channel, person = self._room(), self._person((PersonKind.MEMBER,))
        return self._try("conversations.join", person, f"{person.name} joins {_name(channel)}", channel=channel.id)

    def kick_footnote(self) -> str:
        channel, app = self._room(), self.still.workspace.app.user_id
        story = f"Footnote is kicked from {_name(channel)}"
        return self._try("conversations.kick", self._insider(channel), story, channel=channel.id, user=app)

    def invite_footnote(self) -> str:
        channel, app = self._room(), self.still.workspace.app.user_id
        story = f"Footnote is invited to {_name(channel)}"
        return self._try("conversations.invite", self._insider(channel), story, channel=channel.id, users=app)

    # ------------------------------------------------------------------------------------------- what a channel is

    def convert(self) -> str:
        channel = self._room()
        to = self.random.choice(("public", "private"))
        story = f"{_name(channel)} is made {to}"
        return self._try("sandbox.convertChannel", self._admin(), story, channel=channel.id, to=to)

    def share(self) -> str:
        channel, how = self._room(), self.random.choice(("shared", "about to be shared", "shared no more"))
        flags = {"pending": how == "about to be shared", "off": how == "shared no more"}
        story = f"{_name(channel)} is {how}"
        return self._try("sandbox.shareChannel", self._admin(), story, channel=channel.id, team="T0OTHER", **flags)

    def archive(self) -> str:
        channel = self._room()
        method = "conversations.unarchive" if channel.archived else "conversations.archive"
        return self._try(method, self._insider(channel), f"{method} of {_name(channel)}", channel=channel.id)

    def delete_channel(self) -> str:
        channel = self._room()
        return self._try("sandbox.deleteChannel", self._admin(), f"{_name(channel)} is deleted", channel=channel.id)

    # --------------------------------------------------------------------------------------------- what somebody is

    def change_person(self) -> str:
        person = self._person(_TALKING[:3])
        kind = self.random.choice(("member", "member", "guest", "deactivated"))
        if person.admin:  # or nobody would be left who may do what admins do
            return ""
        story = f"{person.name} is made {kind}"
        return self._try("sandbox.changePerson", self._admin(), story, user=person.id, kind=kind)

    def _make_guest(self, person: Person) -> str:
        if person.admin or person.kind is not PersonKind.MEMBER:
            return ""
        story = f"{person.name} is made guest"
        return self._try("sandbox.changePerson", self._admin(), story, user=person.id, kind="guest")

    def _bring_stranger(self, channel: Channel | None) -> str:
        """Somebody who is no full member comes into a room, by which replies there may hold less."""
        if channel is None or channel.kind is ChannelKind.DM:
            return ""
        person = self._person((PersonKind.GUEST, PersonKind.SINGLE_CHANNEL_GUEST))
        story = f"{person.name} is invited to {_name(channel)}"
        return self._try("conversations.invite", self._insider(channel), story, channel=channel.id, users=person.id)

    # ------------------------------------------------------------------------------------------------------ choices

    def _room(self) -> Channel:
        rooms = [room for room in self.still.workspace.channels.values() if room.kind is not ChannelKind.DM]
        return self.random.choice(self._theirs or rooms)

    def _said(self, channel: Channel) -> list[Message]:
        """What people have said there that holds a canary."""
        people = self.still.workspace.people
        return [m for m in channel.messages.values() if not m.subtype and not people[m.user].is_bot and "qz" in m.text]

    def _insider(self, channel: Channel) -> Person:
        """Somebody in it, a full member if there is one; the admin where it is empty."""
        people = [self.still.workspace.people[member] for member in channel.members]
        inside = [person for person in people if not person.is_bot]
        return self.random.choice([p for p in inside if p.kind is PersonKind.MEMBER] or inside or [self._admin()])

    def _person(self, kinds: tuple[PersonKind, ...]) -> Person:
        return self.random.choice([p for p in self.still.workspace.people.values() if p.kind in kinds])

    def _admin(self) -> Person:
        return next(person for person in self.still.workspace.people.values() if person.admin)

    def _happens(self, probability: float) -> bool:
        return self.random.random() < probability


def _name(channel: Channel) -> str:
    return f"#{channel.name}"


_ACTS: tuple[tuple[Callable[[Acting], str], float], ...] = (
    (Acting.say, 3),
    (Acting.confide, 1),
    (Acting.edit, 2),
    (Acting.delete, 2),
    (Acting.touch_file, 2),
    (Acting.invite, 4),
    (Acting.kick, 3),
    (Acting.leave, 1),
    (Acting.join, 1),
    (Acting.kick_footnote, 0.7),
    (Acting.invite_footnote, 1.5),
    (Acting.convert, 2),
    (Acting.share, 1),
    (Acting.archive, 0.5),
    (Acting.delete_channel, 0.2),
    (Acting.change_person, 2),
)
"""What is done, and how often beside the others."""
