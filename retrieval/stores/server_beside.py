"""Puts a new collection beside the one that answers on a Qdrant server, and deletes what answers no more."""

from __future__ import annotations

from collections.abc import Collection as Several
from functools import partial

from qdrant_client import QdrantClient

from retrieval.stores import server_opening
from retrieval.stores.collections import Collection
from retrieval.stores.protocol import PassageStore
from retrieval.stores.served import Layout, ServerAddress
from retrieval.stores.server import ServerStore
from retrieval.stores.server_calls import Calls
from retrieval.stores.server_switchboard import ServerSwitchboard, alias_of, claim_of, collection_name


class ServerSite:
    """Where a rebuild takes place on a server. That only one takes place at a time is up to the caller."""

    def __init__(
        self, client: QdrantClient, calls: Calls, old: Collection, new: Collection, layout: Layout | None = None
    ) -> None:
        """Make the new collection if it isn't there yet; the client is closed with the site."""
        self.switchboard = ServerSwitchboard(client, calls, old.team)
        self._client = client
        self._old = ServerStore(client, calls, collection_name(old))  # nothing is searched in it
        self._new = server_opening.open_beside(client, calls, new, layout or Layout())

    @property
    def old(self) -> PassageStore:
        return self._old

    @property
    def new(self) -> PassageStore:
        return self._new

    def give_way(self) -> None:
        """Nobody is kept waiting: a server has no owner."""

    def seal(self) -> None:
        """Every write has been acknowledged when it is made."""

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def open_site(address: ServerAddress, old: Collection, new: Collection) -> ServerSite:
    """Both collections on this server; see `served.open_served_site`."""
    client = server_opening.connect(address)
    try:
        return ServerSite(client, Calls(address.url, address.timeout_s), old, new, address.layout)
    except BaseException:  # whatever it is goes on; the connections must not stay open
        client.close()
        raise


def discard_others(address: ServerAddress, team: str, keep: Several[Collection]) -> None:
    """Delete a team's collections beside those to keep."""
    kept = {*map(collection_name, keep), claim_of(team)}
    prefix = f"{alias_of(team)}-"
    with server_opening.connected(address) as (client, calls):
        there = calls.make("Reading the store", client.get_collections).collections
        for name in sorted(one.name for one in there if one.name.startswith(prefix) and one.name not in kept):
            calls.make("Deleting the old collection", partial(client.delete_collection, name))
