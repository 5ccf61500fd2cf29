"""What the workspace holds: teams, people, conversations, messages, files."""

import threading
from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.clock import Clock
from sandbox.types import Json, Refused


class PersonKind(StrEnum):
    """What a person is to the home workspace."""

    MEMBER = "member"
    GUEST = "guest"
    SINGLE_CHANNEL_GUEST = "single_channel_guest"
    OUTSIDER = "outsider"
    DEACTIVATED = "deactivated"
    BOT = "bot"


class ChannelKind(StrEnum):
    """What a conversation is; whether it is shared stands beside it."""

    PUBLIC = "public"
    PRIVATE = "private"
    GROUP_DM = "group_dm"
    DM = "dm"


@dataclass(frozen=True, slots=True)
class Team:
    """One organisation."""

    id: str
    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class AppInfo:
    """The one app that is installed."""

    id: str
    bot_id: str
    user_id: str
    name: str


@dataclass(slots=True)
class Person:
    """A person, a guest, somebody of another organisation, or a bot."""

    id: str
    name: str
    real_name: str
    kind: PersonKind
    team: str
    display_name: str = ""
    admin: bool = False
    title: str = ""
    tz: str = "Europe/Berlin"
    bot_id: str = ""
    app_id: str = ""
    updated: int = 0

    @property
    def shown_name(self) -> str:
        """As Slack's clients show it."""
        return self.display_name or self.real_name

    @property
    def is_guest(self) -> bool:
        return self.kind in (PersonKind.GUEST, PersonKind.SINGLE_CHANNEL_GUEST)

    @property
    def is_bot(self) -> bool:
        return self.kind is PersonKind.BOT


@dataclass(slots=True)
class File:
    """A file and where it is shared."""

    id: str
    name: str
    title: str
    mimetype: str
    user: str
    created: int
    content: bytes
    channels: list[str] = field(default_factory=list)
    deleted: bool = False
    mode: str = "hosted"  # or snippet, email, quip (a canvas), external
    filetype: str = ""  # Slack's own word for its kind; empty: the ending of its name
    updated: int = 0  # when its content was last changed; 0 if never


@dataclass(slots=True)
class Message:
    """One post; `thread_ts` is set on replies and, once there are any, is the root's own `ts` there too."""

    ts: str
    user: str
    text: str
    subtype: str = ""
    thread_ts: str = ""
    bot_id: str = ""
    app_id: str = ""
    username: str = ""
    client_msg_id: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    edited_by: str = ""
    edited_ts: str = ""
    reactions: dict[str, list[str]] = field(default_factory=dict)
    extra: Json = field(default_factory=dict)
    streaming_since: float = 0.0  # s of the sandbox's clock; 0 when no stream is open

    @property
    def is_reply(self) -> bool:
        return bool(self.thread_ts) and self.thread_ts != self.ts


