"""A workspace written down: dataclasses to build one in Python, and the YAML file that holds one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import yaml

from sandbox.types import Json, SeedError

T = TypeVar("T")

ALL = ("all",)  # as a channel's members: every full member


@dataclass(frozen=True, slots=True)
class SeedTeam:
    """An organisation."""

    id: str = "T0HOME"
    name: str = "Home"
    domain: str = "home"


@dataclass(frozen=True, slots=True)
class SeedPerson:
    """Somebody, by their handle; an empty id is made from it. Outsiders name their own team.

    Who chose no display name is shown by their real name, as in Slack.
    """

    name: str
    id: str = ""
    real_name: str = ""
    display_name: str = ""
    kind: str = "member"
    admin: bool = False
    title: str = ""
    tz: str = "Europe/Berlin"
    team: SeedTeam | None = None


@dataclass(frozen=True, slots=True)
class SeedChannel:
    """A conversation; kind is public, private, group_dm, dm or shared (which `private` may make private too)."""

    name: str
    id: str = ""
    kind: str = "public"
    topic: str = ""
    purpose: str = ""
    members: tuple[str, ...] = ALL
    footnote: bool = True
    archived: bool = False
    private: bool = False
    pending: bool = False
    org_shared: bool = False
    created: datetime | None = None


@dataclass(frozen=True, slots=True)
class SeedFile:
    """A file with a message: its words, or where in the seed's folder it is; `mode` and `filetype` are Slack's."""

    name: str
    content: str = ""
    path: str = ""
    id: str = ""
    title: str = ""
    mimetype: str = ""
    mode: str = "hosted"
    filetype: str = ""


@dataclass(frozen=True, slots=True)
class SeedMessage:
    """A post; without `at` it comes a minute after the one before it. Reactions: emoji → handles."""

    sender: str
    text: str
    at: datetime | None = None
    edited: datetime | None = None
    reactions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    thread: tuple["SeedMessage", ...] = ()
    broadcast: bool = False
    subtype: str = ""
    attachments: tuple[Json, ...] = ()
    blocks: tuple[Json, ...] = ()
    files: tuple[SeedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Seed:
    """A whole workspace; messages stand by channel name, oldest first. Without `now` the clock shows real time.

    Paths of files begin at `folder`. A clock that stands moves only when it is pushed.
    """

    people: tuple[SeedPerson, ...]
    channels: tuple[SeedChannel, ...] = ()
    messages: Mapping[str, tuple[SeedMessage, ...]] = field(default_factory=dict)
    team: SeedTeam = SeedTeam()
    now: datetime | None = None
    folder: Path = Path()
    clock_stands: bool = False


def read_seed(path: Path) -> Seed:
    """The seed of a YAML file and of `channels/<name>.yml` beside it; SeedError says what to change."""
    if not path.is_file():
        raise SeedError(f"There is no seed file {path}; name one that exists.")
    whole = _mapping(_yaml(path), str(path))
    messages = {name: _messages(listed, f"{path}: {name}") for name, listed in _section(whole, "messages").items()}
    for more in sorted((path.parent / "channels").glob("*.yml")):
        messages[more.stem] = messages.get(more.stem, ()) + _messages(_yaml(more), str(more))
    return Seed(
        team=_build(SeedTeam, _section(whole, "team"), f"{path}: team"),
        people=tuple(_person(entry, f"{path}: people") for entry in _list(whole.get("people"), str(path))),
        channels=tuple(_channel(entry, f"{path}: channels") for entry in _list(whole.get("channels"), str(path))),
        messages=messages,
        now=_moment(whole.get("now"), str(path)),
        folder=path.parent,
    )


def _yaml(path: Path) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise SeedError(f"{path} isn't YAML: {error}.") from error


def _mapping(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise SeedError(f"{where}: expected names with values, found {value!r:.80}.")
    return {str(key): entry for key, entry in value.items()}


def _list(value: object, where: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise SeedError(f"{where}: expected a list, found {value!r:.80}.")
    return value


def _section(whole: Json, name: str) -> Json:
    return _mapping(whole.get(name) or {}, name)


def _build(kind: type[T], given: Json, where: str) -> T:
    known = {entry.name for entry in fields(kind)}  # type: ignore[arg-type]  # always one of the dataclasses above
    unknown = sorted(given.keys() - known)
    if unknown:
        raise SeedError(f"{where}: {', '.join(unknown)} is not known; use {', '.join(sorted(known))}.")
    try:
        return kind(**given)
    except TypeError as error:
        raise SeedError(f"{where}: {error}.") from error


def _person(entry: object, where: str) -> SeedPerson:
    given = _mapping(entry, where)
    if "team" in given:
        given["team"] = _build(SeedTeam, _mapping(given["team"], where), where)
    return _build(SeedPerson, given, where)


def _channel(entry: object, where: str) -> SeedChannel:
    given = _mapping(entry, where)
    members = given.get("members", "all")
    given["members"] = ALL if members == "all" else tuple(str(name) for name in _list(members, where))
    given.setdefault("footnote", False)
    given["created"] = _moment(given.get("created"), where)
    return _build(SeedChannel, given, f"{where}: {given.get('name')}")


def _messages(value: object, where: str) -> tuple[SeedMessage, ...]:
    return tuple(_message(entry, where) for entry in _list(value, where))


def _message(entry: object, where: str) -> SeedMessage:
    given = _mapping(entry, where)
    if "from" not in given:
        raise SeedError(f"{where}: a message lacks `from`: {given!r:.120}.")
    reactions = _mapping(given.pop("reactions", {}), where)
    given |= {
        "sender": str(given.pop("from")),
        "text": str(given.get("text", "")),
        "at": _moment(given.get("at"), where),
        "edited": _moment(given.get("edited"), where),
        "reactions": {emoji: tuple(map(str, _list(names, where))) for emoji, names in reactions.items()},
        "thread": _messages(given.get("thread"), where),
        "attachments": tuple(_mapping(each, where) for each in _list(given.get("attachments"), where)),
        "blocks": tuple(_mapping(each, where) for each in _list(given.get("blocks"), where)),
        "files": tuple(_build(SeedFile, _mapping(f, where), where) for f in _list(given.get("files"), where)),
    }
    return _build(SeedMessage, given, where)


def _moment(value: object, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError as error:
        raise SeedError(f"{where}: {value!r} isn't a time; write it like 2026-03-02T09:14:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
