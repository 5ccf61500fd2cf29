"""What Slack says of a file is read whatever is missing, and says where it is shared and whether it is another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.slack.files import Share, parse_file

SHARED = Path(__file__).parents[3] / "shared" / "data" / "slack" / "responses"
PDF = {
    "id": "F1",
    "name": "plan.pdf",
    "title": "The plan",
    "mode": "hosted",
    "filetype": "pdf",
    "mimetype": "application/pdf",
    "size": 12,
    "timestamp": 100,
    "url_private": "https://files.slack.com/files-pri/T1-F1/plan.pdf",
    "url_private_download": "https://files.slack.com/files-pri/T1-F1/download/plan.pdf",
    "permalink": "https://home.slack.com/files/U1/F1/plan.pdf",
    "channels": ["C1"],
    "groups": ["G2"],
    "ims": ["D3"],
    "shares": {
        "public": {"C1": [{"ts": "1.1"}, {"ts": "1.3", "thread_ts": "1.2"}], "C4": [{"ts": "4.1"}]},
        "private": {"G2": [{"ts": "2.1"}], "D3": [{"ts": "3.1"}]},
    },
}


def test_a_file_says_where_it_is_shared() -> None:
    """By its lists and by its shares, and never in a direct message."""
    file = parse_file(PDF)
    assert file.channels == {"C1", "C4", "G2"}
    assert file.shares[:2] == (Share("C1", "1.1"), Share("C1", "1.2"))
    assert (file.title, file.changed_at) == ("The plan", 100.0)
    assert file.url == "https://files.slack.com/files-pri/T1-F1/download/plan.pdf"


def test_a_canvas_is_fetched_as_its_page() -> None:
    """Its other address gives what a person would keep."""
    assert parse_file({**PDF, "mode": "quip"}).url == "https://files.slack.com/files-pri/T1-F1/plan.pdf"


@pytest.mark.parametrize(
    "change", [{"timestamp": 101}, {"updated": 7}, {"edit_timestamp": 7}, {"size": 13}, {"title": "A plan"}]
)
def test_another_content_or_title_is_another_version(change: dict[str, object]) -> None:
    """And where it is shared makes no difference to what it says."""
    assert parse_file({**PDF, **change}).version != parse_file(PDF).version
    assert parse_file({**PDF, "channels": [], "shares": {}}).version == parse_file(PDF).version


def test_a_file_of_which_nothing_is_said_is_shared_nowhere() -> None:
    """As one that the token may only ask about."""
    file = parse_file({"id": "F1", "mode": "file_access", "file_access": "check_file_info"})
    assert (file.channels, file.shares, file.url, file.title) == (frozenset(), (), "", "")


@pytest.mark.skipif(not SHARED.exists(), reason="needs the data that lies beside the checkout")
def test_every_known_field_of_a_file_passes() -> None:
    """Whatever Slack may say of a file is read without a fault."""
    described = json.loads((SHARED / "files.info.json").read_text(encoding="utf-8"))["file"]
    assert parse_file(described).channels != frozenset()
