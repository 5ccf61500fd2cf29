"""Seals a private answer so that its asker can share it later, and opens it for that asker and place alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from bot.state.offers import Look, Share
from bot.state.vault import Vault
from bot.types import Answer, Citation, Claim, Question, Remark, Reply
from retrieval.types import UnitKind


@dataclass(frozen=True, slots=True)
class Sealed:
    """What can be shared, and what it rests on."""

    asked: str
    """The question's words, in Markdown."""
    answer: Answer
    evidence: tuple[tuple[str, str], ...]
    """Ids of source and passage of all that the answer was made from, cited or not."""


def seal(vault: Vault, look: Look, share_id: str, question: Question, reply: Reply) -> str:
    """The answer to a look, for nobody without the key.

    Raises:
        ValueError: the reply is no answer.
    """
    if not isinstance(reply.outcome, Answer):
        raise ValueError("Only an answer can be shared.")
    hits = reply.evidence.hits if reply.evidence else ()
    kept = {
        "bound": _bound(share_id, look),
        "asked": question.text,
        "answer": asdict(reply.outcome),
        "evidence": [(hit.passage.source_id, hit.passage.id) for hit in hits],
    }
    return vault.sealed(json.dumps(kept, default=_written))


def unseal(vault: Vault, share: Share) -> Sealed | None:
    """What was sealed; None where it was for another offer, person or place, or can't be read any more."""
    text = vault.opened(share.sealed)
    if text is None:
        return None
    try:
        kept = json.loads(text)
        if kept["bound"] != _bound(share.id, share):
            return None
        return Sealed(kept["asked"], _answer(kept["answer"]), tuple((source, id_) for source, id_ in kept["evidence"]))
    except (KeyError, TypeError, ValueError):  # another version sealed it
        return None


def _bound(share_id: str, offer: Look | Share) -> list[str]:
    """What the words are tied to: moved into another row, they stay shut."""
    return [share_id, offer.team, offer.asker, offer.channel, offer.question_ts, offer.root_ts]


def _written(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} can't be sealed.")


def _answer(kept: Mapping[str, Any]) -> Answer:  # JSON of our own making
    claims = tuple(
        Claim(**{**claim, "kind": UnitKind(claim["kind"]), "markers": tuple(claim["markers"])})
        for claim in kept["claims"]
    )
    citations = tuple(Citation(**citation) for citation in kept["citations"])
    return Answer(claims, citations, Remark(kept["remark"]) if kept["remark"] else None)
