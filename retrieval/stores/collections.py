"""Says which collection holds a team's passages, and where an embedded one stands."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.errors import CollectionMismatch, StoreUnavailable

ENGLISH = "english"
"""The language of a manifest that names none: it was written before the language was kept."""


@dataclass(frozen=True, slots=True)
class Collection:
    """One team's passages as one model, language and way of cutting made them; another of these needs another build."""

    team: str
    model: str
    dimension: int
    chunking_version: str
    language: str = ENGLISH
    """Of the stems and stop words of the sparse vectors."""

    @property
    def name(self) -> str:
        """A name for files: readable, and different for different collections."""
        told = asdict(self)
        if self.language == ENGLISH:
            del told["language"]  # so that what was named before the language was kept is found
        key = json.dumps(told, sort_keys=True).encode()
        return f"{_readable(self.model)}-{_readable(self.chunking_version)}-{blake2b(key, digest_size=4).hexdigest()}"

    @property
    def described(self) -> str:
        """What built it, for people."""
        return f"{self.model_told}, {self.language}"

    @property
    def model_told(self) -> str:
        """The model and how long its vectors are."""
        return f"{self.model} ({self.dimension} dimensions)"

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
    require_match(read_manifest(path) or collection, collection)


def require_match(found: Collection, wanted: Collection, remedy: str = "run `footnote reindex`") -> None:
    """Refuse to mix what different models, languages or ways of cutting made.

    Args:
        found: What stands there.
        wanted: What is about to be opened.
        remedy: What to do for another build.

    Raises:
        CollectionMismatch: they differ.
    """
    if found != wanted:
        before, now = _differences(found, wanted)
        raise CollectionMismatch(
            f"The index of {wanted.team} was built with {before} and the settings ask for {now}: "
            f"{remedy}{_or_set_back(found, wanted)}."
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


def _differences(found: Collection, wanted: Collection) -> tuple[str, str]:
    """What each of them is, as far as they are not the same."""
    both = ((found.team, wanted.team), (found.model_told, wanted.model_told), (found.language, wanted.language))
    cut = tuple(f"chunking {one.chunking_version}" for one in (found, wanted))
    differing = [pair for pair in (*both, cut) if pair[0] != pair[1]]
    return ", ".join(before for before, _ in differing), ", ".join(now for _, now in differing)


def _or_set_back(found: Collection, wanted: Collection) -> str:
    """The settings that would do for what is there; how a text is cut is none."""
    if found.chunking_version != wanted.chunking_version:
        return ""
    back = {"EMBEDDING_MODEL": (found.model, wanted.model), "LANGUAGE": (found.language, wanted.language)}
    names = [f"{variable} to {before}" for variable, (before, now) in back.items() if before != now]
    return f", or set {' and '.join(names)} again" if names else ""


def _readable(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:40]
