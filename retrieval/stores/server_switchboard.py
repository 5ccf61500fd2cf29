"""The switchboard of a team on a Qdrant server: two aliases, which the server changes one at a time."""

from __future__ import annotations

from qdrant_client import QdrantClient, models

from retrieval.errors import StoreUnavailable
from retrieval.stores.collections import Collection, team_name
from retrieval.stores.server_calls import Calls
from retrieval.stores.switchboard import Standing

_PREFIX = "footnote-"
_NEXT = "-next"


class ServerSwitchboard:
    """A `Switchboard`: the team's alias names the collection that answers, another the one that is announced.

    Renaming the second to the first completes the switch; that is one operation, which fails where the second is gone.
    """

    def __init__(self, client: QdrantClient, calls: Calls, team: str) -> None:
        self._client = client
        self._calls = calls
        self._active = alias_of(team)
        self._next = self._active + _NEXT

    def read(self) -> Standing:
        """How it stands; the active one is named as the server names it."""
        aliases = self._aliases()
        return Standing(aliases.get(self._active, ""), self._next in aliases)

    def announce(self, collection: Collection) -> None:
        alias = models.CreateAlias(collection_name=collection_name(collection), alias_name=self._next)
        self._change(models.CreateAliasOperation(create_alias=alias))

    def withdraw(self) -> None:
        if self._next in self._aliases():
            self._change(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=self._next)))

    def complete(self) -> bool:
        announced = self._aliases().get(self._next)
        if announced is None:
            return False
        renaming = models.RenameAlias(old_alias_name=self._next, new_alias_name=self._active)
        try:
            self._change(models.RenameAliasOperation(rename_alias=renaming))
        except StoreUnavailable:
            aliases = self._aliases()  # the answer may have been lost and not the change
            if aliases.get(self._active) != announced and self._next in aliases:
                raise
            return aliases.get(self._active) == announced
        return True

    def _aliases(self) -> dict[str, str]:
        found = self._calls.make("Reading the store", self._client.get_aliases).aliases
        return {alias.alias_name: alias.collection_name for alias in found}

    def _change(self, change: models.AliasOperations) -> None:
        self._calls.make("Switching the store", lambda: self._client.update_collection_aliases([change]))


def collection_name(collection: Collection) -> str:
    """Of team, model, dimension, chunking version and language; different for different ones."""
    return f"{alias_of(collection.team)}-{collection.name}"


def alias_of(team: str) -> str:
    """What the collection that answers for a team is found by."""
    return f"{_PREFIX}{team_name(team)}"


def claim_of(team: str) -> str:
    """What whoever begins a team's first collection makes before it."""
    return f"{alias_of(team)}-first"


def names_what_answers(alias: str) -> bool:
    """Whether an alias is ours, and none of an announcement; a team's own ends in digits."""
    return alias.startswith(_PREFIX) and not alias.endswith(_NEXT)
