"""An export gives what Slack's API would give, never DMs, and says what was left out."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.slack.messages import Message, parse
from bot.slack.workspace import Identity
from bot.sync import archive
from bot.sync.archive import open_archive
from bot.sync.export import (
    DIRECT,
    LEFT_OUT,
    NO_CHANNEL,
    NO_FOLDER,
    NOTICES,
    PRIVATE,
    WITH_US,
    Export,
    Tally,
    permalink_of,
    team_of,
)
from bot.sync.selection import NOTHING_LEFT_OUT, LeftOut
from bot.sync.talk import TalkSources
from bot.types import Conversation, ConversationKind
from retrieval.types import Place, Source, Talk

US = Identity("T1", "https://home.example/", "U0ME", "B0ME", "A0ME")
REAL = Path(__file__).parents[3] / "shared" / "data" / "slack" / "export"

MESSAGES = [
    {"ts": "1772442000.000100", "user": "U1", "text": "The kiln is hot, <@U2>."},
    {"ts": "1772442060.000100", "user": "U2", "text": "So I see."},
    {"ts": "1772443000.000100", "thread_ts": "1772443000.000100", "user": "U1", "text": "Where is the ladder?"},
    {"ts": "1772443100.000100", "user": "U2", "text": "<@U0ME> where?"},
    {"ts": "1772443200.000100", "user": "U2", "subtype": "channel_join", "text": "joined"},
]
LATER = [{"ts": "1772602000.000100", "thread_ts": "1772443000.000100", "user": "U2", "text": "Behind the kiln."}]
FILES: dict[str, object] = {
    "users.json": [
        {"id": "U1", "team_id": "T1", "name": "ann", "profile": {"display_name": "ann"}},
        {"id": "U2", "team_id": "T1", "name": "bo", "profile": {"real_name": "Bo Ek"}},
    ],
    "channels.json": [
        {"id": "C1", "name": "shop"},
        {"id": "C2", "name": "empty"},
        {"id": "C3", "name": "closed", "is_private": True},
    ],
    "groups.json": [{"id": "G1", "name": "board"}],
    "mpims.json": [{"id": "G2", "name": "mpdm-ann--bo-1"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "shop/2026-03-02.json": MESSAGES,
    "shop/2026-03-04.json": LATER,
    "board/2026-03-02.json": [{"ts": "1772442000.000200", "user": "U1", "text": "Sales are up."}],
    "closed/2026-03-02.json": [{"ts": "1772442000.000300", "user": "U1", "text": "Closed talk."}],
    "mpdm-ann--bo-1/2026-03-02.json": [{"ts": "1772442000.000400", "user": "U1", "text": "Between us."}],
    "D1/2026-03-02.json": [{"ts": "1772442000.000500", "user": "U1", "text": "For you alone."}],
    "D9/2026-03-02.json": [{"ts": "1772442000.000600", "user": "U1", "text": "For you alone."}],
    "gone/2026-03-02.json": [{"ts": "1772442000.000700", "user": "U1", "text": "Whose channel?"}],
}


def written(folder: Path, files: Mapping[str, object] = FILES, as_zip: bool = False) -> Path:
    """An export, as a zip or a folder."""
    texts = {name: content if isinstance(content, str) else json.dumps(content) for name, content in files.items()}
    if as_zip:
        with zipfile.ZipFile(folder / "export.zip", "w") as packed:
            for name, text in texts.items():
                packed.writestr(name, text)
        return folder / "export.zip"
    for name, text in texts.items():
        path = folder / "export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "export"


def read(path: Path, with_private: bool = False, left_out: LeftOut = NOTHING_LEFT_OUT) -> tuple[list[Source], Tally]:
    """The sources of an export and what was counted."""
    tally = Tally()
    export = Export(
        open_archive(path),
        US,
        permalink_of(US.url),
        lambda id_: Place(f"place-of-{id_}"),
        with_private=with_private,
        left_out=left_out,
    )
    return list(export.sources(tally)), tally


def said(sources: list[Source]) -> list[list[tuple[str, str]]]:
    """Who said what in each source."""
    talks = [source.content for source in sources if isinstance(source.content, Talk)]
    return [[(utterance.author, utterance.text) for utterance in talk.utterances] for talk in talks]


SHOP = [
    [("ann", "Where is the ladder?"), ("Bo Ek", "Behind the kiln.")],
    [("ann", "The kiln is hot, @Bo Ek."), ("Bo Ek", "So I see.")],
]


@pytest.mark.parametrize("as_zip", [True, False])
def test_public_channels_are_read_and_the_rest_is_counted(tmp_path: Path, as_zip: bool) -> None:
    """A zip and a folder give the same; whatever was left out stands in the tally with its reason."""
    sources, tally = read(written(tmp_path, as_zip=as_zip))
    assert said(sources) == SHOP
    assert (tally.channels, tally.messages) == (1, 6)
    assert +tally.skipped == Counter({PRIVATE: 3, DIRECT: 2, NO_CHANNEL: 1, NO_FOLDER: 1, NOTICES: 1, WITH_US: 1})


def test_a_folder_around_the_export_does_not_matter(tmp_path: Path) -> None:
    """Whoever unpacks an export and packs it again packs its folder too."""
    around = {f"Home Slack export/{name}": content for name, content in FILES.items()}
    assert said(read(written(tmp_path, around, as_zip=True))[0]) == SHOP
    assert said(read(written(tmp_path, around))[0]) == SHOP


def test_what_people_left_out_is_not_read_from_an_export_either(tmp_path: Path) -> None:
    """Neither somebody's messages nor a channel; both are counted with their reason."""
    sources, tally = read(written(tmp_path), left_out=LeftOut(people=lambda: {"U2"}))
    assert (said(sources), tally.skipped[WITH_US]) == ([SHOP[0][:1], SHOP[1][:1]], 3)
    sources, tally = read(written(tmp_path), left_out=LeftOut(places=lambda: {Place("place-of-C1")}))
    assert (said(sources), tally.skipped[LEFT_OUT], tally.messages) == ([], 1, 0)


