"""Runs the sandbox by hand: `python -m sandbox --port N --seed FILE [--handbook DIR]`."""

import argparse
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from sandbox.server import Sandbox
from sandbox.types import SandboxError

SAMPLE = Path(__file__).parent / "sample"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; 0 when stopped, 2 when the seed or the port can't be used."""
    options = _parser().parse_args(arguments)
    try:
        with Sandbox.running(
            options.seed or SAMPLE / "workspace.yml",
            port=options.port,
            handbook=options.handbook or (None if options.seed else SAMPLE / "handbook"),
        ) as sandbox:
            _introduce(sandbox)
            threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="footnote sandbox", description="Slack on loopback, with a sample workspace.")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--seed", type=Path, help="YAML file with the workspace (default: the sample)")
    parser.add_argument("--handbook", type=Path, help="folder of Markdown pages to show at /handbook/")
    return parser


def _introduce(sandbox: Sandbox) -> None:
    lines = (
        f"For people:       {sandbox.url}",
        f"SLACK_API_URL={sandbox.api_url}",
        f"SLACK_BOT_TOKEN={sandbox.bot_token}",
        f"SLACK_APP_TOKEN={sandbox.app_token}",
        "A person's token: xoxp-<user id>. Stop with Ctrl-C.",
    )
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