@dataclass(slots=True)
class Channel:
    """A conversation with its messages; `timeline` holds what shows outside threads, oldest first."""

    id: str
    name: str
    kind: ChannelKind
    created: int
    creator: str
    team: str
    topic: str = ""
    purpose: str = ""
    members: list[str] = field(default_factory=list)
    archived: bool = False
    key_revoked: bool = False  # by Enterprise Key Management: nobody reads its messages
    ext_shared: bool = False
    pending_ext_shared: bool = False
    org_shared: bool = False
    connected_teams: list[str] = field(default_factory=list)
    previous_names: list[str] = field(default_factory=list)
    pins: list[str] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    timeline: list[str] = field(default_factory=list)
    threads: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_private(self) -> bool:
        return self.kind is not ChannelKind.PUBLIC

    @property
    def is_shared(self) -> bool:
        return self.ext_shared or self.org_shared

    def add(self, message: Message) -> None:
        """Put a message where its `thread_ts` and subtype say."""
        self.messages[message.ts] = message
        if message.is_reply:
            self.messages[message.thread_ts].thread_ts = message.thread_ts
            insort(self.threads.setdefault(message.thread_ts, []), message.ts)
        if not message.is_reply or message.subtype == "thread_broadcast":
            insort(self.timeline, message.ts)

    def remove(self, message: Message) -> None:
        """Take a message out; the last reply's going makes its root an ordinary message again."""
        del self.messages[message.ts]
        if message.ts in self.timeline:
            self.timeline.remove(message.ts)
        if message.is_reply:
            self._remove_reply(message)

    def _remove_reply(self, message: Message) -> None:
        replies = self.threads[message.thread_ts]
        replies.remove(message.ts)
        if replies:
            return
        del self.threads[message.thread_ts]
        root = self.messages[message.thread_ts]
        root.thread_ts = ""
        if root.subtype == "tombstone":
            self.remove(root)


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """A message that one person sees and nothing stores."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: tuple[Json, ...]
    attachments: tuple[Json, ...]
    thread_ts: str
    bot_id: str


@dataclass(slots=True)
class ResponseAddress:
    """Where the app may answer an interaction, a few times and for half an hour."""

    channel: str
    user: str
    message_ts: str
    thread_ts: str
    made_at: float
    uses_left: int = 5  # Source: Slack's limit of a response_url


class Workspace:
    """The home team's whole state, guarded by one lock that a call holds while it runs."""

    def __init__(self, team: Team, app: AppInfo, clock: Clock) -> None:
        self.team = team
        self.app = app
        self.clock = clock
        self.lock = threading.RLock()
        self.teams = {team.id: team}
        self.people: dict[str, Person] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self.ephemerals: list[Ephemeral] = []
        self.homes: dict[str, Json] = {}
        self.modals: dict[str, tuple[str, Json]] = {}  # view id → whose it is, the view
        self.triggers: dict[str, tuple[str, float]] = {}  # trigger → whose it is, when it was made
        self.responses: dict[str, ResponseAddress] = {}
        self.statuses: dict[tuple[str, str], Json] = {}
        self.prompts: dict[tuple[str, str], Json] = {}
        self.installed = True  # whether the app is; without it the bot's token is dead
        self.url = ""  # the address for people, set once the port is known
        self._made: Counter[str] = Counter()

    def new_id(self, prefix: str) -> str:
        """An id that nothing has, such as C0SANDBOX1."""
        self._made[prefix] += 1
        return f"{prefix}0SANDBOX{self._made[prefix]}"

    def person(self, user_id: str) -> Person:
        if user_id not in self.people:
            raise Refused("user_not_found")
        return self.people[user_id]

    def is_home(self, person: Person) -> bool:
        return person.team == self.team.id

    def person_by_bot(self, bot_id: str) -> Person | None:
        return next((p for p in self.people.values() if p.bot_id == bot_id), None)

    def channel_by_name(self, name: str) -> Channel | None:
        return next((c for c in self.channels.values() if c.name == name and c.name), None)

    def direct(self, members: frozenset[str]) -> Channel | None:
        """The DM or group DM of just these people."""
        kinds = (ChannelKind.DM, ChannelKind.GROUP_DM)
        return next((c for c in self.channels.values() if c.kind in kinds and frozenset(c.members) == members), None)

    def open_direct(self, members: list[str]) -> Channel:
        """The DM or group DM of just these people, made when there is none."""
        found = self.direct(frozenset(members))
        if found is not None:
            return found
        is_dm = len(members) <= 2
        names = "--".join(sorted(self.people[m].name for m in members))
        channel = Channel(
            id=self.new_id("D" if is_dm else "G"),
            name="" if is_dm else f"mpdm-{names}-1",
            kind=ChannelKind.DM if is_dm else ChannelKind.GROUP_DM,
            created=int(self.clock.now()),
            creator=members[0],
            team=self.team.id,
            members=list(members),
        )
        self.channels[channel.id] = channel
        return channel
