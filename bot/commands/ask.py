"""`footnote ask`: the same path as in Slack, from the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.answering.path import Access, answer
from bot.app import LOCAL_TEAM, Slack, open_retrieval, open_slack, open_state, path_parts
from bot.commands.naming import channel_named, person_named
from bot.commands.outcomes import as_json, as_text
from bot.commands.parsing import Ask
from bot.commands.terminal import say, say_json
from bot.errors import BotError, UsageError
from bot.models import open_writing_model
from bot.settings import Settings
from bot.slack.directory import Directory
from bot.slack.workspace import Workspace
from bot.state.database import Database
from bot.texts import TURNED_AWAY
from bot.types import Admission, Conversation, ConversationKind, Question, Surface, Turn
from bot.wishes import NO_WISHES, Wishes, wishes_of
from retrieval.types import WORKSPACE, Passage, Place, Scope

DM = "dm"


@dataclass(frozen=True, slots=True)
class OpenToAll:
    """Access where nobody is named: what every full member may read, and nothing else."""

    scope: Scope

    def scope_of(self, _question: Question) -> Scope:
        return self.scope

    def still_admits(self, _question: Question, passages: tuple[Passage, ...]) -> bool:
        return all(self.scope.admits(passage.places) for passage in passages)


def run(command: Ask, settings: Settings) -> int:
    """Answer on stdout."""
    _require_slack(command, settings)
    turns = read_thread(command.thread) if command.thread else ()
    with open_state(settings) as database:
        slack = open_slack(settings, database) if settings.has_slack else None
        question, access = _asked(command, slack, is_reply=bool(turns))
        with open_retrieval(settings, question.team, "footnote ask") as retrieval:
            wishes, model = _wishes(slack, database), open_writing_model(settings)
            reply = answer(question, path_parts(access, lambda _: turns, retrieval, wishes, model))
    say_json(as_json(reply)) if command.json else say(as_text(reply))
    return 0


def _wishes(slack: Slack | None, database: Database) -> Wishes:
    if slack is None:
        return NO_WISHES
    return wishes_of(database, slack.workspace.identity().team, Directory(slack.workspace, insists=True))


def read_thread(file: Path) -> tuple[Turn, ...]:
    """A thread, oldest first: each line a JSON object with `author` and `text`, or a text.

    Footnote's own messages have the author `footnote`.

    Raises:
        UsageError: the file can't be read so.
    """
    try:
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return tuple(_turn(line) for line in lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file} can't be read as a thread: give lines of text, or of author and text in JSON."
        ) from error


def _turn(line: str) -> Turn:
    if not line.lstrip().startswith("{"):
        return Turn("", line)
    said: Mapping[str, object] = json.loads(line)
    author, text = str(said.get("author", "")), str(said["text"])
    is_footnote = author.casefold() == "footnote"
    return Turn("" if is_footnote else author, text, is_footnote)


def _require_slack(command: Ask, settings: Settings) -> None:
    if (command.asker or command.place) and not settings.has_slack:
        raise UsageError("--as and --in need Slack, which says who may read what: set SLACK_BOT_TOKEN.")
    if command.place and not command.asker:
        raise UsageError("--in says where somebody asks: say who with --as.")


def _asked(command: Ask, slack: Slack | None, is_reply: bool) -> tuple[Question, Access]:
    now = f"{time.time():.6f}"
    thread_ts = f"{float(now) - 1:.6f}" if is_reply else None
    if slack is None:
        question = Question(LOCAL_TEAM, "", "", now, thread_ts, command.words, Surface.DM)
        return question, _open_to_all(LOCAL_TEAM, frozenset())
    return _asked_in_slack(command, slack, now, thread_ts)


def _asked_in_slack(command: Ask, slack: Slack, ts: str, thread_ts: str | None) -> tuple[Question, Access]:
    team = slack.workspace.identity().team
    if command.asker is None:
        channels = (channel.place for channel in slack.workspace.public_channels() if not channel.is_shared)
        public = frozenset(channels) - slack.choices.left_out_places(team)
        question = Question(team, "", "", ts, thread_ts, command.words, Surface.DM)
        return question, _open_to_all(team, public)
    asker = person_named(command.asker, slack.workspace).id
    in_dm = command.place in (None, DM)
    channel = "" if in_dm else channel_named(str(command.place), slack.workspace).id
    surface = Surface.DM if in_dm else Surface.CHANNEL
    question = Question(team, asker, channel, ts, thread_ts, command.words, surface)
    _require_admission(question, slack.access.may_ask)
    if not in_dm:
        _require_entrance(asker, slack.workspace.conversation(channel), slack.workspace)
    return question, slack.access


def _open_to_all(team: str, public: frozenset[Place]) -> OpenToAll:
    return OpenToAll(Scope(team, frozenset({public | {WORKSPACE}})))


def _require_entrance(asker: str, place: Conversation, workspace: Workspace) -> None:
    """Only members can write in what is not public."""
    if place.kind is not ConversationKind.PUBLIC and asker not in workspace.members(place.id):
        raise BotError(f"In Slack they could not ask there: they are not in #{place.name}.")


def _require_admission(question: Question, may_ask: Callable[[Question], Admission]) -> None:
    admission = may_ask(question)
    if told := TURNED_AWAY.get(admission):
        raise BotError(f"In Slack they would be told alone: {told}")
    if admission is Admission.NEEDS_APPROVAL:
        raise BotError("In Slack they would be asked alone whether answers may be given in that shared channel.")
    if admission is not Admission.ADMITTED:
        raise BotError("In Slack Footnote would not answer them there, and say nothing.")
