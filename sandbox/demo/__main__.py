"""`scripts/demo`: seeds a sandbox, serves the bot, indexes, asks as several people, and says what passed."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox.demo.scenes import Play, play_all
from sandbox.demo.stage import SAMPLE, BotProcess, DemoFailed, Stage, environment, running_bot
from sandbox.seed import read_seed
from sandbox.server import Sandbox
from sandbox.types import SandboxError


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo; 0 when all of it passed, 1 otherwise."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # however it is ended, the bot's process ends with it
    try:
        with _stage(options.port) as (stage, bot):
            return _play(stage, bot, options.serve)
    except (DemoFailed, SandboxError) as failure:
        say(f"\nThe demo failed: {failure}")
        return 1
    except KeyboardInterrupt:
        return 0


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def _stage(port: int) -> Iterator[tuple[Stage, BotProcess]]:
    seed = read_seed(SAMPLE / "workspace.yml")
    say("── Slack on loopback, with the sample workspace (all of it is made up) ──")
    with (
        TemporaryDirectory(prefix="footnote-demo-") as data,
        Sandbox.running(seed, port=port, handbook=SAMPLE / "handbook") as sandbox,
    ):
        say(f"{sandbox.url}  {len(seed.people)} people, {len(seed.channels)} channels")
        environ = environment(sandbox, Path(data))
        say("\n── footnote serve ──")
        with running_bot(environ) as bot:
            yield Stage(sandbox, seed, environ), bot


def _play(stage: Stage, bot: BotProcess, keep_up: bool) -> int:
    started = time.monotonic()
    say(bot.wait_until_it_says("is connected"))
    say(f"\n── footnote index sandbox/sample/handbook --url {stage.sandbox.url}handbook ──")
    say(stage.footnote("index", str(SAMPLE / "handbook"), "--url", f"{stage.sandbox.url}handbook").rstrip())
    say(bot.wait_until_it_says("has read"))
    say(f"({time.monotonic() - started:.0f} s to read and embed all of it)\n\n── People ask ──")
    played = play_all(Play(stage, say), say)
    passed = [title for title, checks in played if all(check.holds for check in checks)]
    failed = [title for title, _ in played if title not in passed]
    if keep_up:
        _keep_up(stage)
    say(f"\n{len(passed)} passed, {len(failed)} failed" + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def _keep_up(stage: Stage) -> None:
    say(f"\nThe workspace stays up at {stage.sandbox.url} (choose a person, write to @footnote). Stop with Ctrl-C.")
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say("")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/demo", description="Show Footnote's main job from nothing.")
    parser.add_argument("--serve", action="store_true", help="keep it up for a browser until Ctrl-C")
    parser.add_argument("--port", type=int, default=0, help="port of the sandbox (default: a free one)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
