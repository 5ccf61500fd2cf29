"""How chat models are asked: where, with which key, how often again, and when no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import pytest

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.calls import Caller, new_client
from bot.llm.lasting import Circuit, Retrying
from bot.llm.opening import Dialect, ModelAddress, open_chat_model, plain_model
from bot.llm.protocol import ChatModel, ChatRequest, Piece
from tests.bot.chat import ScriptedModel

REQUEST = ChatRequest("Be short.", "How many lifts?", 100)
EVENTS = {"content-type": "text/event-stream"}
THREE = 'data: {"choices": [{"delta": {"content": "Three."}, "finish_reason": "stop"}]}\n\n'
BUSY = ChatModelBusy("busy")


@dataclass
class Served:
    """Answers with responses one after the other, and remembers the requests."""

    responses: list[httpx.Response | Exception]
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self.responses[min(len(self.requests), len(self.responses)) - 1]
        if isinstance(response, Exception):
            raise response
        return response


def asked(address: ModelAddress, *responses: httpx.Response | Exception) -> Served:
    """One call, made."""
    served = Served(list(responses))
    list(plain_model(address, httpx.MockTransport(served)).stream(REQUEST))
    return served


def good() -> httpx.Response:
    """A whole reply."""
    return httpx.Response(200, headers=EVENTS, text=THREE)


@pytest.mark.parametrize(
    ("url", "dialect", "asked_at"),
    [
        ("http://localhost:11434/v1", None, "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:8080", None, "http://localhost:8080/v1/chat/completions"),
        ("http://localhost:8080/", None, "http://localhost:8080/v1/chat/completions"),
        ("https://llm.example/api/v3/chat/completions", None, "https://llm.example/api/v3/chat/completions"),
        ("https://api.anthropic.com", None, "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/messages", None, "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1", Dialect.OPENAI, "https://api.anthropic.com/v1/chat/completions"),
        ("https://proxy.example", Dialect.ANTHROPIC, "https://proxy.example/v1/messages"),
        ("https://notanthropic.com", None, "https://notanthropic.com/v1/chat/completions"),
    ],
)
def test_the_address_tells_the_api(url: str, dialect: Dialect | None, asked_at: str) -> None:
    """A server's address, an API's and a method's lead to the same, and the host tells whose API it is."""
    ended = 'data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'
    both = httpx.Response(200, headers=EVENTS, text=ended + THREE)
    served = asked(ModelAddress(url, "m", "k", dialect), both)
    assert [str(request.url) for request in served.requests] == [asked_at]


def test_a_chat_completion_is_asked_for() -> None:
    """The instructions and the text are messages of their own; the key is in a header alone."""
    (request,) = asked(ModelAddress("http://localhost:8080", "m", "sk-1"), good()).requests
    assert request.headers["authorization"] == "Bearer sk-1"
    assert json.loads(request.content) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "How many lifts?"}],
        "stream": True,
        "max_tokens": 100,
        "temperature": 0,
    }


def test_openais_own_models_get_the_names_that_they_know() -> None:
    """They refuse `max_tokens` and a temperature."""
    (request,) = asked(ModelAddress("https://api.openai.com/v1", "m", "k"), good()).requests
    body = json.loads(request.content)
    assert (body["max_completion_tokens"], "max_tokens" in body, "temperature" in body) == (100, False, False)


def test_a_message_of_anthropics_is_asked_for() -> None:
    """The instructions are `system`, and key and version are headers."""
    ended = 'data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'
    response = httpx.Response(200, headers=EVENTS, text=ended)
    (request,) = asked(ModelAddress("https://api.anthropic.com", "m", "sk-2"), response).requests
    assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == ("sk-2", "2023-06-01")
    assert "authorization" not in request.headers
    assert json.loads(request.content) == {
        "model": "m",
        "system": "Be short.",
        "messages": [{"role": "user", "content": "How many lifts?"}],
        "max_tokens": 100,
        "stream": True,
    }


@pytest.mark.parametrize(
    ("response", "error", "words"),
    [
        (httpx.Response(401, json={"error": {"code": "invalid_api_key"}}), ChatModelError, "LLM_API_KEY"),
        (httpx.Response(404, json={"error": {"message": "no such model"}}), ChatModelError, "LLM_MODEL"),
        (httpx.Response(400, text="no JSON"), ChatModelError, "LLM_MODEL"),
        (httpx.Response(307, headers={"location": "https://elsewhere.example"}), ChatModelError, "LLM_URL"),
        (httpx.Response(200, headers={"content-type": "text/html"}, text="<html>"), ChatModelError, "LLM_URL"),
        (httpx.Response(200, text=THREE, headers={"content-type": "application/json"}), ChatModelError, "LLM_URL"),
        (httpx.Response(429), ChatModelBusy, "busy"),
        (httpx.Response(529, json={"error": {"type": "overloaded_error"}}), ChatModelBusy, "overloaded_error"),
        (httpx.ConnectError("refused"), ChatModelBusy, "LLM_URL"),
        (httpx.ReadTimeout("silent"), ChatModelBusy, "LLM_TIMEOUT_S"),
        (httpx.RemoteProtocolError("closed"), ChatModelBusy, "LLM_URL"),
    ],
)
def test_a_fault_says_what_to_do(response: httpx.Response | Exception, error: type[ChatModelError], words: str) -> None:
    """One sentence that names the setting to look at, and neither the key nor what was asked."""
    with pytest.raises(ChatModelError, match=words) as raised:
        asked(ModelAddress("https://llm.example", "m", "sk-secret"), response)
    assert type(raised.value) is error
    assert "sk-secret" not in str(raised.value)
    assert REQUEST.text not in str(raised.value)


