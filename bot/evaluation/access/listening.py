"""Listens to everything that is logged, at every level, for words that people wrote."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from bot.evaluation.access.words import has_marked_word

_SPEAKING = ("bot", "retrieval", "slack_bolt", "slack_sdk", "httpx", "httpcore", "urllib3")
"""Ours, and those of the packages through whose hands words go: they are made to tell everything."""
_AS_IT_IS = ("sqlalchemy",)
"""Below the level that Footnote sets it to, it would write rows. Levels that Footnote itself sets stay as they are,
those of single clients too: they keep words out of the log, and are a part of what is proven."""


class _Listener(logging.Handler):
    """Notes where in the code a record was made that holds a canary or a word of a question; never the record."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        if has_marked_word(self.format(record)):
            self._found.append(f"{record.name} at {record.filename}:{record.lineno}, {record.levelname}")


@contextmanager
def listening(found: list[str]) -> Iterator[None]:
    """Note every leak into the log until the block ends."""
    listener = _Listener(found)
    loggers = [logging.getLogger(name) for name in (*_SPEAKING, *_AS_IT_IS)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(listener)
        logger.setLevel(logger.level if logger.name in _AS_IT_IS else logging.DEBUG)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(listener)
            logger.setLevel(level)
