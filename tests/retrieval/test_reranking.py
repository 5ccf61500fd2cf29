"""A reranker reads query and passage together; its order is a stage that can be switched off and measured."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.chunking import text_to_embed
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.errors import RerankerError
from retrieval.evaluation.beir import read
from retrieval.evaluation.report import RetrievalReport
from retrieval.evaluation.runs import evaluate_retrieval
from retrieval.reranking import CrossEncoder
from retrieval.search import Searcher, Stages
from retrieval.stores.edge import EdgeStore
from tests.conftest import WordHashEmbedder
from tests.passages import EVERYBODY, embedded, passage
from tests.retrieval.test_evaluation_beir import write
from tests.retrieval.tiny_reranker import KNOWN, write_reranker

DENSE = WordHashEmbedder()
SPARSE = Bm25Embedder()
WORDS = ["pump", "valve", "leak", "night", "harbour", "portal", "leave", "rum"]
PUMPS = [
    passage(text, source=str(number))
    for number, text in enumerate(["pump pump pump", "pump and valve", "valve", "the portal leaks at night"])
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that counts shared words, of 16 tokens: three are special."""
    return write_reranker(tmp_path_factory.mktemp("reranker"), WORDS, reads=16)


@pytest.fixture(scope="module")
def reranker(files: Path) -> CrossEncoder:
    """The same, loaded by fastembed's own class, with no network."""
    return CrossEncoder(files, KNOWN, files)


def test_a_passage_is_scored_by_what_it_says_to_the_query(reranker: CrossEncoder) -> None:
    """In the order given; nothing in, nothing out."""
    assert reranker.score("pump valve", ["leak", "the pump", "", "pump, valve"]) == [0, 1, 0, 2]
    assert reranker.score("pump", []) == []


def test_a_score_owes_nothing_to_what_else_is_scored(reranker: CrossEncoder) -> None:
    """Alone, among others, and by several threads at once: the same number."""
    texts = ["pump", "valve valve leak", "night " * 9, "rum"]
    alone = [reranker.score("pump leak", [text])[0] for text in texts]
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: reranker.score("pump leak", texts), range(12)))
    assert runs == [alone] * 12


def test_a_long_passage_counts_by_its_best_piece(reranker: CrossEncoder) -> None:
    """What stands beyond the model's limit is read too."""
    assert reranker.max_tokens == 13
    assert reranker.score("pump valve", ["night " * 100 + "pump valve", "night " * 100]) == [2, 0]


def test_the_beginning_and_the_end_of_a_long_query_are_read(reranker: CrossEncoder) -> None:
    """A pasted log stands between what was asked; and room is left for the passage."""
    assert reranker.score("pump " + "rum " * 100 + "valve", ["pump", "valve", "night"]) == [1, 1, 0]


@given(st.text(max_size=80).map(lambda text: text * 4), st.integers(1, 12))
def test_pieces_fit_and_lose_nothing(reranker: CrossEncoder, text: str, room: int) -> None:
    """Whatever a passage holds, each piece can be read whole, and together they are the passage."""
    pieces = reranker._pieces(text, room)
    assert "".join(pieces) == text
    assert all(len(reranker._offsets(piece)) <= room for piece in pieces)


def test_an_unknown_reranker_is_one_clear_error(tmp_path: Path) -> None:
    """The error says what there is."""
    with pytest.raises(RerankerError, match=rf"no reranker no/such: RERANKER_MODEL can be one of BAAI/.*{KNOWN}"):
        CrossEncoder(tmp_path, "no/such")


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_without_a_file_is_one_clear_error(tmp_path: Path, missing: str) -> None:
    """With a path of its own nothing is downloaded, and the error says which settings to look at."""
    (write_reranker(tmp_path, WORDS) / missing).unlink()
    with pytest.raises(RerankerError, match=r"can't be loaded .*RERANKER_MODEL_PATH, or unset RERANKER_MODEL"):
        CrossEncoder(tmp_path, KNOWN, tmp_path)


