"""Tells the questions that are put to Footnote from everything else that Slack reports."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.answering.smalltalk import is_small_talk
from bot.slack.events import Event
from bot.slack.messages import Message, Names, parse, readable
from bot.slack.payloads import Payload, child, string
from bot.slack.threads import Threads
from bot.slack.workspace import Identity, Workspace
from bot.state.questions import Questions, QuestionState
from bot.types import FollowUps, Question, Surface

_ASKED_IN = frozenset({"", "file_share", "thread_broadcast"})
"""The subtypes of posts that people write; every other one is an edit, a join, a bot's or Slack's own notice."""
_EDIT, _DELETION, _TOMBSTONE = "message_changed", "message_deleted", "tombstone"
_SLACKBOT = "USLACKBOT"
_REPLIED_TO = (QuestionState.OPEN, QuestionState.ANSWERED)
"""A reply can stand in the thread a moment before it is written down that the question was answered."""
_CALLS_SOMEBODY = re.compile(r"\s*<[@!]")
_ASKING = re.compile(
    r"[?？]|^\W*(?:and|but|or|so|what|how|who|whom|whose|when|where|why|which|is|are|was|were|do|does|did|can|could|may|"
    r"must|should|will|would|has|have)\b",
    re.IGNORECASE,
)


class Hearing:
    """Listens in one workspace. Raises `SlackError` where it must read a thread and can't."""

    def __init__(
        self,
        workspace: Workspace,
        names: Names,
        threads: Threads,
        asked: Questions,
        follow_ups: FollowUps = FollowUps.ASKER,
    ) -> None:
        self._workspace = workspace
        self._names = names
        self._threads = threads
        self._asked = asked
        self._follow_ups = follow_ups

    def question_in(self, event: Event) -> Question | None:
        """The question that an event puts to Footnote; the same for every event of the same post."""
        if event.type not in ("app_mention", "message"):
            return None
        me = self._workspace.identity()
        if event.team != me.team:
            return None
        if string(event.payload, "subtype") == _EDIT:
            return self._put_by_edit(event.payload, me)
        message = parse(event.payload, string(event.payload, "channel"))
        if not _is_somebodys(message, me) or message.edited_ts is not None:
            return None
        if string(event.payload, "channel_type") == "im":
            return question_of(message, me, self._names, Surface.DM)
        # Of a mention in a DM Slack sends the message as well, which says that it is one.
        if message.channel.startswith("D"):
            return None
        question = question_of(message, me, self._names, Surface.CHANNEL)
        is_put = _mentions(message, me) or self._is_follow_up(message, question)
        return question if is_put else None

    def taken_back(self, event: Event) -> tuple[Question, bool] | None:
        """The post of a person that was deleted, as a question, and whether it surely is one; None of other events."""
        me, payload = self._workspace.identity(), event.payload
        is_deletion = string(payload, "subtype") in (_DELETION, _EDIT) and event.type == "message"
        gone = parse(child(payload, "previous_message"), string(payload, "channel"))
        left = parse(child(payload, "message"), gone.channel)  # of the root of a thread, a tombstone
        if not is_deletion or event.team != me.team or not gone.ts or not _is_somebodys(gone, me):
            return None
        if string(payload, "subtype") == _EDIT and left.subtype != _TOMBSTONE:
            return None
        is_dm = string(payload, "channel_type") == "im"
        question = question_of(gone, me, self._names, Surface.DM if is_dm else Surface.CHANNEL)
        return question, is_dm or _mentions(gone, me)

    def _put_by_edit(self, payload: Payload, me: Identity) -> Question | None:
        """What an edit asks that adds the mention; what any other edit asks has been asked, or never was."""
        channel, is_dm = string(payload, "channel"), string(payload, "channel_type") == "im"
        before, message = (parse(child(payload, name), channel) for name in ("previous_message", "message"))
        adds_it = bool(before.ts) and _mentions(message, me) and not _mentions(before, me)
        is_put = adds_it and not is_dm and _is_somebodys(message, me)
        return question_of(message, me, self._names, Surface.CHANNEL) if is_put else None

    def _is_follow_up(self, message: Message, question: Question) -> bool:
        """Whether it is what the asker of an answered question asks right after the answer, and nobody else."""
        if self._follow_ups is FollowUps.NONE or not message.is_reply or not asks(message):
            return False
        last = self._asked.last_in_thread(question.team, question.channel, question.root_ts)
        if last is None or last.asker != message.user or last.state not in _REPLIED_TO:
            return False
        before = self._threads.last_before(question)
        return before is not None and self._workspace.identity().wrote(before)


def question_of(message: Message, me: Identity, names: Names, surface: Surface) -> Question:
    """What a message asks, without the mention of Footnote."""
    # The text alone: what hangs below a post (previews, files) stands elsewhere and is no part of what is asked.
    words = replace(message, text=_mention(me).sub(" ", message.text).strip(), blocks=(), attachments=(), files=())
    thread_ts = message.root_ts if message.is_reply else None
    asked = readable(words, names)
    return Question(me.team, message.user, message.channel, message.ts, thread_ts, asked, surface)


def _is_somebodys(message: Message, me: Identity) -> bool:
    """Whether a person wrote it: no bot, no workflow, no app in somebody's name."""
    is_a_bots = bool(message.bot_id or message.app_id) or message.user in ("", _SLACKBOT) or me.wrote(message)
    return message.subtype in _ASKED_IN and not message.is_hidden and not is_a_bots


def _mentions(message: Message, me: Identity) -> bool:
    return bool(_mention(me).search(message.text))


def _mention(me: Identity) -> re.Pattern[str]:
    # A colon right after it belongs to it, unless it opens an emoji.
    return re.compile(rf"[ \t]*<@{re.escape(me.user_id)}(?:\|[^<>]*)?>[ \t]*(?:[:,](?![\w+'-]+:))?[ \t]*")


def asks(message: Message) -> bool:
    """Whether it looks like a question, and not like thanks or words to somebody else."""
    text = message.text.strip()
    return bool(_ASKING.search(text)) and not _CALLS_SOMEBODY.match(text) and not is_small_talk(text)
