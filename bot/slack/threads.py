"""Reads the thread around a question, as its readers see it."""

from __future__ import annotations

from collections.abc import Callable, Container

from bot.errors import SlackDenied, SlackError
from bot.slack.messages import Message, Names, is_noise, readable
from bot.slack.opening import asked_by_opening
from bot.slack.replies import words_of
from bot.slack.workspace import Workspace
from bot.types import Question, Turn
from retrieval.types import Place

MOST_TURNS = 20
"""A follow-up leans on the last few messages and on the root; a longer thread is read no further back."""
THREAD_IS_GONE = "thread_not_found"
"""Slack's word for a thread of which nothing is left."""


Cited = Callable[[str, str], frozenset[Place] | None]
"""Where the sources stand that a post of Footnote's cites, by its channel and `ts`; None where nobody remembers."""


MayRepeat = Callable[[Question, str], bool]
"""Whether what Footnote said in a question's channel, by its `ts`, may be read back for the reply to the question."""


def _nobody_remembers(_channel: str, _ts: str) -> None:
    """For where no answers are kept."""


def _whatever_stands(_question: Question, _ts: str) -> bool:
    """For where no answers are kept."""
    return True


class Threads:
    """The threads of one workspace. Raises `SlackError` unless it says otherwise."""

    def __init__(
        self,
        workspace: Workspace,
        names: Names,
        unused: Callable[[], Container[str]] = frozenset,
        cited: Cited = _nobody_remembers,
        may_repeat: MayRepeat = _whatever_stands,
    ) -> None:
        """Read a workspace's threads.

        Args:
            unused: Those who don't want their messages used; what they ask themselves is read all the same.
            cited: What Footnote's own posts rest on.
            may_repeat: Which of them a reply may lean on: not every reader of it need be one of theirs.
        """
        self._workspace = workspace
        self._names = names
        self._unused = unused
        self._cited = cited
        self._may_repeat = may_repeat

    def earlier_turns(self, question: Question) -> tuple[Turn, ...]:
        """What was said before the question, oldest first: the root and the newest of the rest.

        None where Slack refuses for now to be asked so often: the question is then read alone.
        """
        if question.thread_ts is None:
            return ()
        try:
            before = self._before(question)
            turns = [self._turn(message, question) for message in before if self._is_heard(message, question)]
        except SlackError as error:
            if error.code != "ratelimited":
                raise
            return ()
        said = [turn for turn in turns if turn.text]
        return tuple(said if len(said) <= MOST_TURNS else [said[0], *said[1 - MOST_TURNS :]])

    def last_before(self, question: Question) -> Message | None:
        """The message that stands right before the question in its thread."""
        before = self._before(question)
        return before[-1] if before else None

    def own_posts(self, question: Question) -> tuple[Message, ...]:
        """What Footnote has said in the question's thread."""
        me = self._workspace.identity()
        return tuple(message for message in self._thread(question) if me.wrote(message))

    def message(self, question: Question) -> Message | None:
        """The message that asked, as it stands now; None where it is gone, or nobody lets us read it any more."""
        try:
            found = [message for message in self._thread(question) if message.ts == question.ts]
        except SlackDenied:
            return None
        return found[0] if found and not is_noise(found[0]) else None

    def _is_heard(self, message: Message, question: Question) -> bool:
        if is_noise(message):
            return False
        if self._workspace.identity().wrote(message):
            return self._may_repeat(question, message.ts)
        return message.user == question.asker or message.user not in self._unused()

    def _before(self, question: Question) -> tuple[Message, ...]:
        return tuple(message for message in self._thread(question) if message.ts < question.ts)

    def _thread(self, question: Question) -> tuple[Message, ...]:
        """Empty where it was deleted meanwhile."""
        try:
            return self._workspace.replies(question.channel, question.root_ts)
        except SlackError as error:
            if error.code != THREAD_IS_GONE:
                raise
            return ()

    def _turn(self, message: Message, question: Question) -> Turn:
        """Only what Footnote itself posted is its own; other bots are authors like anybody.

        A message of its own that opens a private answer's thread says what the asker asked elsewhere.
        """
        if not self._workspace.identity().wrote(message):
            author = self._names.person(message.user) if message.user else message.username
            return Turn(author, readable(message, self._names))
        if asked := asked_by_opening(message):
            return Turn(self._names.person(question.asker), readable(asked, self._names))
        cites = self._cited(message.channel, message.ts)
        return Turn("", readable(words_of(message), self._names), is_footnote=True, cites=cites)
