"""Says which collection holds a team's passages, and where an embedded one stands."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.errors import CollectionMismatch, StoreUnavailable


@dataclass(frozen=True, slots=True)
class Collection:
    """One team's passages under one embedding model and chunking version; another of these needs another build."""

    team: str
    model: str
    dimension: int
    chunking_version: str

    @property
    def name(self) -> str:
        """A name for files: readable, and different for different collections."""
        key = json.dumps(asdict(self), sort_keys=True).encode()
        return f"{_readable(self.model)}-{_readable(self.chunking_version)}-{blake2b(key, digest_size=4).hexdigest()}"

    def folder(self, data: Path) -> Path:
        """Where its shard stands in the data folder."""
        return team_folder(data, self.team) / self.name


def team_folder(data: Path, team: str) -> Path:
    """Where all collections of a team stand."""
    return data / "passages" / team_name(team)


def team_name(team: str) -> str:
    """A team's name for files and collections: readable, and different for different teams."""
    return f"{_readable(team)}-{blake2b(team.encode(), digest_size=4).hexdigest()}"


def active(data: Path, team: str) -> Collection | None:
    """The collection that answers; None before the first."""
    return read_manifest(team_folder(data, team) / "active.json")


def activate(data: Path, collection: Collection) -> None:
    """Let this collection answer from now on."""
    write_manifest(team_folder(data, collection.team) / "active.json", collection)


def activate_first(data: Path, collection: Collection) -> None:
    """Let this collection answer if none does yet.

    Raises:
        CollectionMismatch: another does.
    """
    path = team_folder(data, collection.team) / "active.json"
    if not path.exists():
        write_manifest(path, collection)
    require_match(read_manifest(path) or collection, collection, path.parent)


def require_match(found: Collection, wanted: Collection, where: Path | str) -> None:
    """Refuse to mix what different models or ways of cutting made.

    Args:
        found: What stands there.
        wanted: What is about to be opened.
        where: What to delete for another build: a folder, or a server's collection.

    Raises:
        CollectionMismatch: they differ.
    """
    if found != wanted:
        raise CollectionMismatch(
            f"The index of {wanted.team} was built with {_described(found)} and the settings ask for "
            f"{_described(wanted)}: delete {where} and read your documents again with `footnote index` "
            f"(`footnote serve` reads Slack's channels again by itself){_or_set_back(found, wanted)}."
        )


def read_manifest(path: Path) -> Collection | None:
    """What was written there, or None.

    Raises:
        StoreUnavailable: something else stands there.
    """
    try:
        return Collection(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, TypeError, ValueError) as error:
        raise StoreUnavailable(f"{path} can't be read ({error}); restore it, or delete its folder.") from error


def write_manifest(path: Path, collection: Collection) -> None:
    """Write in one step, so that no reader sees half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(dir=path.parent) as folder:
            beside = Path(folder) / path.name
            beside.write_text(json.dumps(asdict(collection), indent=2), encoding="utf-8")
            beside.replace(path)
    except OSError as error:
        raise StoreUnavailable(f"{path} can't be written: {error}.") from error


def _or_set_back(found: Collection, wanted: Collection) -> str:
    return ", or set EMBEDDING_MODEL back" if found.model != wanted.model else ""


def _described(collection: Collection) -> str:
    return f"{collection.model} ({collection.dimension} dimensions, chunking {collection.chunking_version})"


def _readable(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:40]
