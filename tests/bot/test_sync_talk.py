"""Sources made of a channel's messages."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from bot.slack.messages import Message
from bot.slack.workspace import Identity
from bot.sync.talk import TalkSources
from bot.types import Conversation, ConversationKind
from retrieval.types import Place, Talk

US = Identity("T1", "https://home.example/", "U0ME", "B0ME", "A0ME")
SHOP = Conversation("C1", Place("shop"), "shop", ConversationKind.PUBLIC)
MORNING = 1_772_438_400
"""8:00 on 2 March 2026, in UTC."""


class Names:
    """Everybody is called Ann."""

    def person(self, _user_id: str) -> str:
        return "Ann"

    def channel(self, _channel_id: str) -> str:
        return ""

    def group(self, _group_id: str) -> str:
        return ""


def grouped(messages: Iterable[Message]) -> list[list[str]]:
    """What each source of a day says."""
    sources = TalkSources(US, Names(), lambda *_: "https://home.example/m", lambda _: ()).of_day(SHOP, messages)
    return [
        [utterance.text for utterance in source.content.utterances]
        for source in sources
        if isinstance(source.content, Talk)
    ]


def message(minute: int, text: str = "", user: str = "U1") -> Message:
    """A message, so many minutes after eight."""
    return Message("C1", f"{MORNING + minute * 60}.000100", user=user, text=text or str(minute))


def test_a_silence_ends_a_stretch_of_talk() -> None:
    """Messages belong together as long as somebody goes on with the talk."""
    assert grouped(message(minute) for minute in (0, 9, 18, 90)) == [["0", "9", "18"], ["90"]]


def test_messages_without_words_belong_to_no_stretch() -> None:
    """What shows only a picture opens no source, and splits none."""
    picture = Message("C1", f"{MORNING}.000200", user="U1", subtype="file_share")
    assert grouped([picture, message(1), message(2)]) == [["1", "2"]]


@given(st.permutations([message(minute) for minute in (0, 3, 9, 80, 81, 300, 305)]))
def test_the_order_in_which_messages_are_read_does_not_matter(messages: list[Message]) -> None:
    """A history comes newest first, an export oldest first; both make the same sources."""
    assert grouped(messages) == [["0", "3", "9"], ["80", "81"], ["300", "305"]]
