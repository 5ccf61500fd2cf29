"""What a language model is told: nothing of channels from which it is kept, wherever their words have come to stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bot.answering.confiding import Withholding
from bot.answering.path import Parts, answer
from bot.answering.rewriting_by_model import ModelRewriter
from bot.answering.writing import Writer
from bot.types import Answer, Evidence, Question, Reply, Surface, Turn
from retrieval.types import Anchor, Hit, Passage, Place, Scope, SearchResult
from tests.bot.chat import ScriptedModel

YARD, BOARD, SHED = Place("yard"), Place("board"), Place("shed")
PLACES = (YARD, BOARD, SHED)
CANARIES = {YARD: "Zorvex", BOARD: "Quillan", SHED: "Brimtol"}
"""A word for each channel that nobody says anywhere else."""
SCOPE = Scope("T0TEST", frozenset({frozenset(PLACES)}))
ASKED = Question("T0TEST", "U0ANN", "yard", "9.0", "1.0", "how many lifts has it?", Surface.CHANNEL)
DRAFT = "The depot has three lifts [1]."


def passage(number: int, *places: Place) -> Passage:
    """A passage about lifts that names the channels in which it stands."""
    text = f"The depot {' '.join(CANARIES[place] for place in places)} has three lifts."
    anchors = (Anchor(0, f"https://h.example/{number}"),)
    return Passage(f"p{number}", f"s{number}", "o", "Depot", (), text, anchors, frozenset(places), 0)


def cited(*places: Place) -> Turn:
    """An answer of Footnote's own that cites something in these channels."""
    return Turn("", f"There is the depot {' '.join(CANARIES[place] for place in places)}.", True, frozenset(places))


@dataclass
class Case:
    """A question in a thread, and what is found for it; each text names the channels that it comes from."""

    question: Question
    turns: tuple[Turn, ...]
    passages: tuple[Passage, ...]
    withheld: frozenset[Place]
    writer: ScriptedModel = field(default_factory=lambda: ScriptedModel([DRAFT]))
    rewriter: ScriptedModel = field(default_factory=lambda: ScriptedModel(["How many lifts has the depot?"]))

    def scope_of(self, question: Question) -> Scope:
        return SCOPE

    def still_admits(self, question: Question, passages: tuple[Passage, ...]) -> bool:
        return True

    def search(self, query: str, scope: Scope) -> SearchResult:
        return SearchResult(tuple(Hit(found, 2.0, rank, 0.9, 9.0) for rank, found in enumerate(self.passages, 1)))

    @property
    def requests(self) -> list[str]:
        """Every byte that went to a model."""
        return [
            request.instructions + request.text for model in (self.writer, self.rewriter) for request in model.asked
        ]

    def answered(self) -> Reply:
        write = Writer(self.writer, _similarity, lambda text: len(text.split()), 8000)
        confiding = Withholding(
            lambda: self.withheld, lambda question: None if question.surface is Surface.DM else Place(question.channel)
        )
        parts = Parts(
            self, lambda _: self.turns, self.search, _similarity, write, ModelRewriter(self.rewriter), confiding
        )
        return answer(self.question, parts)


def _similarity(query: str, texts: Sequence[str]) -> list[float]:
    return [0.9 if "lift" in text and "lift" in query else 0.0 for text in texts]


ASKED_IN_YARD = replace(ASKED, text=f"how many lifts has {CANARIES[YARD]}?")
IN_DM = replace(ASKED, channel="dm", surface=Surface.DM)
BY_BO = Turn("Bo", "Where is the depot?")


@pytest.mark.parametrize(
    ("question", "turns", "found", "withheld", "told"),
    [
        (ASKED, (BY_BO,), [passage(1, YARD)], set(), (True, True)),
        (ASKED, (BY_BO,), [passage(1, YARD)], {BOARD}, (True, True)),
        (ASKED, (BY_BO, cited(SHED)), [passage(1, YARD)], {BOARD}, (True, True)),
        (ASKED, (BY_BO,), [passage(1, YARD), passage(2, BOARD)], {BOARD}, (True, False)),
        (ASKED, (BY_BO,), [passage(1, YARD, BOARD)], {BOARD}, (True, False)),
        (ASKED_IN_YARD, (BY_BO,), [passage(1, SHED)], {YARD}, (False, False)),
        (ASKED, (BY_BO, cited(SHED, BOARD)), [passage(1, YARD)], {BOARD}, (False, False)),
        (ASKED, (BY_BO, replace(cited(BOARD), cites=None)), [passage(1, YARD)], {BOARD}, (False, False)),
        (ASKED, (BY_BO, replace(cited(BOARD), cites=None)), [passage(1, YARD)], set(), (True, True)),
        (IN_DM, (BY_BO,), [passage(1, YARD)], {BOARD}, (True, True)),
        (IN_DM, (BY_BO, cited(BOARD)), [passage(1, YARD)], {BOARD}, (False, False)),
        (IN_DM, (BY_BO,), [passage(1, BOARD)], {BOARD}, (True, False)),
    ],
)
def test_a_model_rewrites_and_writes_what_it_may_be_told(
    question: Question, turns: tuple[Turn, ...], found: list[Passage], withheld: set[Place], told: tuple[bool, bool]
) -> None:
    """Whether a model is asked to rewrite and to write; where it isn't, the same evidence is quoted."""
    case = Case(question, turns, tuple(found), frozenset(withheld))

    reply = case.answered()

    assert (bool(case.rewriter.asked), bool(case.writer.asked)) == told
    assert isinstance(reply.outcome, Answer)
    assert reply.evidence is not None
    assert [hit.passage for hit in reply.evidence.hits] == found


def test_what_is_withheld_while_a_question_is_answered_is_not_shown() -> None:
    """The channels are asked for anew before the evidence goes out."""
    said = iter([frozenset(), frozenset({BOARD})])
    confiding = Withholding(lambda: next(said))

    assert confiding.may_tell(ASKED, ())
    assert not confiding.may_show(Evidence((Hit(passage(1, BOARD), 2.0, 1, 0.9, 9.0),), 0.9, True))


_some_places = st.sets(st.sampled_from(PLACES), min_size=1).map(lambda places: tuple(sorted(places)))
_ours = st.builds(
    lambda places, is_known: cited(*places) if is_known else replace(cited(*places), cites=None),
    _some_places,
    st.booleans(),
)
_turns = st.lists(_ours | st.just(BY_BO), max_size=4).map(tuple)
_found = st.lists(_some_places, min_size=1, max_size=4).map(
    lambda several: tuple(passage(number, *places) for number, places in enumerate(several))
)


@settings(max_examples=300, deadline=None)  # each builds a whole path; a busy machine would flag the slowest
@given(st.sampled_from([*PLACES, None]), _turns, _found, st.frozensets(st.sampled_from(PLACES)))
def test_no_word_of_a_withheld_channel_reaches_a_model(
    asked_in: Place | None, turns: tuple[Turn, ...], found: tuple[Passage, ...], withheld: frozenset[Place]
) -> None:
    """Whatever is asked where, after what, and found in which channels: no canary of a withheld one is in a request."""
    question = IN_DM
    if asked_in:
        question = replace(ASKED, channel=asked_in, text=f"how many lifts has {CANARIES[asked_in]}?")
    case = Case(question, turns, found, withheld)

    reply = case.answered()

    event(f"the model was asked {bool(case.requests)}, something was withheld {bool(withheld)}")
    assert not [word for place in withheld for word in [CANARIES[place]] if word in "".join(case.requests)]
    assert isinstance(reply.outcome, Answer)
    assert withheld or len(case.writer.asked) == 1
