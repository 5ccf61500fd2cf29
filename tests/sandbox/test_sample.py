"""The sample workspace, its handbook and its questions hold what the demo and the evaluation rely on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from retrieval.chunking.outline import Section, outline
from retrieval.embedding.terms import TermExtractor
from retrieval.reading.pdf import read_pdf
from retrieval.types import Markup
from sandbox.seed import ALL, Seed, SeedChannel, SeedFile, SeedMessage, read_seed
from tests.sandbox.sample_questions import SAMPLE, SampleQuestion, read_questions

PAGES = sorted((SAMPLE / "handbook").rglob("*.md"))
OUTCOMES = {"answer", "refusal", "help"}
LEAST = {
    "fact": 12,
    "file": 3,
    "follow-up": 6,
    "identifier": 8,
    "paraphrase": 8,
    "private-member": 4,
    "private-outsider": 4,
    "unanswerable": 4,
    "offtopic": 3,
    "table": 3,
    "list": 2,
    "code": 2,
    "conflict": 3,
    "greeting": 2,
}
"""How many questions of each kind there are at the least."""


QUESTIONS = read_questions()
SEED = read_seed(SAMPLE / "workspace.yml")


def _channel(name: str) -> SeedChannel:
    return next(channel for channel in SEED.channels if channel.name == name)


def _kinds(seed: Seed) -> dict[str, str]:
    return {person.name: person.kind for person in seed.people}


def _members(channel: SeedChannel) -> set[str]:
    if channel.members == ALL:
        return {name for name, kind in _kinds(SEED).items() if kind == "member"}
    return set(channel.members)


def _messages(channel: str) -> Iterator[SeedMessage]:
    for root in SEED.messages[channel]:
        yield root
        yield from root.thread


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _body(page: Path) -> str:
    return page.read_text(encoding="utf-8").split("---\n", 2)[2]


def _sections(section: Section) -> Iterator[Section]:
    yield section
    for child in section.children:
        yield from _sections(child)


def _handbook() -> dict[str, str]:
    return {
        f"{page.relative_to(SAMPLE)}#{section.slug}": _one_line(section.text)
        for page in PAGES
        for section in _sections(outline(_body(page)))
        if section.slug
    }


def _talk(*kinds: str) -> dict[str, str]:
    return {
        f"#{channel.name}/{message.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}": _one_line(message.text)
        for channel in SEED.channels
        if channel.kind in kinds
        for message in _messages(channel.name)
        if message.at
    }


def _files() -> dict[str, str]:
    return {
        f"#{channel.name}/{message.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}/{file.name}": _one_line(_words_of(file))
        for channel in SEED.channels
        for message in _messages(channel.name)
        for file in message.files
        if message.at
    }


def _words_of(file: SeedFile) -> str:
    path = SAMPLE / file.path
    content = read_pdf(path).content if path.suffix == ".pdf" else Markup(path.read_text(encoding="utf-8"))
    return content.text if isinstance(content, Markup) else "\n".join(page.text for page in content.pages)


HANDBOOK = _handbook()
TEXTS = HANDBOOK | _talk("public", "private") | _files()
"""Every section, message and file by what a `gold` calls it, on one line."""


def _of_kind(kind: str) -> list[SampleQuestion]:
    return [question for question in QUESTIONS if question.kind == kind]


def _by_id(questions: list[SampleQuestion] | tuple[SampleQuestion, ...]) -> list[object]:
    return [pytest.param(question, id=question.id) for question in questions]


# --------------------------------------------------------------------------------------------------- the workspace


def test_the_workspace_is_as_large_as_promised() -> None:
    """Eleven channels, two of them private, people of every kind, and talk over nine months."""
    kinds = Counter(_kinds(SEED).values())
    times = sorted(message.at for channel in SEED.channels for message in _messages(channel.name) if message.at)
    assert Counter(channel.kind for channel in SEED.channels) == {"public": 9, "private": 2}
    assert (kinds["member"] >= 15, kinds["guest"], kinds["deactivated"], kinds["bot"]) == (True, 1, 1, 2)
    assert len(times) >= 280
    assert (times[0], times[-1]) >= (datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 11, 27, tzinfo=UTC))
    assert times[-1] < datetime(2026, 11, 28, tzinfo=UTC)


def test_the_talk_has_every_shape_that_slack_has() -> None:
    """Long threads, broadcasts, edits, reactions, code, lists, links, alerts and blocks are all there."""
    messages = [message for channel in SEED.channels for message in _messages(channel.name)]
    roots = [message for message in messages if message.thread]
    assert sum(len(root.thread) >= 12 for root in roots) >= 4
    assert sum(message.broadcast for message in messages) >= 2
    assert sum(message.edited is not None for message in messages) >= 4
    assert sum("white_check_mark" in message.reactions for message in messages) >= 20
    assert sum("```" in message.text for message in messages) >= 10
    assert sum("\n• " in message.text for message in messages) >= 4
    assert any("<https://" in message.text for message in messages)
    assert any("&amp;" in message.text for message in messages)
    assert sum(bool(message.attachments) for message in messages) >= 8
    assert any(message.blocks for message in messages)


def test_names_in_messages_are_people_and_channels_of_the_workspace() -> None:
    """Every mention, channel link and reaction names somebody or something that exists."""
    channels = {channel.name for channel in SEED.channels}
    for channel in SEED.channels:
        for message in _messages(channel.name):
            assert set(re.findall(r"<@([\w-]+)>", message.text)) <= _kinds(SEED).keys()
            assert set(re.findall(r"<#([\w-]+)>", message.text)) <= channels
            assert {name for names in message.reactions.values() for name in names} <= _members(channel)


@pytest.mark.parametrize("channel", SEED.channels, ids=lambda channel: channel.name)
def test_who_posts_in_a_channel_is_in_it_or_has_left(channel: SeedChannel) -> None:
    """Nobody speaks where they could not have spoken."""
    gone = {name for name, kind in _kinds(SEED).items() if kind == "deactivated"}
    assert {message.sender for message in _messages(channel.name)} <= _members(channel) | gone


@pytest.mark.parametrize("channel", SEED.channels, ids=lambda channel: channel.name)
def test_messages_stand_in_the_order_in_which_they_were_posted(channel: SeedChannel) -> None:
    """Roots follow each other, replies follow their root, and no two messages share a time."""
    roots = [root.at for root in SEED.messages[channel.name] if root.at]
    times = [message.at for message in _messages(channel.name) if message.at]
    assert roots == sorted(roots)
    assert all(thread == sorted(thread) for thread in map(_times_of_thread, SEED.messages[channel.name]))
    assert len(set(times)) == len(list(_messages(channel.name)))


def _times_of_thread(root: SeedMessage) -> list[datetime]:
    return [message.at for message in (root, *root.thread) if message.at]


def test_the_guest_is_in_two_channels() -> None:
    """The contractor sees two channels and nothing else."""
    guest = next(name for name, kind in _kinds(SEED).items() if kind == "guest")
    assert {channel.name for channel in SEED.channels if guest in _members(channel)} == {"project-heron", "releases"}


# ---------------------------------------------------------------------------------------------------- the handbook


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SAMPLE)))
def test_a_page_has_front_matter_headings_and_substance(page: Path) -> None:
    """Each page names its owner and date, has headings of two levels or more, and 400 to 1,200 words."""
    front = yaml.safe_load(page.read_text(encoding="utf-8").split("---\n", 2)[1])
    levels = {section.level for section in _sections(outline(_body(page)))}
    assert set(front) == {"title", "owner", "updated"}
    assert levels >= {0, 1, 2}
    assert 400 <= len(_body(page).split()) <= 1200


def test_the_handbook_has_more_than_twenty_pages_with_tables_and_code() -> None:
    """Enough pages, and enough of what is hard to cut and to quote."""
    bodies = [_body(page) for page in PAGES]
    assert len(bodies) >= 20
    assert sum("\n|--" in body for body in bodies) >= 15
    assert sum("```" in body for body in bodies) >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SAMPLE)))
def test_links_between_pages_open(page: Path) -> None:
    """Every relative link leads to a page, and to a heading where it names one."""
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", _body(page)):
        path, _, slug = target.partition("#")
        linked = (page.parent / path).resolve()
        assert linked in PAGES
        assert not slug or f"{linked.relative_to(SAMPLE)}#{slug}" in HANDBOOK


# --------------------------------------------------------------------------------------------------- the questions


def test_there_are_enough_questions_of_each_kind() -> None:
    """At least sixty, balanced, of which at least twelve are to be refused."""
    kinds = Counter(question.kind for question in QUESTIONS)
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS) >= 60
    assert kinds.keys() == LEAST.keys()
    assert {kind: kinds[kind] for kind in LEAST if kinds[kind] < LEAST[kind]} == {}
    assert sum(question.outcome == "refusal" for question in QUESTIONS) >= 12


@pytest.mark.parametrize("question", _by_id(QUESTIONS))
def test_a_question_is_asked_by_somebody_where_they_are(question: SampleQuestion) -> None:
    """Askers exist, and ask in a DM or in a channel that they are in; so do those who spoke before them."""
    present = set(_kinds(SEED)) if question.place == "dm" else _members(_channel(question.place))
    assert {question.asker, *(author for author, _ in question.thread)} <= present | {"footnote"}
    assert question.outcome in OUTCOMES
    assert bool(question.thread) == (question.kind == "follow-up")


@pytest.mark.parametrize("question", _by_id([question for question in QUESTIONS if question.outcome == "answer"]))
def test_what_an_answer_must_contain_stands_in_each_of_its_golds(question: SampleQuestion) -> None:
    """Every gold exists, and each holds every required string."""
    assert question.gold
    assert question.must_contain
    for gold in question.gold:
        assert [words for words in question.must_contain if words not in TEXTS[gold]] == []


def test_what_is_not_answered_has_no_gold() -> None:
    """Refusals and greetings rest on nothing."""
    unanswered = [question for question in QUESTIONS if question.outcome != "answer"]
    assert [question.id for question in unanswered if question.gold or question.must_contain] == []


@pytest.mark.parametrize("question", _by_id(_of_kind("paraphrase")))
def test_a_paraphrase_shares_no_word_with_the_sentence_that_answers_it(question: SampleQuestion) -> None:
    """By its letters alone, the answer could not be found: no stem in common, stop words aside."""
    terms = TermExtractor("english").terms
    for gold in question.gold:
        sentences = re.split(r"(?<=[.!?])\s+", TEXTS[gold])
        answering = [sentence for sentence in sentences if question.must_contain[0] in sentence]
        assert answering
        assert all(set(terms(question.text)).isdisjoint(terms(sentence)) for sentence in answering)


@pytest.mark.parametrize("question", _by_id(_of_kind("identifier")))
def test_an_identifier_that_is_asked_for_stands_in_few_places(question: SampleQuestion) -> None:
    """Each names an exact identifier of the answer's own text or of its neighbours, and of few others."""
    named = re.findall(r"--[a-z-]+|\w+(?:[-_.]\w+)+|(?:[A-Z][a-z]+){2,}|`[^`]+`", question.text)
    assert named
    for identifier in named:
        assert 1 <= sum(identifier in text for text in TEXTS.values()) <= 6


