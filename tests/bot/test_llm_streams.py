"""What chat models send, whole and broken, over the adapters themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ChatModelBusy, ChatModelError
from bot.llm.opening import Dialect, ModelAddress, plain_model
from bot.llm.protocol import ChatRequest, Finish, Piece
from bot.llm.sse import ServerEvent, events

REQUEST = ChatRequest("Be short.", "How many lifts?", 100)
EVENTS = {"content-type": "text/event-stream; charset=utf-8"}


def chunk(text: str | None = None, finish: str | None = None, **delta: object) -> str:
    """One event of a chat completion."""
    said = {**delta, **({} if text is None else {"content": text})}
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}) + "\n\n"


def block(kind: str, **delta: str) -> str:
    """One delta of Anthropic's API."""
    data = {"type": "content_block_delta", "index": 0, "delta": {"type": kind, **delta}}
    return f"event: content_block_delta\ndata: {json.dumps(data)}\n\n"


def stop(reason: str) -> str:
    """How Anthropic's API ends a reply."""
    data = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}
    return f'event: message_delta\ndata: {json.dumps(data)}\n\nevent: message_stop\ndata: {{"type":"message_stop"}}\n\n'


def heard(dialect: Dialect, body: str | bytes | list[bytes]) -> list[Piece]:
    """What an adapter makes of a stream."""
    parts = [body.encode()] if isinstance(body, str) else [body] if isinstance(body, bytes) else body

    def serve(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers=EVENTS, content=iter(parts))

    address = ModelAddress("http://127.0.0.1:1", "m", "key", dialect)
    return list(plain_model(address, httpx.MockTransport(serve)).stream(REQUEST))


def openai(body: str | bytes | list[bytes]) -> list[Piece]:
    """Of a chat completion."""
    return heard(Dialect.OPENAI, body)


def anthropic(body: str | bytes | list[bytes]) -> list[Piece]:
    """Of a message of Anthropic's."""
    return heard(Dialect.ANTHROPIC, body)


THREE_LIFTS = [Piece("Three "), Piece("lifts."), Piece(finish=Finish.DONE)]
DONE = "data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("body", "pieces"),
    [
        (chunk("Three ") + chunk("lifts.") + chunk(finish="stop") + DONE, THREE_LIFTS),
        (chunk("Three ") + chunk("lifts.", "stop"), THREE_LIFTS),
        (chunk(None, role="assistant") + chunk("") + chunk("Three ") + chunk("lifts.", "stop") + DONE, THREE_LIFTS),
        (": hi\n\n" + chunk("Three ") + ":\n\n" + chunk("lifts.") + ": hi\n" + chunk(finish="stop"), THREE_LIFTS),
        ((chunk("Three ") + chunk("lifts.", "stop") + DONE).replace("\n", "\r\n"), THREE_LIFTS),
        ((chunk("Three ") + chunk("lifts.", "stop") + DONE).replace("\n", "\r"), THREE_LIFTS),
        ("\ufeff" + chunk("Three ") + chunk("lifts.", "stop"), THREE_LIFTS),
        (chunk("Three ", reasoning_content="hm") + chunk(None, reasoning="so") + chunk("lifts.", "stop"), THREE_LIFTS),
        (chunk("Three ") + chunk("lifts.", "stop") + 'data: {"choices": [], "usage": {"x": 1}}\n\n', THREE_LIFTS),
        (chunk("Three ") + chunk("lifts.", "eos"), THREE_LIFTS),
        (chunk("Three ") + chunk("lifts.", "length"), [*THREE_LIFTS[:2], Piece(finish=Finish.LIMIT)]),
        (chunk(finish="content_filter"), [Piece(finish=Finish.REFUSED)]),
        (chunk(None, refusal="No.") + chunk(finish="stop"), [Piece(finish=Finish.REFUSED)]),
        (chunk(finish="stop") + DONE, [Piece(finish=Finish.DONE)]),
        (chunk("a\u2028b", "stop"), [Piece("a\u2028b"), Piece(finish=Finish.DONE)]),
        ("data: {\ndata: \"choices\": [{\"delta\": {\"content\": \"x\"}, \"finish_reason\": \"stop\"}]}\n\n",
         [Piece("x"), Piece(finish=Finish.DONE)]),
    ],
    ids=["plain", "no DONE", "role first", "comments", "CRLF", "CR", "byte order mark", "thinking", "figures",
         "an unknown end", "limit", "filtered", "refusal", "no text", "a line separator in JSON", "data in two lines"],
)  # fmt: skip
def test_a_chat_completion_is_read(body: str, pieces: list[Piece]) -> None:
    """Only what is meant for a reader comes through, in order, and an end that was given."""
    assert openai(body) == pieces


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("", ChatModelBusy),
        (DONE, ChatModelBusy),
        (chunk("Three ") + chunk("li"), ChatModelBusy),
        (chunk("Three ") + chunk("lifts.", "stop").removesuffix("\n"), ChatModelBusy),
        (chunk("Three ") + "data: {\"choices\": [\n\n", ChatModelError),
        (chunk("Three ") + "data: []\n\n", ChatModelError),
        (chunk("Three ") + 'data: {"error": {"message": "x", "type": "server_error"}}\n\n', ChatModelBusy),
        (chunk("Three ") + 'data: {"error": {"message": "x", "code": 503}}\n\n', ChatModelBusy),
        (chunk("Three ") + 'data: {"error": "bad"}\n\n', ChatModelError),
        (chunk(None, "tool_calls", tool_calls=[{"function": {"name": "f"}}]), ChatModelError),
        (b"data: \xff\xfe\n\n", ChatModelError),
        (chunk("Three").encode()[:-8] + b"\xc3", ChatModelError),
    ],
    ids=["empty", "DONE alone", "cut off", "cut off in its last event", "broken JSON", "no object", "passing error",
         "error by number", "error", "tool calls", "no UTF-8", "cut in a character"],
)  # fmt: skip
def test_a_broken_chat_completion_is_an_error(body: str | bytes, error: type[ChatModelError]) -> None:
    """A reply that is not whole is never taken for one; only what may pass is told as busy."""
    with pytest.raises(ChatModelError) as raised:
        openai(body)
    assert type(raised.value) is error


