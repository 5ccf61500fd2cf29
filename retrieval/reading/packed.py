"""Looks at office documents before a parser does: they are zip archives, and may be bombs."""

from __future__ import annotations

import zipfile
from pathlib import Path

from retrieval.errors import UnreadableSource
from retrieval.reading.limits import MOST_PACKED_FILES, MOST_UNPACKED_BYTES

_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""Opens what is encrypted by Office, or older than 2007."""


def check_archive(path: Path, part: str) -> None:
    """Make sure that a file is a zip archive of bearable size with a certain part in it.

    The sizes are those that the archive claims; Python's zipfile unpacks no more than that.

    Raises:
        UnreadableSource: it is not.
    """
    with path.open("rb") as file:
        if file.read(4) == _OLD_OFFICE:
            raise UnreadableSource(
                "It is protected by a password or in a format from before 2007: save it anew, without one."
            )
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise UnreadableSource("It is damaged, or not an Office document, whatever its name says.") from error
    if sum(file.file_size for file in files) > MOST_UNPACKED_BYTES or len(files) > MOST_PACKED_FILES:
        raise UnreadableSource(
            f"It unpacks to more than {MOST_UNPACKED_BYTES // 1_000_000} MB: it is too large, or made to do harm."
        )
    if not any(file.filename == part for file in files):
        raise UnreadableSource("It is another kind of file than its name says.")
