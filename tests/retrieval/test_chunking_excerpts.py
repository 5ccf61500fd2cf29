"""A passage is embedded as a whole and by its excerpts, each of which says where it stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.chunking import Budget, cut, text_to_embed, texts_to_embed
from retrieval.embedding.dense import FastEmbedder
from retrieval.types import WORKSPACE, Markup, Passage, Source, Talk, Utterance
from tests.retrieval.test_chunking_properties import DOCUMENT, FEW, count

BUDGET = Budget(target=120, limit=150, least=100, excerpt=24)

PAGE = """
Our offices are open on weekdays.

## Keys

The porter has them from seven in the morning until nine in the evening, and lends them for a day.

### Lost keys

Tell the porter at once.

## Animals

Rabbits may come on Mondays. Everybody else's animals stay at home, however small and quiet they are. Ask before
you bring one, because some of us can't be near them at all.
"""


def passages_of(content: Markup | Talk, budget: Budget = BUDGET) -> tuple[Passage, ...]:
    """How a source of that content is cut."""
    source = Source("page", "folder", "Offices", "https://example.org/page", frozenset({WORKSPACE}), content)
    return cut(source, "T1", count, budget)


def test_each_section_is_an_excerpt_under_its_headings() -> None:
    """Short sections that share a passage are told apart, a long one is split, and nothing of them is lost."""
    (passage,) = passages_of(Markup(PAGE))
    assert texts_to_embed(passage, BUDGET, count) == (
        text_to_embed(passage),
        "Offices\nOur offices are open on weekdays.",
        "Offices\nKeys\nThe porter has them from seven in the morning until nine in the evening, and lends them for a "
        "day.",
        "Offices\nKeys > Lost keys\nTell the porter at once.",
        "Offices\nAnimals\nRabbits may come on Mondays. Everybody else's animals stay at home, however small and quiet "
        "they are.",
        "Offices\nAnimals\nAsk before\nyou bring one, because some of us can't be near them at all.",
    )


def test_excerpts_and_headings_can_be_switched_off() -> None:
    """To see what they are worth; the passages stay what they are."""
    (passage,) = passages_of(Markup(PAGE))
    whole = text_to_embed(passage)
    assert texts_to_embed(passage, replace(BUDGET, excerpt=0), count) == (whole,)
    first, second, *_ = texts_to_embed(passage, replace(BUDGET, headings=False), count)
    assert (first, second) == (whole.removeprefix("Offices\n"), "Our offices are open on weekdays.")


def test_each_message_is_an_excerpt() -> None:
    """What one person said is compared apart from what the others said, with who said it."""
    said = [("Ann", "Is there soup?"), ("Bo", "Yes.\n\nLentils, at noon."), ("Ann", "Thanks!")]
    talk = Talk(tuple(Utterance(name, text, "https://example.org/m", 1_772_400_000.0) for name, text in said))
    (passage,) = passages_of(talk)
    _, *excerpts = texts_to_embed(passage, BUDGET, count)
    assert [" ".join(text.split()) for text in excerpts] == [
        "Ann (1 Mar 2026): Is there soup?",
        "Bo (1 Mar 2026): Yes. Lentils, at noon.",
        "Ann (1 Mar 2026): Thanks!",
    ]


@pytest.mark.parametrize("text", ["Keys hang in the hall.", "## Keys\n\nThey hang in the hall.", "## Keys"])
def test_what_is_one_piece_is_embedded_once(text: str) -> None:
    """A passage that has no more than one excerpt has the vector of the whole alone."""
    (passage,) = passages_of(Markup(text))
    assert texts_to_embed(passage, BUDGET, count) == (text_to_embed(passage),)


@FEW
@given(DOCUMENT, st.sampled_from([Budget(40, 60, 12, 16), Budget(30, 30, 5, 30)]))
def test_no_excerpt_is_longer_than_the_model_reads(text: str, budget: Budget) -> None:
    """Whatever a page looks like: the whole comes first, and an excerpt that its headings make too long is left out."""
    for passage in passages_of(Markup(text), budget):
        whole, *excerpts = texts_to_embed(passage, budget, count)
        assert whole == text_to_embed(passage)
        assert [text for text in excerpts if count(text) > budget.limit] == []


def test_a_paraphrase_of_one_short_section_finds_it(packaged_embedder: FastEmbedder) -> None:
    """What drowns in the passage's vector is near by its own: the question shares no word with the section."""
    budget = Budget().within(packaged_embedder.max_tokens)
    source = Source("page", "folder", "Offices", "https://example.org", frozenset({WORKSPACE}), Markup(PAGE))
    (passage,) = cut(source, "T1", packaged_embedder.count_tokens, budget)
    vectors = packaged_embedder.embed_passages(texts_to_embed(passage, budget, packaged_embedder.count_tokens))
    nearness = vectors @ packaged_embedder.embed_query("Could my dog come along?")
    assert int(np.argmax(nearness)) == len(nearness) - 1
    assert nearness.max() > nearness[0]
