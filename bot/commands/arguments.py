"""What the words of a command line may be, and what is said where they are not."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

_LAST_PORT = 65535


class Joined(argparse.Action):
    """Words as one text, so that a question needs no quotation marks."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # argparse calls it so
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        option_string: str | None = None,  # noqa: ARG002  # argparse calls it so
    ) -> None:
        setattr(namespace, self.dest, values if isinstance(values, str) else " ".join(values or ()))


def web_address(text: str) -> str:
    """An address that a browser opens."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} is no http or https address")
    return text


def port(text: str) -> int:
    """A port; 0 is a free one."""
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give 0 to {_LAST_PORT}")
    return int(text)


def positive(text: str) -> int:
    """A whole number above 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