@given(st.lists(st.integers(min_value=1, max_value=20), min_size=1), st.sampled_from(["\n", "\r\n", "\r"]))
def test_bytes_may_be_cut_anywhere(sizes: list[int], end: str) -> None:
    """Where the network cuts the bytes, within a character or a line's end, changes nothing."""
    whole = (': ✓\ndata: {"a": "żółw 🐢"}\n\nevent: e\ndata: 1\ndata: 2\n\n').replace("\n", end).encode()

    def cut() -> Iterator[bytes]:
        at = turn = 0
        while at < len(whole):
            yield whole[at : at + sizes[turn % len(sizes)]]
            at, turn = at + sizes[turn % len(sizes)], turn + 1

    expected = [ServerEvent("message", '{"a": "żółw 🐢"}'), ServerEvent("e", "1\n2")]
    assert list(events([*cut(), b"\n"])) == expected


PING = 'event: ping\ndata: {"type": "ping"}\n\n'


@pytest.mark.parametrize(
    ("body", "pieces"),
    [
        (PING + block("text_delta", text="Three ") + PING + block("text_delta", text="lifts.") + stop("end_turn"),
         THREE_LIFTS),
        (block("thinking_delta", thinking="hm") + block("signature_delta", signature="x") + PING
         + block("text_delta", text="Three ") + block("text_delta", text="lifts.") + stop("stop_sequence"),
         THREE_LIFTS),
        (block("text_delta", text="Three ") + block("text_delta", text="lifts.") + stop("max_tokens"),
         [*THREE_LIFTS[:2], Piece(finish=Finish.LIMIT)]),
        (stop("refusal"), [Piece(finish=Finish.REFUSED)]),
        (stop("end_turn"), [Piece(finish=Finish.DONE)]),
        ('data: {"type": "yet_unknown"}\n\n' + stop("end_turn"), [Piece(finish=Finish.DONE)]),
    ],
    ids=["pings", "thinking", "limit", "refusal", "no text", "an unknown event"],
)  # fmt: skip
def test_a_message_of_anthropics_is_read(body: str, pieces: list[Piece]) -> None:
    """Text blocks are chosen by their type, and the stop's reason tells the end."""
    assert anthropic(body) == pieces


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (block("text_delta", text="Three"), ChatModelBusy),
        (block("text_delta", text="Three") + 'data: {"type": "message_stop"}\n\n', ChatModelBusy),
        ('event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n', ChatModelBusy),
        ('event: error\ndata: {"type": "error", "error": {"type": "invalid_request_error"}}\n\n', ChatModelError),
        (stop("tool_use"), ChatModelError),
        ("data: {\n\n", ChatModelError),
    ],
    ids=["cut off", "no reason", "overloaded", "error", "tool", "broken JSON"],
)
def test_a_broken_message_is_an_error(body: str, error: type[ChatModelError]) -> None:
    """As with chat completions."""
    with pytest.raises(ChatModelError) as raised:
        anthropic(body)
    assert type(raised.value) is error
