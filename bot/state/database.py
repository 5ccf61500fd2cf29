"""Opens the database, SQLite or PostgreSQL, and says in one way how its work fails."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session

import bot.state
from bot.errors import StateError

BUSY_TIMEOUT_S = 20.0
"""How long a writer waits for another; each writes a few rows, so more than this means that something hangs."""

logging.getLogger("sqlalchemy").setLevel(logging.WARNING)  # below, it writes rows, which hold what people wrote


class Base(DeclarativeBase):
    """Every table's ancestor; each room's tables stand in a module of their own beside this one."""


class Database:
    """What is remembered between questions. No transaction may stay open across a call to Slack or the store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._where = _where(engine.url)
        self._reader = engine.execution_options(reads_only=True)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction that may write: committed at the end, rolled back when an exception leaves it.

        Raises:
            StateError: the database can't be read or written.
        """
        with _translated(self._where), Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that only reads, and so waits for no writer.

        Raises:
            StateError: the database can't be read.
        """
        with _translated(self._where), Session(self._reader, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def open_database(url: str) -> Database:
    """Open the database at an SQLAlchemy URL and make the tables that it lacks.

    Raises:
        StateError: it can't be opened.
    """
    _import_tables()
    with _translated():
        where = make_url(url)
    with _translated(_where(where)):
        engine = _open_sqlite(url) if where.get_backend_name() == "sqlite" else _open_server(url)
        Base.metadata.create_all(engine)
    return Database(engine)


def insert_new(session: Session, row: Base) -> bool:
    """Insert a row unless one with its key is there; whether it was inserted."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def _import_tables() -> None:
    """Make every table known, whichever rooms have been imported so far."""
    for module in pkgutil.iter_modules(bot.state.__path__):
        importlib.import_module(f"{bot.state.__name__}.{module.name}")


def _open_server(url: str) -> Engine:
    return create_engine(url, pool_pre_ping=True, hide_parameters=True)  # the server may have been restarted meanwhile


def _open_sqlite(url: str) -> Engine:
    """All that holds for SQLite alone: one file that its owner alone may read, WAL, and writers that queue up."""
    path = make_url(url).database
    if path and path != ":memory:":
        _make_private(Path(path))
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=stat.S_IRUSR | stat.S_IWUSR, exist_ok=True)


def _prepare_sqlite(connection: Any, _record: object) -> None:  # the driver's own connection, which has no type here
    connection.isolation_level = None  # the driver would begin on its own, and not immediately
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # an acknowledged event outlives a power cut
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what is erased is gone from the file


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its turn at once: one that began by reading could not be made to wait later."""
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def _where(url: URL) -> str:
    """SQLite's file; of a server nothing, for its address holds a password."""
    return f" {url.database}" if url.get_backend_name() == "sqlite" else ""


@contextmanager
def _translated(where: str = "") -> Iterator[None]:
    try:
        yield
    except ArgumentError as error:
        raise StateError(
            "DATABASE_URL is no address of a database: write it as sqlite:///… or postgresql://…."
        ) from error
    except ImportError as error:
        raise StateError(
            "The driver of DATABASE_URL's database is missing: pip install psycopg, and write postgresql+psycopg://…."
        ) from error
    except (SQLAlchemyError, OSError) as error:
        raise StateError(_told(where, error)) from error


def _told(where: str, error: SQLAlchemyError | OSError) -> str:
    """What failed, and the setting that says where it stands; never what was to be written."""
    if not where:
        return f"The database failed ({type(error).__name__}): see that DATABASE_URL is right and the server runs."
    reason = error.strerror if isinstance(error, OSError) else _sqlite_reason(error)
    return (
        f"The database{where} can't be used ({reason}): see that its folder can be written and its disk has room, or "
        "set another with FOOTNOTE_DATA or DATABASE_URL."
    )


def _sqlite_reason(error: SQLAlchemyError) -> str:
    """SQLite's own words, which tell of files and disks, and of columns at most."""
    return str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