def test_a_damaged_model_is_one_clear_error(tmp_path: Path) -> None:
    """Whatever onnxruntime says of it stands inside one sentence."""
    (write_reranker(tmp_path, WORDS) / "onnx" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(RerankerError, match="can't be loaded"):
        CrossEncoder(tmp_path, KNOWN, tmp_path)


def test_no_number_is_an_error_and_no_order(tmp_path: Path) -> None:
    """A score that can't be compared would put passages into any order."""
    broken = CrossEncoder(tmp_path, KNOWN, write_reranker(tmp_path, WORDS, worth=math.nan))
    with pytest.raises(RerankerError, match="gave no number"):
        broken.score("pump", ["pump"])


class ShortestFirst:
    """Prefers few words, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Minus the number of words."""
        self.asked.append((query, list(passages)))
        return [-float(len(text.split())) for text in passages]


def test_the_rerankers_order_is_the_hits_and_the_fused_one_stays_visible(store: EdgeStore) -> None:
    """Scores of legs and fusion stay what they were; what was lost by reranking can be seen."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))
    judge = ShortestFirst()
    plain = Searcher(store, DENSE, SPARSE).search("pump valve", EVERYBODY)
    result = Searcher(store, DENSE, SPARSE, reranker=judge).search("pump valve", EVERYBODY)
    shortest_first = sorted(PUMPS, key=lambda one: (len(one.text.split()), one.id))
    assert [hit.passage for hit in result.hits] == shortest_first
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4]
    assert result.fused == plain.hits == plain.fused
    assert {replace(hit, rank=0, reranked=None) for hit in result.hits} == {replace(hit, rank=0) for hit in plain.hits}
    assert judge.asked == [("pump valve", [text_to_embed(hit.passage) for hit in plain.hits])]


def test_equal_scores_are_ordered_by_id(store: EdgeStore) -> None:
    """So that the same question gives the same evidence every time."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))

    class Undecided:
        def score(self, query: str, passages: Sequence[str]) -> list[float]:
            return [0.0] * len(passages)

    hits = Searcher(store, DENSE, SPARSE, reranker=Undecided()).search("pump valve", EVERYBODY).hits
    assert [hit.passage.id for hit in hits] == sorted(one.id for one in PUMPS)


@pytest.mark.parametrize(("best", "asked"), [(0, 0), (1, 0), (2, 2), (20, 4)])
def test_only_the_best_hits_are_reordered(store: EdgeStore, best: int, asked: int) -> None:
    """The rest follow as fusion left them; 0 switches the stage off, and so do few hits to no effect."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))
    judge = ShortestFirst()
    result = Searcher(store, DENSE, SPARSE, Stages(rerank=best), judge).search("pump valve", EVERYBODY)
    assert [hit.passage for hit in result.hits[best:]] == [hit.passage for hit in result.fused[best:]]
    assert sum(hit.reranked is not None for hit in result.hits) == min(best, len(PUMPS))
    assert [len(texts) for _, texts in judge.asked] == ([min(best, len(PUMPS))] if best else [])


def test_how_many_hits_are_asked_for_changes_no_order(store: EdgeStore) -> None:
    """What stands third in the fused ranking can come first, though only one hit is wanted."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))
    searcher = Searcher(store, DENSE, SPARSE, reranker=ShortestFirst())
    all_hits = searcher.search("pump valve", EVERYBODY).hits
    assert [searcher.search("pump valve", EVERYBODY, limit).hits for limit in (1, 2)] == [all_hits[:1], all_hits[:2]]


def test_a_failing_reranker_fails_the_search(store: EdgeStore, tmp_path: Path) -> None:
    """An order that nobody asked for would look like the one that they did."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))
    broken = CrossEncoder(tmp_path, KNOWN, write_reranker(tmp_path, WORDS, worth=math.nan))
    with pytest.raises(RerankerError):
        Searcher(store, DENSE, SPARSE, reranker=broken).search("pump", EVERYBODY)


def test_what_is_outside_the_scope_changes_no_order(store: EdgeStore, reranker: CrossEncoder) -> None:
    """Hits, ranks and scores are the same, whether or not the reranker could have read other passages."""
    store.upsert(embedded(PUMPS, DENSE, SPARSE))
    searcher = Searcher(store, DENSE, SPARSE, Stages(candidates=2, rerank=3), reranker)
    alone = searcher.search("pump valve", EVERYBODY)
    hidden = [passage("pump valve leak night", "cellar", source=f"hidden {at}") for at in range(5)]
    store.upsert(embedded(hidden, DENSE, SPARSE))
    assert searcher.search("pump valve", EVERYBODY) == alone


def two_words_each(folder: Path) -> tuple[Path, list[str]]:
    """Sources that are each told from all others by a pair of words only, and the questions for them."""
    pairs = [(first, second) for first in WORDS for second in WORDS if first != second]
    corpus = [
        {"_id": f"d{at}", "title": "", "text": f"{first} {first} {first} and {second}"}
        for at, (first, second) in enumerate(pairs)
    ]
    queries = [{"_id": f"q{at}", "text": f"{first} {second}"} for at, (first, second) in enumerate(pairs)]
    qrels = "".join(f"q{at}\td{at}\t1\n" for at in range(0, len(pairs), 4))
    sources, asked = ("".join(json.dumps(one) + "\n" for one in many) for many in (corpus, queries))
    return write(folder, sources, asked, qrels), [one["text"] for one in corpus]


def measured(folder: Path, worth: float | None) -> RetrievalReport:
    """The dense leg alone, which mixes words up, and a reranker that finds a shared word worth so much."""
    judged, texts = two_words_each(folder / "set")
    files = write_reranker(folder / "model", texts, worth or 1.0)
    reranker = None if worth is None else CrossEncoder(folder, KNOWN, files)
    return evaluate_retrieval(read(judged), DENSE, SPARSE, stages=Stages(sparse=False), reranker=reranker)


def test_the_evaluation_shows_what_a_reranker_is_worth(tmp_path: Path) -> None:
    """A good one's row is above the hybrid's and a weak one's below; the hybrid's own row does not change."""
    none, good, weak = (measured(tmp_path / str(at), worth) for at, worth in enumerate([None, 1.0, -1.0]))
    assert list(none.retrievers) == ["bm25", "dense", "hybrid"]
    assert list(good.retrievers) == list(weak.retrievers) == ["bm25", "dense", "hybrid", "hybrid_rerank"]
    assert none.retrievers["hybrid"] == good.retrievers["hybrid"] == weak.retrievers["hybrid"]
    hybrid = none.retrievers["hybrid"].ndcg_at_10
    assert weak.retrievers["hybrid_rerank"].ndcg_at_10 < hybrid < good.retrievers["hybrid_rerank"].ndcg_at_10
    assert "hybrid_rerank" in good.to_text()
