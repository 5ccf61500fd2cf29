"""What an answer rests on is looked at before it is posted; what can't be looked at any more is not posted."""

from __future__ import annotations

import pytest

from bot.errors import SlackDenied
from bot.slack.files import SharedFile
from bot.slack.grounds import Grounds
from bot.slack.messages import Message
from bot.state.posted import Cited, CitedMessage
from bot.types import Question
from retrieval.types import Passage, Place, Scope

HERE = Place("here")
CITED = Cited(1, "source", "passage", frozenset({HERE}), (CitedMessage(HERE, "1.0", "1.0"),))


class Shut:
    """A workspace in whose channels Footnote isn't."""

    def replies(self, channel_id: str, thread_ts: str) -> tuple[Message, ...]:
        raise SlackDenied("conversations.replies", "not_in_channel")


def _nothing_indexed(_source_id: str) -> tuple[Passage, ...]:
    return ()


def _no_file(_file_id: str) -> SharedFile | None:
    return None


def _no_scope(question: Question) -> Scope:
    return Scope(question.team, frozenset())


def _grounds(reads: bool) -> Grounds:
    return Grounds(
        Shut(), str, Place, _no_scope, _nothing_indexed, _no_file, lambda _source: "", reads=lambda _place: reads
    )


@pytest.mark.parametrize(("reads", "has_fallen"), [(True, True), (False, False)])
def test_what_footnote_may_no_longer_look_at_is_not_posted(reads: bool, has_fallen: bool) -> None:
    """It was taken out of a channel, and nothing told of it: nobody knows what was deleted there since.

    What stands in an export of a channel that it was never in could never be looked at, and counts as it was exported.
    """
    (looked_at,) = _grounds(reads).first_look([CITED], {})
    assert looked_at.has_fallen is has_fallen