def test_the_key_goes_to_no_other_address() -> None:
    """A redirect is not followed."""
    served = Served([httpx.Response(302, headers={"location": "https://elsewhere.example"}), good()])
    model = plain_model(ModelAddress("https://llm.example", "m", "k"), httpx.MockTransport(served))
    with pytest.raises(ChatModelError):
        list(model.stream(REQUEST))
    assert len(served.requests) == 1


def test_the_key_is_not_printed() -> None:
    """Neither the address's `repr` nor the model's holds it."""
    address = ModelAddress("https://llm.example", "m", "sk-secret")
    assert "sk-secret" not in repr(address) + repr(open_chat_model(address))


def said(model: ChatModel) -> str:
    """What a model says."""
    return "".join(piece.text for piece in model.stream(REQUEST))


def patient(model: ChatModel, waits: list[float]) -> Retrying:
    """A model that is asked again at once; what it would have waited is remembered."""
    return Retrying(model, sleep=waits.append, jitter=lambda: 0.0)


def test_a_busy_model_is_asked_again() -> None:
    """Three times in all, each time after a longer wait, or after what the server wants."""
    waits: list[float] = []
    model = ScriptedModel([BUSY, ChatModelBusy("busy", 3.0), "Three."])
    assert (said(patient(model, waits)), waits) == ("Three.", [0.5, 3.0])


@pytest.mark.parametrize(
    ("errors", "calls"),
    [([BUSY], 3), ([ChatModelError("refused")], 1), ([ChatModelBusy("busy", 600.0)], 1)],
    ids=["it stays busy", "asking again would not help", "it wants too long a wait"],
)
def test_retries_are_bounded(errors: list[Exception], calls: int) -> None:
    """Somebody is waiting."""
    model = ScriptedModel(errors)
    with pytest.raises(ChatModelError):
        said(patient(model, []))
    assert len(model.asked) == calls


@dataclass
class BreaksOff:
    """Says half a sentence, and fails."""

    name: str = "breaks off"
    calls: int = 0

    def stream(self, request: ChatRequest):  # type: ignore[no-untyped-def]  # a generator, as the protocol has it
        self.calls += 1
        yield Piece("Three ")
        raise BUSY


def test_what_was_half_said_is_not_said_twice() -> None:
    """A reply that broke off is not begun again under the first half."""
    model = BreaksOff()
    with pytest.raises(ChatModelBusy):
        said(patient(model, []))
    assert model.calls == 1


@pytest.mark.parametrize(("header", "wait_s"), [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None)])
def test_retry_after_is_read(header: str, wait_s: float | None) -> None:
    """Seconds, or a date; anything else says nothing."""
    with pytest.raises(ChatModelBusy) as raised:
        asked(ModelAddress("https://llm.example", "m"), httpx.Response(429, headers={"retry-after": header}))
    assert raised.value.retry_after_s == wait_s


def circuit(model: ChatModel) -> tuple[Circuit, Callable[[float], None]]:
    """A circuit, and what moves its clock."""
    now = [0.0]
    return Circuit(model, clock=lambda: now[0]), lambda s: now.__setitem__(0, now[0] + s)


def test_a_model_that_keeps_failing_is_left_alone_for_a_minute() -> None:
    """After three failures nobody waits for it; after a minute one tries, and what works is used again."""
    model = ScriptedModel([BUSY, BUSY, BUSY, BUSY, "Three."])
    guarded, wait = circuit(model)
    for _ in range(5):
        with pytest.raises(ChatModelBusy):
            said(guarded)
    assert len(model.asked) == 3
    wait(61)
    for _ in range(2):
        with pytest.raises(ChatModelBusy):
            said(guarded)
    assert len(model.asked) == 4
    wait(61)
    assert [said(guarded), said(guarded)] == ["Three.", "Three."]


def test_failures_that_are_no_row_leave_the_model_in_use() -> None:
    """A success between them begins the count anew."""
    model = ScriptedModel([BUSY, BUSY, "Three.", BUSY, BUSY, "Three."])
    guarded, _ = circuit(model)
    heard = []
    for _ in range(6):
        try:
            heard.append(said(guarded))
        except ChatModelBusy:
            heard.append("-")
    assert heard == ["-", "-", "Three.", "-", "-", "Three."]


def test_a_reply_without_end_is_ended() -> None:
    """Signs of life alone don't keep a question waiting for ever."""
    ticks = iter(range(0, 10_000, 50))
    response = httpx.Response(200, headers=EVENTS, content=(b": still here\n\n" for _ in range(100)))
    client = new_client(httpx.MockTransport(Served([response])))
    caller = Caller(client, "https://llm.example", {}, 60.0, clock=lambda: float(next(ticks)))
    with pytest.raises(ChatModelBusy, match="300 s"):
        list(caller.events({}))
