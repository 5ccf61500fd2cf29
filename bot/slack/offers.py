"""Puts the buttons below replies: another look for whoever asked in a channel, sharing for who was answered alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.slack.replies import Button
from bot.slack.sealing import seal
from bot.state.offers import Offers, new_id
from bot.state.vault import Vault
from bot.texts import LOOK, SHARE
from bot.types import Answer, Help, Question, Reply, Surface

LOOK_ACTION = "look"
SHARE_ACTION = "share"
LOOK_S = 30 * 24 * 3600.0
"""How long a look is on offer; it is looked anew then, and nothing but ids is kept for it."""
SHARE_S = 24 * 3600.0
"""How long a private answer is kept, sealed, so that it can be shared."""


@dataclass(frozen=True, slots=True)
class Offering:
    """Says which buttons stand below a reply."""

    offers: Offers
    vault: Vault
    can_be_shown: Callable[[str], bool]
    """Whether Footnote can post in a channel, by its id."""
    clock: Callable[[], float] = time.time

    def buttons(self, question: Question, reply: Reply) -> tuple[Button, ...]:
        """Below every answer and refusal in a channel the same one, whatever there is to see."""
        if isinstance(reply.outcome, Help):
            return ()
        if question.surface is Surface.CHANNEL:
            look = self.offers.offer_look(question, self.clock() + LOOK_S)
            return (Button(LOOK_ACTION, look.id, LOOK),)
        return self._sharing(question, reply)

    def _sharing(self, question: Question, reply: Reply) -> tuple[Button, ...]:
        look = self.offers.look_below(question.team, question.channel, question.ts)
        if look is None or not isinstance(reply.outcome, Answer) or not self.can_be_shown(look.channel):
            return ()
        share_id = new_id()
        sealed = seal(self.vault, look, share_id, question, reply)
        self.offers.offer_share(look, share_id, sealed, self.clock() + SHARE_S)
        return (Button(SHARE_ACTION, share_id, SHARE),)
