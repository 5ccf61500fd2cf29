"""Joins the parts of a workspace: its state, its events and how they are carried, its Web API and its pages."""

from dataclasses import dataclass
from pathlib import Path

from sandbox.api import Api
from sandbox.delivery import Delivery, Timing, Transport
from sandbox.events import EventFeed
from sandbox.faults import CallLog, Faults
from sandbox.loading import load
from sandbox.manifest import Manifest, read_manifest
from sandbox.seed import Seed
from sandbox.socket_mode import SocketMode
from sandbox.state import Workspace
from sandbox.transfers import Transfers
from sandbox.web.pages import Pages
from sandbox.wsgi import SandboxApp


@dataclass(frozen=True, slots=True)
class Parts:
    """A workspace that nothing runs yet."""

    workspace: Workspace
    faults: Faults
    sockets: SocketMode
    delivery: Delivery
    api: Api

    def site(self, handbook: Path | None = None) -> SandboxApp:
        """All of it as an HTTP application."""
        pages = Pages(self.workspace, self.api, handbook)
        return SandboxApp(self.api, Transfers(self.workspace, self.api), self.sockets, self.delivery, pages)


def join(
    seed: Seed,
    manifest: Manifest | Path | None = None,
    timing: Timing | None = None,
    transport: Transport | None = None,
) -> Parts:
    """The workspace of a seed; without another transport, Socket Mode carries its events."""
    granted = manifest if isinstance(manifest, Manifest) else read_manifest(manifest)
    workspace, faults = load(seed, granted), Faults()
    sockets = SocketMode(workspace.app.id)
    delivery = Delivery(workspace.clock, transport or sockets, timing or Timing(), faults)
    feed = EventFeed(workspace, granted, delivery.send_event)
    api = Api(workspace, granted, feed, delivery, sockets, faults, CallLog())
    return Parts(workspace, faults, sockets, delivery, api)
