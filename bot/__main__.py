"""`footnote`, and `python -m bot`."""

from __future__ import annotations

import sys

from bot.cli import main as run


def main() -> None:
    """Run the command that the words after `footnote` give."""
    sys.exit(run())


if __name__ == "__main__":
    main()
