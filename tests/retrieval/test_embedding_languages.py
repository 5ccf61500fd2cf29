"""Words meet in every language that `LANGUAGE` can be, however they are written, inflected and joined."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.embedding.dense import FastEmbedder
from retrieval.embedding.languages import LANGUAGES, STEMMED
from retrieval.embedding.protocol import DenseEmbedder
from retrieval.embedding.sparse import Bm25Embedder
from retrieval.embedding.terms import TermExtractor, TermRules
from retrieval.indexing import Indexer
from retrieval.search import Searcher
from retrieval.stores.collections import Collection
from retrieval.stores.edge import EdgeStore
from retrieval.types import WORKSPACE, Markup, Source
from tests.conftest import TEAM
from tests.passages import EVERYBODY
from tests.retrieval.questions_in_languages import CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, KOREAN, THAI

INFLECTED = [
    ("arabic", "الإجازات", "إجازة"),
    ("danish", "ansøgninger", "ansøgningen"),
    ("dutch", "wachtwoorden", "wachtwoord"),
    ("english", "passwords", "password"),
    ("finnish", "lomaa", "loma"),
    ("french", "remboursements", "remboursement"),
    ("german", "Kündigungen", "Kündigung"),
    ("greek", "άδειες", "άδεια"),
    ("hungarian", "szabadságot", "szabadság"),
    ("italian", "richieste", "richiesta"),
    ("norwegian", "søknadene", "søknad"),
    ("portuguese", "solicitações", "solicitação"),
    ("romanian", "informațiile", "informația"),
    ("russian", "отпуска", "отпуск"),
    ("spanish", "vacaciones", "vacación"),
    ("swedish", "ansökningar", "ansökning"),
    ("tamil", "விடுமுறைகள்", "விடுமுறை"),
    ("turkish", "şifreler", "şifre"),
]
SPELLED = [
    ("english", "résumé", "resume"),
    ("english", "CAFÉ", "cafe"),
    ("english", "co\u00adoperation", "cooperation"),
    ("english", "room ٩٠", "room 90"),
    ("german", "Straße", "STRASSE"),
    ("german", "Müller", "Mueller"),
    ("german", "ÜBERSTUNDEN", "Ueberstunden"),
    ("german", "Cafe", "Café"),
    ("french", "ÉLÈVES", "eleve"),
    ("french", "l’hôtel", "hotel"),
    ("french", "d'équipe", "équipe"),
    ("french", "qu'elle", ""),
    ("french", "Qu'est-ce que c'est ?", ""),
    ("italian", "dell'ufficio", "ufficio"),
    ("spanish", "contrasena", "contraseña"),
    ("greek", "ΑΔΕΙΑ", "άδεια"),
    ("russian", "счёт", "счет"),
    ("romanian", "școală", "şcoala"),
    ("turkish", "IŞIK", "ışık"),
    ("turkish", "İZİN", "izin"),
    ("arabic", "عُطْلَة", "عطلة"),
    ("japanese", "ｻｰﾊﾞｰ Ａ４", "サーバー A4"),
    ("korean", "휴가", unicodedata.normalize("NFD", "휴가")),
]


def test_every_language_with_stems_is_tried_here() -> None:
    """A language that is added is a row in the table."""
    assert sorted({language for language, _, _ in INFLECTED}) == list(STEMMED)


@pytest.mark.parametrize(("language", "asked", "written"), [*INFLECTED, *SPELLED])
def test_a_word_is_met_however_it_is_written(language: str, asked: str, written: str) -> None:
    """Another ending, another case, another way to write the same letter."""
    extractor = TermExtractor(language)
    assert extractor.terms(asked) == extractor.terms(written)


def test_letters_that_are_no_accents_stay_apart() -> None:
    """What is one letter with a mark to French is another letter to Swedish; nobody there leaves it out."""
    assert TermExtractor("swedish").terms("rätt") != TermExtractor("swedish").terms("ratt")


@pytest.mark.parametrize(("language", "stems"), [("german", "german"), ("japanese", "english"), ("english", "english")])
def test_an_index_knows_whose_stems_it_has(language: str, stems: str) -> None:
    """Part of a collection's name: what reads as another does needs no other build."""
    assert Bm25Embedder(language).language == stems


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("danish", "Hvordan er det, og hvornår?"),
        ("dutch", "Hoe doe ik dat en waar is het?"),
        ("finnish", "Miten se on ja missä?"),
        ("french", "Qu'est-ce que c'est ? Où et comment ?"),
        ("german", "Wo ist das? Wie war es? Gibt es das? Wer weiß?"),
        ("greek", "Πώς είναι αυτό και πού;"),
        ("hungarian", "Hogyan van ez és hol?"),
        ("italian", "Che cos'è? Dov'è? Come si fa?"),
        ("norwegian", "Hvordan er det, og når?"),
        ("portuguese", "O que é isso e onde está?"),
        ("romanian", "Ce este și unde este?"),
        ("russian", "Что это и где?"),
        ("spanish", "¿Qué es eso y dónde está?"),
        ("swedish", "Hur är det, och var?"),
        ("turkish", "Bu ne? Nasıl? Nerede?"),
    ],
)
def test_words_that_only_ask_are_no_terms(language: str, question: str) -> None:
    """They would find every passage and tell none apart."""
    assert TermExtractor(language).terms(question) == []


