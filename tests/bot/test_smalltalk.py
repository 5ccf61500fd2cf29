"""Greetings and thanks are told from questions."""

from __future__ import annotations

import pytest

from bot.answering.smalltalk import is_small_talk

SMALL_TALK = (
    "", "   ", "?", "…", "👍", ":wave:", ":tada: :tada:", "hi", "Hi!", "hello there", "Hey Footnote 👋",
    "good morning, team", "Guten Morgen zusammen", "Bonjour !", "hola", "Olá", "ciao", "привет", "こんにちは",
    "thanks!", "Thank you so much :pray:", "danke dir", "merci beaucoup", "gracias", "ok", "ok, cool",
    "got it, thanks", "great, that's very helpful", "perfect 🎉", "are you there?", "how are you?", "what's up",
    "who are you?", "what can you do?", "help", "Help please", "test", "bye", "see you tomorrow",
    "that’s great", "don't use my messages", "Please opt me out", "stop using my posts",
)  # fmt: skip  # a list is read as a paragraph
QUESTIONS = (
    "hi, what's the wifi password?", "hello world in Go?", "help with the VPN", "thanks, and for guests?",
    "ok, who approves it?", "test coverage", "ping service is down?", "good morning briefing: when is it?",
    "great circle route", "why?", "how long?", "and in Germany?", "okay to merge on Friday?",
    "morning shift times", "who is on call?", "ERR_42", "holiday allowance",
    "what can you do about a lost badge?", "how do I say thanks to a colleague?", "Help! The build is red",
    "1234", "how do I opt out of the pension?", "don't use my messages for what?",
)  # fmt: skip  # a list is read as a paragraph


@pytest.mark.parametrize("text", SMALL_TALK)
def test_what_asks_nothing_is_small_talk(text: str) -> None:
    """Greetings in several languages, thanks, agreement, emoji and empty messages are never searched for."""
    assert is_small_talk(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_never_small_talk(text: str) -> None:
    """Whatever asks for something is searched for, however it begins."""
    assert not is_small_talk(text)
