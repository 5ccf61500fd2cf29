"""Posted answers without what has fallen: no word, marker or line of it, in blocks and in what is read aloud."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.messages import Message
from bot.slack.posting import posted_to, signed
from bot.slack.redacting import redactions
from bot.slack.replies import BLOCK_LIMIT, TEXT_LIMIT, Button, Post, note, render, words_of
from bot.texts import PART_REMOVED, REMARKS, REMOVED
from bot.types import Answer, Citation, Claim, Question, Remark, Surface
from retrieval.types import UnitKind

QUESTION = Question("T1", "U1", "C1", "1.0", None, "?", Surface.CHANNEL)
BUTTONS = (Button("share", "x", "Share"),)


def citation(marker: int) -> Citation:
    """What a marker opens."""
    return Citation(marker, f"p{marker}", f"title{marker}x", f"https://a.example/{marker}", "q", "", None)


def claim(word: str, *markers: int, goes_on: bool = False) -> Claim:
    """A sentence with a word of its own."""
    return Claim(f"says {word}.", UnitKind.SENTENCE, markers, goes_on=goes_on)


def posted(posts: tuple[Post, ...]) -> tuple[Message, ...]:
    """The messages of a reply as they stand in Slack."""
    return tuple(
        Message("C1", f"{at + 2}.0", text=post.text, blocks=tuple(signed(post.blocks, f"reply:1.0:{at}:{len(posts)}")))
        for at, post in enumerate(posts)
    )


def after(messages: tuple[Message, ...], *fallen: int) -> list[str]:
    """The texts of a reply's messages when these markers have fallen."""
    changed = {change.ts: change.post for change in redactions(messages, frozenset(fallen))}
    posts = [(changed[m.ts].text if changed[m.ts] else "") if m.ts in changed else m.text for m in messages]  # type: ignore[union-attr]  # None was asked for
    return [text for text in posts if text]


TWO = posted(
    render(Answer((claim("aa", 1), claim("bb", 2)), (citation(1), citation(2)), Remark.PART_IS_MISSING), BUTTONS)
)


@pytest.mark.parametrize(
    ("fallen", "left"),
    [
        ((), [TWO[0].text]),
        ((3,), [TWO[0].text]),
        ((1,), [f"says bb. [2]\n\n_{PART_REMOVED}_\n\n_{REMARKS[Remark.PART_IS_MISSING]}_\n\nSources\n[2] title2x"]),
        ((2,), [f"says aa. [1]\n\n_{PART_REMOVED}_\n\n_{REMARKS[Remark.PART_IS_MISSING]}_\n\nSources\n[1] title1x"]),
        ((1, 2), [REMOVED]),
    ],
)
def test_what_rests_on_fallen_markers_is_gone(fallen: tuple[int, ...], left: list[str]) -> None:
    """Paragraph, marker and source; in its place a sentence, at the end one for the whole."""
    assert after(TWO, *fallen) == left


def test_the_post_still_says_which_question_it_answers() -> None:
    """Or another attempt would post the answer again; its buttons, which could share what fell, are gone."""
    for fallen in ({1}, {1, 2}):
        (change,) = redactions(TWO, frozenset(fallen))
        assert change.post
        message = Message("C1", "2.0", blocks=change.post.blocks)
        assert posted_to(QUESTION, (message,)).is_whole
        assert "actions" not in {block["type"] for block in change.post.blocks}
        assert PART_REMOVED not in words_of(message).text
        assert redactions((message,), frozenset(fallen)) == ()


def test_a_paragraph_falls_as_a_whole() -> None:
    """Its sentences lean on each other; sources that only it cited go with it."""
    answer = Answer((claim("aa", 1), claim("bb", 2, goes_on=True), claim("cc", 3)), tuple(map(citation, (1, 2, 3))))
    assert after(posted(render(answer)), 2) == [f"says cc. [3]\n\n_{PART_REMOVED}_\n\nSources\n[3] title3x"]


