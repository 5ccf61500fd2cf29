"""Slack's JSON as the sandbox holds it, and the one way a call is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Json = dict[str, object]


@dataclass(eq=False)  # exceptions are compared by identity
class Refused(Exception):
    """Slack says no: an error name, and what it says beside it."""

    error: str
    detail: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    retry_after_s: int = 0

    def body(self) -> Json:
        return {"ok": False, "error": self.error, **self.detail}


class SandboxError(Exception):
    """The sandbox can't start; the message says what to change."""


class SeedError(SandboxError):
    """A seed file or the manifest can't be used."""
