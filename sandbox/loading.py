"""Turns a seed into the state that the sandbox starts with."""

import mimetypes
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

from sandbox.clock import Clock, micros_of, ts_of
from sandbox.manifest import Manifest
from sandbox.richtext import rich_text_blocks
from sandbox.seed import ALL, Seed, SeedChannel, SeedFile, SeedMessage, SeedPerson
from sandbox.state import AppInfo, Channel, ChannelKind, File, Message, Person, PersonKind, Team, Workspace
from sandbox.types import SeedError

_FIRST_MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)  # of seeds whose messages give no time
_PAUSE_S = 60.0
_NAMED = re.compile(r"<([@#])([^<>|!]+)>")
_ID = re.compile(r"[UWCGDB][A-Z0-9]{4,}")


def load(seed: Seed, manifest: Manifest) -> Workspace:
    """The workspace of a seed, with the app installed; SeedError names what doesn't fit."""
    app = AppInfo(id="A0FOOTNOTE", bot_id="B0FOOTNOTE", user_id="U0FOOTNOTE", name=manifest.name)
    team = Team(seed.team.id, seed.team.name, seed.team.domain)
    clock = Clock(seed.now.timestamp() if seed.now else None, stands=seed.clock_stands)
    workspace = Workspace(team, app, clock)
    loader = _Loader(workspace, seed.folder)
    loader.people(seed.people)
    loader.channels(seed.channels)
    for name, messages in seed.messages.items():
        loader.messages(name, messages)
    latest = max((channel.timeline[-1] for channel in workspace.channels.values() if channel.timeline), default="0")
    workspace.clock.be_after(micros_of(latest) / 1_000_000 + _PAUSE_S)  # what is posted now is newer than the seed
    return workspace


def id_from(prefix: str, name: str) -> str:
    """An id in Slack's alphabet that shows the name it stands for."""
    return f"{prefix}0" + re.sub(r"[^A-Z0-9]", "", name.upper())


