"""A server on loopback that speaks both vendors' APIs, streaming and not, scripted turn by turn, faults included."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Turn:
    """What the server does with one request. status other than 200: an error with `said`, and retry_after_s as a hint.

    ending: "end", "length", "refusal", "cut" (the connection closes in the middle), "stall" (nothing more is said)
    or "error" (an error event in the stream).
    """

    text: str = "hello"
    ending: str = "end"
    status: int = 200
    said: str = "not now"
    retry_after_s: float | None = None


@dataclass
class Vendors:
    """turns: served in order, the last one again and again. without: paths that this server doesn't have."""

    turns: list[Turn]
    without: tuple[str, ...] = ()
    url: str = ""
    requests: list[tuple[str, dict]] = field(default_factory=list)  # type: ignore[type-arg]
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    def next_turn(self) -> Turn:
        return self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split()[1]
            length = next(int(x.split(":")[1]) for x in head.splitlines() if x.lower().startswith("content-length"))
            body = json.loads(await reader.readexactly(length))
            self.requests.append((path, body))
            if path not in self.without:
                self.asked.set()
            turn = Turn(status=404, said="no such path") if path in self.without else self.next_turn()
            await self._answer(writer, path, turn, streaming=bool(body.get("stream")))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, path: str, turn: Turn, streaming: bool) -> None:
        if turn.status != 200:
            error = {"type": "error", "error": {"type": "some_error", "message": turn.said}}
            hint = "" if turn.retry_after_s is None else f"retry-after: {turn.retry_after_s}\r\n"
            _head(writer, turn.status, f"content-type: application/json\r\n{hint}")
            writer.write(json.dumps(error).encode())
            await writer.drain()
            return
        if not streaming:
            _head(writer, 200, "content-type: application/json\r\n")
            writer.write(json.dumps(WHOLE[path](turn)).encode())
            await writer.drain()
            return
        _head(writer, 200, "content-type: text/event-stream\r\n")
        for data in EVENTS[path](turn):
            kind = data.get("type")
            writer.write(f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode() if kind else _bare(data))
            await writer.drain()
        if turn.ending == "stall":
            await asyncio.Event().wait()
        if path == "/v1/chat/completions" and turn.ending in ("end", "length", "refusal"):
            writer.write(b"data: [DONE]\n\n")
        await writer.drain()


def _head(writer: asyncio.StreamWriter, status: int, headers: str) -> None:
    writer.write(f"HTTP/1.1 {status} Said\r\nconnection: close\r\n{headers}\r\n".encode())


def _bare(data: dict) -> bytes:  # type: ignore[type-arg]
    return f"data: {json.dumps(data)}\n\n".encode()


BROKEN = ("cut", "stall", "error")


def _messages(turn: Turn) -> list[dict]:  # type: ignore[type-arg]
    half = len(turn.text) // 2
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0, "output_tokens": 1}
    message = {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events: list[dict] = [  # type: ignore[type-arg]
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": turn.text[:half]}},
    ]
    if turn.ending == "error":
        return [*events, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}]
    if turn.ending in BROKEN:
        return events
    why = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}[turn.ending]
    return [
        *events,
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": turn.text[half:]}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": why, "stop_sequence": None},
            "usage": {"output_tokens": 7},
        },
        {"type": "message_stop"},
    ]


def _responses(turn: Turn) -> list[dict]:  # type: ignore[type-arg]
    half = len(turn.text) // 2
    place = {"item_id": "i", "output_index": 0, "content_index": 0, "logprobs": []}
    first = {"type": "response.output_text.delta", "sequence_number": 1, "delta": turn.text[:half], **place}
    if turn.ending == "error":
        return [first, {"type": "error", "error": {"code": "server_error", "message": "sorry"}, "sequence_number": 2}]
    if turn.ending in BROKEN:
        return [first]
    part: dict = {"type": "output_text", "text": turn.text, "annotations": []}  # type: ignore[type-arg]
    if turn.ending == "refusal":
        part = {"type": "refusal", "refusal": turn.text}
    cut = turn.ending == "length"
    response = {
        "id": "r", "object": "response", "created_at": 0, "model": "x", "parallel_tool_calls": False, "tools": [],
        "tool_choice": "auto", "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [{"id": "i", "type": "message", "role": "assistant", "status": "completed", "content": [part]}],
        "usage": {
            "input_tokens": 15, "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 22,
        },
    }  # fmt: skip
    return [
        first,
        {"type": "response.output_text.delta", "sequence_number": 2, "delta": turn.text[half:], **place},
        {"type": f"response.{'incomplete' if cut else 'completed'}", "sequence_number": 3, "response": response},
    ]


def _chat(turn: Turn) -> list[dict]:  # type: ignore[type-arg]
    half = len(turn.text) // 2

    def chunk(delta: dict, finish: str | None = None) -> dict:  # type: ignore[type-arg]
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "x", "choices": choices}

    key = "refusal" if turn.ending == "refusal" else "content"
    if turn.ending == "error":
        return [chunk({key: turn.text[:half]}), {"error": {"code": "server_error", "message": "sorry"}}]
    if turn.ending in BROKEN:
        return [chunk({key: turn.text[:half]})]
    usage = {
        "prompt_tokens": 15,
        "completion_tokens": 7,
        "total_tokens": 22,
        "prompt_tokens_details": {"cached_tokens": 5},
    }
    finish = "length" if turn.ending == "length" else "stop"
    return [
        chunk({key: turn.text[:half]}),
        chunk({key: turn.text[half:]}),
        chunk({}, finish),
        {**chunk({}), "choices": [], "usage": usage},
    ]


def _whole_message(turn: Turn) -> dict:  # type: ignore[type-arg]
    why = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}[turn.ending]
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0, "output_tokens": 7}
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": why, "stop_sequence": None,
        "content": [{"type": "text", "text": turn.text}], "usage": usage,
    }  # fmt: skip


def _whole_response(turn: Turn) -> dict:  # type: ignore[type-arg]
    return _responses(turn)[-1]["response"]  # type: ignore[no-any-return]


def _whole_chat(turn: Turn) -> dict:  # type: ignore[type-arg]
    message = {"role": "assistant", "content": turn.text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "length" if turn.ending == "length" else "stop"}
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": "x", "choices": [choice],
        "usage": _chat(turn)[-1]["usage"],
    }  # fmt: skip


WHOLE = {"/v1/messages": _whole_message, "/v1/responses": _whole_response, "/v1/chat/completions": _whole_chat}
EVENTS = {"/v1/messages": _messages, "/v1/responses": _responses, "/v1/chat/completions": _chat}


@asynccontextmanager
async def vendors(*turns: Turn, without: tuple[str, ...] = ()) -> AsyncIterator[Vendors]:
    house = Vendors(list(turns), without)
    server = await asyncio.start_server(house.serve, "127.0.0.1", 0)
    house.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield house
    finally:
        server.close()
