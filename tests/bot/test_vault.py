"""The vault: words that must be written down are for nobody who holds the database alone."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import StateError
from bot.state.vault import Vault, open_vault

KEY = Fernet.generate_key().decode()


@given(st.text())
def test_what_was_sealed_is_opened_again(text: str) -> None:
    """Any text, whole, and nothing of it shows while it is sealed."""
    sealed = Vault(KEY).sealed(text)
    assert (Vault(KEY).opened(sealed), len(text) > 3 and text in sealed) == (text, False)


def test_equal_words_are_sealed_differently() -> None:
    """Whoever holds the database can't tell which answers are the same."""
    assert Vault(KEY).sealed("Yes.") != Vault(KEY).sealed("Yes.")


@pytest.mark.parametrize(
    "sealed",
    [
        Vault(Fernet.generate_key().decode()).sealed("words"),
        Vault(KEY).sealed("words")[:-2],
        "A" + Vault(KEY).sealed("words")[1:],
        "",
        "no sealed text at all, é",
    ],
)
def test_what_another_key_sealed_or_somebody_changed_stays_shut(sealed: str) -> None:
    """Nothing comes out of it, and nothing fails."""
    assert Vault(KEY).opened(sealed) is None


@pytest.mark.parametrize("key", ["", "too short", "é" * 44])
def test_a_key_that_is_none_is_told_by_its_variable(key: str) -> None:
    """Before anything is sealed with it."""
    with pytest.raises(StateError, match="FOOTNOTE_KEY"):
        Vault(key)


def test_without_a_setting_one_key_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """It stands in the data folder, stays from start to start, and nobody else on the machine can read it."""
    sealed = open_vault("", tmp_path / "data").sealed("words")
    assert open_vault("", tmp_path / "data").opened(sealed) == "words"
    assert [file.name for file in (tmp_path / "data").iterdir()] == ["key"]
    assert stat.S_IMODE((tmp_path / "data" / "key").stat().st_mode) == 0o600


def test_a_key_that_is_set_writes_none(tmp_path: Path) -> None:
    """Then it is kept where the operator keeps secrets, and not beside what it seals."""
    assert Vault(KEY).opened(open_vault(KEY, tmp_path).sealed("words")) == "words"
    assert list(tmp_path.iterdir()) == []


def test_several_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    """Whoever was first made it, and what one seals the others open."""
    vaults: list[Vault] = []
    threads = [threading.Thread(target=lambda: vaults.append(open_vault("", tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sealed = [vault.sealed("words") for vault in vaults]
    assert [vault.opened(each) for vault in vaults for each in sealed] == ["words"] * 64


def test_a_key_file_that_cant_be_used_is_told(tmp_path: Path) -> None:
    """In one sentence that says what to do."""
    (tmp_path / "key").mkdir()
    with pytest.raises(StateError, match="set FOOTNOTE_KEY"):
        open_vault("", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="set FOOTNOTE_KEY"):
        open_vault("", tmp_path / "file")
