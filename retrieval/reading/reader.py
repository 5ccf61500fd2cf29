"""Reads files of every kind; what needs a parser is read in a process of its own, which may be ended at any time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path, PurePath
from select import select
from types import TracebackType
from typing import Self

from retrieval.errors import ReadingEnded, UnreadableSource
from retrieval.reading.kinds import Kind
from retrieval.reading.limits import ADDRESS_SPACE_BYTES, MOST_BYTES, MOST_TEXT_BYTES, START_LIMIT_S, TIME_LIMIT_S
from retrieval.reading.messages import READY, Request, answer_in
from retrieval.reading.reading import Reading
from retrieval.reading.text import read_text
from retrieval.types import Markup


class FileReader:
    """Reads files one by one; to be closed, or used as a context."""

    def __init__(self, time_limit_s: float = TIME_LIMIT_S, address_space_bytes: int = ADDRESS_SPACE_BYTES) -> None:
        self._time_limit_s = time_limit_s
        self._address_space_bytes = address_space_bytes
        self._worker: _Worker | None = None
        self._is_interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the parsing process, if there is one."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def interrupt(self) -> None:
        """End what is being parsed, from any thread: it raises `ReadingEnded`, as does all that would come after it."""
        self._is_interrupted = True
        if (worker := self._worker) is not None:
            worker.kill()

    def read(self, path: Path, kind: Kind, name: PurePath | None = None) -> Reading:
        """The words of a file.

        Args:
            path: where it is.
            kind: what it is read as.
            name: what readers know it by; its own name where there is none.

        Raises:
            UnreadableSource: it can't be read as this kind, or costs more than a file may, or holds no words.
            OSError: it can't be opened.
        """
        size, most = path.stat().st_size, MOST_TEXT_BYTES if kind.is_text else MOST_BYTES
        if size > most:
            raise UnreadableSource(f"It is larger than {most // 1_000_000} MB: split it.")
        if size == 0:
            raise UnreadableSource("It is empty.")
        if kind.is_text:
            reading = read_text(path.read_bytes(), kind, name or PurePath(path.name))
        else:
            with path.open("rb"):  # what can't be opened is told apart from what can't be parsed
                pass
            reading = self._parsed(path, kind)
        if _is_empty(reading):
            raise UnreadableSource(_NO_WORDS.get(kind, "It is empty."))
        return reading

    def _parsed(self, path: Path, kind: Kind) -> Reading:
        if self._worker is not None and self._worker.has_ended:
            self.close()
        worker = self._worker = self._worker or _Worker(self._address_space_bytes)
        try:
            if self._is_interrupted:  # before there was a process that could have been ended
                raise ReadingEnded("Reading was interrupted: index it again.")
            answer = worker.ask(Request(str(path.absolute()), kind), self._time_limit_s)
        except BaseException:
            self.close()
            raise
        if isinstance(answer, str):
            raise UnreadableSource(answer)
        return answer


_NO_WORDS = {Kind.PDF: "It holds pictures of pages and no words: give it a layer of text first."}


def _is_empty(reading: Reading) -> bool:
    return not (reading.content.text.strip() if isinstance(reading.content, Markup) else reading.content.pages)


class _Worker:
    """The parsing process. It gets no environment: no secret is where strangers' files are parsed."""

    def __init__(self, address_space_bytes: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-m", "retrieval.reading.worker", str(address_space_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # parsers' own words about broken files
            env={"OPENBLAS_NUM_THREADS": "1"},  # each thread would claim address space
            bufsize=0,
        )
        if self._line(START_LIMIT_S) != READY:
            self.end()
            raise ReadingEnded("The parsing process did not start: there may be too little memory.")

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ask(self, request: Request, limit_s: float) -> Reading | str:
        """What it reads, or why it can't.

        Raises:
            ReadingEnded: it took too long, or broke the process.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request.to_line())
        except BrokenPipeError as error:
            raise ReadingEnded("The parsing process has ended: index it again.") from error
        line = self._line(limit_s)
        if line is None:
            raise ReadingEnded(f"Reading it took more than {limit_s:g} s: it is too large, or made to do harm.")
        if not line:
            raise ReadingEnded("It broke its parser: it is damaged, too large, or made to do harm.")
        return answer_in(line)

    def kill(self) -> None:
        """Stop it, whatever it is doing; its end is seen by whoever waits for its answer."""
        self._process.kill()

    def end(self) -> None:
        """Stop it, and put everything of it away."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _line(self, limit_s: float) -> bytes | None:
        """The next line that it writes; empty where it has ended, None where the time has."""
        pipe = self._process.stdout
        assert pipe is not None
        deadline, pieces = time.monotonic() + limit_s, list[bytes]()
        while not (pieces and pieces[-1].endswith(b"\n")):
            ready, _, _ = select([pipe], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                return None
            if not (piece := pipe.read(1 << 16)):
                return b""
            pieces.append(piece)
        return b"".join(pieces)
