"""Terms are stems and identifiers whole and in parts, weighted as BM25 weights them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.embedding.sparse import Bm25Embedder, term_id
from retrieval.embedding.terms import TermExtractor, TermRules
from retrieval.errors import EmbeddingError

ENGLISH = TermExtractor("english")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("It weighs 1.15 kg", ["weigh", "1.15", "1", "15", "kg"]),
        ("Accept-Ranges", ["accept-ranges", "accept", "rang"]),
        ("ERR_CONN_42!", ["err_conn_42", "err", "conn", "42"]),
        ("run with --dry-run.", ["run", "dry-run", "dri", "run"]),
        ("PIPESTATUS", ["pipestatus"]),
        ("`user_id`", ["user_id", "user", "id"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("two VPNs", ["two", "vpn"]),
        ("sha256", ["sha256", "sha", "256"]),
        ("10,000 rows, and more", ["10000", "10", "000", "row"]),
        ("crate::io::Reader", ["crate::io::reader", "crate", "io", "reader"]),
        ("the team’s and Anna's", ["team", "anna"]),
        ("O'Brien", ["o'brien", "o", "brien"]),
        ("naïve Café", ["naiv", "cafe"]),
        ("書類の申請", ["書類", "類の", "の申", "申請", "書", "類", "申", "請"]),
        ("東 and Tokyo東京", ["東", "tokyo", "東京", "東", "京"]),
        ("ﬁle", ["file"]),
        ("— … !?", []),
    ],
)
def test_words_become_terms(text: str, terms: list[str]) -> None:
    """Stems match; identifiers match whole and in parts; scripts without spaces by pairs and by Han characters."""
    assert ENGLISH.terms(text) == terms


@pytest.mark.parametrize(
    ("rules", "terms"),
    [
        (TermRules(), ["weigh", "dry-run", "dri", "run"]),
        (TermRules(stems=False), ["weighs", "dry-run", "dry", "run"]),
        (TermRules(stop_words=False), ["it", "weigh", "the", "dry-run", "dri", "run"]),
        (TermRules(parts=False), ["weigh", "dry-run"]),
    ],
)
def test_each_rule_can_be_switched_off(rules: TermRules, terms: list[str]) -> None:
    """So that it can be seen what it is worth; the others stay."""
    assert TermExtractor("english", rules).terms("It weighs the dry-run") == terms


@pytest.mark.parametrize("query", ["What is it?", "How do I do that?", "Where’s this and who's there?", "", "???"])
def test_words_that_only_ask_are_no_terms(query: str) -> None:
    """Question words and stop words would find every passage and tell none apart."""
    assert Bm25Embedder().embed_query(query).indices == ()


def test_a_question_meets_its_answer() -> None:
    """ "How much does it weigh?" finds "weighs 1.15 kg"."""
    (passage,) = Bm25Embedder().embed_passages(["The kit weighs 1.15 kg."])
    assert set(Bm25Embedder().embed_query("How much does it weigh?").indices) <= set(passage.indices)


def test_weights_are_those_of_bm25() -> None:
    """A passage's weight of a term is tf (k + 1) / (tf + k (1 - b + b length / typical length))."""
    (vector,) = Bm25Embedder().embed_passages(["pump pump valve"])
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 85)
    expected = {term_id("pump"): 2 * 2.2 / (2 + norm), term_id("valv"): 2.2 / (1 + norm)}
    assert dict(zip(vector.indices, vector.values, strict=True)) == pytest.approx(expected)


def test_query_terms_weigh_one_each() -> None:
    """However often a word is repeated in a question, it counts once."""
    assert Bm25Embedder().embed_query("pump pump valve").values == (1.0, 1.0)


def test_term_ids_never_change() -> None:
    """They stand in stored vectors: another hash would silently find nothing."""
    assert [term_id(term) for term in ("pump", "err_conn_42", "申請")] == [746596696, 1559276859, 1062385160]


@given(st.text(max_size=300))
def test_every_text_is_found_by_itself(text: str) -> None:
    """Whatever the script, a query's terms are those of a passage with the same words."""
    embedder = Bm25Embedder()
    (passage,) = embedder.embed_passages([text])
    assert set(embedder.embed_query(text).indices) == set(passage.indices)
    assert all(weight > 0 for weight in passage.values)


def test_an_unknown_language_is_one_clear_error() -> None:
    """The error names the setting and what it can be."""
    with pytest.raises(EmbeddingError, match=r"LANGUAGE=klingon is not known; it can be one of arabic, .*, turkish"):
        Bm25Embedder("klingon")
