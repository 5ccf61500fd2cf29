"""Says how much memory this process has."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `getrusage` counts in: bytes there, kilobytes on Linux."""
_STATUS = Path("/proc/self/status")


def peak_rss_bytes() -> int:
    """The most that was resident at once, files that are mapped into it included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def rss_bytes() -> int:
    """What is resident now, likewise; the peak where the system does not tell."""
    if not _STATUS.exists():
        return peak_rss_bytes()
    return _kilobytes("VmRSS") * 1024


def own_bytes() -> int:
    """What is resident now without files, which the system can drop at any time; 0 where it does not tell."""
    return _kilobytes("RssAnon") * 1024 if _STATUS.exists() else 0


def _kilobytes(name: str) -> int:
    lines = _STATUS.read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
