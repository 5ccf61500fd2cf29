"""Outcomes as Slack messages: every claim with its markers, every marker with its link, and Slack's limits kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.messages import Message
from bot.slack.replies import BLOCK_LIMIT, SECTION_LIMIT, TEXT_LIMIT, Button, Post, note, render, words_of
from bot.texts import FAILURE, HELP, NOT_FOR_GUESTS, PART_IS_MISSING, REFUSAL
from bot.types import Answer, Citation, Claim, Clarification, Help, Outcome, Refusal, Remark
from retrieval.types import UnitKind

TALK = Citation(
    1, "p1", "#time-off", "https://acme.slack.com/archives/C1/p1?thread_ts=1.2&cid=C1", "q", "Ann", 1772442840.0
)
PAGE = Citation(2, "p2", "Handbook › Time off", "https://handbook.example/time-off#carry-over", "q", "", 1772442840.0)
FILE = Citation(3, "p3", "Notes", "file:///notes.md", "q", "", None)

FILE_1, FILE_2 = replace(FILE, marker=1), replace(FILE, marker=2)


def shown(post: Post) -> list[str]:
    """The texts of a post's sections."""
    texts = []
    for block in post.blocks:
        if block["type"] == "actions":
            continue
        text = block["text"]
        assert isinstance(text, Mapping)
        assert (block["type"], text["type"], text["verbatim"]) == ("section", "mrkdwn", True)
        texts.append(str(text["text"]))
    return texts


def test_an_answer_shows_its_claims_their_markers_and_its_sources() -> None:
    """Each claim ends in its markers, each marker opens its citation, and the sources name who said it and when."""
    claims = (
        Claim("You can carry over **five** days.", UnitKind.SENTENCE, (1, 2)),
        Claim("```\nhr carry-over --days 5\n```", UnitKind.CODE, (3,)),
    )
    (post,) = render(Answer(claims, (TALK, PAGE, FILE)))
    talk, page = TALK.url.replace("&", "&amp;"), PAGE.url
    assert shown(post) == [
        f"You can carry over *five* days. <{talk}|[1]> <{page}|[2]>",
        "```\nhr carry-over --days 5\n```\n[3]",
        f"*Sources*\n[1] <{talk}|#time-off> — Ann, 2 Mar 2026\n[2] <{page}|Handbook › Time off>\n[3] Notes",
    ]


def test_a_written_answer_reads_as_paragraphs_and_lists() -> None:
    """Sentences of one paragraph stand in one section, items on lines of their own, and a remark below in italics."""
    claims = (
        Claim("You carry over five days.", UnitKind.SENTENCE, (1,)),
        Claim("Ask first:", UnitKind.SENTENCE, (2,), goes_on=True),
        Claim("your lead", UnitKind.SENTENCE, (2,), lead="- "),
        Claim("the office", UnitKind.SENTENCE, (2,), lead="  - "),
        Claim("They expire in March.", UnitKind.SENTENCE, (1,)),
    )
    (post,) = render(Answer(claims, (FILE_1, FILE_2), Remark.PART_IS_MISSING))
    assert shown(post) == [
        "You carry over five days. [1] Ask first: [2]\n• your lead [2]\n  • the office [2]",
        "They expire in March. [1]",
        f"_{PART_IS_MISSING}_",
        "*Sources*\n[1] Notes\n[2] Notes",
    ]


def test_the_text_that_is_read_out_is_the_whole_answer() -> None:
    """Screen readers read a post's text and not its blocks: it holds every claim and every source, and no addresses."""
    (post,) = render(Answer((Claim("Five days.", UnitKind.SENTENCE, (1,)),), (TALK,)))
    assert post.text == "Five days. [1]\n\nSources\n[1] #time-off — Ann, 2 Mar 2026"


def test_a_refusal_is_one_sentence_and_nothing_else() -> None:
    """A refusal has always the same text and the same blocks, and cites nothing."""
    (post,) = render(Refusal())
    assert (post.text, shown(post)) == (REFUSAL, [REFUSAL])


BUTTONS = (Button("look", "0a1b", "Look in what only I can see"), Button("share", "2c3d", "x" * 100))