@pytest.mark.parametrize("language", STEMMED)
def test_what_a_team_asks_for_is_no_stop_word(language: str) -> None:
    """A list that has words of the trade in it, as some do, would make them unfindable."""
    trade = {
        "arabic": "إجازة عمل يناير",
        "finnish": "työ vuosi raha",
        "french": "travail nom budget",
        "german": "arbeit tag wert",
        "italian": "lavoro nome tempo",
        "spanish": "trabajo empleo valor",
        "swedish": "dag beslut arbete",
    }.get(language, "budget server portal")
    assert len(TermExtractor(language).terms(trade)) == 3


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("休暇", "有給休暇の申請"),
        ("鍵", "倉庫の鍵です"),
        ("パスワード", "新しいパスワードを使う"),
        ("钥匙", "仓库的钥匙在前台"),
        ("茶", "茶在二楼"),
        ("휴가", "휴가를 신청합니다"),
        ("กุญแจ", "ขอกุญแจห้อง"),
        ("ກະແຈ", "ຂໍກະແຈຫ້ອງ"),
        ("សោ", "យកសោបន្ទប់"),
        ("သော့", "အခန်းသော့ယူပါ"),
    ],
)
@pytest.mark.parametrize("language", ["english", "german", "japanese"])
def test_words_are_found_where_none_is_set_apart(language: str, asked: str, written: str) -> None:
    """Scripts without spaces go by pairs of characters, and by each Han character, whatever the language is."""
    extractor = TermExtractor(language)
    assert set(extractor.terms(asked)) <= set(extractor.terms(written))


def test_each_han_character_can_be_a_word_and_no_kana_can() -> None:
    """Pairs alone would miss what is written with one character."""
    assert TermExtractor("japanese").terms("鍵はここ") == ["鍵は", "はこ", "ここ", "鍵"]


def test_marks_do_not_cut_words() -> None:
    """Vowel signs are no letters to a regular expression, and yet belong to the word."""
    assert TermExtractor("tamil").terms("விடுமுறை நாள்") == ["விடுமுறை", "நாள்"]


def score(language: str, asked: str, written: str, rules: TermRules | None = None) -> float:
    """What the words of a passage are worth to a query, before document frequencies count."""
    embedder = Bm25Embedder(language, rules or TermRules())
    query, (found,) = embedder.embed_query(asked), embedder.embed_passages([written])
    weights = dict(zip(found.indices, found.values, strict=True))
    return sum(worth * weights.get(at, 0.0) for at, worth in zip(query.indices, query.values, strict=True))


@pytest.mark.parametrize(
    ("language", "asked", "written"),
    [
        ("german", "Urlaub", "Der Urlaubsantrag liegt im Portal."),
        ("german", "Antrag", "Der Urlaubsantrag liegt im Portal."),
        ("german", "Urlaubsantrag", "Ein Antrag auf Urlaub"),
        ("dutch", "vakantie", "vakantiedagen"),
        ("swedish", "ansökan", "semesteransökan"),
        ("norwegian", "søknad", "feriesøknaden"),
        ("finnish", "loma", "lomahakemus"),
    ],
)
def test_a_compound_is_met_by_its_pieces(language: str, asked: str, written: str) -> None:
    """In both directions, and less than by itself."""
    assert 0 < score(language, asked, written) < score(language, asked, asked)
    assert score(language, asked, written, TermRules(pieces=False)) == 0


def test_languages_with_spaces_in_compounds_have_no_pieces() -> None:
    """There `form` in `information` would be noise."""
    assert score("english", "form", "information") == 0
    assert TermExtractor("english").pieces("information") == []


