"""Unthreaded talk is sorted into what people said to each other."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.chunking import stretches
from retrieval.types import Utterance

DAY_S = 86_400
NOON = 20_000 * DAY_S + 12 * 3_600


def said(author: str, text: str, minute: float = 0) -> Utterance:
    """A message, so many minutes after noon."""
    return Utterance(author, text, f"https://example.org/{author}/{minute}", NOON + minute * 60)


def texts(*messages: Utterance) -> list[list[str]]:
    """What stands in each stretch."""
    return [[messages[at].text for at in stretch] for stretch in stretches(messages)]


@pytest.mark.parametrize(
    ("after", "is_joined"),
    [
        (said("Bo", "Lunch is ready.", 9), True),
        (said("Bo", "Behind the kiln.", 40), True),
        (said("Bo", "Behind the kiln.", 115), True),
        (said("Bo", "Behind the kiln.", 125), False),
        (said("Ann", "The long one, I mean.", 40), True),
        (said("Ann", "The long one, I mean.", 65), False),
        (said("Ann", "Who has my gloves?", 40), False),
    ],
    ids=[
        "no pause",
        "first answer",
        "late first answer",
        "too late",
        "asker says more",
        "asker says more too late",
        "asker asks anew",
    ],
)
def test_a_question_waits_for_its_answer(after: Utterance, is_joined: bool) -> None:
    """After a pause what goes on with talk joins it, and what begins another matter doesn't."""
    assert (len(stretches([said("Ann", "Where is the ladder?"), after])) == 1) == is_joined


@pytest.mark.parametrize(
    ("after", "is_joined"),
    [
        (said("Cy", "The van is back.", 30), False),
        (said("Cy", "@Ann Kim it is wet there.", 30), True),
        (said("Cy", "Ann, it is wet there.", 30), True),
        (said("Cy", "@Ann Kim it is wet there.", 70), False),
        (said("Cy", "Anna is ill.", 30), False),
    ],
    ids=["a stranger", "mentions one of them", "turns to one of them", "too late", "a longer name"],
)
def test_a_name_takes_talk_up_again(after: Utterance, is_joined: bool) -> None:
    """Whoever comes late to what others settled joins it by calling one of them."""
    talk = [said("Ann Kim", "Where is the ladder?"), said("Bo", "Behind the kiln.", 1), after]
    assert (len(stretches(talk)) == 1) == is_joined


def test_a_statement_waits_less_long_for_a_reply_than_a_question() -> None:
    """What nobody asked is answered within the hour or not at all."""
    told = said("Ann", "The kiln is hot.")
    assert texts(told, said("Bo", "So I see.", 50)) == [["The kiln is hot.", "So I see."]]
    assert texts(told, said("Bo", "So I see.", 70)) == [["The kiln is hot."], ["So I see."]]


def test_alerts_that_nobody_replies_to_stay_apart() -> None:
    """What somebody says without asking is done when they pause: hourly reports are no conversation."""
    assert texts(*(said("Beacon", f"Report {hour}.", hour * 50) for hour in range(3))) == [
        ["Report 0."],
        ["Report 1."],
        ["Report 2."],
    ]


def test_midnight_in_utc_ends_talk() -> None:
    """A day can be read again by itself, whatever was said around midnight."""
    assert texts(said("Ann", "Who is last?", 719), said("Bo", "I am.", 721)) == [["Who is last?"], ["I am."]]


def crowd() -> list[Utterance]:
    """Sixteen people without a pause, of whom two pairs talk across each other."""
    greetings = [said(f"guest{number}", f"Good morning from table {number}.", number / 10) for number in range(12)]
    return [
        *greetings,
        said("ann", "How do I reset the kiln after a power cut?", 6),
        said("dee", "Which van goes to the harbour today?", 6.2),
        said("bo", "ann: hold the red button of the kiln for a minute", 6.8),
        said("cy", "dee: the blue van, it leaves at noon", 7),
        said("ann", "bo: that worked, thanks", 7.5),
        said("dee", "cy: is there room for two crates?", 7.7),
    ]


def test_conversations_of_a_crowd_are_told_apart() -> None:
    """Where many people speak at once, each answer stands with its question and not with another's."""
    found = texts(*crowd())
    assert [
        "How do I reset the kiln after a power cut?",
        "ann: hold the red button of the kiln for a minute",
        "bo: that worked, thanks",
    ] in found
    assert [
        "Which van goes to the harbour today?",
        "dee: the blue van, it leaves at noon",
        "cy: is there room for two crates?",
    ] in found


def test_two_matters_of_few_people_stay_together() -> None:
    """Of few people, when they speak tells more than what they say."""
    assert len(stretches(crowd()[12:])) == 1


AUTHORS = [f"p{number}" for number in range(20)]
MESSAGES = st.lists(
    st.tuples(
        st.sampled_from(AUTHORS),
        st.sampled_from(["yes", "where is the van?", "p3: in the hall", "@p7 the kiln is hot", "", "p1, p2: no"]),
        st.sampled_from([0, 1, 30, 300, 700, 4_000, 50_000]),
    ),
    max_size=60,
).map(
    lambda drawn: [
        Utterance(author, text, str(at), NOON + second)
        for at, ((author, text, _), second) in enumerate(
            zip(drawn, accumulate(pause for *_, pause in drawn), strict=True)
        )
    ]
)


@given(MESSAGES)
def test_each_message_stands_in_one_stretch_of_its_day(messages: list[Utterance]) -> None:
    """Nothing is lost or doubled, order is kept, and no stretch crosses midnight in UTC."""
    found = stretches(messages)
    assert sorted(at for stretch in found for at in stretch) == list(range(len(messages)))
    assert all(before < after for stretch in found for before, after in pairwise(stretch))
    assert [stretch[0] for stretch in found] == sorted(stretch[0] for stretch in found)
    days = [{messages[at].written_at // DAY_S for at in stretch} for stretch in found]
    assert all(len(of_one) == 1 for of_one in days)


@given(MESSAGES)
def test_days_can_be_sorted_one_by_one(messages: list[Utterance]) -> None:
    """A day by itself has the stretches that it has among others."""
    alone = []
    for day in sorted({int(one.written_at // DAY_S) for one in messages}):
        of_day = [one for one in messages if one.written_at // DAY_S == day]
        alone += [[of_day[at].url for at in stretch] for stretch in stretches(of_day)]
    assert alone == [[messages[at].url for at in stretch] for stretch in stretches(messages)]


@given(MESSAGES.filter(bool))
def test_a_new_message_leaves_talk_before_the_last_pause_alone(messages: list[Utterance]) -> None:
    """When somebody says something, only the talk that it follows on can be sorted anew."""
    before, after = stretches(messages[:-1]), stretches(messages)
    last = max((at for at in range(1, len(messages)) if _rests(messages, at)), default=0)
    settled = [stretch for stretch in before if stretch[-1] < last]
    assert [stretch for stretch in after if stretch[-1] < last] == settled


def _rests(messages: list[Utterance], at: int) -> bool:
    """Whether nothing can join what is before this message and what is after."""
    return messages[at].written_at - messages[at - 1].written_at > 7_200
