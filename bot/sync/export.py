"""Turns a Slack export into the sources that Slack's API would give, and says what it left out and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.slack.messages import Message, is_noise, parse
from bot.slack.payloads import Payload, child, flag, string
from bot.slack.workspace import Identity
from bot.sync.archive import Archive, UnreadableFile
from bot.sync.selection import NOTHING_LEFT_OUT, LeftOut
from bot.sync.talk import Permalink, TalkSources, day_of, has_thread
from bot.types import Conversation, ConversationKind
from retrieval.types import Place, Source, Talk

DIRECT = "direct messages, which are never taken"
PRIVATE = "private channels and group messages, which are taken with --private-channels only"
LEFT_OUT = "channels that their people have left out"
NO_CHANNEL = "folders that belong to no channel of the export"
NO_FOLDER = "channels without a message"
NOTICES = "notices of Slack's, such as joins and topics"
WITH_US = "messages by or to Footnote, or by people who have left theirs out"
WORDLESS = "messages without words"
_LISTS = {
    "channels.json": ConversationKind.PUBLIC,
    "groups.json": ConversationKind.PRIVATE,
    "mpims.json": ConversationKind.GROUP_DM,
    "dms.json": ConversationKind.DM,
}


@dataclass(slots=True)
class Tally:
    """What was read of an export so far."""

    channels: int = 0
    messages: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """How many of each kind of thing were left out, by the reason."""


class ExportNames:
    """Names as the export's own lists give them."""

    def __init__(self, archive: Archive) -> None:
        self._people = {string(user, "id"): _name_of(user) for user in archive.listed("users.json")}
        public = (channel for channel in archive.listed("channels.json") if not flag(channel, "is_private"))
        self._channels = {string(channel, "id"): string(channel, "name") for channel in public}

    def person(self, user_id: str) -> str:
        return self._people.get(user_id, "")

    def channel(self, channel_id: str) -> str:
        return self._channels.get(channel_id, "")

    def group(self, group_id: str) -> str:  # noqa: ARG002  # an export has no list of groups
        return ""


@dataclass(frozen=True, slots=True)
class Export:
    """One export, to be read as sources of the workspace that `us` is in."""

    archive: Archive
    us: Identity
    permalink: Permalink
    place_of: Callable[[str], Place]
    asked_in: Callable[[str], Container[str]] = lambda _channel: ()
    with_private: bool = False
    left_out: LeftOut = NOTHING_LEFT_OUT

    def sources(self, tally: Tally) -> Iterator[Source]:
        """Every thread and stretch of the channels that are taken, counted in `tally` as they come."""
        maker = TalkSources(self.us, ExportNames(self.archive), self.permalink, self.asked_in, self.left_out)
        conversations = self._conversations()
        for folder in sorted(self.archive.folders() - {folder for folder, _ in conversations}):
            tally.skipped[DIRECT if folder.startswith("D") else NO_CHANNEL] += 1
        for folder, conversation in conversations:
            if self._is_taken(folder, conversation, tally):
                yield from self._of_channel(maker, folder, conversation, tally)

    def _conversations(self) -> tuple[tuple[str, Conversation], ...]:
        """The export's conversations with their folders: named after the channel, or its id."""
        folders = self.archive.folders()
        listed = ((entry, kind) for name, kind in _LISTS.items() for entry in self.archive.listed(name))
        return tuple(
            (string(entry, "id") if string(entry, "id") in folders else string(entry, "name"), self._of(entry, kind))
            for entry, kind in listed
        )

    def _of(self, entry: Payload, kind: ConversationKind) -> Conversation:
        if kind is ConversationKind.PUBLIC and flag(entry, "is_private"):
            kind = ConversationKind.PRIVATE
        id_ = string(entry, "id")
        return Conversation(id_, self.place_of(id_), string(entry, "name"), kind)

    def _is_taken(self, folder: str, conversation: Conversation, tally: Tally) -> bool:
        reasons = {
            DIRECT: conversation.kind is ConversationKind.DM,
            PRIVATE: conversation.kind is not ConversationKind.PUBLIC and not self.with_private,
            LEFT_OUT: conversation.place in self.left_out.places(),
            NO_FOLDER: folder not in self.archive.folders() or not conversation.id,
        }
        reason = next((reason for reason, holds in reasons.items() if holds), "")
        tally.skipped.update([reason] if reason else [])
        return not reason

    def _of_channel(
        self, maker: TalkSources, folder: str, conversation: Conversation, tally: Tally
    ) -> Iterator[Source]:
        threads, days = _sorted_out(self._messages(folder, conversation.id, tally))
        tally.channels += 1
        for thread in threads.values():
            yield from _counted(tally, thread, maker.count((), [thread]), maker.of_thread(conversation, thread))
        for day in days.values():
            yield from _counted(tally, day, maker.count(day, ()), maker.of_day(conversation, day))

    def _messages(self, folder: str, channel_id: str, tally: Tally) -> Iterator[Message]:
        for path in self.archive.days(folder):
            try:
                payloads = self.archive.objects(path)
            except UnreadableFile as error:
                tally.skipped[f"files that are {error}"] += 1
                continue
            tally.messages += len(payloads)
            yield from (parse(payload, channel_id) for payload in payloads)


def team_of(archive: Archive) -> str:
    """The workspace that an export is of: the one that most of its people belong to; empty where it says nothing."""
    teams = Counter(string(user, "team_id") for user in archive.listed("users.json"))
    return max(teams, key=lambda team: (teams[team], team), default="")


def permalink_of(url: str) -> Permalink:
    """Links into a workspace of which the address alone is known, written as Slack writes them."""

    def permalink(channel_id: str, ts: str, thread_ts: str | None) -> str:
        link = f"{url}archives/{channel_id}/p{ts.replace('.', '')}"
        return link if thread_ts in (None, ts) else f"{link}?thread_ts={thread_ts}&cid={channel_id}"

    return permalink


def _counted(tally: Tally, messages: Sequence[Message], taken: int, sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """The sources of these messages, with a count of why the rest is in none."""
    notices = sum(is_noise(message) for message in messages)
    said = sum(len(source.content.utterances) for source in sources if isinstance(source.content, Talk))
    tally.skipped.update({NOTICES: notices, WITH_US: len(messages) - notices - taken, WORDLESS: taken - said})
    return sources


def _sorted_out(
    messages: Iterator[Message],
) -> tuple[Mapping[str, Sequence[Message]], Mapping[int, Sequence[Message]]]:
    """Threads by their root, and unthreaded messages by day. A root knows its thread by `thread_ts` alone here."""
    threads: defaultdict[str, list[Message]] = defaultdict(list)
    days: defaultdict[int, list[Message]] = defaultdict(list)
    for message in messages:
        if message.thread_ts or has_thread(message):
            threads[message.root_ts].append(message)
        else:
            days[day_of(message.ts)].append(replace(message, reply_count=0))
    return threads, days


def _name_of(user: Payload) -> str:
    profile = child(user, "profile")
    names = (string(profile, "display_name"), string(profile, "real_name"), string(user, "real_name"))
    return next((name for name in names if name), string(user, "name"))