@pytest.mark.parametrize("outcome", [Refusal(), Help(), Answer((Claim("Five.", UnitKind.SENTENCE, (1,)),), (TALK,))])
def test_buttons_stand_below_the_words_and_change_none_of_them(outcome: Outcome) -> None:
    """Whatever is said, it is said in the same way with buttons and without, and complete without them."""
    (bare,) = render(outcome)
    (post,) = render(outcome, BUTTONS)
    *words, actions = post.blocks
    assert (post.text, tuple(words)) == (bare.text, bare.blocks)
    look, share = ({"type": "plain_text", "text": text} for text in ("Look in what only I can see", "x" * 75))
    assert actions == {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": "look", "value": "0a1b", "text": look},
            {"type": "button", "action_id": "share", "value": "2c3d", "text": share},
        ],
    }
    assert words_of(Message("C1", "1.0", blocks=post.blocks)) == words_of(Message("C1", "1.0", blocks=bare.blocks))


def test_only_the_last_of_several_messages_has_buttons() -> None:
    """As many short paragraphs as fill several messages: the buttons follow the last, within its number of blocks."""
    answer = Answer(tuple(Claim(f"w{at}", UnitKind.SENTENCE, ()) for at in range(120)), ())
    posts = render(answer, BUTTONS)
    assert [sum(block["type"] == "actions" for block in post.blocks) for post in posts] == [0] * (len(posts) - 1) + [1]
    assert [post.text for post in posts] == [post.text for post in render(answer)]
    assert max(len(post.blocks) for post in posts) <= BLOCK_LIMIT


@pytest.mark.parametrize("text", [HELP, NOT_FOR_GUESTS, FAILURE.format(incident="0a1b2c3d")])
def test_fixed_texts_come_as_they_are(text: str) -> None:
    """What the page of texts says is what people see."""
    (post,) = note(text)
    assert (post.text, shown(post)) == (text, [text])
    if text == HELP:
        assert render(Help()) == (post,)


def test_a_clarification_offers_its_choices() -> None:
    """A question back comes with its choices, whatever they are made of."""
    (post,) = render(Clarification("Which _plan_?", ("Basic <!channel>", "Pro & more")))
    assert shown(post) == ["Which _plan_?", "• Basic &lt;!channel&gt;", "• Pro &amp; more"]


def test_titles_and_names_call_nobody() -> None:
    """What a source is called, and by whom, is shown letter by letter."""
    cited = Citation(1, "p", "<!channel> *x*\n" + "y" * 400, "https://a.example/", "q", "<@U1>", None)
    (post,) = render(Answer((Claim("Words.", UnitKind.SENTENCE, (1,)),), (cited,)))
    sources = shown(post)[-1]
    assert "|&lt;!channel&gt; *x* yyy" in sources
    assert sources.endswith("…> — &lt;@U1&gt;")


def test_a_long_answer_goes_on_in_another_message() -> None:
    """An answer that is too long for one message is posted in several, in order, and nothing is left out."""
    claims = tuple(Claim(f"w{at} " * 600, UnitKind.SENTENCE, (1,)) for at in range(6))
    posts = render(Answer(claims, (TALK,)))
    assert len(posts) > 1
    together = "\n".join(post.text for post in posts)
    assert re.findall(r"w\d", together) == [f"w{at}" for at in range(6) for _ in range(600)]
    assert together.endswith("[1] #time-off — Ann, 2 Mar 2026")


words = st.text(alphabet="ab &<>*_`|-#[]()\n1.é", max_size=5000)


@settings(max_examples=40)  # each makes long texts; the limits are kept by construction, and this watches over that
@given(st.lists(st.tuples(words, st.sampled_from(UnitKind)), max_size=8), words, st.integers(0, 3000))
def test_limits_are_kept_whatever_is_said(said: list[tuple[str, UnitKind]], title: str, length: int) -> None:
    """No claim, title or address makes a message that Slack refuses."""
    cited = Citation(1, "p", title, "https://a.example/" + "ü" * length, "q", title, 0.0)
    claims = tuple(Claim(text, kind, (1,) * 7) for text, kind in said)
    for post in render(Answer(claims, (cited,)), BUTTONS):
        assert 0 < len(post.text) <= TEXT_LIMIT
        assert 0 < len(post.blocks) <= BLOCK_LIMIT
        assert all(0 < len(text) <= SECTION_LIMIT for text in shown(post))


def test_an_own_post_is_read_back_as_its_claims() -> None:
    """What Footnote said earlier is read without the markers and the list of sources."""
    (post,) = render(Answer((Claim("Five **days**.", UnitKind.SENTENCE, (1, 3)),), (TALK, FILE)))
    assert words_of(Message("C1", "1.0", text="anything", blocks=post.blocks)).text == "Five *days*."