class _Loader:
    """Holds names and ids together while a seed is read."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self._workspace = workspace
        self._folder = folder
        self._people: dict[str, Person] = {}
        self._channels: dict[str, Channel] = {}

    def people(self, people: Iterable[SeedPerson]) -> None:
        app = self._workspace.app
        bot = Person(app.user_id, app.name, app.name.title(), PersonKind.BOT, self._workspace.team.id)
        bot.bot_id, bot.app_id = app.bot_id, app.id
        self._add_person(bot)
        for person in people:
            self._add_person(self._person(person))

    def _add_person(self, person: Person) -> None:
        if person.name in self._people or person.id in self._workspace.people:
            raise SeedError(f"The seed has {person.name!r} ({person.id}) twice; names and ids are one person's.")
        self._people[person.name] = self._workspace.people[person.id] = person

    def _person(self, seed: SeedPerson) -> Person:
        try:
            kind = PersonKind(seed.kind)
        except ValueError as error:
            known = ", ".join(PersonKind)
            raise SeedError(f"{seed.name} is of the unknown kind {seed.kind!r}; use {known}.") from error
        team = self._workspace.team
        if seed.team is not None:
            team = Team(seed.team.id, seed.team.name, seed.team.domain)
            self._workspace.teams.setdefault(team.id, team)
        if (kind is PersonKind.OUTSIDER) == (team is self._workspace.team):
            raise SeedError(f"{seed.name}: outsiders, and nobody else, have a team of their own.")
        person = Person(seed.id or id_from("U", seed.name), seed.name, seed.real_name or seed.name, kind, team.id)
        person.admin, person.title, person.tz = seed.admin, seed.title, seed.tz
        person.display_name = seed.display_name
        if kind is PersonKind.BOT:
            person.bot_id, person.app_id = id_from("B", seed.name), id_from("A", seed.name)
        return person

    def channels(self, channels: Iterable[SeedChannel]) -> None:
        for seed in channels:
            channel = self._channel(seed)
            if seed.name in self._channels or channel.id in self._workspace.channels:
                raise SeedError(f"The seed has the channel {seed.name!r} ({channel.id}) twice; rename one.")
            self._channels[seed.name] = self._workspace.channels[channel.id] = channel

    def _channel(self, seed: SeedChannel) -> Channel:
        kinds = {"shared": ChannelKind.PRIVATE if seed.private else ChannelKind.PUBLIC}
        kind = kinds.get(seed.kind) or (ChannelKind(seed.kind) if seed.kind in list(ChannelKind) else None)
        if kind is None:
            known = ", ".join(("shared", *ChannelKind))
            raise SeedError(f"#{seed.name} is of the unknown kind {seed.kind!r}; use {known}.")
        members = self._members(seed)
        channel = Channel(
            id=seed.id or id_from("D" if kind is ChannelKind.DM else "C", seed.name),
            name="" if kind is ChannelKind.DM else seed.name,
            kind=kind,
            created=int((seed.created or _FIRST_MOMENT - timedelta(days=400)).timestamp()),
            creator=next(iter(members), self._workspace.app.user_id),
            team=self._workspace.team.id,
        )
        channel.topic, channel.purpose, channel.archived = seed.topic, seed.purpose, seed.archived
        channel.members = members
        channel.pending_ext_shared, channel.org_shared = seed.pending, seed.org_shared
        channel.ext_shared = seed.kind == "shared" and not seed.org_shared and not seed.pending
        channel.connected_teams = self._foreign_teams(members)
        return channel

    def _members(self, seed: SeedChannel) -> list[str]:
        everybody = [p.id for p in self._people.values() if p.kind is PersonKind.MEMBER]
        members = everybody if seed.members == ALL else [self._id(n, f"#{seed.name}") for n in seed.members]
        bot = [self._workspace.app.user_id] if seed.footnote else []
        return list(dict.fromkeys([*members, *bot]))

    def _foreign_teams(self, members: list[str]) -> list[str]:
        teams = (self._workspace.people[member].team for member in members)
        return sorted({team for team in teams if team != self._workspace.team.id})

    def _id(self, name: str, where: str) -> str:
        if name not in self._people:
            raise SeedError(f"{where} names {name!r}, whom the seed's people don't have; add them.")
        return self._people[name].id

    def messages(self, channel_name: str, messages: Iterable[SeedMessage]) -> None:
        if channel_name not in self._channels:
            raise SeedError(f"The seed has messages for #{channel_name}, which is none of its channels; add it.")
        channel = self._channels[channel_name]
        latest = int(_FIRST_MOMENT.timestamp()) * 1_000_000
        for seed in messages:
            root = self._add(channel, seed, latest)
            latest = reply_latest = micros_of(root.ts)
            for reply in seed.thread:
                reply_latest = micros_of(self._add(channel, reply, reply_latest, root).ts)

    def _add(self, channel: Channel, seed: SeedMessage, after: int, root: Message | None = None) -> Message:
        sender = self._workspace.people[self._id(seed.sender, f"A message of #{channel.name}")]
        message = Message(
            ts=_free_ts(channel, seed, after),
            user=sender.id,
            text=self._with_ids(seed.text, channel.name),
            subtype=seed.subtype,
            thread_ts=root.ts if root else "",
            blocks=list(seed.blocks),
            attachments=list(seed.attachments),
        )
        if seed.edited:
            message.edited_by, message.edited_ts = sender.id, ts_of(int(seed.edited.timestamp()) * 1_000_000)
        if seed.broadcast:
            message.subtype = "thread_broadcast"
        message.reactions = {e: [self._id(n, "A reaction") for n in names] for e, names in seed.reactions.items()}
        message.files = [self._file(file, sender, channel, message.ts) for file in seed.files]
        _sign(message, sender)
        channel.add(message)
        return message

    def _file(self, seed: SeedFile, sender: Person, channel: Channel, ts: str) -> str:
        file_id = seed.id or self._workspace.new_id("F")
        self._workspace.files[file_id] = File(
            id=file_id,
            name=seed.name,
            title=seed.title or seed.name,
            mimetype=seed.mimetype or mimetypes.guess_type(seed.name)[0] or "text/plain",
            user=sender.id,
            created=micros_of(ts) // 1_000_000,
            content=self._content(seed),
            channels=[channel.id],
            mode=seed.mode,
            filetype=seed.filetype,
        )
        return file_id

    def _content(self, seed: SeedFile) -> bytes:
        if not seed.path:
            return seed.content.encode()
        try:
            return (self._folder / seed.path).read_bytes()
        except OSError as error:
            raise SeedError(f"The seed's file {seed.path} can't be read ({error.strerror}); name one in it.") from error

    def _with_ids(self, text: str, where: str) -> str:
        def put(found: re.Match[str]) -> str:
            sign, name = found.groups()
            if _ID.fullmatch(name):
                return found.group()
            if sign == "@":
                return f"<@{self._id(name, f'A message of #{where}')}>"
            if name not in self._channels:
                raise SeedError(f"A message of #{where} names <#{name}>, which is none of the seed's channels.")
            return f"<#{self._channels[name].id}|{name}>"

        return _NAMED.sub(put, text)


def _sign(message: Message, sender: Person) -> None:
    """Say who posted it as Slack does: people through their client, bots through their app."""
    if sender.is_bot:
        message.bot_id, message.app_id = sender.bot_id, sender.app_id
        message.subtype = message.subtype or "bot_message"
        message.username = sender.real_name
        return
    message.client_msg_id = f"{crc32(message.ts.encode()):08x}-0000-4000-8000-000000000000"
    message.blocks = message.blocks or rich_text_blocks(message.text)


def _free_ts(channel: Channel, seed: SeedMessage, after: int) -> str:
    """A timestamp of the message's second, later than the one before it and not taken."""
    fraction = crc32(seed.text.encode()) % 1_000_000
    at = int(seed.at.timestamp()) * 1_000_000 if seed.at else after // 1_000_000 * 1_000_000 + 60_000_000
    micros = max(after + 1, at + fraction)
    while ts_of(micros) in channel.messages:
        micros += 1
    return ts_of(micros)
