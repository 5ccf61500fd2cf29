"""What an answer rests on is looked at before it is posted; what can't be looked at any more is not posted."""

from __future__ import annotations

import pytest

from bot.errors import SlackDenied
from bot.slack.files import SharedFile, parse_file
from bot.slack.grounds import Grounds
from bot.slack.messages import Message
from bot.state.posted import Cited, CitedMessage
from bot.types import Question
from retrieval.types import Passage, Place, Scope
from tests.passages import passage

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


CHANGED_AT = 1_700_000_000


@pytest.mark.parametrize(
    ("told", "places"),
    [
        ({"channels": ["here", "there"], "updated": CHANGED_AT}, {"here", "there"}),
        ({"channels": ["there"], "updated": CHANGED_AT}, {"there"}),
        ({"channels": [], "updated": CHANGED_AT}, set()),
        ({"channels": ["here", "there"], "updated": CHANGED_AT + 60}, set()),
        (None, set()),
    ],
)
def test_a_file_stands_only_where_slack_says_now_that_it_is_shared(
    told: dict[str, object] | None, places: set[str]
) -> None:
    """It was taken out of a channel, deleted or changed, and the event never came: the index knows nothing of that."""
    described = parse_file(told) if told else None
    grounds = Grounds(
        Shut(), str, Place, _no_scope, _nothing_indexed, lambda _file: described, lambda source: source[len("file:") :]
    )
    of_file = passage("Words of a file.", "here", "there", source="file:F1")
    (found,) = grounds.as_shared([of_file])
    assert found.places == places


def test_what_is_no_file_stands_where_it_stood() -> None:
    """Talk and documents are asked for elsewhere."""
    talk = passage("Words of a message.", "here")
    assert _grounds(reads=True).as_shared([talk]) == (talk,)
