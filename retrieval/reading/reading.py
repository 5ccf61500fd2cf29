"""What has been read of a file."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.types import Markup, Pages


@dataclass(frozen=True, slots=True)
class Reading:
    """A file's words, and the title that it gives itself (empty where it has none)."""

    content: Markup | Pages
    title: str = ""
