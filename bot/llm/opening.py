"""Opens the chat model that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit

import httpx

from bot.llm.anthropic import VERSION, AnthropicModel
from bot.llm.calls import Caller, new_client
from bot.llm.lasting import Circuit, Retrying
from bot.llm.openai import OpenAIModel
from bot.llm.protocol import ChatModel


class Dialect(Enum):
    """Which API a model's server speaks."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Where a model is, and what it wants."""

    url: str
    """Of its API, with or without the path of the method."""
    model: str
    api_key: str = field(default="", repr=False)
    dialect: Dialect | None = None
    """None: told by the address."""
    idle_s: float = 60.0


def open_chat_model(address: ModelAddress, transport: httpx.BaseTransport | None = None) -> ChatModel:
    """The model, asked again while it is busy and left alone while it is down; nothing is asked of it yet."""
    return Circuit(Retrying(plain_model(address, transport)))


def plain_model(address: ModelAddress, transport: httpx.BaseTransport | None = None) -> ChatModel:
    """The model, asked once."""
    if dialect_of(address) is Dialect.ANTHROPIC:
        headers = {"x-api-key": address.api_key, "anthropic-version": VERSION}
        return AnthropicModel(_caller(address, "/messages", headers, transport), address.model)
    headers = {"authorization": f"Bearer {address.api_key}"} if address.api_key else {}
    return OpenAIModel(_caller(address, "/chat/completions", headers, transport), address.model)


def _caller(
    address: ModelAddress, method: str, headers: Mapping[str, str], transport: httpx.BaseTransport | None
) -> Caller:
    return Caller(new_client(transport), _at(address.url, method), headers, address.idle_s)


def dialect_of(address: ModelAddress) -> Dialect:
    """As set, or as the address tells."""
    host = urlsplit(address.url).hostname or ""
    told = Dialect.ANTHROPIC if host == "anthropic.com" or host.endswith(".anthropic.com") else Dialect.OPENAI
    return address.dialect or told


def _at(url: str, method: str) -> str:
    """The method's address, of a server's, an API's or its own; a path that is there says where the API is."""
    base = url.rstrip("/").removesuffix(method)
    return base + ("" if urlsplit(base).path else "/v1") + method