def test_private_channels_are_read_only_when_asked_and_direct_messages_never(tmp_path: Path) -> None:
    """Nobody's DMs are ever indexed, from an export neither."""
    sources, tally = read(written(tmp_path), with_private=True)
    texts = [text for talk in said(sources) for _, text in talk]
    assert {"Sales are up.", "Closed talk.", "Between us."} <= set(texts)
    assert "For you alone." not in texts
    assert tally.skipped[DIRECT] == 2


def test_an_export_and_the_api_make_the_same_sources(tmp_path: Path) -> None:
    """A later backfill finds its sources there already: same ids, addresses, words and places."""
    sources, _ = read(written(tmp_path))

    class Names:
        def person(self, user_id: str) -> str:
            return {"U1": "ann", "U2": "Bo Ek"}.get(user_id, "")

        def channel(self, channel_id: str) -> str:
            return ""

        def group(self, group_id: str) -> str:
            return ""

    by_api = TalkSources(US, Names(), permalink_of(US.url), lambda _channel: ())
    history = [parse({**payload, "reply_count": int("thread_ts" in payload)}, "C1") for payload in MESSAGES]
    shop = Conversation("C1", Place("place-of-C1"), "shop", ConversationKind.PUBLIC)
    thread: list[Message] = [history[2], parse(LATER[0], "C1")]
    assert sources == [*by_api.of_thread(shop, thread), *by_api.of_day(shop, history)]


def test_a_damaged_day_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    """One bad file costs its own messages."""
    bad = {"shop/2026-03-05.json": "[{", "shop/2026-03-06.json": "{}", "shop/2026-03-07.json": "[" * 100_000}
    sources, tally = read(written(tmp_path, FILES | bad))
    assert said(sources) == SHOP
    assert tally.skipped["files that are damaged"] == 2
    assert tally.skipped["files that are not a list"] == 1


def test_no_more_is_unpacked_than_a_day_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too large, or that is larger than it says, is not taken."""
    monkeypatch.setattr(archive, "LARGEST_FILE", 2_000)
    bomb = {"shop/2026-03-05.json": json.dumps([{"ts": "1772442000.000900", "text": "x" * 5_000}])}
    sources, tally = read(written(tmp_path, FILES | bomb, as_zip=True))
    assert said(sources) == SHOP
    assert tally.skipped["files that are larger than 64 MB"] == 1


def test_paths_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    """Nothing is written anywhere, and a link out of the folder is no part of the export."""
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps([{"ts": "1772442000.000800", "user": "U1", "text": "Outside."}]), encoding="utf-8")
    folder = written(tmp_path)
    (folder / "shop" / "2026-03-08.json").symlink_to(outside)
    assert said(read(folder)[0]) == SHOP
    tricks = FILES | {"../shop/2026-03-09.json": MESSAGES, "/etc/2026-03-09.json": MESSAGES}
    assert said(read(written(tmp_path, tricks, as_zip=True))[0]) == SHOP
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export", "export.zip", "outside.json"]


@pytest.mark.parametrize("files", [{}, {"readme.json": []}, {"channels.json": "no JSON"}])
def test_what_is_no_export_is_refused(tmp_path: Path, files: Mapping[str, object]) -> None:
    """A sentence says what is wrong, before anything is indexed."""
    with pytest.raises(UsageError, match="export"):
        read(written(tmp_path, files, as_zip=True))


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    """As above."""
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    with pytest.raises(UsageError, match="as Slack made it"):
        open_archive(tmp_path / "notes.txt")


@pytest.mark.skipif(not REAL.exists(), reason="the real export stands beside the project, not in it")
@pytest.mark.parametrize("name", ["source_export.zip", "source_export"])
def test_a_real_export_is_read_as_it_is(name: str) -> None:
    """Every message of it is in a source or counted as left out."""
    sources, tally = read(REAL / name)
    utterances = sum(len(talk) for talk in said(sources))
    assert sources
    assert team_of(open_archive(REAL / name))
    assert utterances + sum(tally.skipped.values()) == tally.messages
