"""The command line's edge: reads the words and the settings, sets up logging, and says in one sentence what failed."""

from __future__ import annotations

import importlib
import logging
import os
import sys
import traceback
import uuid
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Protocol, cast

from bot.commands import measuring, parsing
from bot.errors import BotError, SettingsError, UsageError
from bot.settings import Settings, keep_packages_silent
from retrieval.errors import RetrievalError

DONE, FAILED, MISUSED = 0, 1, 2
LOG_BYTES = 5_000_000
"""Of each of three log files: months of commands, or some days of a busy workspace."""

_RUNNERS = {
    parsing.Serve: "serve",
    parsing.Check: "check",
    parsing.Index: "index",
    parsing.Reindex: "reindex",
    parsing.Ask: "ask",
    parsing.Passages: "passages",
    measuring.EvalRetrieval: "evaluate",
    measuring.EvalRewriting: "evaluate",
    measuring.EvalAccess: "access",
    measuring.EvalAnswers: "answers",
    measuring.EvalInjection: "injection",
    measuring.BenchStore: "bench",
    parsing.Status: "status",
    parsing.RunSandbox: "sandbox",
}

log = logging.getLogger(__name__)


class _Runner(Protocol):
    """A module of `bot.commands`."""

    def run(self, command: parsing.Command, settings: Settings) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code is 0 when done, 1 when failed, 2 for wrong usage or settings."""
    debug = False
    keep_packages_silent()
    try:
        command, debug = parsing.parse(sys.argv[1:] if argv is None else argv)
        settings = Settings.from_env()
        _set_up_logging(settings, debug, to_stderr=isinstance(command, parsing.Serve))
        runner = importlib.import_module(f"bot.commands.{_RUNNERS[type(command)]}")
        return cast(_Runner, runner).run(command, settings)
    except (UsageError, SettingsError) as error:
        return _failed(str(error), MISUSED)
    except (BotError, RetrievalError) as error:
        log.debug("failed", exc_info=error)
        return _failed(str(error), FAILED)
    except KeyboardInterrupt:
        return _failed("Stopped.", FAILED)
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123  # kept open: Python flushes it when it ends
        return FAILED
    except Exception as error:  # noqa: BLE001  # the process's edge: nobody is shown a traceback
        return _failed(_incident(error, debug), FAILED)


def _failed(sentence: str, code: int) -> int:
    sys.stderr.write(f"footnote: {sentence}\n")
    return code


def _incident(error: Exception, debug: bool) -> str:
    """Put the traceback where it can be found, and give the words to find it by."""
    incident = uuid.uuid4().hex[:8]
    log.error("incident %s", incident, exc_info=error)
    if debug:
        traceback.print_exception(error)
    return f"Something unexpected failed (incident {incident}); the log has the details, and so has --debug."


def _set_up_logging(settings: Settings, debug: bool, to_stderr: bool) -> None:
    """Ours alone speak below a warning: Slack's packages write whole messages and tokens there."""
    handlers: list[logging.Handler] = [*_log_file(settings.data_folder)]
    if to_stderr or debug:
        handlers.append(logging.StreamHandler())
    logging.basicConfig(
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        handlers=handlers or [logging.NullHandler()],
        force=True,
    )
    for ours in ("bot", "retrieval"):
        logging.getLogger(ours).setLevel(logging.DEBUG if debug else logging.INFO)


def _log_file(folder: Path) -> list[logging.Handler]:
    """The log in the data folder; none where it can't be written, which the command itself will meet and say."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "footnote.log").touch(mode=0o600)
        return [RotatingFileHandler(folder / "footnote.log", maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")]
    except OSError:
        return []
