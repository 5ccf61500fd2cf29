"""Keeps words secret at rest: what must be written down for a while is encrypted with a key that stands elsewhere."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.fernet import Fernet, InvalidToken

from bot.errors import StateError

_FILE = "key"


class Vault:
    """Encrypts and authenticates texts, each with its time."""

    def __init__(self, key: str) -> None:
        """Use a key as `Fernet.generate_key` makes it.

        Raises:
            StateError: it is no such key.
        """
        try:
            self._fernet = Fernet(key)
        except ValueError as error:
            raise StateError("FOOTNOTE_KEY must be 32 bytes in URL-safe Base64.") from error

    def sealed(self, text: str) -> str:
        """The text, for nobody without the key."""
        return self._fernet.encrypt(text.encode()).decode()

    def opened(self, sealed: str) -> str | None:
        """The text again; None where it was sealed with another key, or changed since."""
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            return None


def passing_vault() -> Vault:
    """A vault whose key is kept nowhere: what it seals is for this process alone."""
    return Vault(Fernet.generate_key().decode())


def open_vault(key: str, folder: Path) -> Vault:
    """The vault of the key that is set, or of one that is made once and kept in the data folder for its owner alone.

    Raises:
        StateError: the key can't be used, read or kept.
    """
    return Vault(key or _kept_key(folder / _FILE))


def _kept_key(file: Path) -> str:
    if not file.exists():
        _make(file)
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise StateError(f"{file} can't be read: see that it is readable, or set FOOTNOTE_KEY.") from error


def _make(file: Path) -> None:
    """Put a whole key there at once; where another process was faster, its key counts."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, encoding="ascii") as written:  # its owner alone may read it
            written.write(Fernet.generate_key().decode())
            written.flush()
            with suppress(FileExistsError):
                os.link(written.name, file)
    except OSError as error:
        raise StateError(f"{file} can't be written ({error.strerror}): set FOOTNOTE_KEY.") from error
