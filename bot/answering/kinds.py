"""Knows things of a kind, one of which can stand for another: places, days, systems, sorts of people."""

from __future__ import annotations

from bot.answering.words import stem, tokens, word_list

_KINDS = {
    "on": (
        word_list(
            "staging production prod development dev test testing qa sandbox preview canary local localhost live"
        ),
        word_list(
            """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
            saturdays sundays weekday weekdays weekend weekends holiday holidays"""
        ),
        word_list("mac macos windows linux ubuntu android ios iphone chrome firefox safari desktop mobile"),
    ),
    "in": (
        word_list(
            """january february march april june july august september october november december summer winter spring
            autumn q1 q2 q3 q4"""
        ),
        word_list(
            """spain germany france uk us usa italy portugal netherlands poland india japan canada mexico brazil austria
            switzerland ireland sweden norway denmark europe eu emea apac berlin london paris madrid lisbon dublin
            vienna amsterdam munich hamburg england"""
        ),
    ),
}
"""Things of a kind, by the preposition that they stand behind."""

PEOPLE = sum(map(len, _KINDS.values()))
"""The number of the kind that holds sorts of people."""

_PEOPLE = word_list(
    """staff people person parents freelancers temps guests guest members admins adults children kids men women interns
    intern juniors seniors spouses dependents part-timers employees employee contractors contractor managers manager
    leads customers customer visitors visitor apprentices trainees students volunteers drivers directors founders
    engineers designers developers partners suppliers vendors newcomers joiners leavers pensioners"""
)
_PEOPLE_ENDINGS = ("ers", "ors", "ees", "ists", "er", "or", "ee", "ist")
_NOT_PEOPLE = word_list(
    """paper number order error server computer letter offer router container cluster folder monitor user-id meter
    driver printer header parameter counter number buffer filter browser docker kubernetes power summer winter fee
    coffee water weather color colour sector factor error vendor-id october november december september employer-id"""
)


def stands_behind(thing: str) -> str:
    """The preposition that goes with such a thing; empty where nothing tells."""
    last = thing.split()[-1].lower()
    for preposition, kinds in _KINDS.items():
        if any(last in kind for kind in kinds):
            return preposition
    return "for" if is_of_people(thing) else ""


def are_alike(one: str, other: str) -> bool:
    """Whether two phrases name things of a kind."""
    last, other_last = one.split()[-1].lower(), other.split()[-1].lower()
    if last == other_last and one.lower() != other.lower():
        return True
    if any(last in kind and other_last in kind for kinds in _KINDS.values() for kind in kinds):
        return True
    return is_of_people(one) and is_of_people(other)


def is_of_people(phrase: str) -> bool:
    """Whether its last word names a sort of people, as far as its form tells."""
    last = phrase.split()[-1].lower()
    return last in _PEOPLE or (last.endswith(_PEOPLE_ENDINGS) and last.removesuffix("s") not in _NOT_PEOPLE)


def kinds_named(text: str) -> dict[int, frozenset[str]]:
    """The places, days, systems and sorts of people that the text names, by kind."""
    words = {token.lower() for token in tokens(text)}
    kinds = [kind for kinds in _KINDS.values() for kind in kinds]
    named = {at: frozenset(words & kind) for at, kind in enumerate(kinds) if words & kind}
    people = frozenset(stem(word) for word in words & _PEOPLE)
    return {**named, PEOPLE: people} if people else named


def names_people(phrase: str) -> bool:
    """Whether its last word is known to be a sort of people."""
    return phrase.split()[-1].lower() in _PEOPLE
