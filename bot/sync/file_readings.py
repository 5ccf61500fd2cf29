"""Reads shared files in threads of their own, so that neither messages nor answers wait for one."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable

from bot.errors import BotError
from bot.sync.file_contents import Contents, Interrupted
from bot.sync.file_queue import FileQueue
from bot.sync.files import SharedFiles
from retrieval.errors import RetrievalError

WORKERS = 2
"""So that others are read while one file uses up its time; each has a parsing process."""
STOP_S = 10.0
"""How long a stop waits for what a file has begun to write; a file that is cut off is read again."""

log = logging.getLogger(__name__)


class FileReadings:
    """The threads that read what is in the queue."""

    def __init__(self, shared: SharedFiles, queue: FileQueue, open_contents: Callable[[], Contents]) -> None:
        self._shared = shared
        self._queue = queue
        self._open_contents = open_contents
        self._open: list[Contents] = []
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Take up what waits, and read until stopped.

        Raises:
            StoreUnavailable, StateError: what waits can't be known.
        """
        self._shared.resume()
        for number in range(WORKERS):
            contents = self._open_contents()
            self._open.append(contents)
            thread = threading.Thread(
                target=self._read_from_queue, args=(contents,), name=f"files-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Read no more; what is being parsed is ended."""
        self._queue.close()
        for contents in self._open:
            contents.stop()
        for thread in self._threads:
            thread.join(STOP_S)

    def read_waiting(self) -> None:
        """Read what is due now, in this thread."""
        self._read_from_queue(self._open_contents(), wait=False)

    def _read_from_queue(self, contents: Contents, *, wait: bool = True) -> None:
        try:
            while file_id := self._next(contents, wait=wait):
                self._read(file_id, contents)
        finally:
            contents.close()

    def _next(self, contents: Contents, *, wait: bool) -> str | None:
        """The next file; while there is none, no parsing process takes up memory."""
        if file_id := self._queue.take(wait=False):
            return file_id
        contents.close()
        return self._queue.take() if wait else None

    def _read(self, file_id: str, contents: Contents) -> None:
        is_settled = False
        try:
            is_settled = self._shared.read(file_id, contents)
            if not is_settled:
                self._shared.note_failure(file_id, "Slack does not say that it is shared where a message carries it.")
        except Interrupted:
            log.info("file %s was not read to its end", file_id)
        except (BotError, RetrievalError) as error:
            self._note(file_id, error)
        except Exception as error:  # noqa: BLE001  # the thread's edge: the next file may be readable
            # Without the error's own message, which may quote what people wrote.
            log.error("files: %s at\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
        finally:
            self._queue.done(file_id, is_settled=is_settled)

    def _note(self, file_id: str, error: BotError | RetrievalError) -> None:
        log.warning("file %s could not be read: %s", file_id, error)
        try:
            self._shared.note_failure(file_id, str(error))
        except BotError as unnoted:
            log.error("files: %s", unnoted)
