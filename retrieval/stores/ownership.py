"""Lets one process own a folder, and tells the others who does and where to ask."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_LONGEST_SOCKET_PATH = 100
"""Bytes; the kernel takes 107 on Linux and 103 on macOS."""

_ELSEWHERE = "footnote-socket-"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has a folder."""

    pid: int
    command: str
    socket: str
    """Absolute path of the socket at which it answers."""
    key: str
    """Whoever can read this may ask; the file is its owner's alone."""

    def __str__(self) -> str:
        return f"`{self.command}` (process {self.pid})"


class Ownership:
    """Held for as long as the folder is open; the kernel gives it back when the process dies."""

    def __init__(self, folder: Path, lock: int) -> None:
        self._folder = folder
        self._lock = lock

    @classmethod
    def try_taking(cls, folder: Path) -> Ownership | None:
        """Own the folder, or None where somebody does already."""
        while True:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return None
            if _is_at(lock, folder / "lock"):
                return cls(folder, lock)
            os.close(lock)  # the folder was moved away since, with the file that is locked

    def announce(self, command: str) -> Owner:
        """Say who owns the folder now; whatever a dead owner left is replaced."""
        _clear(owner_of(self._folder))
        socket = _socket_path(self._folder)
        socket.unlink(missing_ok=True)
        owner = Owner(os.getpid(), command, str(socket), secrets.token_hex(32))
        beside = self._folder / "owner.new"
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(owner), file)
        beside.replace(self._folder / "owner.json")
        return owner

    def release(self) -> None:
        """Give the folder back."""
        _clear(owner_of(self._folder))
        (self._folder / "owner.json").unlink(missing_ok=True)
        os.close(self._lock)


def owner_of(folder: Path) -> Owner | None:
    """Who announced that they own the folder; they may be gone."""
    try:
        return Owner(**json.loads((folder / "owner.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _is_at(opened: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), path.stat())
    except FileNotFoundError:
        return False


def _socket_path(folder: Path) -> Path:
    path = folder.resolve() / "socket"
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix=_ELSEWHERE)) / "socket"  # made with mode 0700


def _clear(owner: Owner | None) -> None:
    """Remove the socket of an owner that is gone or going, and the folder that was made for it alone."""
    if owner is None:
        return
    socket = Path(owner.socket)
    socket.unlink(missing_ok=True)
    if socket.parent.name.startswith(_ELSEWHERE):
        with suppress(OSError):  # it went with the socket's, or the system cleared it
            socket.parent.rmdir()
