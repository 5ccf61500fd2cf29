"""`footnote sandbox`: runs Slack on loopback, out of a checkout."""

from __future__ import annotations

from importlib.util import find_spec

from bot.commands.parsing import RunSandbox
from bot.errors import UsageError
from bot.settings import Settings


def run(command: RunSandbox, settings: Settings) -> int:  # noqa: ARG001  # the sandbox needs none of the settings
    """Serve until interrupted."""
    if find_spec("sandbox") is None:
        raise UsageError("The sandbox is part of Footnote's source, not of the package: run this in a checkout.")
    from sandbox.__main__ import main  # here, because it is not there in an installed package

    words = ["--port", str(command.port)]
    words += ["--seed", str(command.seed)] if command.seed else []
    words += ["--handbook", str(command.handbook)] if command.handbook else []
    return main(words)