@pytest.mark.parametrize("question", _by_id(_of_kind("private-member")))
def test_a_private_fact_stands_in_its_private_channel_alone(question: SampleQuestion) -> None:
    """What a member is told occurs in no public channel, no other private one and no page."""
    home = question.gold[0].split("/")[0]
    elsewhere = [where for where in TEXTS if not where.startswith(f"{home}/")]
    assert _channel(home.removeprefix("#")).kind == "private"
    assert question.asker in _members(_channel(home.removeprefix("#")))
    assert question.place in ("dm", home.removeprefix("#"))
    assert [where for where in elsewhere if any(words in TEXTS[where] for words in question.must_contain)] == []


@pytest.mark.parametrize("question", _by_id(_of_kind("private-outsider")))
def test_who_is_refused_a_private_fact_could_not_open_it_there(question: SampleQuestion) -> None:
    """The asker isn't in the channel that holds it, or somebody else reads the reply; or a guest asks or reads."""
    homes = {
        member.gold[0].split("/")[0].removeprefix("#")
        for member in _of_kind("private-member")
        if member.text == question.text
    }
    readers = {question.asker} if question.place == "dm" else _members(_channel(question.place))
    has_guest = any(_kinds(SEED)[reader] == "guest" for reader in readers)
    assert homes or has_guest
    assert all(not readers <= _members(_channel(home)) for home in homes)
