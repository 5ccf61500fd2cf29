"""The parsing process: reads the files that it is asked for, one by one, within its limits."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from retrieval.errors import UnreadableSource
from retrieval.reading.html import read_html
from retrieval.reading.kinds import Kind
from retrieval.reading.limits import MOST_CHARACTERS
from retrieval.reading.messages import READY, Request, line_of
from retrieval.reading.notebook import read_notebook
from retrieval.reading.pdf import read_pdf
from retrieval.reading.reading import Reading
from retrieval.reading.sheets import read_separated, read_workbook
from retrieval.reading.slides import read_slides
from retrieval.reading.word import read_word
from retrieval.reading.writing import TooLong

PARSERS: Mapping[Kind, Callable[[Path], Reading]] = {
    Kind.HTML: read_html,
    Kind.NOTEBOOK: read_notebook,
    Kind.PDF: read_pdf,
    Kind.SEPARATED: read_separated,
    Kind.SLIDES: read_slides,
    Kind.WORD: read_word,
    Kind.WORKBOOK: read_workbook,
}


def main() -> None:
    """Answer until nothing is asked any more."""
    answers = _own_output()
    _limit(int(sys.argv[1]))
    answers.write(READY)
    answers.flush()
    for line in sys.stdin.buffer:
        request = Request.from_line(line)
        answers.write(line_of(_answer(request)))
        answers.flush()


def _own_output() -> BinaryIO:
    """Where answers go; what a parser prints goes where errors go."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _limit(address_space_bytes: int) -> None:
    """Bound what a file can make of this process: memory, and files that it could write."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = address_space_bytes if most == resource.RLIM_INFINITY else min(address_space_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(request: Request) -> Reading | str:
    try:
        return PARSERS[request.kind](Path(request.path))
    except UnreadableSource as error:
        return str(error)
    except TooLong:
        return f"It holds more than {MOST_CHARACTERS:,} characters: split it."
    except MemoryError:
        return "Reading it takes too much memory: it is too large, or made to do harm."
    except RecursionError:
        return "Its parts stand too deep within each other: it is damaged, or made to do harm."
    except Exception as error:  # noqa: BLE001  # the process's edge: parsers raise whatever a broken file leads them to
        return f"It is damaged, or no {request.kind.value} file, whatever its name says ({type(error).__name__})."


if __name__ == "__main__":
    main()
