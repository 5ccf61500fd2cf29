"""Joins the parts that answer somebody alone: the buttons, the commands, and sharing what came of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from bot.access.membership import Membership
from bot.slack.asking import Asking
from bot.slack.elsewhere import Elsewhere
from bot.slack.ledger import Ledger
from bot.slack.looking import Looking
from bot.slack.names import Names
from bot.slack.offers import LOOK_ACTION, SHARE_ACTION, Offering
from bot.slack.posting import Poster
from bot.slack.pressing import Act, Pressing
from bot.slack.sharing import Sharing, can_be_shown
from bot.slack.telling import Telling
from bot.slack.threads import Threads
from bot.slack.workspace import Workspace
from bot.state.offers import Offers
from bot.state.questions import Questions
from bot.state.vault import Vault
from retrieval.types import Passage, Place


@dataclass(frozen=True, slots=True)
class Alone:
    """What it takes to answer somebody alone."""

    workspace: Workspace
    names: Names
    access: Membership
    threads: Threads
    telling: Telling
    poster: Poster
    ledger: Ledger
    offers: Offers
    vault: Vault
    place_of: Callable[[str], Place]
    clock: Callable[[], float]

    @property
    def offering(self) -> Offering:
        """Puts the buttons below replies."""
        return Offering(self.offers, self.vault, partial(can_be_shown, self.workspace), self.clock)

    @property
    def elsewhere(self) -> Elsewhere:
        """Knows what was said where a private answer's question was asked."""
        return Elsewhere(self.offers, self.threads, self.access, self.place_of)

    def pressing(
        self,
        asked: Questions,
        asking: Asking,
        passages_of: Callable[[str], tuple[Passage, ...]],
        acts: Mapping[str, Act] = MappingProxyType({}),
    ) -> Pressing:
        """The inbox's handler for presses and commands.

        Args:
            passages_of: All passages of a source, as they are indexed now.
            acts: What other buttons do, by their `action_id`.
        """
        looking = Looking(
            self.offers,
            self.access,
            asked,
            asking,
            self.workspace,
            self.names,
            self.threads,
            self.telling,
            self.clock,
        )
        sharing = Sharing(
            self.offers,
            self.vault,
            self.access,
            self.workspace,
            self.names,
            self.threads,
            passages_of,
            self.telling,
            self.poster,
            self.ledger,
            self.clock,
        )
        own: Mapping[str, Act] = {LOOK_ACTION: looking.look, SHARE_ACTION: sharing.share}
        return Pressing(self.workspace.identity().team, {**own, **acts}, looking.obey, looking.apologise)
