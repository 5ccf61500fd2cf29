"""What the benchmark of talk reads and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.grouping_measures import agreement
from benchmarks.talk_corpora import disco, irc
from benchmarks.talk_grouping import by_gap
from benchmarks.talk_search import judged, sample
from retrieval.chunking.naming import asks
from retrieval.types import Anchor, Passage

LOG = """[23:58] <ann> where is the ladder?
=== bo has joined
[23:59] <bo> ann: behind the kiln
[00:01]  * cy waves
"""
CHANNEL = """<slack><message conversation_id="1"><ts>2026-03-02T08:00:00.0</ts><user>Ann</user><text>Where is the ladder?</text></message>
<message conversation_id="2"><ts>2026-03-02T08:01:00.0</ts><user>Cy</user><text>Who has the van?</text></message>
<message conversation_id="1"><ts>2026-03-02T08:02:00.0</ts><user>Bo</user><text>&lt;@Ann&gt; behind the kiln</text></message>
<message conversation_id="2"><ts>2026-03-02T08:30:00.0</ts><user>Dee</user><text>I do.</text></message></slack>
"""  # noqa: E501  # a message a line


def test_a_log_has_its_messages_links_and_conversations(tmp_path: Path) -> None:
    """Joins are no messages, minutes go on over midnight, and an answer belongs to what it answers."""
    (tmp_path / "day.ascii.txt").write_text(LOG, encoding="utf-8")
    (tmp_path / "day.annotation.txt").write_text("0 0 -\n1 1 -\n0 2 -\n3 3 -\n", encoding="utf-8")
    [channel] = irc(tmp_path)
    assert [(one.author, one.written_at // 60) for one in channel.said] == [("ann", 1438), ("bo", 1439), ("cy", 1441)]
    assert channel.links == (("day.ascii.txt:0", "day.ascii.txt:2"),)
    assert channel.conversation == {"day.ascii.txt:0": "0", "day.ascii.txt:2": "0", "day.ascii.txt:3": "3"}
    assert [len(day) for day in channel.days()] == [2, 1]


def test_a_question_is_judged_by_what_was_said_after_it(tmp_path: Path) -> None:
    """The rest of its conversation is right; questions of others above that are counted, bare ones apart."""
    (tmp_path / "yard.xml").write_text(CHANNEL, encoding="utf-8")
    chosen = sample(disco(tmp_path), messages=4, questions=2, seed=1)
    ladder = next(one for one in chosen.questions if "ladder" in one.opening.text)
    assert chosen.days[0][2].text == "@Ann behind the kiln"
    ranked = [passage("yard:1"), passage("yard:1", "yard:3"), passage("yard:2")]
    found = judged(ladder, ranked, chosen, len)
    assert (found.mrr, found.recall_at_1, found.recall_at_5) == (1 / 3, 0.0, 1.0)
    assert (found.other_questions, found.bare_questions) == (2, 1)


def passage(*urls: str) -> Passage:
    """One that holds these messages."""
    anchors = tuple(Anchor(at, url) for at, url in enumerate(urls))
    return Passage(urls[0], "s", "o", "", (), "words", anchors, frozenset(), 0)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": "1", "b": "1", "c": "2", "d": "2"}, (1.0, 1.0, 1.0, 1.0, 1.0)),
        ({"a": "1", "b": "1", "c": "1", "d": "1"}, (1 / 3, 1.0, 0.5, 0.0, 0.5)),
        ({"a": "1", "b": "2", "c": "3", "d": "4"}, (0.0, 0.0, 0.5, 0.0, 0.5)),
        ({"a": "1", "b": "2", "c": "2", "d": "2"}, (1 / 3, 0.5, 0.75, 0.0, 0.406)),
    ],
    ids=["the same", "all together", "each alone", "one astray"],
)
def test_groups_agree_as_far_as_the_measures_say(found: dict[str, str], expected: tuple[float, ...]) -> None:
    """Worked out by hand for two conversations of two."""
    same = agreement(found, {"a": "x", "b": "x", "c": "y", "d": "y"})
    got = (same.precision, same.recall, same.one_to_one, same.exact_f1, same.information)
    assert got == pytest.approx(expected, abs=1e-3)


def test_a_fixed_gap_cuts_at_silences_alone(tmp_path: Path) -> None:
    """What the shipped grouping is compared with."""
    (tmp_path / "yard.xml").write_text(CHANNEL, encoding="utf-8")
    [channel] = disco(tmp_path)
    assert by_gap(1)(channel.said) == [(0, 1, 2), (3,)]
    assert [asks(one.text) for one in channel.said] == [True, True, False, False]