def test_a_claim_without_markers_falls_with_any() -> None:
    """Nobody knows what it rests on."""
    answer = Answer((claim("aa"), claim("bb", 1), claim("cc", 2)), (citation(1), citation(2)))
    assert after(posted(render(answer)), 1) == [f"says cc. [2]\n\n_{PART_REMOVED}_\n\nSources\n[2] title2x"]


def test_the_markers_of_a_long_claim_count_for_all_of_its_sections() -> None:
    """Those too that don't show them."""
    answer = Answer((Claim("aa " * 2000, UnitKind.SENTENCE, (1,)), claim("bb", 2)), (citation(1), citation(2)))
    messages = posted(render(answer))
    assert len(messages) > 1
    left = after(messages, 1)
    assert "aa" not in "".join(left)
    assert "says bb. [2]" in "".join(left)


def test_of_a_long_answer_that_falls_one_message_stays() -> None:
    """It says so once, and the others are deleted."""
    answer = Answer(tuple(claim(f"w{at}", 1) for at in range(120)), (citation(1),))
    messages = posted(render(answer, BUTTONS))
    assert len(messages) > 2
    assert after(messages, 1) == [REMOVED]


def test_a_shared_answer_keeps_who_shared_it() -> None:
    """As long as anything of it stands."""
    (message,) = posted(render(Answer((claim("aa", 1), claim("bb", 2)), (citation(1), citation(2)))))
    header = {"type": "context", "elements": [{"type": "mrkdwn", "text": "Shared by Ann"}]}
    shared = Message("C1", "2.0", blocks=tuple(signed([header, *message.blocks], "shared:abc:0")))
    (change,) = redactions((shared,), frozenset({1}))
    assert change.post
    assert change.post.text.startswith("Shared by Ann\n\nsays bb. [2]")
    (change,) = redactions((shared,), frozenset({1, 2}))
    assert change.post
    assert change.post.text == REMOVED


def test_words_of_which_nobody_knows_what_they_rest_on_fall_with_any() -> None:
    """They may have been posted before sections said what they rest on."""
    (change,) = redactions(posted(note("Some words.")), frozenset({1}))
    assert change.post
    assert change.post.text == REMOVED


markers = st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True)


@settings(max_examples=60)  # each renders an answer; the rules have few cases
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 600), markers), min_size=1, max_size=30),
    st.sets(st.integers(1, 5)),
)
def test_no_word_of_what_fell_is_left_and_every_other_stays(
    said: list[tuple[bool, int, list[int]]], fallen: set[int]
) -> None:
    """For any answer: the words of fallen paragraphs are nowhere, those of the others all there, limits kept."""
    claims = tuple(
        Claim(f"w{at}w " + "x " * length, UnitKind.SENTENCE, tuple(found), goes_on=goes_on)
        for at, (goes_on, length, found) in enumerate(said)
    )
    messages = posted(render(Answer(claims, tuple(citation(marker) for marker in range(1, 6)))))
    changed = {change.ts: change.post for change in redactions(messages, frozenset(fallen))}
    shown = [changed.get(m.ts, Post(m.text, m.blocks)) for m in messages]
    whole = json.dumps([(post.text, post.blocks) for post in shown if post])
    for at, (_, _, found) in enumerate(said):
        if set(found) & fallen:
            assert f"w{at}w" not in whole
    assert not any(f"a.example/{marker}" in whole or f"title{marker}x" in whole for marker in fallen)
    stands = [block for m in messages for block in m.blocks if not _marks(block) & fallen and _marks(block)]
    assert all(json.dumps(block["text"]) in whole for block in stands)
    assert all(len(post.text) <= TEXT_LIMIT and 0 < len(post.blocks) <= BLOCK_LIMIT for post in shown if post)


def _marks(block: object) -> set[int]:
    assert isinstance(block, dict)
    _, found, ids = str(block["block_id"]).partition("marks-")
    return {int(marker) for marker in ids.partition(":")[2].split(".")} if found else set()
