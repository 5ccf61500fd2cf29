"""Chat completions as OpenAI's API has them, and Ollama, vLLM and llama.cpp after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.calls import Caller, JsonObject, child, parsed, string
from bot.llm.protocol import ChatRequest, Finish, Piece

_FINISHES = {"stop": Finish.DONE, "length": Finish.LIMIT, "content_filter": Finish.REFUSED}
_PASSING = frozenset(
    {"server_error", "rate_limit_exceeded", "rate_limit_error", "overloaded_error", "unavailable_error"}
)
"""Names of errors in the middle of a stream that are gone when one asks again."""


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A `ChatModel` behind `/chat/completions`."""

    caller: Caller
    name: str

    def stream(self, request: ChatRequest) -> Iterator[Piece]:
        finish: Finish | None = None
        for event in self.caller.events(self._body(request)):
            if event.data.strip() == "[DONE]":
                break
            piece = _piece(parsed(event))
            finish = finish if finish is Finish.REFUSED else piece.finish or finish
            if piece.text:
                yield Piece(piece.text)
        if finish is None:
            raise ChatModelBusy("The language model's reply was cut off: its server closed the connection.")
        yield Piece(finish=finish)

    def _body(self, request: ChatRequest) -> JsonObject:
        messages = [
            {"role": "system", "content": request.instructions},
            {"role": "user", "content": request.text},
        ]
        return {"model": self.name, "messages": messages, "stream": True, **self._limits(request.most_tokens)}

    def _limits(self, most_tokens: int) -> JsonObject:
        """OpenAI's own newer models refuse `max_tokens` and a temperature; the others know no other name."""
        if urlsplit(self.caller.url).hostname == "api.openai.com":
            return {"max_completion_tokens": most_tokens}
        return {"max_tokens": most_tokens, "temperature": 0}


def _piece(chunk: JsonObject) -> Piece:
    """What one chunk adds; one without a choice tells figures."""
    _require_no_error(chunk)
    choices = chunk.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = child(choice, "delta")
    if string(delta, "refusal"):
        return Piece(finish=Finish.REFUSED)
    return Piece(string(delta, "content"), _finish(string(choice, "finish_reason")))


def _finish(reason: str) -> Finish | None:
    if reason in ("tool_calls", "function_call"):
        raise ChatModelError("The language model called a tool where it has none: choose another LLM_MODEL.")
    return _FINISHES.get(reason, Finish.DONE) if reason else None


def _require_no_error(chunk: JsonObject) -> None:
    if not chunk.get("error"):
        return
    error = child(chunk, "error")
    name = string(error, "type") or string(error, "code")
    code = error.get("code")
    if name in _PASSING or (isinstance(code, int) and code >= 500):
        raise ChatModelBusy("The language model's server failed in the middle of a reply: try again later.")
    raise ChatModelError("The language model's server reports an error in the middle of a reply: look at its log.")
