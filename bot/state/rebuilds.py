"""Which indexes are being rebuilt, by whom and how far they are, and where the files of a model stand."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import delete, update
from sqlalchemy.orm import Mapped, mapped_column

from bot.errors import StateError
from bot.state.database import Base, Database

LEASE_S = 120.0
"""After so long without a word, a rebuild on another machine is taken for dead. One on this machine is as long as its
process lives."""
_WORD_S = 2.0
"""How often it says how far it is."""


@dataclass(frozen=True, slots=True)
class RebuildProgress:
    """A rebuild that has not come to its end."""

    team: str
    target: str
    """What is built, for people."""
    done: int
    """Passages, of `total`."""
    total: int
    host: str
    pid: int
    heard_at: float
    """Seconds since the epoch."""

    def is_running(self, now: float) -> bool:
        """Whether the process that began it goes on with it, as far as can be told from here."""
        if self.host == socket.gethostname():
            return _is_alive(self.pid)
        return now - self.heard_at < LEASE_S


class RebuildRow(Base):
    """The rebuild of one team's index."""

    __tablename__ = "rebuilds"

    team: Mapped[str] = mapped_column(primary_key=True)
    target: Mapped[str]
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    host: Mapped[str]
    pid: Mapped[int]
    token: Mapped[str]
    """Of the run that has it."""
    heard_at: Mapped[float]


class ModelRow(Base):
    """An embedding model whose files were given as a folder."""

    __tablename__ = "model_folders"

    model: Mapped[str] = mapped_column(primary_key=True)
    folder: Mapped[str]


Tell = Callable[[int, int], None]


class Rebuilds:
    """The rebuilds of all teams; of each team's, one runs at a time."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def of(self, team: str) -> RebuildProgress | None:
        """The one that runs, or was cut off."""
        with self._database.reading() as session:
            row = session.get(RebuildRow, team)
            return _progress(row) if row else None

    @contextmanager
    def running(self, team: str, target: str) -> Iterator[Tell]:
        """Have a team's rebuild to oneself, and say how far it is; it is forgotten when the block ends well.

        Raises:
            StateError: another process has it, or has taken it over.
        """
        token = secrets.token_hex(8)
        self._take(team, target, token)
        said_at = 0.0

        def tell(done: int, total: int) -> None:
            nonlocal said_at
            if time.monotonic() - said_at > _WORD_S or done == total:
                self._write(team, token, done, total)
                said_at = time.monotonic()

        yield tell
        with self._database.session() as session:
            session.execute(delete(RebuildRow).where(RebuildRow.team == team, RebuildRow.token == token))

    def _take(self, team: str, target: str, token: str) -> None:
        now = self._clock()
        with self._database.session() as session:
            row = session.get(RebuildRow, team)
            if row and _progress(row).is_running(now):
                raise StateError(
                    f"The index of {team} is being rebuilt by `footnote reindex` already (process {row.pid} on "
                    f"{row.host}): wait for it, or stop it."
                )
            before = _progress(row) if row and row.target == target else None
            session.merge(
                RebuildRow(
                    team=team,
                    target=target,
                    done=before.done if before else 0,
                    total=before.total if before else 0,
                    host=socket.gethostname(),
                    pid=os.getpid(),
                    token=token,
                    heard_at=now,
                )
            )

    def _write(self, team: str, token: str, done: int, total: int) -> None:
        mine = update(RebuildRow).where(RebuildRow.team == team, RebuildRow.token == token)
        with self._database.session() as session:
            written = session.execute(
                mine.values(done=done, total=total, heard_at=self._clock()).returning(RebuildRow.team)
            )
            if written.first() is None:
                raise StateError(
                    f"Another `footnote reindex` has taken over the index of {team}: leave it to that one."
                )


class ModelFolders:
    """Where the files of embedding models stand, for processes whose own settings name another model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, model: str, folder: str) -> None:
        """Of a model whose files are not in a folder of their own, the folder is empty."""
        with self._database.session() as session:
            session.merge(ModelRow(model=model, folder=folder))

    def of(self, model: str) -> str:
        """The folder; empty where none is known."""
        with self._database.reading() as session:
            row = session.get(ModelRow, model)
            return row.folder if row else ""


def _progress(row: RebuildRow) -> RebuildProgress:
    return RebuildProgress(row.team, row.target, row.done, row.total, row.host, row.pid, row.heard_at)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's, so there is one
        return True
    return True
