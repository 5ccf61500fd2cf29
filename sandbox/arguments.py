"""What a call was given, read one by one as Slack reads it."""

import json
from collections.abc import Mapping
from typing import cast

from sandbox.clock import micros_of
from sandbox.types import Json, Refused


def invalid(message: str) -> Refused:
    """Slack's answer to arguments that it can't use."""
    return Refused("invalid_arguments", {"response_metadata": {"messages": [f"[ERROR] {message}"]}})


class Arguments:
    """The arguments of one call, from a form, a query or a JSON body."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = {name: value for name, value in given.items() if value is not None}

    def all(self) -> Json:
        return {name: value for name, value in self._given.items() if name != "token"}

    def require(self, names: tuple[str, ...]) -> None:
        missing = [name for name in names if self._given.get(name) in ("", None)]
        if missing:
            raise invalid(f"missing required field: {missing[0]}")

    def has(self, name: str) -> bool:
        return name in self._given

    def text(self, name: str, default: str = "") -> str:
        value = self._given.get(name, default)
        if isinstance(value, dict | list):
            raise invalid(f"must be a string [json-pointer:/{name}]")
        return str(value)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._given.get(name, default)
        return value if isinstance(value, bool) else str(value).lower() in ("1", "true")

    def integer(self, name: str, default: int) -> int:
        value = self.text(name)
        if not value:
            return default
        try:
            return int(value)
        except ValueError:
            raise invalid(f"must be an integer [json-pointer:/{name}]") from None

    def number(self, name: str, default: float) -> float:
        try:
            return float(self.text(name, str(default)))
        except ValueError:
            raise invalid(f"must be a number [json-pointer:/{name}]") from None

    def moment(self, name: str, error: str) -> int | None:
        """Microseconds of a timestamp argument, None when it isn't there."""
        value = self.text(name)
        try:
            return micros_of(value) if value else None
        except ValueError:
            raise Refused(error) from None

    def names(self, name: str) -> list[str]:
        """A list, given as one or with commas."""
        value = self._given.get(name, "")
        listed = value if isinstance(value, list) else str(value).split(",")
        return [str(entry).strip() for entry in listed if str(entry).strip()]

    def objects(self, name: str, error: str) -> list[Json]:
        """A JSON array of objects; refused by `error` when it is none."""
        value = self._decoded(name, [], error)
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise Refused(error)
        return cast("list[Json]", value)

    def mapping(self, name: str, error: str) -> Json:
        """A JSON object; refused by `error` when it is none."""
        value = self._decoded(name, {}, error)
        if not isinstance(value, dict):
            raise Refused(error)
        return cast("Json", value)

    def _decoded(self, name: str, default: object, error: str) -> object:
        value = self._given.get(name, default)
        if not isinstance(value, str):
            return value
        try:
            return cast("object", json.loads(value)) if value else default
        except json.JSONDecodeError:
            raise Refused(error) from None
