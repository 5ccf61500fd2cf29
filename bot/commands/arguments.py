"""What commands are made of: their parser, what their words may be, and what is said where they are not."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from bot.errors import UsageError

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


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one sentence, as every other error is said."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}; `{self.prog} --help` says how to call it.")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # what `add_subparsers` returns; it has no public name


def add_command(commands: Commands, name: str, made: type[object]) -> Parser:
    """A command that is described by what it makes."""
    line = (made.__doc__ or "").rstrip(".")
    parser = commands.add_parser(name, help=line[:1].lower() + line[1:], description=made.__doc__)
    parser.set_defaults(command=made)
    parser.add_argument("--debug", action="store_true", help="write tracebacks and details to stderr")
    return parser


def add_json(parser: Parser) -> None:
    """The option `--json`."""
    parser.add_argument("--json", action="store_true", help="write one JSON object")
