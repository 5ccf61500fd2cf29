"""Opens the language model that the settings name, and gives it its part of the path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bot.answering.meaning import Meaning
from bot.answering.path import Parts
from bot.answering.rewriting_by_model import ModelRewriter
from bot.answering.writing import Writer
from bot.llm.opening import Dialect, ModelAddress, open_chat_model
from bot.llm.protocol import ChatModel
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class WritingModel:
    """The language model that writes answers, opened once: it remembers whether it is down."""

    chat: ChatModel
    most_tokens: int
    """That it reads at once, its answer included."""
    host: str
    """Where it is, as people are told who want to know where their words go."""


def model_address(settings: Settings) -> ModelAddress:
    """The language model that the settings name."""
    dialect = Dialect(settings.llm_api) if settings.llm_api else None
    idle_s = float(settings.llm_timeout_s)
    return ModelAddress(settings.llm_url, settings.llm_model, settings.llm_api_key, dialect, idle_s)


def open_writing_model(settings: Settings) -> WritingModel | None:
    """The model, where one is set; nothing is asked of it yet."""
    if not settings.llm_url:
        return None
    host = urlsplit(settings.llm_url).netloc.rpartition("@")[2]
    return WritingModel(open_chat_model(model_address(settings)), int(settings.llm_context_tokens), host)


def with_model(parts: Parts, meaning: Meaning, model: WritingModel | None) -> Parts:
    """The path's parts, in which a model writes and rewrites where there is one."""
    if model is None:
        return parts
    write = Writer(model.chat, meaning, meaning.count_tokens, model.most_tokens)
    return replace(parts, write=write, rewrite=ModelRewriter(model.chat))
