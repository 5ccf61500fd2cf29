"""Evidence is few passages, judged by what they say and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.answering.evidence import MOST_PASSAGES, judge
from bot.answering.meaning import Similarity
from bot.answering.words import content_stems
from bot.types import Evidence, Query
from retrieval.types import WORKSPACE, Anchor, Hit, Passage, SearchResult


def hit(text: str, dense: float, rank: int = 1, score: float = 1.0, author: str = "") -> Hit:
    """A passage in a ranking, of talk where it has an author."""
    passage = Passage(
        id=f"p{rank}",
        source_id=f"s{rank}",
        origin="docs",
        title="Harbour",
        heading_path=(),
        text=text,
        anchors=(Anchor(0, f"https://h.example/{rank}", author),),
        places=frozenset({WORKSPACE}),
        position=0,
    )
    return Hit(passage, score, rank, dense, 5.0)


def shared_words(query: str, texts: Sequence[str]) -> list[float]:
    """Stands in for meaning: the share of the query's words that a text has."""
    wanted = set(content_stems(query))
    return [len(wanted & set(content_stems(text))) / len(wanted) for text in texts]


def _as_near_as(nearness: float) -> Similarity:
    """Stands in for a model that finds every text as near as that."""
    return lambda _, texts: [nearness] * len(texts)


def judged(question: str, *hits: Hit) -> Evidence:
    """What the hits are worth."""
    return judge(Query(question, question), SearchResult(tuple(hits)), shared_words)


def test_nothing_found_is_no_evidence() -> None:
    """An empty search gives no confidence at all."""
    assert judged("How deep is the harbour?") == Evidence((), 0.0, is_enough=False)


def test_nearer_passages_with_the_words_asked_for_give_more_confidence() -> None:
    """Meaning and words both count; what is far and shares none is not enough."""
    good = judged("How deep is the basin?", hit("The basin is nine metres deep.", 0.8))
    far = judged("How deep is the basin?", hit("The basin is nine metres deep.", 0.3))
    poor = judged("How deep is the basin?", hit("Lunch is served at noon.", 0.1))

    assert good.confidence > far.confidence > poor.confidence
    assert (good.is_enough, poor.is_enough) == (True, False)


def test_a_name_that_no_passage_holds_is_not_answered() -> None:
    """A look-alike error code is no evidence, however near the words are."""
    text = "`ERR_DOCK_17` means that the gate is shut. Open the gate by hand."

    assert judged("What does ERR_DOCK_17 mean?", hit(text, 0.7)).is_enough
    assert not judged("What does ERR_DOCK_71 mean?", hit(text, 0.7)).is_enough
    assert not judged("What does ERR_DOCK_1 mean?", hit(text, 0.7)).is_enough


def test_a_paraphrase_is_judged_by_nearness_alone() -> None:
    """Words that nobody shares are not held against an answer that is near; one that is far stays refused."""

    def is_enough(nearness: float) -> bool:
        query = Query("Can I keep my kitten?", "Can I keep my kitten?")
        return judge(query, SearchResult((hit("Cats may stay aboard.", nearness),)), _as_near_as(nearness)).is_enough

    assert (is_enough(0.5), is_enough(0.3)) == (True, False)


def test_repeated_words_are_kept_once() -> None:
    """Overlapping windows and copies take one place, that of the strongest."""
    text = "The basin is nine metres deep at low water."
    evidence = judged(
        "How deep is the basin?", hit(text, 0.8), hit(text + " Mind it.", 0.79, 2), hit("Pilots call it deep.", 0.78, 3)
    )

    assert [kept.rank for kept in evidence.hits] == [1, 3]


def test_evidence_stops_at_relevance_and_not_at_a_number() -> None:
    """What is far worse than the best is left out; of equals there are at most eight."""
    fruit = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel", "iris", "juniper", "lemon"]
    alike = [
        hit(f"The basin is deep, says {name} {name[::-1]} {name * 2} {name * 3}.", 0.7, at)
        for at, name in enumerate(fruit, 1)
    ]

    assert len(judged("How deep is the basin?", *alike).hits) == MOST_PASSAGES
    assert len(judged("How deep is the basin?", alike[0], hit("Lunch is at noon.", 0.05, 2)).hits) == 1


def test_a_question_that_was_put_before_is_no_answer() -> None:
    """The nearest passage can be the same question, asked by somebody else and never answered."""
    asked = hit("Ann\xa0(2\xa0Mar\xa02026):\xa0How deep is the basin? Two people want to know.", 0.99, author="Ann")

    assert not judged("How deep is the basin?", asked).is_enough


def test_a_question_that_was_put_before_does_not_push_the_answer_out() -> None:
    """However near an old question is, what answers it stays evidence."""
    asked = hit("Ann\xa0(2\xa0Mar\xa02026):\xa0How deep is the basin?", 0.99, author="Ann")
    evidence = judged("How deep is the basin?", asked, hit("The basin is nine metres deep.", 0.6, 2))

    assert ([kept.rank for kept in evidence.hits], evidence.is_enough) == ([2], True)


def test_scores_of_later_passages_do_not_lift_a_bad_one() -> None:
    """Many mediocre passages are no better than one."""
    bad = hit("Lunch is served at noon.", 0.2)
    many = [replace(bad, passage=replace(bad.passage, id=f"q{at}"), rank=at) for at in range(2, 12)]

    assert not judged("How deep is the basin?", bad, *many).is_enough


def test_a_rerankers_scores_are_never_taken_for_calibrated_ones() -> None:
    """Its order is kept in the evidence; how sure we are rests on what was measured without it."""
    hits = [
        hit("The basin is nine metres deep.", 0.8, 1, 4.0),
        hit("The basin was dug in 1911, and its walls are of granite.", 0.6, 2, 3.0),
        hit("How deep a basin is depends on the tide and on who measures.", 0.7, 3, 2.0),
    ]
    plain = judged("How deep is the basin?", *hits)
    for scale in (-1e6, 1e6):
        other_order = [replace(one, rank=rank, reranked=scale / rank) for rank, one in enumerate(hits[::-1], start=1)]
        reranked = judged("How deep is the basin?", *other_order)
        assert (reranked.confidence, reranked.is_enough) == (plain.confidence, plain.is_enough)
        assert [one.passage.id for one in reranked.hits] == [one.passage.id for one in plain.hits][::-1]
