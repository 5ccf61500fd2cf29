"""Sources made of a channel's messages."""

from __future__ import annotations

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


def test_a_silence_ends_a_stretch_of_talk() -> None:
    """Messages belong together as long as each follows the one before it closely."""
    at = [0, 10, 35, 90]
    messages = [Message("C1", f"{MORNING + minute * 60}.000100", user="U1", text=str(minute)) for minute in at]
    sources = TalkSources(US, Names(), lambda *_: "https://home.example/m", lambda _: ()).of_day(SHOP, messages)
    grouped = [
        [utterance.text for utterance in source.content.utterances]
        for source in sources
        if isinstance(source.content, Talk)
    ]
    assert grouped == [["0", "10", "35"], ["90"]]