LATIN, OTHERS = "aeéèêçäöüßåæøñăşığ'’.- ", "あがゝ漢字々한국어ไทย์ກំខ្មែрсёάλόγعُطதமிழ்हि٩๙"
TEXTS = st.text(max_size=60) | st.text(st.sampled_from(LATIN + LATIN.upper() + OTHERS), max_size=60)


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_no_text_fails_and_its_form_does_not_count(text: str, language: str) -> None:
    """Composed and decomposed letters give the same terms, in passages and in queries."""
    embedder = Bm25Embedder(language)
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    assert [embedder.embed_query(form) for form in forms] == [embedder.embed_query(text)] * 4
    assert embedder.embed_passages(forms) == embedder.embed_passages([text]) * 4


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_every_text_is_found_by_itself(text: str, language: str) -> None:
    """Whatever the language, a passage has each term of a question in its own words."""
    extractor = TermExtractor(language)
    assert extractor.terms(text) == extractor.terms(text)
    whole = {at for at, worth in zip(*_vector(language, text), strict=True) if worth == 1.0}
    (found,) = Bm25Embedder(language).embed_passages([text])
    assert whole <= set(found.indices)


def _vector(language: str, text: str) -> tuple[Sequence[int], Sequence[float]]:
    query = Bm25Embedder(language).embed_query(text)
    return query.indices, query.values


Pairs = Sequence[tuple[str, str]]
EVERYTHING: Pairs = (*GERMAN, *FRENCH, *JAPANESE, *CHINESE, *KOREAN, *THAI, *ENGLISH)


@contextmanager
def searching(folder: Path, pairs: Pairs, language: str, dense: DenseEmbedder) -> Iterator[Searcher]:
    """A search over what the pairs' passages say, each a source of its own."""
    sparse = Bm25Embedder(language)
    store = EdgeStore(folder, Collection(TEAM, dense.model, dense.dimension, "tests"))
    places = frozenset({WORKSPACE})
    sources = [Source(text, "pages", "", "https://h.example", places, Markup(text)) for text, _ in pairs]
    Indexer(store, dense, sparse, TEAM).put(sources)
    try:
        yield Searcher(store, dense, sparse)
    finally:
        store.close()


def first_by_words(searcher: Searcher, pairs: Pairs) -> int:
    """For how many questions the passage that answers is the sparse leg's first."""
    results = [(text, searcher.search(question, EVERYBODY).sparse) for text, question in pairs]
    return sum(bool(found) and found[0].passage.text == text for text, found in results)


@pytest.mark.parametrize(
    ("language", "pairs", "least"), [("german", GERMAN, 19), ("french", FRENCH, 19), ("japanese", JAPANESE, 22)]
)
def test_the_right_passage_is_first_by_words(
    tmp_path: Path, packaged_embedder: FastEmbedder, language: str, pairs: Pairs, least: int
) -> None:
    """With a model that knows English alone, words find what is asked for; a fall below what was reached is a fault."""
    with searching(tmp_path / "store", pairs, language, packaged_embedder) as searcher:
        assert first_by_words(searcher, pairs) >= least


@pytest.mark.parametrize(("pairs", "least"), [(FRENCH, 17), (JAPANESE, 22), (CHINESE, 18), (KOREAN, 16), (THAI, 12)])
def test_a_corpus_that_mixes_languages_is_found_in(mixed: Searcher, pairs: Pairs, least: int) -> None:
    """One `LANGUAGE` serves all: what it does not stem is met as it is written."""
    assert first_by_words(mixed, pairs) >= least


def test_other_languages_take_nothing_from_english(
    mixed: Searcher, tmp_path: Path, packaged_embedder: FastEmbedder
) -> None:
    """English questions are answered by the same passages as if nothing else were stored."""
    with searching(tmp_path / "store", ENGLISH, "english", packaged_embedder) as alone:
        before = [alone.search(question, EVERYBODY).hits[0].passage.text for _, question in ENGLISH]
    assert [mixed.search(question, EVERYBODY).hits[0].passage.text for _, question in ENGLISH] == before
    assert before == [text for text, _ in ENGLISH]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, packaged_embedder: FastEmbedder) -> Iterator[Searcher]:
    """All languages in one index, read as English."""
    with searching(tmp_path_factory.mktemp("mixed") / "store", EVERYTHING, "english", packaged_embedder) as searcher:
        yield searcher
