"""Anthropic's messages API.

Source: https://docs.anthropic.com/en/api/messages-streaming
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.calls import Caller, JsonObject, child, parsed, string
from bot.llm.protocol import ChatRequest, Finish, Piece

VERSION = "2023-06-01"
"""Of the API, a header that it wants."""

_FINISHES = {
    "max_tokens": Finish.LIMIT,
    "model_context_window_exceeded": Finish.LIMIT,
    "refusal": Finish.REFUSED,
}
_PASSING = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


@dataclass(frozen=True, slots=True)
class AnthropicModel:
    """A `ChatModel` behind `/v1/messages`."""

    caller: Caller
    name: str

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        finish: Finish | None = None
        for event in self.caller.events(self._body(request)):
            data = parsed(event)
            match string(data, "type"):
                case "content_block_delta":
                    if text := _text(child(data, "delta")):
                        yield Piece(text)
                case "message_delta":
                    finish = _finish(string(child(data, "delta"), "stop_reason")) or finish
                case "message_stop":
                    break
                case "error":
                    raise _fault(string(child(data, "error"), "type"))
                case _:  # pings, figures, starts and ends of blocks, and what is yet to be invented
                    pass
        if finish is None:
            raise ChatModelBusy("The language model's reply was cut off: its server closed the connection.")
        yield Piece(finish=finish)

    def _body(self, request: ChatRequest) -> JsonObject:
        return {
            "model": self.name,
            "system": request.instructions,
            "messages": [{"role": "user", "content": request.text}],
            "max_tokens": request.most_tokens,
            "stream": True,
        }


def _text(delta: JsonObject) -> str:
    """What a reader is meant to see; thinking, signatures and a tool's arguments are other types."""
    return string(delta, "text") if string(delta, "type") == "text_delta" else ""


def _finish(reason: str) -> Finish | None:
    if reason == "tool_use":
        raise ChatModelError("The language model called a tool where it has none: choose another LLM_MODEL.")
    return _FINISHES.get(reason, Finish.DONE) if reason else None


def _fault(name: str) -> ChatModelError:
    if name in _PASSING:
        return ChatModelBusy("The language model's server failed in the middle of a reply: try again later.")
    return ChatModelError("The language model's server reports an error in the middle of a reply: check LLM_MODEL.")
