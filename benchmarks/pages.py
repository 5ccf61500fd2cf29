"""Makes up Markdown pages of a team's handbook, any number of them, the same ones every time."""

from __future__ import annotations

import random
from collections.abc import Iterator

from retrieval.types import WORKSPACE, Markup, Source

ORIGIN = "made-up pages"
PASSAGES_PER_PAGE = 7
"""About, as pages are cut."""

_WHO = "the on-call engineer|a team lead|the office manager|whoever opened the ticket|the release crew|a newcomer"
_DOES = "checks|renews|announces|archives|rolls back|signs off|measures|orders|reviews|labels|restarts|documents"
_WHAT = (
    "the staging certificate|the travel budget|last week's incident report|the door badges|the nightly backup|"
    "an invoice "
    "above 500 euros|the feature flags|the on-call calendar|the meeting room screens|the customer survey|a broken build"
)
_WHEN = "before noon|every second Tuesday|within two working days|as soon as the alarm stops|at a quarter's end|twice"
_WHY = (
    "because audits ask for it|so that nobody waits for a reply|as the contract says|which the finance tool then shows|"
    "unless the service desk has done it already|since the old process lost requests"
)
_HEADINGS = "Who does it|What you need first|Step by step|When it fails|Exceptions|Whom to ask|Costs|History"


def made_up_pages(count: int, seed: int = 0) -> Iterator[Source]:
    """So many pages, one by one."""
    for number in range(count):
        yield _page(number, random.Random(f"{seed}/{number}"))


def _page(number: int, chance: random.Random) -> Source:
    title = f"{chance.choice(_WHAT.split('|')).capitalize()} ({number})"
    sections = "\n\n".join(f"## {heading}\n\n{_body(chance)}" for heading in chance.sample(_HEADINGS.split("|"), 5))
    return Source(
        id=f"page {number}",
        origin=ORIGIN,
        title=title,
        url=f"https://example.org/{number}",
        places=frozenset({WORKSPACE}),
        content=Markup(f"# {title}\n\n{_paragraph(chance, 3)}\n\n{sections}\n"),
        updated_at=1.7e9,
    )


def _body(chance: random.Random) -> str:
    items = "\n".join(f"- {_sentence(chance)}" for _ in range(chance.randint(2, 5)))
    before, behind = _paragraph(chance, chance.randint(3, 7)), _paragraph(chance, chance.randint(2, 5))
    return f"{before}\n\nKeep in mind:\n\n{items}\n\n{behind}"


def _paragraph(chance: random.Random, sentences: int) -> str:
    return " ".join(_sentence(chance) for _ in range(sentences))


def _sentence(chance: random.Random) -> str:
    words = [chance.choice(choices.split("|")) for choices in (_WHO, _DOES, _WHAT, _WHEN, _WHY)]
    return f"{' '.join(words)[:1].upper()}{' '.join(words)[1:]}, case {chance.randint(1, 9999)}."
